//! The observer of a stream that passes through: whole events on, facts kept, a loud end when it fails.

use bytes::Bytes;

use super::Usage;
use crate::wire::sse::Oversized;

/// An Anthropic ping event, to fill silence with.
pub const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

/// An error that upstream sent inside a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamError {
    /// Its `error.type`, or `api_error`.
    pub kind: String,
    /// What it says, bounded.
    pub message: String,
}

/// What an open content block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// `text`.
    Text,
    /// `thinking` or `redacted_thinking`.
    Thinking,
    /// A tool call, a tool result or a block not known here: never closed on upstream's behalf.
    Other,
}

/// A content block that was started and not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenBlock {
    /// Its index.
    pub index: u64,
    /// What it is.
    pub kind: BlockKind,
}

/// Observes one stream.
#[derive(Debug, Default)]
pub struct Watch {
    usage: Usage,
}

impl Watch {
    /// A watch at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame: whole events are examined and queued for [`Watch::next_ready`].
    ///
    /// # Errors
    /// When an event is larger than the cap of `wire::sse`; the stream is then to be given up.
    pub fn push(&mut self, _frame: Bytes) -> Result<(), Oversized> {
        Ok(())
    }

    /// Says that the upstream's body has ended; a last event that only lacks its blank line is taken in.
    pub fn end(&mut self) {}

    /// The next bytes that may be sent on: always whole events, in order.
    pub fn next_ready(&mut self) -> Option<Bytes> {
        None
    }

    /// Bytes that wait in [`Watch::next_ready`].
    #[must_use]
    pub fn ready_bytes(&self) -> usize {
        0
    }

    /// Whether generation was seen: a block start or any delta of a block.
    #[must_use]
    pub fn began(&self) -> bool {
        false
    }

    /// The model that serves, from `message_start`.
    #[must_use]
    pub fn served_model(&self) -> Option<&str> {
        None
    }

    /// What is known of the cost so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Why generation stopped.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        None
    }

    /// Whether `message_stop` was seen.
    #[must_use]
    pub fn finished(&self) -> bool {
        false
    }

    /// The error that upstream sent in the stream; it and what follows it are never queued.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        None
    }

    /// The block that is open now.
    #[must_use]
    pub fn open_block(&self) -> Option<OpenBlock> {
        None
    }

    /// The loud end of a stream that failed after commit, to be sent after all that is ready. Uses upstream's
    /// own error event when it sent one, else `kind` and `message`.
    #[must_use]
    pub fn close(&self, _kind: &str, _message: &str) -> Bytes {
        Bytes::new()
    }
}
