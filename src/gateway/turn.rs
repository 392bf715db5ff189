//! The life of one request, from the plan to commit.
//!
//! Every attempt is `prepare(&request, &target)`, a function of the request as received. The walk goes
//! through the plan once; what an outcome leads to is decided by the table, not here.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::gateway::book::{Book, Failure};
use crate::gateway::end::{self, Ended, Native, TurnEnd};
use crate::gateway::live::{LiveRoute, LiveSeat};
use crate::gateway::verdict::{note_headers, see, settle_standing};
use crate::gateway::worker::Worker;
use crate::ledger::ActionWord;
use crate::prompt::{BadRequest, Gap, Inexpressible};
use crate::route::action::Action;
use crate::route::plan::{self, Ask, Skip, Step};
use crate::route::{Class, capability};
use crate::telemetry::clock;
use crate::upstream::attempt::{self, Arrival, Clocks, Sides, Want};
use crate::upstream::failed::Failed;
use crate::upstream::prepare::{self, Outgoing, Unsaid};
use crate::upstream::request::Request;
use crate::upstream::target::Target;
use crate::wire::Endpoint;

/// A request above this size, in bytes, is not translated on the core's own thread.
const LARGE: u64 = 256 * 1024;

/// One request on its way through its route's chain.
struct Turn {
    worker: Arc<Worker>,
    route: Arc<LiveRoute>,
    request: Arc<Request>,
    deadline: Instant,
    book: Book,
    /// Set once a seat refused the prompt as too long.
    overflow: Option<Overflow>,
    /// What of the request only a seat of the client's own wire could say.
    bad: Option<BadRequest>,
}

/// A prompt that a seat refused as too long.
struct Overflow {
    /// The largest limit that was not enough; `None` where no such seat declares one.
    limit: Option<u64>,
    /// The first refusal in upstream's own words.
    words: Native,
}

/// What follows a failed attempt.
enum Next {
    /// The same seat, after a wait.
    Again(Duration),
    /// The next seat.
    Seat,
    /// Nothing.
    End(Ended),
}

/// Walks the chain until a seat answers, the client's request is at fault, or the time is over.
pub(crate) async fn run(
    worker: Arc<Worker>,
    request: Arc<Request>,
    skip: Skip,
    deadline: Instant,
    book: Book,
) -> TurnEnd {
    let route = Arc::clone(&book.route);
    let steps = planned(&worker, &request, &skip, &book);
    let mut turn = Turn { worker, route, request, deadline, book, overflow: None, bad: None };
    let mut later = steps.as_slice();
    let mut ended = None;
    let cut = turn.worker.shared.cut.clone();
    while let (None, [step, rest @ ..]) = (&ended, later) {
        later = rest;
        ended = tokio::select! {
            biased;
            ended = turn.visit(step, later) => ended,
            () = cut.cancelled() => Some(Ended::Stopped),
        };
    }
    let ended = ended.unwrap_or_else(|| turn.nobody());
    end::close(ended, turn.book, &turn.worker)
}

fn planned(worker: &Worker, request: &Request, skip: &Skip, book: &Book) -> Vec<Step> {
    let now = worker.shared.now_ms();
    if book.about.counts() {
        book.route.budget.lock().unwrap_or_else(PoisonError::into_inner).request(now);
    }
    let conditions: Vec<_> = book.route.seats.iter().map(|s| s.condition(now)).collect();
    let capability = capability::required(&book.live.config, request.endpoint, &request.facts.model);
    let ask = Ask { endpoint: request.endpoint, body_bytes: request.facts.body_bytes, capability, skip };
    plan::plan(&book.route.route, &ask, &conditions)
}

