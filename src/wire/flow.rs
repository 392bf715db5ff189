//! How a stream reaches its client: watched as it passes on the same wire, or told anew from another one.

use bytes::Bytes;

use super::anthropic::Usage;
use super::anthropic::watch::Watch;
use super::failure::StreamError;
use super::sse::Oversized;
use super::transcode::Transcoder;
use super::{AnswerOptions, Dialect, Wire, chat};

/// A stream on its way to its client.
#[derive(Debug)]
pub enum Flow {
    /// Messages to a Messages client: the very bytes.
    Same(Box<Watch>),
    /// Chat to a chat client: the very bytes.
    SameChat(Box<chat::watch::Watch>),
    /// Another wire.
    Retold(Box<Transcoder>),
}

/// Calls the same method of either.
macro_rules! either {
    ($flow:expr, $it:ident => $call:expr) => {
        match $flow {
            Flow::Same($it) => $call,
            Flow::SameChat($it) => $call,
            Flow::Retold($it) => $call,
        }
    };
}

impl Flow {
    /// A flow from a seat's wire to a client; the same wire is watched.
    #[must_use]
    pub fn new(seat: Wire, client: Dialect, options: Option<&AnswerOptions>) -> Self {
        match options.and_then(|options| Transcoder::new(seat, client, options)) {
            Some(transcoder) => Self::Retold(Box::new(transcoder)),
            None if seat == Wire::OpenAi => Self::SameChat(Box::new(chat::watch::Watch::new(false))),
            None => Self::Same(Box::new(Watch::new())),
        }
    }

    /// Takes the next frame.
    ///
    /// # Errors
    /// When an event is too large; the stream is then to be given up.
    pub fn push(&mut self, frame: Bytes) -> Result<(), Oversized> {
        either!(self, it => it.push(frame))
    }

    /// Says that the upstream's body has ended.
    pub fn end(&mut self) {
        either!(self, it => it.end());
    }

    /// The next bytes that may be sent on: whole events, in order.
    pub fn next_ready(&mut self) -> Option<Bytes> {
        either!(self, it => it.next_ready())
    }

    /// Whether generation was seen, be it thought that the client does not see.
    #[must_use]
    pub fn began(&self) -> bool {
        either!(self, it => it.began())
    }

    /// Whether there is something for the client: from here on nothing else can answer.
    #[must_use]
    pub fn commits(&self) -> bool {
        match self {
            // A turn may end without content: that is legal, and there is nothing more to wait for.
            Self::Same(watch) => watch.began() || watch.finished(),
            Self::SameChat(watch) => watch.committed() || watch.finished(),
            Self::Retold(transcoder) => transcoder.committed() || transcoder.finished(),
        }
    }

    /// The model that serves, as upstream names it.
    #[must_use]
    pub fn served_model(&self) -> Option<&str> {
        either!(self, it => it.served_model())
    }

    /// What upstream counted so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        either!(self, it => it.usage())
    }

    /// Whether the client was told an estimate of the cost.
    #[must_use]
    pub fn estimates(&self) -> bool {
        matches!(self, Self::Retold(t) if t.estimates_usage())
    }

    /// Whether the model refused.
    #[must_use]
    pub fn refused(&self) -> bool {
        match self {
            Self::Same(watch) => watch.stop_reason() == Some("refusal"),
            Self::SameChat(watch) => watch.refused(),
            Self::Retold(transcoder) => transcoder.refused(),
        }
    }

    /// Whether silence from here on is no failure: everything but the cost was said.
    #[must_use]
    pub fn may_end(&self) -> bool {
        match self {
            Self::Same(_) => false,
            Self::SameChat(watch) => watch.may_end(),
            Self::Retold(transcoder) => transcoder.may_end(),
        }
    }

    /// Whether the client has, or has ready, the end of the answer.
    #[must_use]
    pub fn finished(&self) -> bool {
        either!(self, it => it.finished())
    }

    /// The error that upstream told in the stream, or what is wrong with it.
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        either!(self, it => it.error())
    }

    /// The loud end of a stream that failed after commit, in upstream's own words where it told an error on the
    /// client's own wire.
    #[must_use]
    pub fn close(&self, kind: &str, message: &str) -> Bytes {
        match self {
            Self::Same(watch) => watch.close(kind, message),
            Self::SameChat(watch) => watch.close(message),
            Self::Retold(transcoder) => transcoder.close(kind, message),
        }
    }

    /// As [`close`](Self::close), but never in upstream's own words.
    #[must_use]
    pub fn close_in_our_words(&self, kind: &str, message: &str) -> Bytes {
        match self {
            Self::Same(watch) => watch.close_in_our_words(kind, message),
            Self::SameChat(_) | Self::Retold(_) => self.close(kind, message),
        }
    }

    /// What upstream said in its error, for whoever must look at all of it.
    #[must_use]
    pub fn own_error(&self) -> Option<&[u8]> {
        match self {
            Self::Same(watch) => watch.own_error(),
            Self::SameChat(_) | Self::Retold(_) => self.error().map(|e| e.message.as_bytes()),
        }
    }
}
