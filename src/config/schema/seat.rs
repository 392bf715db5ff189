//! `seats.NAME:`

use super::field::{Field, Shape};
use super::headers::{BETA, HEADER_NAME, HEADER_VALUE};
use super::text::{ANY, MODEL, NAME, REGEX};
use super::url::BASE_URL;

/// Tokens: at least one; the upper bound only stops typing errors from overflowing sums.
const fn tokens() -> Shape {
    Shape::Whole { min: 1, max: 1_000_000_000_000, unit: "tokens" }
}

const fn usd() -> Shape {
    Shape::Number { min: 0.0, max: 1_000_000.0, unit: "USD per million tokens" }
}

const PRICE: &[Field] = &[
    Field::new("input", usd(), "uncached input").required(),
    Field::new("output", usd(), "output").required(),
    Field::new("cache_read", usd(), "input read from the provider's cache; absent = the price of input"),
    Field::new("cache_write", usd(), "input written to the provider's cache; absent = the price of input"),
];

const TARGET: &[Field] = &[
    Field::new("base_url", Shape::Text(&BASE_URL), "one of several interchangeable upstreams").required(),
    Field::new("weight", Shape::count(0, 1_000_000), "its share").default("1"),
];

const MAPPING: &[Field] = &[
    Field::new("match", Shape::Text(&REGEX), "matches the whole requested id").required(),
    Field::new("to", Shape::Text(&MODEL), "the id that is sent instead").required(),
];

pub(crate) const SEAT: &[Field] = &[
    Field::new("provider", Shape::Text(&NAME), "its key under `providers`").required(),
    Field::new("model", Shape::Text(&MODEL), "the id that is sent upstream").required(),
    Field::new(
        "capability",
        Shape::Word(&["text", "vision", "image", "embedding"]),
        "what it can do; undeclared = text that passes images on",
    ),
    Field::new(
        "max_prompt_tokens",
        tokens(),
        "most prompt tokens it can hold, by which a larger seat is chosen; no prompt is cut yet",
    ),
    Field::new("max_output_tokens", tokens(), "most output tokens; what is asked is clamped to it first"),
    Field::new(
        "ttfb_timeout_secs",
        Shape::secs(0.001),
        "streamed: from the end of the upload to the first sign of generation",
    )
    .default("30"),
    Field::new(
        "response_timeout_secs",
        Shape::secs(0.001),
        "not streamed: from the end of the upload to the whole answer",
    )
    .default("300"),
    Field::new("idle_timeout_secs", Shape::secs(0.0), "longest silence inside a stream; 0 = any")
        .default("300"),
    Field::new(
        "price",
        Shape::Object(PRICE),
        "USD per million tokens, each class apart; absent = cost unknown",
    ),
    Field::new("skip", Shape::Bool, "takes it out of every chain").default("false"),
    Field::new(
        "anthropic_betas",
        Shape::OneOrList { item: &Shape::Text(&BETA), least: 0 },
        "values joined to the client's `anthropic-beta`",
    )
    .default("[]"),
    Field::new(
        "extra_headers",
        Shape::Map { key: &HEADER_NAME, value: &Shape::Text(&HEADER_VALUE) },
        "headers added to each upstream request; never a credential, whose place is the provider's `key`",
    ),
    Field::new("max_body_bytes", Shape::bytes(), "a seat is passed over by a larger request"),
    Field::new(
        "max_concurrency",
        Shape::count(1, 100_000),
        "most requests at once; beyond it the seat is busy",
    ),
    Field::new(
        "accept_models",
        Shape::List { item: &Shape::Text(&MODEL), least: 1 },
        "the exact requested ids that it may answer",
    )
    .guard(),
    Field::new(
        "map_models",
        Shape::List { item: &Shape::Object(MAPPING), least: 1 },
        "requested ids that it answers under another id",
    )
    .guard(),
    Field::new(
        "targets",
        Shape::List { item: &Shape::Object(TARGET), least: 1 },
        "interchangeable upstreams instead of the provider's `base_url`",
    )
    .not_yet(),
    Field::new(
        "drop_params",
        Shape::OneOrList { item: &Shape::Text(&ANY), least: 0 },
        "request fields that it does not understand",
    ),
    Field::new("prefill", Shape::Bool, "it continues a trailing assistant message").default("false"),
    Field::new("pdf", Shape::Bool, "it reads PDF documents").default("false"),
    Field::new("sampling", Shape::Bool, "it takes temperature, top_p and top_k").default("true"),
    Field::new("circuit_breaker", Shape::Opaque, "when it is taken out and tried again").not_yet(),
    Field::new("outlier_detection", Shape::Opaque, "when a target is ejected").not_yet(),
    Field::new("health_check", Shape::Opaque, "how its targets are asked for their health").not_yet(),
    Field::new("service_discovery", Shape::Opaque, "how its address is looked up again").not_yet(),
];
