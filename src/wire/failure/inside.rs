//! Failures that come under a 200: an error inside a stream, and a body that is no answer.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{FailureBody, read};

/// An error that upstream sent inside a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamError {
    /// Its `error.type`, or `api_error`.
    pub kind: String,
    /// What it says, at most 4 KiB.
    pub message: String,
    /// All that it says.
    pub body: FailureBody,
}

/// A 200 that is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct NotAnAnswer {
    /// The type of the error inside, where there is one.
    pub kind: Option<String>,
    /// The status that the error inside would have had.
    pub status_hint: Option<u16>,
    /// What came instead, bounded; no text of an answer.
    pub message: String,
    /// All that the error inside says.
    pub body: Box<FailureBody>,
}

#[derive(Deserialize)]
struct HasError {
    error: Option<IgnoredAny>,
}

/// Says what came instead of an answer. Only the words of an error are repeated: anything else might be the
/// text of an answer, which belongs in no error.
pub(crate) fn not_an_answer(body: &[u8]) -> NotAnAnswer {
    let mut inside = read(body);
    let has_error = serde_json::from_slice::<HasError>(body).is_ok_and(|fields| fields.error.is_some());
    let start = body.trim_ascii_start();
    inside.message = if has_error || inside.kind.is_some() || inside.code.is_some() {
        format!("an error: {}", inside.message)
    } else if inside.is_json {
        format!("what is no message: {}", inside.message)
    } else if start.starts_with(b"{") {
        "JSON that is cut off or broken".to_owned()
    } else if start.is_empty() || start.starts_with(b"<") {
        inside.message
    } else {
        "a body that is not JSON".to_owned()
    };
    let message = format!("upstream answered 200 with {}", inside.message);
    NotAnAnswer {
        kind: inside.kind.clone(),
        status_hint: inside.status_hint(),
        message,
        body: Box::new(inside),
    }
}
