//! The two ends of a translation, chosen once for each stream.

use crate::prompt::Event;
use crate::wire::failure::StreamError;
use crate::wire::{AnswerOptions, Dialect, Wire, anthropic, chat};

#[derive(Debug)]
pub(super) enum Decoder {
    Chat(Box<chat::StreamDecoder>),
    Anthropic(Box<anthropic::StreamDecoder>),
}

impl Decoder {
    pub(super) fn new(seat: Wire, show_thinking: bool) -> Option<Self> {
        match seat {
            Wire::OpenAi => Some(Self::Chat(Box::new(chat::StreamDecoder::new(show_thinking)))),
            Wire::Anthropic => Some(Self::Anthropic(Box::new(anthropic::StreamDecoder::new(show_thinking)))),
            _ => None,
        }
    }

    pub(super) fn event(&mut self, raw: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match self {
            Self::Chat(decoder) => decoder.event(raw, sink),
            Self::Anthropic(decoder) => decoder.event(raw, sink),
        }
    }

    pub(super) fn end(&mut self, rest: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match self {
            Self::Chat(decoder) => decoder.end(rest, sink),
            Self::Anthropic(decoder) => decoder.end(rest, sink),
        }
    }

    pub(super) fn began(&self) -> bool {
        match self {
            Self::Chat(decoder) => decoder.began(),
            Self::Anthropic(decoder) => decoder.began(),
        }
    }

    pub(super) fn error(&self) -> Option<&StreamError> {
        match self {
            Self::Chat(decoder) => decoder.error(),
            Self::Anthropic(decoder) => decoder.error(),
        }
    }
}

#[derive(Debug)]
pub(in crate::wire) enum Encoder {
    Anthropic(Box<anthropic::StreamEncoder>),
    Chat(Box<chat::StreamEncoder>),
}

impl Encoder {
    pub(in crate::wire) fn new(client: Dialect, options: &AnswerOptions) -> Option<Self> {
        match client {
            Dialect::Anthropic => {
                Some(Self::Anthropic(Box::new(anthropic::StreamEncoder::new(options.clone()))))
            }
            Dialect::OpenAi => Some(Self::Chat(Box::new(chat::StreamEncoder::new(options.clone())))),
            Dialect::Responses => None,
        }
    }

    pub(in crate::wire) fn take(&mut self, event: Event<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Anthropic(encoder) => encoder.take(event, out).map_err(|e| e.to_string()),
            Self::Chat(encoder) => {
                encoder.take(event, out);
                Ok(())
            }
        }
    }

    pub(in crate::wire) fn committed(&self) -> bool {
        match self {
            Self::Anthropic(encoder) => encoder.committed(),
            Self::Chat(encoder) => encoder.committed(),
        }
    }

    pub(in crate::wire) fn finished(&self) -> bool {
        match self {
            Self::Anthropic(encoder) => encoder.finished(),
            Self::Chat(encoder) => encoder.finished(),
        }
    }

    /// Whether the client's wire has words for a reason that is not known here.
    pub(in crate::wire) const fn knows_any_finish(&self) -> bool {
        match self {
            Self::Anthropic(_) => true,
            Self::Chat(_) => false,
        }
    }

    pub(in crate::wire) fn close(&self, kind: &str, message: &str, out: &mut Vec<u8>) {
        match self {
            Self::Anthropic(encoder) => encoder.close(kind, message, out),
            Self::Chat(encoder) => encoder.close(message, out),
        }
    }
}
