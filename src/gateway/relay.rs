//! A stream after commit: whole events on as they come, pings into silence, a loud end when it fails.
//!
//! Nothing follows a failure here: no other seat, no second model. The client is told, and the attempt is
//! recorded as partial.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::HeaderMap;
use http_body::Body as _;
use http_body_util::BodyExt;
use reqwest::Body;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::gateway::book::{Book, Ending};
use crate::gateway::verdict::fail_standing;
use crate::ledger::Outcome;
use crate::outbound;
use crate::process::Tasks;
use crate::route::Class;
use crate::route::action::counts_against_seat;
use crate::upstream::attempt::Stream;
use crate::upstream::standing::Place;
use crate::wire::{Dialect, Flow, anthropic, chat};

/// Silence towards the client is filled this often; clients give up after 300 s without a byte.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(15);

/// How long a finished answer may take to end its connection, so that it can be used again.
const LINGER: Duration = Duration::from_secs(1);

/// A stream that has begun.
pub(crate) struct Relay {
    /// Upstream's.
    status: u16,
    flow: Flow,
    body: Option<Body>,
    book: Book,
    place: Option<Place>,
    tasks: Tasks,
    seat: usize,
    clocks: Clocks,
    closing: Option<Bytes>,
    over: bool,
    /// Resolves when the gateway must end now.
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

struct Clocks {
    idle: Option<Duration>,
    /// When the stream is over whatever it does.
    total: Option<Instant>,
    heard: Instant,
    sent: Instant,
    /// Armed only while the upstream is silent; re-armed lazily, not at every chunk.
    alarm: Option<Pin<Box<Sleep>>>,
}

/// What fills silence in a client's stream.
const fn ping(client: Dialect) -> &'static [u8] {
    match client {
        Dialect::Anthropic => anthropic::watch::PING,
        Dialect::OpenAi | Dialect::Responses => chat::watch::PING,
    }
}

/// What the clocks say.
enum Tick {
    Idle,
    Total,
    Ping,
}

impl Relay {
    /// Goes on with a stream that the seat at `seat` has begun; gives upstream's headers back.
    pub(crate) fn new(
        stream: Stream,
        seat: usize,
        book: Book,
        place: Place,
        tasks: Tasks,
    ) -> (Self, HeaderMap) {
        let idle = book.route.seats.get(seat).and_then(|s| s.seat.idle_timeout);
        let now = Instant::now();
        let total = book.route.route.stream_total.and_then(|t| now.checked_add(t));
        let clocks = Clocks { idle, total, heard: now, sent: now, alarm: None };
        let Stream { status, headers, flow, body } = stream;
        let cut = Box::pin(book.shared.cut.clone().cancelled_owned());
        let (body, place) = (Some(body), Some(place));
        (
            Self { status, flow, body, book, place, tasks, seat, clocks, closing: None, over: false, cut },
            headers,
        )
    }