impl Turn {
    /// One step of the plan: the seat is passed over, or asked until it answers or the table says to go on.
    async fn visit(&mut self, step: &Step, later: &[Step]) -> Option<Ended> {
        let route = Arc::clone(&self.route);
        let seat = route.seats.get(step.seat)?;
        if let Some(class) = step.pass.or_else(|| self.is_too_small(seat).then_some(Class::ContextLength)) {
            self.book.pass(step.seat, class);
            return None;
        }
        let target = seat.target.as_ref()?;
        let mut attempts = 0u32;
        loop {
            if self.deadline <= Instant::now() {
                if attempts == 0 {
                    self.book.pass(step.seat, Class::Deadline);
                }
                return Some(Ended::Late);
            }
            let Some(place) = seat.standing.enter(seat.seat.max_concurrency) else {
                match attempts {
                    0 => self.book.pass(step.seat, Class::Busy),
                    _ => self.book.moved_on(),
                }
                return None;
            };
            let outgoing = match self.prepare(target).await {
                Ok(outgoing) => outgoing,
                Err(unsaid) => {
                    self.pass_unsaid(step.seat, seat, unsaid);
                    return None;
                }
            };
            attempts = attempts.saturating_add(1);
            self.book.begin(step.seat, &outgoing.dropped);
            let failed = match self.attempt(seat, outgoing).await {
                Ok(arrival) => {
                    note_headers(seat, arrival.headers(), self.worker.shared.now_ms(), &self.book);
                    return Some(Ended::Arrived(arrival, place));
                }
                Err(None) => return Some(Ended::Broken),
                Err(Some(failed)) => failed,
            };
            // Whoever waits for its turn again does not keep others from theirs.
            drop(place);
            match self.judge(step.seat, seat, failed, attempts, later) {
                Next::Again(wait) => sleep(wait).await,
                Next::Seat => return None,
                Next::End(ended) => return Some(ended),
            }
        }
    }

    /// What is sent to a seat. A large request that has to be translated is, off the core's own thread.
    async fn prepare(&self, target: &Arc<Target>) -> Result<Outgoing, Unsaid> {
        let created = u64::try_from(clock::now() / 1000).unwrap_or(0);
        let id = &self.book.about.request_id;
        if self.request.facts.body_bytes <= LARGE || prepare::is_same_wire(&self.request, target) {
            return prepare::prepare(&self.request, target, id, created);
        }
        let (request, target, id) = (Arc::clone(&self.request), Arc::clone(target), Arc::clone(id));
        let work = move || prepare::prepare(&request, &target, &id, created);
        let failed = |_| Err(Inexpressible::wire("the translation itself failed").into());
        tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
    }

    /// Passes over a seat whose wire cannot say the request.
    fn pass_unsaid(&mut self, position: usize, seat: &LiveSeat, unsaid: Unsaid) {
        let id = &*self.book.about.request_id;
        tracing::info!(request_id = id, seat = &*seat.name, reason = %unsaid, "the seat cannot say this request");
        let class = match &unsaid {
            Unsaid::Seat(gap) => match gap.gap {
                Gap::NativeTools => Class::NativeTools,
                Gap::Capability => Class::Capability,
                Gap::Inexpressible => Class::Inexpressible,
            },
            Unsaid::Request(_) => Class::Inexpressible,
        };
        match unsaid {
            Unsaid::Request(bad) => _ = self.bad.get_or_insert(bad),
            Unsaid::Seat(Inexpressible { param: Some(param), reason, .. }) => {
                _ = self.bad.get_or_insert_with(|| BadRequest::unsupported(param, &reason));
            }
            Unsaid::Seat(_) => {}
        }
        self.book.pass(position, class);
    }

    /// One attempt. `Err(None)` where the gateway itself cannot make one.
    async fn attempt(&self, seat: &LiveSeat, outgoing: Outgoing) -> Result<Arrival, Option<Box<Failed>>> {
        let client = self.worker.client(seat.seat.provider.connect_timeout).map_err(|error| {
            tracing::error!(%error, "no client for the provider");
            None
        })?;
        let want = wanted(&self.request);
        let after_upload = match want {
            Want::Stream => seat.seat.ttfb_timeout,
            Want::Message | Want::Count | Want::Data => seat.seat.response_timeout,
        };
        let clocks = Clocks { deadline: self.deadline, after_upload };
        let sides = Sides { seat: seat.seat.provider.wire, client: self.request.endpoint.dialect() };
        attempt::attempt(&client, outgoing, want, sides, clocks).await.map_err(Some)
    }

