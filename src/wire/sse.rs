//! Cuts a byte stream into server-sent events, whatever the frames it arrives in.
//!
//! Follows the WHATWG rules: lines end in LF, CRLF or CR, a blank line ends an event, a leading byte order
//! mark is dropped once. Bytes are never decoded here: an event is handed out whole or not at all. What lies
//! within one frame is handed out as a slice of it; only an event that spans frames is copied.

use std::borrow::Cow;

use bytes::Bytes;

mod cuts;
mod cutter;
mod fields;
#[cfg(test)]
mod tests;

pub(super) use cuts::Cuts;
pub(super) use fields::{data_of, field_of, name_of};

/// The largest event that is accepted, in bytes.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// An event grew past [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {MAX_EVENT_BYTES} bytes")]
pub struct Oversized;

/// One event with its terminating blank line, as received. A comment or a stray blank line is one too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The very bytes. A slice pins the frame that it was cut from: copy out what is to be kept.
    pub raw: Bytes,
}

impl Event {
    /// The value of its last `event:` line; `None` when there is none or it is empty.
    #[must_use]
    pub fn name(&self) -> Option<&[u8]> {
        name_of(&self.raw)
    }

    /// Its `data:` lines joined with LF; `None` when it has no such line (a comment, a blank line).
    #[must_use]
    pub fn data(&self) -> Option<Cow<'_, [u8]>> {
        data_of(&self.raw)
    }
}

/// Cuts frames into events.
#[derive(Debug, Default)]
pub struct Splitter {
    frame: Bytes,
    /// Where the uncut part of `frame` begins.
    pos: usize,
    cuts: Cuts,
}

impl Splitter {
    /// A splitter at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame. Meant to be called when [`Splitter::next_event`] has nothing left; what is left
    /// otherwise is copied in front of the frame.
    pub fn push(&mut self, frame: Bytes) {
        let skipped = self.cuts.skip_bom(&frame);
        let left = self.frame.get(self.pos..).unwrap_or_default();
        if left.is_empty() {
            self.frame = frame;
            self.pos = skipped;
        } else {
            self.frame = Bytes::from([left, frame.get(skipped..).unwrap_or_default()].concat());
            self.pos = 0;
        }
    }

    /// The next whole event.
    ///
    /// # Errors
    /// When an event is larger than [`MAX_EVENT_BYTES`], ended or not. The stream is then to be given up.
    pub fn next_event(&mut self) -> Result<Option<Event>, Oversized> {
        let rest = self.frame.get(self.pos..).unwrap_or_default();
        let Some(cut) = self.cuts.next(rest)? else {
            // The frame is used up: holding it would pin the read buffer.
            self.frame = Bytes::new();
            self.pos = 0;
            return Ok(None);
        };
        let from = self.pos;
        self.pos = self.pos.saturating_add(cut.taken);
        Ok(Some(Event { raw: cut.joined.unwrap_or_else(|| self.frame.slice(from..self.pos)) }))
    }

    /// Says that the stream has ended. Gives the last event when all that was missing is the LF that might
    /// have followed its last CR. Anything else that was begun is no event.
    pub fn finish(&mut self) -> Option<Event> {
        self.cuts.finish().map(|raw| Event { raw })
    }

    /// The begun event, once [`Splitter::next_event`] has nothing left.
    pub(super) fn partial(&self) -> &[u8] {
        self.cuts.partial()
    }
}
