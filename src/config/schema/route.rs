//! `routes[]:`

use super::field::{Field, Shape};
use super::text::{GLOB, NAME, PATH};

const RETRY: &[Field] = &[
    Field::new(
        "max_attempts_per_seat",
        Shape::count(1, 100),
        "most attempts on one seat for one request, the first included",
    )
    .default("2"),
    Field::new(
        "backoff_ms",
        Shape::Whole { min: 0, max: 600_000, unit: "milliseconds" },
        "base of the backoff: base * 2^n with full jitter, at most 8 s",
    )
    .default("250"),
    Field::new(
        "budget_ratio",
        Shape::Number { min: 0.0, max: 1.0, unit: "" },
        "share of the route's requests of the last 60 s that may be repeated on the same seat",
    )
    .default("0.1"),
    Field::new("budget_floor", Shape::count(0, 1_000_000_000), "repeats that are always allowed in 60 s")
        .default("10"),
];

const COOLDOWN: &[Field] = &[
    Field::new(
        "allowed_fails",
        Shape::count(0, 1_000_000),
        "failed attempts inside the window that rest a seat; 0 = never",
    )
    .default("3"),
    Field::new("window_secs", Shape::secs(0.001), "the window").default("60"),
    Field::new("cooldown_secs", Shape::secs(0.0), "how long it rests, plus 0-50 % jitter").default("30"),
];

const QUALITY: &[Field] = &[
    Field::new("eval", Shape::Text(&PATH), "the eval set, JSON lines"),
    Field::new("min_score", Shape::Number { min: 0.0, max: 1.0, unit: "" }, "the bar"),
];

const CONTRACT: &[Field] = &[
    Field::new(
        "ttft_ms",
        Shape::Whole { min: 1, max: 604_800_000, unit: "milliseconds" },
        "budget to the first token",
    ),
    Field::new(
        "total_ms",
        Shape::Whole { min: 1, max: 604_800_000, unit: "milliseconds" },
        "budget of the answer",
    ),
    Field::new(
        "cost_ceiling_usd",
        Shape::Number { min: 0.0, max: 1_000_000.0, unit: "USD" },
        "most a request costs",
    ),
    Field::new("quality", Shape::Object(QUALITY), "the bar that every seat of the chain must pass"),
];

pub(crate) const ROUTE: &[Field] = &[
    Field::new("name", Shape::Text(&NAME), "its name in logs, metrics and headers").required(),
    Field::new(
        "models",
        Shape::OneOrList { item: &Shape::Text(&GLOB), least: 1 },
        "requested models that it takes, exact or with `*` (which matches `/` too); absent = its own name",
    ),
    Field::new(
        "chain",
        Shape::OneOrList { item: &Shape::Text(&NAME), least: 1 },
        "its seats in order, primary first",
    )
    .required(),
    Field::new("deadline_secs", Shape::secs(0.001), "from the end of a request's body to the first content")
        .default("600"),
    Field::new(
        "allowed_providers",
        Shape::List { item: &Shape::Text(&NAME), least: 1 },
        "providers that may see its prompts; absent = any",
    ),
    Field::new("retry", Shape::Object(RETRY), "repeats on the same seat"),
    Field::new("cooldown", Shape::Object(COOLDOWN), "when a failing seat is rested"),
    Field::new(
        "on_seat_rejected",
        Shape::Word(&["fail", "fall_back"]),
        "upstream refused the gateway's own credential or configured model (401, 403, model not found)",
    )
    .default("fail"),
    Field::new(
        "on_exhausted",
        Shape::Word(&["final", "retry"]),
        "a spent chain answers 502 that says not to retry, or 529 with the soonest `retry-after`",
    )
    .default("final"),
    Field::new(
        "hold_secs",
        Shape::secs(0.0),
        "the head is sent by then, with pings, so that the client stays",
    )
    .default("240"),
    Field::new(
        "stream_total_secs",
        Shape::secs(0.0),
        "longest stream after its first content; 0 or absent = any",
    ),
    Field::new("policy_seat", Shape::Text(&NAME), "the one reviewed seat that a refusal may go to").guard(),
    Field::new("substitute", Shape::Bool, "false = only a seat of the very model asked for may answer")
        .default("true")
        .guard_but(&["true"]),
    Field::new("degraded_banner", Shape::Word(&["text", "header"]), "how a truncated answer says so")
        .default("text")
        .not_yet_but(&["text"]),
    Field::new("affinity", Shape::Word(&["none", "session"]), "whether a conversation stays on its seat")
        .default("none")
        .not_yet_but(&["none"]),
    Field::new(
        "cache",
        Shape::Word(&["client", "auto"]),
        "whether cache breakpoints are added to the client's",
    )
    .default("client")
    .not_yet_but(&["client"]),
    Field::new("contract", Shape::Object(CONTRACT), "what the route promises: time, cost, quality").not_yet(),
];
