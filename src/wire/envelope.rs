//! The envelope of a request, read while it arrives: who is asked, whether as a stream, and that it is JSON.
//!
//! A body is scanned frame by frame: never made contiguous, never parsed into a tree, never read twice. The
//! scanner accepts exactly what `serde_json` accepts (escapes, surrogates, nesting of at most 127), but that a
//! number may be larger than a float; a property test holds the two together.

use std::ops::Range;

use super::Endpoint;

mod fields;
mod nest;
mod number;
mod scan;
mod splice;
mod string;
#[cfg(test)]
mod tests;

use fields::Fields;
use scan::Scan;
pub use splice::{json_string, splice, splice_all};

/// The longest model id that may be asked for, in bytes.
pub const MAX_MODEL_BYTES: usize = 256;

/// Why a body is refused with 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Malformed {
    /// What is wrong and where, for the person who wrote the client. Holds at most one character of the body.
    pub message: String,
    /// The field at fault, where there is one.
    pub param: Option<String>,
}

/// What the gateway knows of a request without understanding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The requested model: printable ASCII, 1 to 256 bytes, escapes decoded.
    pub model: String,
    /// Where the JSON string of the model stands in the body, quotes included, in bytes over all frames.
    pub model_span: Range<u64>,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The most output tokens asked for, when it is a whole number: `max_tokens`, `max_completion_tokens`
    /// (which wins) or `max_output_tokens`, as the endpoint has it.
    pub max_tokens: Option<u64>,
    /// Where the number behind [`Facts::max_tokens`] stands.
    pub max_tokens_span: Option<Range<u64>>,
    /// Whether `tools` has at least one element.
    pub has_tools: bool,
    /// Elements of `messages`, or of `input` when that is a list.
    pub message_count: u64,
    /// The length of the body, in bytes.
    pub body_bytes: u64,
}

/// Reads a body as it arrives.
#[derive(Debug)]
pub struct Scanner {
    scan: Scan,
    fields: Fields,
}

impl Scanner {
    /// A scanner for a body sent to `endpoint`.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self { scan: Scan::default(), fields: Fields::new(endpoint) }
    }

    /// Takes the next frame; frames may be cut anywhere.
    ///
    /// # Errors
    /// As soon as the body cannot be accepted any more: it is not JSON, or a field that the gateway reads is
    /// twice there or of the wrong type. The scanner is of no use after that.
    pub fn feed(&mut self, frame: &[u8]) -> Result<(), Malformed> {
        self.scan.feed(frame, &mut self.fields)
    }

    /// Ends the body.
    ///
    /// # Errors
    /// When the body ends early or lacks a field that its endpoint needs.
    pub fn finish(self) -> Result<Facts, Malformed> {
        let body_bytes = self.scan.finish()?;
        self.fields.finish(body_bytes)
    }
}

impl Malformed {
    fn json(what: &str, at: u64) -> Self {
        Self { message: format!("the body is not valid JSON: {what} at byte {at}"), param: None }
    }

    fn field(name: &str, what: &str) -> Self {
        Self { message: format!("{name}: {what}"), param: Some(name.to_owned()) }
    }
}
