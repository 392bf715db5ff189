//! Bodies that pass through, frame by frame: a client's upload, and a seat's answer to it.
//!
//! Both ends may fail, and whoever failed is told apart: the upload remembers what became of the client,
//! and whose turn it is, so that a seat's clock runs only while the seat is waited for.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use crate::gateway::body::Broken;
use crate::gateway::silence::{BODY_SILENCE, Pace, Silence};
use crate::upstream::upload;

/// What went wrong with a client's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the request body is too large")]
    TooLarge,
    #[error("the request body broke off")]
    Broke,
    #[error("the request body did not go on")]
    Silent,
    #[error("the request body comes too slowly")]
    Slow,
}

/// Who is waited for.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// The client, for more of its body.
    Client,
    /// The seat, since then: to take more, or to answer.
    Seat(Instant),
}

struct State<B> {
    turn: Turn,
    /// What an ended upload may still have in the kernel takes this long at its own pace.
    kernel: Duration,
    fault: Option<Fault>,
    rest: Option<B>,
}

/// A client's body on its way to a seat.
pub(crate) struct Sending<B> {
    inner: Option<B>,
    cap: u64,
    seen: u64,
    began: Option<Instant>,
    silence: Silence,
    pace: Pace,
    state: Arc<Mutex<State<B>>>,
}

/// The same, seen from outside.
pub(crate) struct Sent<B>(Arc<Mutex<State<B>>>);

fn lock<B>(state: &Mutex<State<B>>) -> MutexGuard<'_, State<B>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body of at most `cap` bytes, and its watcher.
pub(crate) fn sending<B: Body>(body: B, cap: u64) -> (Sending<B>, Sent<B>) {
    let state = State { turn: Turn::Seat(Instant::now()), kernel: Duration::ZERO, fault: None, rest: None };
    let state = Arc::new(Mutex::new(state));
    let sent = Sent(Arc::clone(&state));
    let silence = Silence::new(Some(BODY_SILENCE));
    (Sending { inner: Some(body), cap, seen: 0, began: None, silence, pace: Pace::default(), state }, sent)
}

impl<B> Sent<B> {
    /// What went wrong with the client's body.
    pub(crate) fn fault(&self) -> Option<Fault> {
        lock(&self.0).fault
    }

    /// What was not read of a body that is too large.
    pub(crate) fn rest(&self) -> Option<B> {
        lock(&self.0).rest.take()
    }

    /// Resolves when the seat has taken or said nothing for `limit` while it was its turn.
    pub(crate) async fn seat_is_late(&self, limit: Duration) {
        loop {
            let now = Instant::now();
            let (since, kernel) = {
                let state = lock(&self.0);
                match state.turn {
                    Turn::Client => (now, Duration::ZERO),
                    Turn::Seat(since) => (since, state.kernel),
                }
            };
            let Some(until) = since.checked_add(limit.saturating_add(kernel)) else {
                return std::future::pending().await;
            };
            if until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Sending<B> {
    fn fail(&mut self, fault: Fault) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let mut state = lock(&self.state);
        state.fault = Some(fault);
        // Nothing more is expected of the client; the exchange is to fail by this.
        state.turn = Turn::Seat(Instant::now());
        state.rest = self.inner.take().filter(|_| fault == Fault::TooLarge);
        Poll::Ready(Some(Err(fault)))
    }

    fn seats_turn(&self, is_end: bool) {
        let mut state = lock(&self.state);
        state.turn = Turn::Seat(Instant::now());
        if is_end {
            let took = self.began.map_or(Duration::ZERO, |began| began.elapsed());
            state.kernel = upload::rest(took, self.seen);
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Sending<B> {
    type Data = Bytes;
    type Error = Fault;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let me = &mut *self;
        me.began.get_or_insert_with(Instant::now);
        let Some(inner) = &mut me.inner else { return Poll::Ready(None) };
        let Poll::Ready(polled) = Pin::new(&mut *inner).poll_frame(cx) else {
            lock(&me.state).turn = Turn::Client;
            return if me.silence.is_over(cx) { me.fail(Fault::Silent) } else { Poll::Pending };
        };
        let is_end = polled.is_none() || inner.is_end_stream();
        let waited = me.silence.ended();
        let frame = match polled {
            None => {
                me.seats_turn(true);
                return Poll::Ready(None);
            }
            Some(Err(_)) => return me.fail(Fault::Broke),
            Some(Ok(frame)) => frame,
        };
        let size = frame.data_ref().map_or(0, Bytes::len);
        me.seen = me.seen.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        if me.seen > me.cap {
            return me.fail(Fault::TooLarge);
        }
        if !me.pace.keeps_up(waited, size) {
            return me.fail(Fault::Slow);
        }
        me.seats_turn(is_end);
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map(Body::size_hint).unwrap_or_default()
    }
}

/// A seat's answer on its way to the client.
pub(crate) struct Passing {
    body: reqwest::Body,
    silence: Silence,
}

impl Passing {
    /// `idle`: the longest silence inside it; `None` = any.
    pub(crate) const fn new(body: reqwest::Body, idle: Option<Duration>) -> Self {
        Self { body, silence: Silence::new(idle) }
    }

    /// The next frame; an error where it broke off or fell silent.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(polled) => {
                self.silence.ended();
                Poll::Ready(polled.map(|frame| frame.map_err(|_| Broken)))
            }
            Poll::Pending if self.silence.is_over(cx) => Poll::Ready(Some(Err(Broken))),
            Poll::Pending => Poll::Pending,
        }
    }

    /// What is known of its length.
    pub(crate) fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
