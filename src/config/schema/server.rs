//! `server:`

use super::field::{Field, Shape};
use super::text::{HOST, LISTEN, ORIGIN};

pub(crate) const SERVER: &[Field] = &[
    Field::new(
        "listen",
        Shape::OneOrList { item: &Shape::Text(&LISTEN), least: 1 },
        "one address or a list; port 0 takes a free one, which the log names",
    )
    .default("127.0.0.1:4040"),
    Field::new("max_body_bytes", Shape::bytes(), "a larger request body gets 413 before it is buffered")
        .default("209715200"),
    Field::new("drain_secs", Shape::secs(0.0), "how long open requests may go on after SIGTERM")
        .default("30"),
    Field::new(
        "allowed_origins",
        Shape::OneOrList { item: &Shape::Text(&ORIGIN), least: 0 },
        "browser origins that may call; any other `Origin` gets 403. It only lets in: no preflight is answered and no CORS header sent",
    )
    .default("[]"),
    Field::new(
        "allowed_hosts",
        Shape::OneOrList { item: &Shape::Text(&HOST), least: 0 },
        "names that `Host` may have besides loopback and the addresses listened on; any other gets 403",
    )
    .default("[]"),
];
