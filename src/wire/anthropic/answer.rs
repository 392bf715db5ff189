//! Reads a whole answer: that it is one, and what it says of itself.

use super::Usage;

/// What a whole answer says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The model that served, as upstream names it.
    pub served_model: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Why it stopped.
    pub stop_reason: Option<String>,
    /// Whether the model refused.
    pub refused: bool,
}

/// A 200 that is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotAnAnswer {
    /// The type of the error inside, where there is one.
    pub kind: Option<String>,
    /// The status that the error inside would have had.
    pub status_hint: Option<u16>,
    /// What came instead.
    pub message: String,
}

/// Reads the whole body of a 200.
///
/// # Errors
/// When it is anything but a message: an error body, another JSON value, HTML, cut off.
pub fn read(_body: &[u8]) -> Result<Answer, NotAnAnswer> {
    Ok(Answer::default())
}
