//! How the time before commit ended, and what that makes of the book.

use bytes::Bytes;
use http::HeaderMap;

use crate::gateway::book::{Book, Ending};
use crate::gateway::relay::Relay;
use crate::gateway::reply::{self, Refused};
use crate::gateway::worker::Worker;
use crate::ledger::Outcome;
use crate::prompt::BadRequest;
use crate::route::Class;
use crate::telemetry::metrics::RequestOutcome;
use crate::upstream::attempt::Arrival;
use crate::upstream::failed::Failed;
use crate::upstream::standing::Place;
use crate::wire::anthropic::Usage;
use crate::wire::{self, failure};

/// What goes to the client.
pub(crate) struct TurnEnd {
    /// `x-sanctum-route-chain`
    pub(crate) chain: String,
    /// `x-sanctum-degraded`; empty where the answer rests on all that was sent.
    pub(crate) degraded: String,
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
    /// No seat is left that could say what the client asked, and nothing but its own wire can.
    Unsayable(BadRequest),
    /// The time is over.
    Late,
    /// No seat is left.
    Spent,
    /// The gateway was told to end before anybody answered.
    Stopped,
    /// The gateway itself failed.
    Broken,
}

/// An upstream's own words for a request that it refuses.
pub(crate) struct Native {
    /// `None` where they came inside a 200: that status is not passed on.
    status: Option<u16>,
    headers: HeaderMap,
    /// `None` where it did not come whole and plain.
    body: Option<Bytes>,
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
        Ended::Unsayable(bad) => {
            book.give_up(RequestOutcome::Refused);
            Answer::Refused(Refused { param: bad.param, code: bad.code, ..Refused::new(400, bad.message) })
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
        Ended::Stopped => {
            let (outcome, class) = (Outcome::Error, Class::ServerError);
            let text = Some("the gateway was stopped");
            let usage = Usage::default();
            book.end(&Ending { outcome, class, status: None, served_model: None, usage, text });
            Answer::Refused(Refused::new(
                503,
                "the gateway is stopping; nothing of this request was answered",
            ))
        }
        Ended::Broken => {
            book.give_up(RequestOutcome::Error);
            Answer::Refused(reply::internal())
        }
    };
    TurnEnd { chain: book.chain(), degraded: book.degraded(false), answer }
}

/// Hands an answer on.
fn serve(arrival: Arrival, place: Place, mut book: Book, worker: &Worker) -> TurnEnd {
    match arrival {
        Arrival::Whole(whole) => {
            let class = if whole.answer.refused { Class::ContentPolicy } else { Class::Ok };
            let served_model = whole.answer.served_model.as_deref().and_then(|m| model_name(m, &book));
            book.commit(class, Some(whole.status));
            book.end(&Ending {
                outcome: Outcome::Ok,
                class,
                status: Some(whole.status),
                served_model: served_model.as_deref(),
                usage: whole.answer.usage,
                text: None,
            });
            let mut headers = whole.headers;
            book.live.scrub(&mut headers);
            let (body, as_events) = (whole.body, whole.as_events);
            let answer = Answer::Whole { status: 200, headers, served_model, body, as_events };
            let degraded = book
                .degraded(whole.answer.usage.output.is_none() || whole.answer.usage.all_input().is_none());
            TurnEnd { chain: book.chain(), degraded, answer }
        }
        Arrival::Stream(stream) => {
            let seat = book.commit(Class::Ok, Some(stream.status));
            let (chain, degraded) = (book.chain(), book.degraded(false));
            let served_model = stream.flow.served_model().and_then(|m| model_name(m, &book));
            let live = std::sync::Arc::clone(&book.live);
            let (relay, mut headers) = Relay::new(*stream, seat, book, place, worker.tasks.clone());
            live.scrub(&mut headers);
            TurnEnd {
                chain,
                degraded,
                answer: Answer::Stream { headers, served_model, relay: Box::new(relay) },
            }
        }
    }
}

/// Longest name of a served model, in characters.
const MAX_MODEL: usize = 256;

/// A model as upstream names it: bounded, printable, and not one of our secrets. Nobody else has looked at it.
pub(crate) fn model_name(model: &str, book: &Book) -> Option<String> {
    let name: String = model.chars().filter(|c| !c.is_control()).take(MAX_MODEL).collect();
    (!name.is_empty() && !book.live.quotes(&name, &book.about.caller)).then_some(name)
}

/// Passes an upstream's refusal of the request on: its own answer byte for byte. Where that came inside a 200,
/// or not whole, or quotes a secret, its words are told in an answer of ours.
fn pass_on(own: Native, book: &Book) -> Answer {
    let clean = |text: &str| book.live.redact(text, &book.about.caller);
    let body = own.body.filter(|body| !book.live.knows(body));
    match (own.status, body) {
        (Some(status), Some(body)) => {
            let mut headers = own.headers;
            book.live.scrub(&mut headers);
            Answer::Whole { status, headers, served_model: None, body, as_events: false }
        }
        (status, _) => {
            let sizes = failure::overflow_sizes(&own.text).map(wire::reply::overflow_message);
            let status = if failure::overflow(&own.text) { 400 } else { status.unwrap_or(400) };
            Answer::Refused(Refused::new(status, sizes.unwrap_or_else(|| clean(&own.text))))
        }
    }
}