    /// Names a failed attempt, writes it down, and says what follows.
    fn judge(
        &mut self,
        position: usize,
        seat: &LiveSeat,
        failed: Box<Failed>,
        attempts: u32,
        later: &[Step],
    ) -> Next {
        let shared = Arc::clone(&self.worker.shared);
        let seen = see(&failed, seat, &self.route.route, &self.book, attempts, self.deadline);
        if seen.class == Class::ContentPolicy && seen.action == Action::PassOn {
            return Next::End(Ended::Policy(failed));
        }
        let limit = self.limit_with(seat);
        let goes_on = seen.action != Action::Larger || self.holds_more(later, limit);
        self.book.failed(&Failure {
            class: seen.class,
            status: failed.status,
            action: match seen.action {
                Action::Retry(_) => ActionWord::Retry,
                Action::FallBack | Action::Larger if goes_on => ActionWord::FallBack,
                _ => ActionWord::Fail,
            },
            served_model: failed.served_model.as_deref(),
            text: &failed.text,
            retry_after: seen.retry_after,
        });
        if self.book.about.recorded {
            settle_standing(&seen, &failed, seat, &self.route.route, shared.now_ms(), &self.book);
        }
        match seen.action {
            Action::Retry(wait) => Next::Again(wait),
            Action::FallBack => Next::Seat,
            Action::Larger => {
                let words = self.overflow.take().map_or_else(|| Native::of(*failed), |o| o.words);
                if goes_on {
                    self.overflow = Some(Overflow { limit, words });
                    Next::Seat
                } else {
                    Next::End(Ended::Native(words))
                }
            }
            Action::PassOn => Next::End(Ended::Native(Native::of(*failed))),
            Action::Fail if seen.class == Class::Deadline => Next::End(Ended::Late),
            Action::Fail => Next::End(Ended::Rejected { seat: position, status: failed.status }),
        }
    }

    /// The plan is at its end and nobody answered.
    fn nobody(&mut self) -> Ended {
        let only_too_long = self.book.trail().tried().all(|s| s.class == Class::ContextLength);
        let asked = self.book.trail().tried().next().is_some();
        match (self.overflow.take(), self.bad.take()) {
            (Some(overflow), _) if only_too_long => Ended::Native(overflow.words),
            (_, Some(bad)) if !asked => Ended::Unsayable(bad),
            _ => Ended::Spent,
        }
    }

    /// Whether the seat cannot hold what another one could not.
    fn is_too_small(&self, seat: &LiveSeat) -> bool {
        self.overflow.as_ref().is_some_and(|o| !plan::is_larger(seat.seat.max_prompt_tokens, o.limit))
    }

    /// The largest limit that is known not to be enough, this seat's included.
    fn limit_with(&self, seat: &LiveSeat) -> Option<u64> {
        self.overflow.as_ref().and_then(|o| o.limit).max(seat.seat.max_prompt_tokens)
    }

    /// Whether a later seat may hold more than `limit`.
    fn holds_more(&self, later: &[Step], limit: Option<u64>) -> bool {
        later.iter().filter(|s| s.pass.is_none()).any(|s| {
            self.route.seats.get(s.seat).is_some_and(|s| plan::is_larger(s.seat.max_prompt_tokens, limit))
        })
    }
}

const fn wanted(request: &Request) -> Want {
    match request.endpoint {
        Endpoint::CountTokens => Want::Count,
        Endpoint::Embeddings | Endpoint::Images => Want::Data,
        _ if request.facts.stream => Want::Stream,
        _ => Want::Message,
    }
}
