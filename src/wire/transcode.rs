//! A stream of one wire told to a client of another: bytes in, bytes out, through the hub.
//!
//! Has the face of the observer of streams that pass through (`anthropic::watch`), so that whoever relays a
//! stream treats both alike.

use bytes::Bytes;

use super::failure::{FailureBody, StreamError};
use super::sse::{Cuts, Oversized};
use super::{AnswerOptions, Dialect, Wire};
use crate::prompt::{Event, Finish, Usage};

mod ends;
#[cfg(test)]
mod tests;

use ends::Decoder;
pub(super) use ends::Encoder;

/// Translates one stream.
#[derive(Debug)]
pub struct Transcoder {
    cuts: Cuts,
    decoder: Decoder,
    encoder: Encoder,
    facts: Facts,
    out: Vec<u8>,
}

/// What the events said.
#[derive(Debug, Default)]
struct Facts {
    served_model: Option<String>,
    usage: Usage,
    stop_reason: Option<&'static str>,
    refused: bool,
    dropped: Vec<String>,
    error: Option<StreamError>,
    over: bool,
}

impl Transcoder {
    /// A transcoder from a seat's wire to a client's; `None` where the two are the same or not built.
    #[must_use]
    pub fn new(seat: Wire, client: Dialect, options: &AnswerOptions) -> Option<Self> {
        if matches!((seat, client), (Wire::Anthropic, Dialect::Anthropic) | (Wire::OpenAi, Dialect::OpenAi)) {
            return None;
        }
        Some(Self {
            cuts: Cuts::default(),
            decoder: Decoder::new(seat, options.show_thinking)?,
            encoder: Encoder::new(client, options)?,
            facts: Facts::default(),
            out: Vec::new(),
        })
    }

    /// Takes the next frame. What it says to the client is queued for [`Transcoder::next_ready`]; what comes
    /// after the end or after an error is ignored.
    ///
    /// # Errors
    /// When an event is too large. The stream is then to be given up; what was said before stays ready.
    pub fn push(&mut self, frame: Bytes) -> Result<(), Oversized> {
        let mut pos = self.cuts.skip_bom(&frame);
        if self.out.capacity() == 0 {
            // About what a frame of small events grows to.
            self.out.reserve(frame.len().saturating_add(256));
        }
        loop {
            if self.facts.over {
                return Ok(());
            }
            let rest = frame.get(pos..).unwrap_or_default();
            let Some(cut) = self.cuts.next(rest)? else { return Ok(()) };
            let raw = rest.get(..cut.taken).unwrap_or_default();
            pos = pos.saturating_add(cut.taken);
            match &cut.joined {
                Some(joined) => self.event(joined),
                None => self.event(raw),
            }
        }
    }

    /// Says that the upstream's body has ended.
    pub fn end(&mut self) {
        if self.facts.over {
            return;
        }
        if let Some(event) = self.cuts.finish() {
            self.event(&event);
        }
        let Self { cuts, decoder, encoder, facts, out, .. } = self;
        if !facts.over {
            decoder.end(cuts.partial(), &mut |event| facts.take(event, encoder, out));
            facts.settle(decoder);
        }
    }

    /// The next bytes for the client: always whole events.
    pub fn next_ready(&mut self) -> Option<Bytes> {
        (!self.out.is_empty()).then(|| Bytes::from(std::mem::take(&mut self.out)))
    }

    /// How many bytes wait for [`Transcoder::next_ready`].
    #[must_use]
    pub fn ready_bytes(&self) -> usize {
        self.out.len()
    }

    /// Whether generation was seen, be it thought that the client does not see: the clock for the first byte
    /// stops. Not a commit.
    #[must_use]
    pub fn began(&self) -> bool {
        self.decoder.began()
    }

    /// Whether there is content for the client. Until then another seat may still answer.
    #[must_use]
    pub fn committed(&self) -> bool {
        self.encoder.committed()
    }

    /// The model that serves, as upstream names it; at most 256 bytes.
    #[must_use]
    pub fn served_model(&self) -> Option<&str> {
        self.facts.served_model.as_deref()
    }

    /// What upstream counted so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.facts.usage
    }

    /// Whether the client was told an estimate, since upstream counted nothing.
    #[must_use]
    pub fn estimates_usage(&self) -> bool {
        self.facts.usage.output.is_none() || self.facts.usage.all_input().is_none()
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

    /// Whether a finish reason was seen and nothing but usage can follow: silence from here on, or the end of
    /// the body, is no failure, and [`Transcoder::end`] ends the answer.
    #[must_use]
    pub fn may_end(&self) -> bool {
        self.facts.stop_reason.is_some() && self.facts.error.is_none()
    }

    /// Whether the client has the whole answer, its end included.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.encoder.finished()
    }

    /// What upstream said of its failure, or what is wrong with the stream.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.facts.error.as_ref()
    }

    /// Types of blocks that the client's wire has no words for and that were left out.
    #[must_use]
    pub fn dropped(&self) -> &[String] {
        &self.facts.dropped
    }

    /// The loud end of a stream that failed after commit, in the client's shape, to be sent after all that is
    /// ready. Nothing for a stream that finished.
    #[must_use]
    pub fn close(&self, kind: &str, message: &str) -> Bytes {
        let mut out = Vec::new();
        self.encoder.close(kind, message, &mut out);
        Bytes::from(out)
    }

    fn event(&mut self, raw: &[u8]) {
        let Self { decoder, encoder, facts, out, .. } = self;
        decoder.event(raw, &mut |event| facts.take(event, encoder, out));
        facts.settle(decoder);
    }
}

impl Facts {
    fn take(&mut self, event: Event<'_>, encoder: &mut Encoder, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match &event {
            Event::Start { model: Some(model), .. } => {
                self.served_model = Some(super::failure::cut(&model.decode(), 256).to_owned());
            }
            Event::Usage(usage) => self.usage.merge(*usage),
            Event::Dropped(kind) => crate::prompt::note(&mut self.dropped, &kind.decode()),
            Event::Finish(finish) => {
                if let (Finish::Other(reason), false) = (finish, encoder.knows_any_finish()) {
                    let reason = super::failure::cut(&reason.decode(), 64).to_owned();
                    return self.fail(format!("upstream stopped with {reason}, which this API cannot say"));
                }
                self.stop_reason = Some(reason_of(finish));
                self.refused = matches!(finish, Finish::Refusal(_));
            }
            Event::End => self.over = true,
            _ => {}
        }
        if let Err(what) = encoder.take(event, out) {
            self.fail(what);
        }
    }

    /// Takes over what the decoder says of a failure.
    fn settle(&mut self, decoder: &Decoder) {
        if let Some(error) = decoder.error()
            && self.error.is_none()
        {
            self.error = Some(error.clone());
            self.over = true;
        }
    }

    fn fail(&mut self, message: String) {
        self.over = true;
        let body = FailureBody { message: message.clone(), ..FailureBody::default() };
        self.error = Some(StreamError { kind: "api_error".to_owned(), message, body });
    }
}

/// Why generation ended, in Anthropic's words.
pub(super) const fn reason_of(finish: &Finish<'_>) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::StopSequence(_) => "stop_sequence",
        Finish::Length => "max_tokens",
        Finish::ContextWindow => "model_context_window_exceeded",
        Finish::ToolUse => "tool_use",
        Finish::Refusal(_) => "refusal",
        Finish::Other(_) => "other",
    }
}
