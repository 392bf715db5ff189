//! The envelope of a request, read while it arrives: who is asked, whether as a stream, and that it is JSON.
//!
//! A body is scanned frame by frame and never made contiguous, never parsed into a tree and never read twice.

use std::ops::Range;

use bytes::Bytes;

use super::Endpoint;

/// Why a body is refused with 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Malformed {
    /// What is wrong and where, for the person who wrote the client. Carries at most 64 bytes of the body.
    pub message: String,
    /// The field at fault, where there is one.
    pub param: Option<String>,
}

/// What the gateway knows of a request without understanding it.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The requested model: printable ASCII, 1 to 256 bytes, escapes decoded.
    pub model: String,
    /// Where the JSON string of the model stands in the body, quotes included, in bytes over all frames.
    pub model_span: Range<u64>,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The most output tokens asked for, when it is a whole number.
    pub max_tokens: Option<u64>,
    /// Where the number behind [`Facts::max_tokens`] stands.
    pub max_tokens_span: Option<Range<u64>>,
    /// Whether there is at least one tool.
    pub has_tools: bool,
    /// Elements of `messages` (of `input`, when it is a list).
    pub message_count: u64,
    /// The length of the body, in bytes.
    pub body_bytes: u64,
}

/// Reads a body as it arrives.
#[derive(Debug)]
pub struct Scanner {
    #[expect(dead_code, reason = "skeleton")]
    endpoint: Endpoint,
}

impl Scanner {
    /// A scanner for a body sent to `endpoint`.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    /// Takes the next frame.
    ///
    /// # Errors
    /// As soon as the body cannot be accepted any more. The scanner is of no use after that.
    pub fn feed(&mut self, _frame: &[u8]) -> Result<(), Malformed> {
        Ok(())
    }

    /// Ends the body.
    ///
    /// # Errors
    /// When the body ends early or lacks a field that its endpoint needs.
    pub fn finish(self) -> Result<Facts, Malformed> {
        Err(Malformed { message: "not built".to_owned(), param: None })
    }
}

/// The body with the bytes of `span` replaced; nothing else is copied.
#[must_use]
pub fn splice(frames: &[Bytes], _span: &Range<u64>, _replacement: Bytes) -> Vec<Bytes> {
    frames.to_vec()
}

/// The body with several disjoint spans replaced, given in any order, all measured on the body as received.
#[must_use]
pub fn splice_all(frames: &[Bytes], _edits: Vec<(Range<u64>, Bytes)>) -> Vec<Bytes> {
    frames.to_vec()
}

/// `text` as a JSON string, quotes included.
#[must_use]
pub fn json_string(_text: &str) -> Bytes {
    Bytes::new()
}
