//! Cuts a byte stream into server-sent events, whatever the frames it arrives in.
//!
//! Follows the WHATWG rules: lines end in LF, CRLF or CR, a blank line ends an event, a leading byte order
//! mark is dropped once. Bytes are never decoded here: an event is handed out whole or not at all.

use std::borrow::Cow;

use bytes::Bytes;

/// The largest event that is accepted, in bytes.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// An event grew past [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {MAX_EVENT_BYTES} bytes")]
pub struct Oversized;

/// One event with its terminating blank line, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The very bytes.
    pub raw: Bytes,
}

impl Event {
    /// The value of its last `event:` line.
    #[must_use]
    pub fn name(&self) -> Option<&[u8]> {
        None
    }

    /// Its `data:` lines joined with LF; `None` when it has no such line (a comment, a blank line).
    #[must_use]
    pub fn data(&self) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// Cuts frames into events.
#[derive(Debug, Default)]
pub struct Splitter {}

impl Splitter {
    /// A splitter at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame. Call [`Splitter::next_event`] until it gives nothing before the next push.
    pub fn push(&mut self, _frame: Bytes) {}

    /// The next whole event.
    ///
    /// # Errors
    /// When an event is larger than [`MAX_EVENT_BYTES`], ended or not.
    pub fn next_event(&mut self) -> Result<Option<Event>, Oversized> {
        Ok(None)
    }
}
