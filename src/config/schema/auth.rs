//! `auth:`

use super::field::{Field, Shape};
use super::text::TOKEN;

pub(crate) const AUTH: &[Field] = &[
    Field::new(
        "tokens",
        Shape::OneOrList { item: &Shape::Text(&TOKEN), least: 0 },
        "where the accepted tokens are kept; a caller sends one as bearer or `x-api-key`",
    )
    .default("[]"),
    Field::new(
        "require",
        Shape::Word(&["remote", "always"]),
        "who needs a token: callers beyond loopback (`x-forwarded-for` makes a caller remote), or everybody",
    )
    .default("remote"),
];
