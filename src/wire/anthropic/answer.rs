//! Reads a whole answer: that it is one, and what it says of itself.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Usage;
use super::usage::text;
use crate::wire::failure;

#[cfg(test)]
mod tests;

const MAX_MODEL_BYTES: usize = 256;
const MAX_REASON_BYTES: usize = 64;

/// What a whole answer says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The model that served, as upstream names it; at most 256 bytes.
    pub served_model: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Why it stopped; at most 64 bytes.
    pub stop_reason: Option<String>,
    /// Whether the model refused.
    pub refused: bool,
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
    pub body: Box<failure::FailureBody>,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    role: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads the whole body of a 200. Empty content is an answer: a model may end its turn without a word.
///
/// # Errors
/// When it is anything but a message: an error body, another JSON value, HTML, cut off.
pub fn read(body: &[u8]) -> Result<Answer, NotAnAnswer> {
    let Ok(fields) = serde_json::from_slice::<Fields<'_>>(body) else { return Err(not_an_answer(body)) };
    let kind = fields.kind.and_then(|kind| text(kind, MAX_REASON_BYTES));
    let is_message = match fields.kind {
        Some(_) => kind.as_deref() == Some("message"),
        None => fields.role.is_some(),
    };
    let has_content = fields.content.is_some_and(|content| content.get().starts_with('['));
    if !is_message || !has_content || fields.error.is_some() {
        return Err(not_an_answer(body));
    }
    let stop_reason = fields.stop_reason.and_then(|reason| text(reason, MAX_REASON_BYTES));
    Ok(Answer {
        served_model: fields.model.and_then(|model| text(model, MAX_MODEL_BYTES)),
        usage: fields.usage.map(Usage::of).unwrap_or_default(),
        refused: stop_reason.as_deref() == Some("refusal"),
        stop_reason,
    })
}

/// Says what came instead of an answer. Only the words of an error are repeated: anything else might be the
/// text of an answer, which belongs in no error.
pub(super) fn not_an_answer(body: &[u8]) -> NotAnAnswer {
    let mut inside = failure::read(body);
    let has_error = serde_json::from_slice::<Fields<'_>>(body).is_ok_and(|fields| fields.error.is_some());
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
