//! A streamed answer whose head goes out before commit, because the client would hang up otherwise.
//!
//! From then on the status is spent: pings keep the client, and whatever happens is told in the stream.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::gateway::end::{Answer, TurnEnd};
use crate::gateway::relay::{PING_EVERY, Relay};
use crate::wire::anthropic::watch::PING;
use crate::wire::{Dialect, reply};

/// A turn that is not decided yet.
pub(crate) type Turn = Pin<Box<dyn Future<Output = TurnEnd> + Send>>;

/// The body of a held answer.
pub(crate) struct Held {
    state: State,
    alarm: Pin<Box<Sleep>>,
    request_id: std::sync::Arc<str>,
}

enum State {
    Waiting(Turn),
    Relay(Box<Relay>),
    Last(Bytes),
    Over,
}

impl Held {
    /// Goes on with a turn behind a head that is already sent.
    pub(crate) fn new(turn: Turn, request_id: std::sync::Arc<str>) -> Self {
        Self { state: State::Waiting(turn), alarm: Box::pin(sleep_until(Instant::now())), request_id }
    }

    /// The next bytes for the client; `None` at the end.
    pub(crate) fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            match &mut self.state {
                State::Relay(relay) => return relay.poll_bytes(cx),
                State::Over => return Poll::Ready(None),
                State::Last(bytes) => {
                    let bytes = std::mem::take(bytes);
                    self.state = State::Over;
                    return Poll::Ready(Some(bytes));
                }
                State::Waiting(turn) => match turn.as_mut().poll(cx) {
                    Poll::Ready(end) => self.state = told(end, &self.request_id),
                    Poll::Pending => {
                        std::task::ready!(self.alarm.as_mut().poll(cx));
                        let next = Instant::now() + PING_EVERY;
                        self.alarm.as_mut().reset(next);
                        return Poll::Ready(Some(Bytes::from_static(PING)));
                    }
                },
            }
        }
    }
}

fn told(end: TurnEnd, request_id: &str) -> State {
    let error = |status, kind: Option<&str>, message: &str| {
        State::Last(reply::stream_error(Dialect::Anthropic, status, kind, None, message, request_id))
    };
    match end.answer {
        Answer::Stream { relay, .. } => State::Relay(relay),
        Answer::Whole { as_events: true, body, .. } => State::Last(body),
        Answer::Whole { status, body, .. } => {
            let said = crate::wire::failure::read(&body);
            error(status, said.kind.as_deref(), &said.message)
        }
        Answer::Refused(refused) => error(refused.status, None, &refused.message),
    }
}
