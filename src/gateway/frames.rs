//! The frames of a body as received, so kept that its size bounds the memory that it takes.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

/// A smaller frame is copied: its handle, and the read buffer that it keeps alive, may weigh more than it does.
const SMALL: usize = 4 * 1024;

/// Small frames are gathered up to this size.
const GATHERED: usize = 64 * 1024;

/// Frames in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    done: Vec<Bytes>,
    tail: BytesMut,
}

impl Frames {
    /// Keeps a frame.
    pub(crate) fn push(&mut self, frame: Bytes) {
        if frame.len() >= SMALL {
            self.flush();
            self.done.push(frame);
            return;
        }
        if self.tail.len().saturating_add(frame.len()) > GATHERED {
            self.flush();
        }
        self.tail.extend_from_slice(&frame);
    }

    fn flush(&mut self) {
        if !self.tail.is_empty() {
            // A buffer of its own each time: one that is shared with a frame is kept alive by it.
            self.done.push(std::mem::take(&mut self.tail).freeze());
        }
    }

    /// All of them.
    pub(crate) fn finish(mut self) -> Arc<[Bytes]> {
        self.flush();
        self.done.into()
    }
}

#[cfg(test)]
mod tests;
