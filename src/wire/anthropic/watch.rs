//! The observer of a stream that passes through: whole events on, facts kept, a loud end when it fails.
//!
//! Bytes leave as they came, one slice a frame, but never half an event. Two things are held: an event that
//! is an error, with all after it (never sent), and a `message_delta` that carries a stop reason, with all
//! after it, until `message_stop` proves the end. A client reads such a delta as success whatever follows it,
//! so a stream cut between the two must not show it.

use std::collections::VecDeque;

use bytes::Bytes;

use super::Usage;
pub use crate::wire::failure::StreamError;
use crate::wire::sse::{Cuts, MAX_EVENT_BYTES, Oversized};

mod close;
mod facts;
#[cfg(test)]
mod tests;

use facts::{Facts, Step};

/// An Anthropic ping event, to fill silence with.
pub const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

/// What an open content block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// `text`.
    Text,
    /// `thinking` or `redacted_thinking`.
    Thinking,
    /// A tool call, a tool result or a block not known here: never closed on upstream's behalf, since clients
    /// run a tool the moment that its block stops.
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
    cuts: Cuts,
    facts: Facts,
    ready: VecDeque<Bytes>,
    ready_bytes: usize,
    /// From a stop reason on, until `message_stop`.
    held: Vec<Bytes>,
    held_bytes: usize,
    holding: bool,
}

impl Watch {
    /// A watch at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame: whole events are examined and queued for [`Watch::next_ready`]. What comes after
    /// the end of the message or after an error is ignored.
    ///
    /// # Errors
    /// When an event, or what follows a stop reason, is larger than [`MAX_EVENT_BYTES`]. The stream is then to
    /// be given up; the events before stay ready.
    pub fn push(&mut self, frame: Bytes) -> Result<(), Oversized> {
        if self.is_over() {
            return Ok(());
        }
        let mut pos = self.cuts.skip_bom(&frame);
        // Neighbouring events leave as one slice: from here, to there.
        let mut from = pos;
        let mut to = pos;
        let outcome = loop {
            let rest = frame.get(pos..).unwrap_or_default();
            let cut = match self.cuts.next(rest) {
                Ok(Some(cut)) => cut,
                Ok(None) => break Ok(()),
                Err(oversized) => break Err(oversized),
            };
            pos = pos.saturating_add(cut.taken);
            if let Some(event) = cut.joined {
                // Its end is in this frame, so it is the first: what passes as it is begins behind it.
                self.take_joined(event);
                (from, to) = (pos, pos);
                if self.is_over() {
                    break Ok(());
                }
                continue;
            }
            match self.facts.examine(rest.get(..cut.taken).unwrap_or_default()) {
                Step::Forward => to = pos,
                Step::Hold => {
                    self.queue(frame.slice(from..to));
                    self.holding = true;
                    (from, to) = (to, pos);
                }
                Step::Finish => {
                    to = pos;
                    break Ok(());
                }
                Step::Stop => break Ok(()),
            }
        };
        self.queue(if from == 0 && to == frame.len() { frame } else { frame.slice(from..to) });
        self.settle();
        if self.held_bytes > MAX_EVENT_BYTES { Err(Oversized) } else { outcome }
    }

    /// Says that the upstream's body has ended. A last `message_stop` or error that only lacks its blank line
    /// is taken in; any other begun event is dropped.
    pub fn end(&mut self) {
        if self.is_over() {
            return;
        }
        if let Some(event) = self.cuts.finish() {
            self.take_joined(event);
            return;
        }
        let partial = self.cuts.partial();
        if let Some(step) = self.facts.examine_last(partial) {
            if matches!(step, Step::Finish) {
                let missing: &[u8] = if partial.ends_with(b"\n") { b"\n" } else { b"\n\n" };
                let whole = Bytes::from([partial, missing].concat());
                self.queue(whole);
            }
            self.settle();
        }
    }

    /// The next bytes that may be sent on: always whole events, in order, as they came.
    pub fn next_ready(&mut self) -> Option<Bytes> {
        let next = self.ready.pop_front()?;
        self.ready_bytes = self.ready_bytes.saturating_sub(next.len());
        Some(next)
    }

    /// How many bytes wait for [`Watch::next_ready`]: what a caller that holds them back has to bound.
    #[must_use]
    pub fn ready_bytes(&self) -> usize {
        self.ready_bytes
    }

    /// Whether generation was seen: a block start or any delta of a block. `message_start`, pings and comments
    /// are no sign of it.
    #[must_use]
    pub fn began(&self) -> bool {
        self.facts.began
    }

    /// The model that serves, from `message_start`; at most 256 bytes.
    #[must_use]
    pub fn served_model(&self) -> Option<&str> {
        self.facts.served_model.as_deref()
    }

    /// What is known of the cost so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.facts.usage
    }

    /// Why generation stopped; at most 64 bytes.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.facts.stop_reason.as_deref()
    }

    /// Whether `message_stop` was seen.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.facts.finished
    }

    /// The error that upstream sent in the stream, an event that is not JSON included.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.facts.error.as_ref()
    }

    /// The block that was opened last and is still open.
    #[must_use]
    pub fn open_block(&self) -> Option<OpenBlock> {
        self.facts.open.last().copied()
    }

    /// The loud end of a stream that failed after commit, to be sent after all that is ready: an open text or
    /// thinking block is stopped, then the error, then a `message_delta` with stop reason `error`, then
    /// `message_stop`. The error is upstream's own event when it sent one, else it is made of `kind` and
    /// `message`. Nothing for a stream that finished.
    #[must_use]
    pub fn close(&self, kind: &str, message: &str) -> Bytes {
        if self.facts.finished { Bytes::new() } else { close::events(&self.facts, kind, message, true) }
    }

    /// As [`close`](Self::close), but never in upstream's own words, for those that hold what the client must
    /// not see.
    #[must_use]
    pub fn close_in_our_words(&self, kind: &str, message: &str) -> Bytes {
        if self.facts.finished { Bytes::new() } else { close::events(&self.facts, kind, message, false) }
    }

    /// The data of upstream's own error event as received, as far as it is kept.
    #[must_use]
    pub fn own_error(&self) -> Option<&[u8]> {
        self.facts.own_error.as_deref()
    }

    fn is_over(&self) -> bool {
        self.facts.finished || self.facts.error.is_some()
    }

    fn take_joined(&mut self, event: Bytes) {
        match self.facts.examine(&event) {
            Step::Hold => {
                self.holding = true;
                self.queue(event);
            }
            Step::Forward | Step::Finish => self.queue(event),
            Step::Stop => {}
        }
        self.settle();
    }

    fn queue(&mut self, events: Bytes) {
        if events.is_empty() {
            return;
        }
        if self.holding {
            self.held_bytes = self.held_bytes.saturating_add(events.len());
            self.held.push(events);
        } else {
            self.ready_bytes = self.ready_bytes.saturating_add(events.len());
            self.ready.push_back(events);
        }
    }

    /// Lets go of what is held once the end is proven; forgets it after an error.
    fn settle(&mut self) {
        if !self.is_over() {
            return;
        }
        self.holding = false;
        self.held_bytes = 0;
        for events in std::mem::take(&mut self.held) {
            if self.facts.finished {
                self.queue(events);
            }
        }
    }
}
