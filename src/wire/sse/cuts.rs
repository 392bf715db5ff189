//! Cuts frames that somebody else holds, so that bytes which only pass through cost no handle.

use bytes::{Bytes, BytesMut};

use super::cutter::Cutter;
use super::{MAX_EVENT_BYTES, Oversized};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The end of an event.
#[derive(Debug)]
pub(crate) struct Cut {
    /// How many of the given bytes belong to the event.
    pub(crate) taken: usize,
    /// The whole event, when it began in an earlier frame; else it is the bytes taken.
    pub(crate) joined: Option<Bytes>,
}

/// What has to be known from one frame to the next.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    cutter: Cutter,
    /// The begun event, from earlier frames.
    partial: BytesMut,
    bom: BomState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BomState {
    /// So many bytes of a byte order mark were seen, and nothing else.
    Possible(usize),
    Past,
}

impl Default for BomState {
    fn default() -> Self {
        Self::Possible(0)
    }
}

impl Cuts {
    /// To be called once for each frame, before it is cut: how many bytes at its start are (part of) a byte
    /// order mark at the start of the stream.
    pub(crate) fn skip_bom(&mut self, frame: &[u8]) -> usize {
        let BomState::Possible(seen) = self.bom else { return 0 };
        let expected = BOM.get(seen..).unwrap_or_default();
        let same = expected.iter().zip(frame).take_while(|(mark, byte)| mark == byte).count();
        if same < expected.len() && same == frame.len() {
            self.bom = BomState::Possible(seen.saturating_add(same));
            return same;
        }
        self.bom = BomState::Past;
        if same == expected.len() {
            return same;
        }
        // Not a mark after all: what was held back belongs to the first line.
        let held = BOM.get(..seen).unwrap_or_default();
        if !held.is_empty() {
            self.cutter.find(held);
            self.partial.extend_from_slice(held);
        }
        0
    }

    /// The end of the event that ends first in `rest`. Without one, `rest` is kept as the start of an event,
    /// and the next call is to come with the next frame.
    pub(crate) fn next(&mut self, rest: &[u8]) -> Result<Option<Cut>, Oversized> {
        let ends = self.cutter.find(rest);
        let taken = ends.unwrap_or(rest.len());
        if self.partial.len().saturating_add(taken) > MAX_EVENT_BYTES {
            return Err(Oversized);
        }
        if ends.is_some() && self.partial.is_empty() {
            return Ok(Some(Cut { taken, joined: None }));
        }
        self.partial.extend_from_slice(rest.get(..taken).unwrap_or_default());
        Ok(ends.map(|taken| Cut { taken, joined: Some(self.partial.split().freeze()) }))
    }

    /// The last event, when the end of the stream is what ends it.
    pub(crate) fn finish(&mut self) -> Option<Bytes> {
        let ended = self.cutter.finish();
        (ended && !self.partial.is_empty()).then(|| self.partial.split().freeze())
    }

    /// The begun event.
    pub(crate) fn partial(&self) -> &[u8] {
        &self.partial
    }
}