    /// The next bytes for the client; `None` at the end.
    pub(crate) fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(bytes) = self.flow.next_ready() {
                self.clocks.sent = Instant::now();
                return Poll::Ready(Some(bytes));
            }
            if let Some(bytes) = self.closing.take() {
                return Poll::Ready(Some(bytes));
            }
            if self.over {
                return Poll::Ready(None);
            }
            if let Some(error) = self.flow.error() {
                let text = format!("{}: {}", error.kind, error.message);
                let own = self.flow.own_error().unwrap_or_default();
                // Upstream may quote the key that it was sent.
                let closing = if self.book.live.holds_secret(own, &self.book.about.caller) {
                    self.flow.close_in_our_words("api_error", FAILED)
                } else {
                    self.flow.close(&error.kind, &error.message)
                };
                self.end_loudly(Class::MidStreamError, &text, closing);
                continue;
            }
            if self.flow.finished() {
                self.finish();
                continue;
            }
            let Some(body) = &mut self.body else { return Poll::Ready(None) };
            match Pin::new(body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let Ok(data) = frame.into_data() else { continue };
                    self.clocks.heard = Instant::now();
                    if self.clocks.total.is_some_and(|end| end <= self.clocks.heard) {
                        self.overtime();
                    } else if self.flow.push(data).is_err() {
                        self.fail(Class::BadResponse, "an event of the stream is too large", TOO_LARGE);
                    }
                }
                Poll::Ready(Some(Err(e))) => {
                    // As with silence: a connection that breaks after the whole answer takes nothing from it.
                    if self.flow.may_end() {
                        self.flow.end();
                        continue;
                    }
                    let text = outbound::describe(&e).text;
                    self.cut(&text);
                }
                Poll::Ready(None) => {
                    self.flow.end();
                    if !self.flow.finished() && self.flow.error().is_none() {
                        self.cut("the stream ended without its end");
                    }
                }
                Poll::Pending if self.cut.as_mut().poll(cx).is_ready() => self.stop_now(),
                Poll::Pending => match ready!(self.clocks.poll(cx)) {
                    Tick::Ping => {
                        self.clocks.sent = Instant::now();
                        return Poll::Ready(Some(Bytes::from_static(ping(self.book.about.dialect))));
                    }
                    Tick::Idle if self.flow.may_end() => self.flow.end(),
                    Tick::Idle => self.fail(Class::IdleTimeout, "silence inside the stream", SILENT),
                    Tick::Total => {
                        self.fail(Class::Deadline, "the route's time for a stream is over", OVERTIME)
                    }
                },
            }
        }
    }

    /// The gateway ends: no fault of the seat's.
    fn stop_now(&mut self) {
        self.closing = Some(self.flow.close("api_error", STOPPED));
        self.body = None;
        self.over = true;
        self.place = None;
        self.settle(Outcome::Partial, Class::TruncatedStream, Some("the gateway was stopped"));
    }

    fn overtime(&mut self) {
        self.fail(Class::Deadline, "the route's time for a stream is over", OVERTIME);
    }

    fn cut(&mut self, text: &str) {
        self.fail(Class::TruncatedStream, text, CUT);
    }

    /// Ends the stream loudly. What is ready goes out first, so that nothing is glued to half an event.
    fn fail(&mut self, class: Class, text: &str, told: &str) {
        let closing = self.flow.close("api_error", told);
        self.end_loudly(class, text, closing);
    }

    fn end_loudly(&mut self, class: Class, text: &str, closing: Bytes) {
        self.closing = Some(closing);
        self.body = None;
        self.over = true;
        self.place = None;
        if counts_against_seat(class) {
            let route = Arc::clone(&self.book.route);
            if let Some(seat) = route.seats.get(self.seat) {
                fail_standing(seat, &route.route, self.book.shared.now_ms(), class, &self.book);
            }
        }
        self.settle(Outcome::Partial, class, Some(text));
    }

    fn finish(&mut self) {
        self.over = true;
        self.place = None;
        let refused = self.flow.refused();
        self.settle(Outcome::Ok, if refused { Class::ContentPolicy } else { Class::Ok }, None);
        // The end of the body usually is already here; reading it lets the connection be used again.
        let Some(mut body) = self.body.take() else { return };
        let mut rest = Box::pin(async move { while let Some(Ok(_)) = body.frame().await {} });
        if rest.as_mut().now_or_never().is_none() {
            self.tasks.spawn(async move { tokio::time::timeout(LINGER, rest).await.ok() });
        }
    }

    fn settle(&mut self, outcome: Outcome, class: Class, text: Option<&str>) {
        self.book.end(&Ending {
            outcome,
            class,
            status: Some(self.status),
            served_model: self.flow.served_model(),
            usage: self.flow.usage(),
            text,
        });
    }
}

const FAILED: &str = "the upstream failed inside the stream; the answer is incomplete";
const CUT: &str = "the upstream's stream broke off; the answer is incomplete";
const STOPPED: &str = "the gateway was stopped; the answer is incomplete";
const SILENT: &str = "the upstream fell silent; the answer is incomplete";
const OVERTIME: &str = "the stream took longer than its route allows; the answer is incomplete";
const TOO_LARGE: &str = "the upstream sent an event that is too large; the answer is incomplete";

impl Drop for Relay {
    fn drop(&mut self) {
        if !self.over {
            self.settle(Outcome::Cancelled, Class::Cancelled, None);
        }
    }
}

impl Clocks {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Tick> {
        loop {
            let now = Instant::now();
            let idle = self.idle.and_then(|d| self.heard.checked_add(d));
            let ping = self.sent.checked_add(PING_EVERY);
            if idle.is_some_and(|t| t <= now) {
                return Poll::Ready(Tick::Idle);
            }
            if self.total.is_some_and(|t| t <= now) {
                return Poll::Ready(Tick::Total);
            }
            if ping.is_some_and(|t| t <= now) {
                return Poll::Ready(Tick::Ping);
            }
            let Some(next) = [idle, self.total, ping].into_iter().flatten().min() else {
                return Poll::Pending;
            };
            let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(next)));
            // An alarm that rings too early only asks again; one that would ring too late is moved.
            if alarm.is_elapsed() || alarm.deadline() > next {
                alarm.as_mut().reset(next);
            }
            ready!(alarm.as_mut().poll(cx));
        }
    }
}

#[cfg(test)]
mod tests;
