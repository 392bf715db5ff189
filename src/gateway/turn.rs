//! The life of one request, from the plan to commit.
//!
//! Every attempt is `prepare(&request, &target)`, a function of the request as received. The loop walks the
//! plan once; what an outcome leads to is decided by the table, not here.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::{Instant, sleep};

use crate::config::Route;
use crate::gateway::book::{Book, Ending, Failure};
use crate::gateway::live::{LiveRoute, LiveSeat};
use crate::gateway::relay::Relay;
use crate::gateway::reply::{self, Refused};
use crate::gateway::verdict::{note_headers, see, settle_standing, take_repeat};
use crate::gateway::worker::Worker;
use crate::ledger::{ActionWord, Outcome};
use crate::route::Class;
use crate::route::action::Action;
use crate::route::plan::{self, Ask, Skip, Step};
use crate::telemetry::metrics::RequestOutcome;
use crate::upstream::attempt::{self, Arrival, Clocks, Failed, Want};
use crate::upstream::prepare;
use crate::upstream::request::Request;
use crate::upstream::standing::Place;
use crate::wire::anthropic::Usage;
use crate::wire::{self, Endpoint, failure};

/// How the time before commit ended.
pub(crate) enum TurnEnd {
    /// A stream has begun.
    Stream {
        /// Upstream's headers.
        headers: HeaderMap,
        /// What it was served by, where upstream said so.
        served_model: Option<String>,
        /// The rest of it.
        relay: Box<Relay>,
        /// `x-sanctum-route-chain`
        chain: String,
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
        /// `x-sanctum-route-chain`
        chain: String,
    },
    /// The gateway's own refusal.
    Refused {
        /// What it says.
        refused: Refused,
        /// `x-sanctum-route-chain`
        chain: String,
    },
}

/// An upstream's own words for a request that it refuses, kept to be passed on.
struct Native {
    /// `None` where they came inside a 200: that status is not passed on.
    status: Option<u16>,
    headers: HeaderMap,
    body: Bytes,
    text: String,
}

impl Native {
    fn of(failed: Failed) -> Self {
        let status = failed.status.filter(|s| *s >= 400);
        Self { status, headers: failed.headers, body: failed.raw, text: failed.text }
    }
}

/// Walks the chain until a seat answers, the client's request is at fault, or the time is over.
pub(crate) async fn run(
    worker: Arc<Worker>,
    request: Arc<Request>,
    skip: Skip,
    deadline: Instant,
    mut book: Book,
) -> TurnEnd {
    let shared = Arc::clone(&worker.shared);
    let route = Arc::clone(&book.route);
    let now = shared.now_ms();
    if book.about.recorded {
        route.budget.lock().unwrap_or_else(PoisonError::into_inner).request(now);
    }
    let conditions: Vec<_> = route.seats.iter().map(|s| s.condition(now)).collect();
    let ask = Ask { endpoint: request.endpoint, body_bytes: request.facts.body_bytes, skip: &skip };

    // The limit of a seat that refused the prompt as too long, and its own words for it.
    let mut too_long: Option<Option<u64>> = None;
    let mut native: Option<Native> = None;

    let steps = plan::plan(&route.route, &ask, &conditions);
    'seats: for (at, step) in steps.iter().enumerate() {
        let Some(seat) = route.seats.get(step.seat) else { continue };
        if let Some(class) = step.pass {
            book.pass(step.seat, class);
            continue;
        }
        if too_long.is_some_and(|limit| !plan::is_larger(seat.seat.max_prompt_tokens, limit)) {
            book.pass(step.seat, Class::ContextLength);
            continue;
        }
        let Some(target) = &seat.target else { continue };
        let Some(place) = seat.standing.enter(seat.seat.max_concurrency) else {
            book.pass(step.seat, Class::Busy);
            continue;
        };
        let mut place = Some(place);
        let client = match worker.client(seat.seat.provider.connect_timeout) {
            Ok(client) => client,
            Err(e) => {
                tracing::error!(error = %e, "no client for the provider");
                return end_refused(book, reply::internal(), RequestOutcome::Error);
            }
        };
        let mut attempts_on_seat = 0u32;
        loop {
            if deadline <= Instant::now() {
                let refused = reply::exhausted(&book, true);
                return end_refused(book, refused, RequestOutcome::Timeout);
            }
            attempts_on_seat = attempts_on_seat.saturating_add(1);
            book.begin(step.seat);
            let clocks = Clocks { deadline, after_upload: after_upload(seat, &request) };
            let outgoing = prepare::prepare(&request, target);
            let failed = match attempt::attempt(&client, outgoing, wanted(&request), clocks).await {
                Ok(arrival) => {
                    note_headers(seat, arrival_headers(&arrival), shared.now_ms(), &book);
                    return serve(arrival, place.take(), book, &worker, &route.route);
                }
                Err(failed) => failed,
            };
            let mut seen = see(&failed, seat, &route.route, &book, attempts_on_seat, deadline);
            if matches!(seen.action, Action::Retry(_)) && !take_repeat(&book, shared.now_ms()) {
                tracing::debug!(route = &*route.name, "the route's retry budget is spent");
                seen.action = Action::FallBack;
            }
            let refused = larger_of(too_long, seat.seat.max_prompt_tokens);
            let nowhere = seen.action == Action::Larger && !goes_on(&steps, at, &route, refused);
            let follows = match seen.action {
                Action::Retry(_) => ActionWord::Retry,
                Action::PassOn | Action::Fail => ActionWord::Fail,
                Action::Larger if nowhere => ActionWord::Fail,
                Action::FallBack | Action::Larger => ActionWord::FallBack,
            };
            if seen.class == Class::ContentPolicy && seen.action == Action::PassOn {
                return pass_policy(*failed, book);
            }
            book.failed(&Failure {
                class: seen.class,
                status: failed.status,
                action: follows,
                served_model: failed.served_model.as_deref(),
                text: &failed.text,
                retry_after: seen.retry_after,
            });
            if book.about.recorded {
                settle_standing(&seen, &failed, seat, &route.route, shared.now_ms(), &book);
            }
            match seen.action {
                Action::Retry(wait) => sleep(wait).await,
                Action::FallBack => continue 'seats,
                Action::Larger => {
                    too_long = Some(refused);
                    native.get_or_insert(Native::of(*failed));
                    if nowhere {
                        break 'seats;
                    }
                    continue 'seats;
                }
                Action::PassOn => return pass_on(Native::of(*failed), RequestOutcome::Error, book),
                Action::Fail => {
                    let refused = match seen.class {
                        Class::Deadline => reply::exhausted(&book, true),
                        _ => reply::rejected(&book, seat, failed.status),
                    };
                    let outcome = match seen.class {
                        Class::Deadline => RequestOutcome::Timeout,
                        _ => RequestOutcome::Error,
                    };
                    return end_refused(book, refused, outcome);
                }
            }
        }
    }
    let only_too_long = book.trail().iter().filter(|s| s.tried).all(|s| s.class == Class::ContextLength);
    match native {
        Some(own) if only_too_long => pass_on(own, RequestOutcome::Error, book),
        _ => {
            let refused = reply::exhausted(&book, false);
            let nobody = !book.trail().iter().any(|s| s.tried);
            end_refused(book, refused, if nobody { RequestOutcome::Refused } else { RequestOutcome::Error })
        }
    }
}

