//! The two ends of a translation, chosen once for each stream.

use crate::prompt::Event;
use crate::wire::failure::StreamError;
use crate::wire::{AnswerOptions, Dialect, Wire, anthropic, chat};

#[derive(Debug)]
pub(super) enum Decoder {
    Chat(Box<chat::StreamDecoder>),
}

impl Decoder {
    pub(super) fn new(seat: Wire, show_thinking: bool) -> Option<Self> {
        match seat {
            Wire::OpenAi => Some(Self::Chat(Box::new(chat::StreamDecoder::new(show_thinking)))),
            _ => None,
        }
    }

    pub(super) fn event(&mut self, raw: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match self {
            Self::Chat(decoder) => decoder.event(raw, sink),
        }
    }

    pub(super) fn end(&mut self, rest: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match self {
            Self::Chat(decoder) => decoder.end(rest, sink),
        }
    }

    pub(super) fn began(&self) -> bool {
        match self {
            Self::Chat(decoder) => decoder.began(),
        }
    }

    pub(super) fn error(&self) -> Option<&StreamError> {
        match self {
            Self::Chat(decoder) => decoder.error(),
        }
    }
}

#[derive(Debug)]
pub(super) enum Encoder {
    Anthropic(Box<anthropic::StreamEncoder>),
}

impl Encoder {
    pub(super) fn new(seat: Wire, client: Dialect, options: &AnswerOptions) -> Option<Self> {
        match (seat, client) {
            (Wire::Anthropic, Dialect::Anthropic) | (Wire::OpenAi, Dialect::OpenAi) => None,
            (_, Dialect::Anthropic) => {
                Some(Self::Anthropic(Box::new(anthropic::StreamEncoder::new(options.clone()))))
            }
            _ => None,
        }
    }

    pub(super) fn take(&mut self, event: Event<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Anthropic(encoder) => encoder.take(event, out).map_err(|e| e.to_string()),
        }
    }

    pub(super) fn committed(&self) -> bool {
        match self {
            Self::Anthropic(encoder) => encoder.committed(),
        }
    }

    pub(super) fn finished(&self) -> bool {
        match self {
            Self::Anthropic(encoder) => encoder.finished(),
        }
    }

    /// Whether the client's wire has words for a reason that is not known here.
    pub(super) const fn knows_any_finish(&self) -> bool {
        match self {
            Self::Anthropic(_) => true,
        }
    }

    pub(super) fn close(&self, kind: &str, message: &str, out: &mut Vec<u8>) {
        match self {
            Self::Anthropic(encoder) => encoder.close(kind, message, out),
        }
    }
}
