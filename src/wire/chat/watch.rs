//! The observer of a chat stream that passes through to a chat client: whole events on as they came, facts
//! kept, a loud end when it fails.
//!
//! Two things never pass: an event that is an error, with all after it, and, where the client did not ask for
//! it, the chunk that carries nothing but the usage.

use std::collections::VecDeque;

use bytes::Bytes;

use super::StreamDecoder;
use crate::prompt::{Event, Finish, Usage};
use crate::wire::failure::StreamError;
use crate::wire::sse::{Cuts, Oversized};
use crate::wire::{Dialect, reply};

#[cfg(test)]
mod tests;

/// A comment, to fill silence with.
pub const PING: &[u8] = b": ping\n\n";

/// Observes one stream.
#[derive(Debug)]
pub struct Watch {
    cuts: Cuts,
    decoder: StreamDecoder,
    facts: Facts,
    hide_usage: bool,
    ready: VecDeque<Bytes>,
    ready_bytes: usize,
}

#[derive(Debug, Default)]
struct Facts {
    served_model: Option<String>,
    usage: Usage,
    stop_reason: Option<&'static str>,
    refused: bool,
    over: bool,
}

impl Watch {
    /// A watch at the start of a stream; with `hide_usage` where the gateway asked for the usage and the client
    /// did not.
    #[must_use]
    pub fn new(hide_usage: bool) -> Self {
        Self {
            cuts: Cuts::default(),
            // What a server calls reasoning is in the very bytes that the client gets.
            decoder: StreamDecoder::new(true),
            facts: Facts::default(),
            hide_usage,
            ready: VecDeque::new(),
            ready_bytes: 0,
        }
    }

    /// Takes the next frame: whole events are examined and queued for [`Watch::next_ready`].
    ///
    /// # Errors
    /// When an event is too large. The stream is then to be given up; the events before stay ready.
    pub fn push(&mut self, frame: Bytes) -> Result<(), Oversized> {
        let mut pos = self.cuts.skip_bom(&frame);
        // Neighbouring events leave as one slice: from here, to there.
        let (mut from, mut to) = (pos, pos);
        let outcome = loop {
            if self.is_over() {
                break Ok(());
            }
            let rest = frame.get(pos..).unwrap_or_default();
            let cut = match self.cuts.next(rest) {
                Ok(Some(cut)) => cut,
                Ok(None) => break Ok(()),
                Err(oversized) => break Err(oversized),
            };
            let start = pos;
            pos = pos.saturating_add(cut.taken);
            if let Some(event) = cut.joined {
                if self.examine(&event) {
                    self.queue(event);
                }
                (from, to) = (pos, pos);
            } else if self.examine(rest.get(..cut.taken).unwrap_or_default()) {
                to = pos;
            } else {
                self.queue(frame.slice(from..start));
                (from, to) = (pos, pos);
            }
        };
        self.queue(frame.slice(from..to));
        outcome
    }

    /// Says that the upstream's body has ended. An answer that only lacks its `[DONE]` gets one.
    pub fn end(&mut self) {
        if self.is_over() {
            return;
        }
        if let Some(event) = self.cuts.finish()
            && self.examine(&event)
        {
            self.queue(event);
        }
        let partial = Bytes::copy_from_slice(self.cuts.partial());
        let facts = &mut self.facts;
        let mut said = false;
        self.decoder.end(&partial, &mut |event| {
            said |= !matches!(event, Event::End);
            facts.take(&event);
        });
        if said && self.decoder.error().is_none() {
            let missing: &[u8] = if partial.ends_with(b"\n") { b"\n" } else { b"\n\n" };
            self.queue(Bytes::from([&partial, missing].concat()));
        }
        if self.facts.over {
            self.queue(Bytes::from_static(b"data: [DONE]\n\n"));
        }
    }

    /// The next bytes that may be sent on: always whole events, in order, as they came.
    pub fn next_ready(&mut self) -> Option<Bytes> {
        let next = self.ready.pop_front()?;
        self.ready_bytes = self.ready_bytes.saturating_sub(next.len());
        Some(next)
    }

    /// How many bytes wait for [`Watch::next_ready`].
    #[must_use]
    pub fn ready_bytes(&self) -> usize {
        self.ready_bytes
    }

    /// Whether generation was seen.
    #[must_use]
    pub fn began(&self) -> bool {
        self.decoder.began()
    }

    /// Whether there is content for the client, or a whole answer. Until then another seat may still answer,
    /// and what is ready is to be kept back.
    #[must_use]
    pub fn committed(&self) -> bool {
        self.decoder.said() || self.facts.stop_reason.is_some()
    }

    /// The model that serves; at most 256 bytes.
    #[must_use]
    pub fn served_model(&self) -> Option<&str> {
        self.facts.served_model.as_deref()
    }

    /// What upstream counted so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.facts.usage
    }

    /// Why generation stopped, in Anthropic's words.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.facts.stop_reason
    }

    /// Whether the model refused, or a filter did.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.facts.refused
    }

    /// Whether a finish reason was seen and nothing but usage can follow.
    #[must_use]
    pub fn may_end(&self) -> bool {
        self.facts.stop_reason.is_some() && self.decoder.error().is_none()
    }

    /// Whether the answer is whole, its end included.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.facts.over
    }

    /// What upstream said of its failure, or what is wrong with the stream.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.decoder.error()
    }

    /// The loud end of a stream that failed after commit: an error, and no `[DONE]`. Nothing for a stream that
    /// finished.
    #[must_use]
    pub fn close(&self, message: &str) -> Bytes {
        if self.facts.over {
            return Bytes::new();
        }
        reply::stream_error(Dialect::OpenAi, 502, None, None, message, "")
    }

    fn is_over(&self) -> bool {
        self.facts.over || self.decoder.error().is_some()
    }

    /// Reads one event; whether it passes.
    fn examine(&mut self, raw: &[u8]) -> bool {
        let facts = &mut self.facts;
        let mut count = 0_usize;
        let mut usage = 0_usize;
        self.decoder.event(raw, &mut |event| {
            count = count.saturating_add(1);
            usage = usage.saturating_add(usize::from(matches!(event, Event::Usage(_))));
            facts.take(&event);
        });
        let only_usage = usage > 0 && usage == count && self.facts.stop_reason.is_some();
        self.decoder.error().is_none() && !(self.hide_usage && only_usage)
    }

    fn queue(&mut self, events: Bytes) {
        if !events.is_empty() {
            self.ready_bytes = self.ready_bytes.saturating_add(events.len());
            self.ready.push_back(events);
        }
    }
}

impl Facts {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { model: Some(model), .. } => {
                self.served_model = Some(crate::wire::failure::cut(&model.decode(), 256).to_owned());
            }
            Event::Usage(usage) => self.usage.merge(*usage),
            Event::Finish(finish) => {
                self.stop_reason = Some(crate::wire::transcode::reason_of(finish));
                self.refused = matches!(finish, Finish::Refusal(_));
            }
            Event::End => self.over = true,
            _ => {}
        }
    }
}
