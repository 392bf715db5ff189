//! Reads a whole answer: that it is one, and what it says of itself.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Usage;
use super::usage::{text, usage_of};
pub use crate::wire::failure::NotAnAnswer;
pub(super) use crate::wire::failure::not_an_answer;

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
        usage: fields.usage.map(usage_of).unwrap_or_default(),
        refused: stop_reason.as_deref() == Some("refusal"),
        stop_reason,
    })
}
