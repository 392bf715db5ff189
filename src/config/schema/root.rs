//! The sections.

use super::auth::AUTH;
use super::field::{Field, Shape};
use super::logs::{ATTEMPTS, LOG};
use super::provider::PROVIDER;
use super::route::ROUTE;
use super::seat::SEAT;
use super::server::SERVER;
use super::text::NAME;

/// Every section of a configuration.
pub(crate) const ROOT: &[Field] = &[
    Field::new("server", Shape::Object(SERVER), "where the gateway listens and whom it lets speak"),
    Field::new("auth", Shape::Object(AUTH), "who needs a token"),
    Field::new(
        "providers",
        Shape::Map { key: &NAME, value: &Shape::Object(PROVIDER) },
        "accounts at vendors, and local servers",
    )
    .required(),
    Field::new(
        "seats",
        Shape::Map { key: &NAME, value: &Shape::Object(SEAT) },
        "one model at one provider each, with what it can hold",
    )
    .required(),
    Field::new(
        "routes",
        Shape::List { item: &Shape::Object(ROUTE), least: 1 },
        "which requested models go where; the first route that matches wins",
    )
    .required(),
    Field::new("attempts", Shape::Object(ATTEMPTS), "the attempt log, one JSON line an attempt"),
    Field::new("log", Shape::Object(LOG), "what the gateway says about itself"),
    Field::new("store", Shape::Opaque, "where state is kept").not_yet(),
    Field::new("key_management", Shape::Opaque, "virtual keys and their limits").guard(),
    Field::new("quota_pools", Shape::Opaque, "fair shares of one upstream limit").not_yet(),
    Field::new("response_cache", Shape::Opaque, "answers that are given again").not_yet(),
    Field::new("compression", Shape::Opaque, "levers that shorten a prompt").not_yet(),
    Field::new("privacy", Shape::Opaque, "scrubbing of personal data").not_yet(),
    Field::new("secrets", Shape::Opaque, "backends that hold keys").not_yet(),
    Field::new("alerting", Shape::Opaque, "rules and channels").not_yet(),
    Field::new("callbacks", Shape::Opaque, "calls on request and on response").not_yet(),
    Field::new("telemetry", Shape::Opaque, "traces sent elsewhere").not_yet(),
    Field::new("capture", Shape::Opaque, "payloads kept for probes").not_yet(),
    Field::new("extensions", Shape::Opaque, "yours: never read, never an unknown key"),
];
