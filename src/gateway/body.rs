//! The body of an answer: whole, relayed, held, or passed through.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::gateway::hold::Held;
use crate::gateway::passing::Passing;
use crate::gateway::relay::Relay;

/// Why a passed-through body broke; the connection is then closed, so that the client sees it.
#[derive(Debug, thiserror::Error)]
#[error("the upstream's answer broke off or fell silent")]
pub(crate) struct Broken;

/// How much of a whole answer is written at a time, in bytes: between two pieces it is seen that the peer reads.
const PIECE: usize = 64 * 1024;

/// What the server writes.
pub(crate) enum ReplyBody {
    /// All of it at once.
    Whole(Option<Bytes>),
    /// A stream after commit.
    Relay(Box<Relay>),
    /// A stream whose head went out before commit.
    Held(Box<Held>),
    /// A side answer, frame by frame.
    Pass(Box<Passing>),
}

impl ReplyBody {
    /// A whole body.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::Whole((!bytes.is_empty()).then_some(bytes))
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match self.get_mut() {
            Self::Whole(bytes) => {
                let rest = bytes.as_mut().filter(|rest| rest.len() > PIECE);
                let piece = rest.map(|rest| rest.split_to(PIECE)).or_else(|| bytes.take());
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
            Self::Relay(relay) => relay.poll_bytes(cx).map(|b| b.map(|b| Ok(Frame::data(b)))),
            Self::Held(held) => held.poll_bytes(cx).map(|b| b.map(|b| Ok(Frame::data(b)))),
            Self::Pass(body) => body.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |b| u64::try_from(b.len()).unwrap_or(u64::MAX)))
            }
            Self::Pass(body) => body.size_hint(),
            Self::Relay(_) | Self::Held(_) => SizeHint::default(),
        }
    }
}
