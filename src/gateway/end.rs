//! How the time before commit ended, and what that makes of the book.

use bytes::Bytes;
use http::HeaderMap;

use crate::gateway::book::{Book, Ending};
use crate::gateway::relay::Relay;
use crate::gateway::reply::{self, Refused};
use crate::gateway::worker::Worker;
use crate::ledger::Outcome;
use crate::route::Class;
use crate::telemetry::metrics::RequestOutcome;
use crate::upstream::attempt::{Arrival, Failed};
use crate::upstream::standing::Place;
use crate::wire::anthropic::Usage;
use crate::wire::{self, failure};

/// What goes to the client.
pub(crate) struct TurnEnd {
    /// `x-sanctum-route-chain`
    pub(crate) chain: String,
    pub(crate) answer: Answer,
}

/// The answer of a turn.
pub(crate) enum Answer {
    /// A stream that has begun.
    Stream {
        /// Upstream's headers.
        headers: HeaderMap,
        /// What it was served by, where upstream said so.
        served_model: Option<String>,
        /// The rest of it.
        relay: Box<Relay>,
    },
    /// A whole answer.
    Whole {
        /// Upstream's status.
        status: u16,
        /// Upstream's headers.
        headers: HeaderMap,
        /// What it was served by, where upstream said so.
        served_model: Option<String>,
        /// What goes to the client.
        body: Bytes,
        /// Whether `body` is an event stream.
        as_events: bool,
    },
    /// The gateway's own refusal.
    Refused(Refused),
}

/// Why the walk through the chain ended.
pub(crate) enum Ended {
    /// A seat answers.
    Arrived(Arrival, Place),
    /// An upstream's own words are passed on.
    Native(Native),
    /// A model or a policy refused: a product decision, not an outage.
    Policy(Box<Failed>),
    /// The route says to fail: upstream refused the gateway's credential or configured model.
    Rejected {
        /// The seat's position.
        seat: usize,
        /// Upstream's status.
        status: Option<u16>,
    },
    /// The time is over.
    Late,
    /// No seat is left.
    Spent,
    /// The gateway itself failed.
    Broken,
}

/// An upstream's own words for a request that it refuses.
pub(crate) struct Native {
    /// `None` where they came inside a 200: that status is not passed on.
    status: Option<u16>,
    headers: HeaderMap,
    body: Bytes,
    text: String,
}

impl Native {
    pub(crate) fn of(failed: Failed) -> Self {
        let status = failed.status.filter(|s| *s >= 400);
        Self { status, headers: failed.headers, body: failed.raw, text: failed.text }
    }
}

/// Settles the book of a turn and makes its answer.
pub(crate) fn close(ended: Ended, mut book: Book, worker: &Worker) -> TurnEnd {
    let answer = match ended {
        Ended::Arrived(arrival, place) => return serve(arrival, place, book, worker),
        Ended::Native(native) => {
            book.give_up(RequestOutcome::Error);
            pass_on(native, &book)
        }
        Ended::Policy(failed) => {
            book.commit(Class::ContentPolicy, failed.status);
            book.end(&Ending {
                outcome: Outcome::Ok,
                class: Class::ContentPolicy,
                status: failed.status,
                served_model: failed.served_model.as_deref(),
                usage: Usage::default(),
                text: Some(&failed.text),
            });
            pass_on(Native::of(*failed), &book)
        }
        Ended::Rejected { seat, status } => {
            book.give_up(RequestOutcome::Error);
            Answer::Refused(reply::rejected(&book, seat, status))
        }
        Ended::Late => {
            book.give_up(RequestOutcome::Timeout);
            Answer::Refused(reply::out_of_time(&book))
        }
        Ended::Spent => {
            let asked = book.trail().tried().next().is_some();
            book.give_up(if asked { RequestOutcome::Error } else { RequestOutcome::Refused });
            Answer::Refused(reply::spent(&book))
        }
        Ended::Broken => {
            book.give_up(RequestOutcome::Error);
            Answer::Refused(reply::internal())
        }
    };
    TurnEnd { chain: book.chain(), answer }
}

/// Hands an answer on.
fn serve(arrival: Arrival, place: Place, mut book: Book, worker: &Worker) -> TurnEnd {
    match arrival {
        Arrival::Whole(whole) => {
            let class = if whole.answer.refused { Class::ContentPolicy } else { Class::Ok };
            book.commit(class, Some(200));
            book.end(&Ending {
                outcome: Outcome::Ok,
                class,
                status: Some(200),
                served_model: whole.answer.served_model.as_deref(),
                usage: whole.answer.usage,
                text: None,
            });
            let answer = Answer::Whole {
                status: 200,
                headers: whole.headers,
                served_model: whole.answer.served_model,
                body: whole.body,
                as_events: whole.as_events,
            };
            TurnEnd { chain: book.chain(), answer }
        }
        Arrival::Stream(stream) => {
            let seat = book.commit(Class::Ok, Some(200));
            let chain = book.chain();
            let served_model = stream.watch.served_model().map(str::to_owned);
            let (relay, headers) = Relay::new(*stream, seat, book, place, worker.tasks.clone());
            let relay = Box::new(relay);
            TurnEnd { chain, answer: Answer::Stream { headers, served_model, relay } }
        }
    }
}

/// Passes an upstream's refusal of the request on: its own answer byte for byte, or its words in a 400 where
/// they came inside a 200.
fn pass_on(own: Native, book: &Book) -> Answer {
    let Some(status) = own.status else {
        let sizes = failure::overflow_sizes(&own.text).map(wire::reply::overflow_message);
        let text = sizes.unwrap_or_else(|| book.live.redact(&own.text, &book.about.caller));
        return Answer::Refused(Refused::new(400, text));
    };
    Answer::Whole { status, headers: own.headers, served_model: None, body: own.body, as_events: false }
}
