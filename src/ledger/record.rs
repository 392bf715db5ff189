//! The attempt record: one per try at a seat, and one per seat passed over before the one that served.

use std::sync::Arc;

use serde::Serialize;

use crate::route::Class;
use crate::telemetry::metrics::Position;

/// One attempt, schema `v: 1`. Every key is always written; `null` where there is no value.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// Schema version.
    pub v: u8,
    /// When the attempt ended: RFC 3339, UTC, milliseconds.
    pub ts: Timestamp,
    /// The request it belongs to.
    pub request_id: Arc<str>,
    /// From 1, upstream tries only; `None` for a seat that was passed over.
    pub attempt: Option<u32>,
    /// The route's name.
    pub route: Arc<str>,
    /// `primary` or `fallback`, by configured position.
    pub path: Path,
    /// The seat's name.
    pub seat: Arc<str>,
    /// The provider's name.
    pub provider: Arc<str>,
    /// What the client asked for, sanitised.
    pub requested_model: Arc<str>,
    /// What upstream said served it.
    pub served_model: Option<Box<str>>,
    /// Upstream's HTTP status.
    pub status: Option<u16>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended so.
    #[serde(serialize_with = "word")]
    pub class: Class,
    /// What was done about it.
    pub action: ActionWord,
    /// From the attempt's start to the first sign of generation, ms.
    pub ttft_ms: Option<u64>,
    /// From the attempt's start to its end, ms.
    pub latency_ms: u64,
    /// Uncached input tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Input tokens read from the provider's cache.
    pub cache_read_tokens: Option<u64>,
    /// Input tokens written to the provider's cache.
    pub cache_write_tokens: Option<u64>,
    /// Cost by the seat's price, each token class once; `None` without price or usage.
    pub cost_usd: Option<f64>,
    /// The request's last record.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// From the request's arrival to its end, ms; on the last record.
    pub e2e_ms: Option<u64>,
    /// A stream was asked for.
    pub stream: bool,
    /// The answer rests on a shortened prompt.
    pub truncated: bool,
    /// The token counts are estimates.
    pub estimated: bool,
    /// The probe's name, from `x-sanctum-probe`.
    pub probe: Option<Arc<str>>,
    /// The virtual key.
    pub key_id: Option<Arc<str>>,
    /// Product token of the client's user agent.
    pub client: Option<Arc<str>>,
    /// What upstream or the network said, bounded and without secrets.
    pub error: Option<Box<str>>,
}

/// `path`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// The chain's first seat.
    Primary,
    /// Any later one.
    Fallback,
}

/// `outcome`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The whole answer reached the client.
    Ok,
    /// It failed before anything reached the client.
    Error,
    /// A clock ended it before anything reached the client.
    Timeout,
    /// The seat refuses the model id.
    Refused,
    /// Passed over.
    Skipped,
    /// It failed after content had reached the client.
    Partial,
    /// The client went away.
    Cancelled,
}

impl From<Path> for Position {
    fn from(path: Path) -> Self {
        match path {
            Path::Primary => Self::Primary,
            Path::Fallback => Self::Fallback,
        }
    }
}

/// `action`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionWord {
    /// The client got this answer.
    Served,
    /// The same seat was tried again.
    Retry,
    /// The next seat was tried.
    FallBack,
    /// The request ended here.
    Fail,
    /// The seat was passed over.
    Skip,
}

/// Milliseconds since the Unix epoch, written as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp(pub i64);

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(t) => s.collect_str(&format_args!("{t:.3}")),
            Err(_) => s.serialize_none(),
        }
    }
}

fn word<S: serde::Serializer>(class: &Class, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(class.word())
}
