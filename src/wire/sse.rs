//! Cuts a byte stream into server-sent events, whatever the frames it arrives in.
//!
//! Follows the WHATWG rules: lines end in LF, CRLF or CR, a blank line ends an event, a leading byte order
//! mark is dropped once. Bytes are never decoded here: an event is handed out whole or not at all. What lies
//! within one frame is handed out as a slice of it; only an event that spans frames is copied.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};

mod cutter;
mod fields;
#[cfg(test)]
mod tests;

use cutter::Cutter;
pub(super) use fields::{data_of, name_of};

/// The largest event that is accepted, in bytes.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

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

/// Where an event lies.
#[derive(Debug)]
pub(super) enum Cut {
    /// In the current frame.
    Within(std::ops::Range<usize>),
    /// It began in an earlier frame, so it had to be put together.
    Joined(Bytes),
}

/// Cuts frames into events.
#[derive(Debug, Default)]
pub struct Splitter {
    frame: Bytes,
    /// Where the uncut part of `frame` begins.
    pos: usize,
    /// The begun event, from earlier frames.
    partial: BytesMut,
    cutter: Cutter,
    /// How much of a byte order mark was seen; `None` once the start of the stream is behind.
    bom: BomState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BomState {
    /// So many bytes of the mark were seen, and nothing else.
    Possible(usize),
    Past,
}

impl Default for BomState {
    fn default() -> Self {
        Self::Possible(0)
    }
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
        let frame = self.without_bom(frame);
        let left = self.frame.get(self.pos..).unwrap_or_default();
        if left.is_empty() {
            self.frame = frame;
        } else {
            let mut both = BytesMut::with_capacity(left.len().saturating_add(frame.len()));
            both.extend_from_slice(left);
            both.extend_from_slice(&frame);
            self.frame = both.freeze();
        }
        self.pos = 0;
    }

    /// The next whole event.
    ///
    /// # Errors
    /// When an event is larger than [`MAX_EVENT_BYTES`], ended or not. The stream is then to be given up.
    pub fn next_event(&mut self) -> Result<Option<Event>, Oversized> {
        Ok(self.next_cut()?.map(|cut| match cut {
            Cut::Within(range) => Event { raw: self.frame.slice(range) },
            Cut::Joined(raw) => Event { raw },
        }))
    }

    /// Says that the stream has ended. Gives the last event when all that was missing is the LF that might
    /// have followed its last CR. Anything else that was begun is no event.
    pub fn finish(&mut self) -> Option<Event> {
        let ended = self.cutter.finish();
        (ended && !self.partial.is_empty()).then(|| Event { raw: self.partial.split().freeze() })
    }

    /// The frame that [`Cut::Within`] speaks of.
    pub(super) fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// The begun event, once [`Splitter::next_cut`] has nothing left.
    pub(super) fn partial(&self) -> &[u8] {
        &self.partial
    }

    /// Like [`Splitter::next_event`], without a slice made for each event.
    pub(super) fn next_cut(&mut self) -> Result<Option<Cut>, Oversized> {
        let rest = self.frame.get(self.pos..).unwrap_or_default();
        let ends = self.cutter.find(rest);
        let taken = ends.unwrap_or(rest.len());
        if self.partial.len().saturating_add(taken) > MAX_EVENT_BYTES {
            return Err(Oversized);
        }
        let start = self.pos;
        self.pos = self.pos.saturating_add(taken);
        if ends.is_some() && self.partial.is_empty() {
            return Ok(Some(Cut::Within(start..self.pos)));
        }
        self.partial.extend_from_slice(rest.get(..taken).unwrap_or_default());
        if ends.is_some() {
            return Ok(Some(Cut::Joined(self.partial.split().freeze())));
        }
        // The frame is used up: holding it would pin the read buffer.
        self.frame = Bytes::new();
        self.pos = 0;
        Ok(None)
    }

    fn without_bom(&mut self, frame: Bytes) -> Bytes {
        let BomState::Possible(seen) = self.bom else { return frame };
        let expected = BOM.get(seen..).unwrap_or_default();
        let same = expected.iter().zip(frame.iter()).take_while(|(mark, byte)| mark == byte).count();
        if same == expected.len() {
            self.bom = BomState::Past;
            return frame.slice(same..);
        }
        if same == frame.len() {
            self.bom = BomState::Possible(seen.saturating_add(same));
            return Bytes::new();
        }
        // Not a mark after all: what was held back belongs to the first line.
        self.bom = BomState::Past;
        let held = BOM.get(..seen).unwrap_or_default();
        if !held.is_empty() {
            self.cutter.find(held);
            self.partial.extend_from_slice(held);
        }
        frame
    }
}
