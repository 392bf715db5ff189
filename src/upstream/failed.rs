//! An attempt that failed before anything reached the client, described for the table.

use bytes::Bytes;
use http::{HeaderMap, header};

use crate::outbound::{self, FailureKind};
use crate::route::table::{Signal, Source};
use crate::wire::Flow;
use crate::wire::failure::{self, FailureBody};

/// An attempt that failed before anything reached the client.
#[derive(Debug)]
pub struct Failed {
    /// What the table reads.
    pub signal: Signal,
    /// Upstream's headers, where an answer came.
    pub headers: HeaderMap,
    /// Upstream's HTTP status as received.
    pub status: Option<u16>,
    /// The body as received, for an answer that is relayed; `None` where it did not come whole and plain.
    pub raw: Option<Bytes>,
    /// What happened, for the record; may hold what upstream said.
    pub text: String,
    /// Trying again can only fail the same way.
    pub hopeless: bool,
    /// The gateway's own want (of descriptors): no fault of the seat's.
    pub ours: bool,
    /// The model that a stream named before it failed.
    pub served_model: Option<String>,
}

impl Failed {
    fn new(source: Source, text: String) -> Self {
        Self {
            signal: Signal {
                source,
                status: 0,
                body: FailureBody::default(),
                subscription_rejected: false,
                has_retry_after: false,
            },
            headers: HeaderMap::new(),
            status: None,
            raw: None,
            text,
            hopeless: false,
            ours: false,
            served_model: None,
        }
    }

    /// A clock ran out; `status` is upstream's, where its head was there already.
    pub(super) fn clock(source: Source, status: Option<u16>) -> Box<Self> {
        let text = match source {
            Source::Deadline => "the request's deadline ran out",
            _ => "no sign of generation within the seat's budget",
        };
        Box::new(Self { status, ..Self::new(source, text.to_owned()) })
    }

    /// No connection, or it broke.
    pub(super) fn transport(error: &reqwest::Error, source: Source) -> Box<Self> {
        let failure = outbound::describe(error);
        let hopeless = failure.kind == FailureKind::Tls;
        let ours = failure.kind == FailureKind::Exhausted;
        Box::new(Self { hopeless, ours, ..Self::new(source, failure.text) })
    }

    /// The stream ended before there was anything for the client.
    pub(super) fn ended(status: u16, flow: &Flow, text: &str) -> Self {
        let served_model = flow.served_model().map(str::to_owned);
        Self { status: Some(status), served_model, ..Self::new(Source::Ended, text.to_owned()) }
    }

    /// Upstream answered with an error status.
    pub(super) fn status(status: u16, headers: HeaderMap, raw: Bytes, is_whole: bool) -> Box<Self> {
        let body = failure::read(&raw);
        let text = body.message.clone();
        Box::new(Self {
            signal: Signal {
                source: Source::Status,
                status,
                body,
                subscription_rejected: headers
                    .get("anthropic-ratelimit-unified-status")
                    .is_some_and(|v| v == "rejected"),
                has_retry_after: headers.contains_key(header::RETRY_AFTER),
            },
            headers,
            status: Some(status),
            raw: is_whole.then_some(raw),
            ..Self::new(Source::Status, text)
        })
    }

    /// A 200 that is no answer.
    pub(super) fn in_band(
        status: u16,
        headers: HeaderMap,
        body: Option<FailureBody>,
        text: &str,
    ) -> Box<Self> {
        let body = body.filter(|b| b.is_json).unwrap_or_default();
        let text =
            if body.message.is_empty() { text.to_owned() } else { format!("{text}: {}", body.message) };
        let mut failed = Self::new(Source::InBand, text);
        failed.signal.status = body.status_hint().unwrap_or(0);
        failed.signal.body = body;
        failed.headers = headers;
        failed.status = Some(status);
        Box::new(failed)
    }

    /// An error event before there was anything for the client.
    pub(super) fn stream_error(status: u16, headers: HeaderMap, body: FailureBody) -> Self {
        let mut failed = Self::new(Source::Stream, body.message.clone());
        failed.signal.status = body.status_hint().unwrap_or(0);
        failed.signal.body = body;
        failed.headers = headers;
        failed.status = Some(status);
        failed
    }
}
