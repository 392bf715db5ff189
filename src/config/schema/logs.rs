//! `attempts:` and `log:`

use super::field::{Field, Shape};
use super::text::PATH;

pub(crate) const ATTEMPTS: &[Field] = &[
    Field::new("enabled", Shape::Bool, "whether records are written").default("true"),
    Field::new("path", Shape::Text(&PATH), "the live file").default("attempts/attempts.jsonl"),
    Field::new("rotate_bytes", Shape::bytes(), "the live file is rotated when it would grow past this")
        .default("104857600"),
    Field::new("keep", Shape::count(0, 10_000), "rotated files that are kept").default("10"),
];

pub(crate) const LOG: &[Field] = &[
    Field::new(
        "level",
        Shape::Word(&["error", "warn", "info", "debug", "trace"]),
        "least severe level written",
    )
    .default("info"),
    Field::new("format", Shape::Word(&["text", "json"]), "lines for people, or one JSON object a line")
        .default("text"),
    Field::new("dir", Shape::Text(&PATH), "the folder; `serve` logs there and to stderr").default("logs"),
];