const fn wanted(request: &Request) -> Want {
    match request.endpoint {
        Endpoint::CountTokens => Want::Count,
        _ if request.facts.stream => Want::Stream,
        _ => Want::Message,
    }
}

fn after_upload(seat: &LiveSeat, request: &Request) -> Duration {
    match wanted(request) {
        Want::Stream => seat.seat.ttfb_timeout,
        Want::Message | Want::Count => seat.seat.response_timeout,
    }
}

/// Whether a later seat may hold what this one could not.
fn goes_on(steps: &[Step], at: usize, route: &LiveRoute, limit: Option<u64>) -> bool {
    steps.iter().skip(at.saturating_add(1)).filter(|s| s.pass.is_none()).any(|s| {
        route.seats.get(s.seat).is_some_and(|seat| plan::is_larger(seat.seat.max_prompt_tokens, limit))
    })
}

/// The larger of two limits that were not enough; one that is not known says nothing.
const fn larger_of(known: Option<Option<u64>>, limit: Option<u64>) -> Option<u64> {
    match (known, limit) {
        (Some(Some(a)), Some(b)) => Some(if a > b { a } else { b }),
        (Some(Some(a)), None) => Some(a),
        (_, limit) => limit,
    }
}

fn arrival_headers(arrival: &Arrival) -> &HeaderMap {
    match arrival {
        Arrival::Whole(w) => &w.headers,
        Arrival::Stream(s) => &s.headers,
    }
}

/// Hands an answer on.
fn serve(arrival: Arrival, place: Option<Place>, mut book: Book, worker: &Worker, route: &Route) -> TurnEnd {
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
            TurnEnd::Whole {
                status: 200,
                headers: whole.headers,
                served_model: whole.answer.served_model,
                body: whole.body,
                as_events: whole.as_events,
                chain: book.chain(),
            }
        }
        Arrival::Stream(stream) => {
            book.commit(Class::Ok, Some(200));
            let chain = book.chain();
            let served_model = stream.watch.served_model().map(str::to_owned);
            let headers = stream.headers;
            let relay =
                Relay::new(stream.watch, stream.body, book, place, worker.tasks.clone(), route.stream_total);
            TurnEnd::Stream { headers, served_model, relay: Box::new(relay), chain }
        }
    }
}

/// Passes an upstream's refusal of the request on: its own answer byte for byte, or its words in a 400 where
/// they came inside a 200.
fn pass_on(own: Native, outcome: RequestOutcome, mut book: Book) -> TurnEnd {
    book.give_up(outcome);
    let chain = book.chain();
    let Some(status) = own.status else {
        let sizes = failure::overflow_sizes(&own.text).map(wire::reply::overflow_message);
        let text = sizes.unwrap_or_else(|| book.live.redact(&own.text, &book.about.caller));
        return TurnEnd::Refused { refused: Refused::new(400, text), chain };
    };
    TurnEnd::Whole {
        status,
        headers: own.headers,
        served_model: None,
        body: own.body,
        as_events: false,
        chain,
    }
}

/// Passes on a refusal that came as an error: a product decision, not an outage.
fn pass_policy(failed: Failed, mut book: Book) -> TurnEnd {
    book.commit(Class::ContentPolicy, failed.status);
    book.end(&Ending {
        outcome: Outcome::Ok,
        class: Class::ContentPolicy,
        status: failed.status,
        served_model: failed.served_model.as_deref(),
        usage: Usage::default(),
        text: Some(&failed.text),
    });
    pass_on(Native::of(failed), RequestOutcome::Ok, book)
}

fn end_refused(mut book: Book, refused: Refused, outcome: RequestOutcome) -> TurnEnd {
    book.give_up(outcome);
    TurnEnd::Refused { refused, chain: book.chain() }
}
