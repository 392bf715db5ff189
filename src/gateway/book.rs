//! What is written about one request: its attempt records, its route chain, its metrics.
//!
//! A record is kept back until it is known whether it is the request's last. Whatever happens to the
//! request, dropping the book settles it: a client that left is a cancelled attempt, never a lost one.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::gateway::end;
use crate::gateway::live::{Live, LiveRoute, LiveSeat};
use crate::gateway::trail::{Stop, Trail};
use crate::gateway::worker::Shared;
use crate::ledger::{self, ActionWord, Outcome, Path, Record, Timestamp, Tokens};
use crate::route::Class;
use crate::telemetry::clock;
use crate::telemetry::metrics::RequestOutcome;
use crate::upstream::request::Credentials;
use crate::wire::Dialect;
use crate::wire::anthropic::Usage;

/// Longest text in a record, in characters.
const MAX_ERROR: usize = 500;

/// What every record of a request says.
#[derive(Clone)]
pub(crate) struct About {
    pub(crate) request_id: Arc<str>,
    pub(crate) requested_model: Arc<str>,
    pub(crate) stream: bool,
    pub(crate) probe: Option<Arc<str>>,
    pub(crate) client: Option<Arc<str>>,
    /// The shape in which the client is answered.
    pub(crate) dialect: Dialect,
    /// To be taken out of what is written.
    pub(crate) caller: Credentials,
    /// Whether anything is written: side requests leave no records.
    pub(crate) recorded: bool,
}

impl About {
    /// Whether it counts as user traffic. A probe does not, though what it finds of a seat's health does.
    pub(crate) const fn counts(&self) -> bool {
        self.recorded && self.probe.is_none()
    }
}

/// How an attempt failed.
pub(crate) struct Failure<'a> {
    pub(crate) class: Class,
    pub(crate) status: Option<u16>,
    pub(crate) action: ActionWord,
    pub(crate) served_model: Option<&'a str>,
    pub(crate) text: &'a str,
    pub(crate) retry_after: Option<Duration>,
}

/// How a stream or an answer ended.
pub(crate) struct Ending<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) class: Class,
    pub(crate) status: Option<u16>,
    pub(crate) served_model: Option<&'a str>,
    pub(crate) usage: Usage,
    pub(crate) text: Option<&'a str>,
}

/// The book of one request.
pub(crate) struct Book {
    pub(crate) shared: Arc<Shared>,
    pub(crate) live: Arc<Live>,
    pub(crate) route: Arc<LiveRoute>,
    pub(crate) about: About,
    pub(crate) arrived: Instant,
    trail: Trail,
    held: Option<Box<Record>>,
    current: Option<Current>,
    attempts: u32,
    settled: bool,
    /// Fields of the client's that the seat of this attempt was not sent.
    dropped: Vec<String>,
}

struct Current {
    position: usize,
    began: Instant,
    ttft: Option<Duration>,
}

impl Book {
    pub(crate) fn open(
        shared: Arc<Shared>,
        live: Arc<Live>,
        route: Arc<LiveRoute>,
        about: About,
        arrived: Instant,
    ) -> Self {
        let trail = Trail::new(route.seats.len());
        Self {
            shared,
            live,
            route,
            about,
            arrived,
            trail,
            held: None,
            current: None,
            attempts: 0,
            settled: false,
            dropped: Vec::new(),
        }
    }

    /// The seats traversed so far.
    pub(crate) const fn trail(&self) -> &Trail {
        &self.trail
    }

    /// `x-sanctum-route-chain`
    pub(crate) fn chain(&self) -> String {
        self.trail.chain(&self.route)
    }

    /// `x-sanctum-degraded`: what the answer lacks of what was sent, and what of it is a guess.
    pub(crate) fn degraded(&self, estimated: bool) -> String {
        let mut parts = Vec::new();
        // A field can be named by the client as it likes.
        let names = self.dropped.iter().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| !self.live.quotes(name, &self.about.caller)).collect();
        if !names.is_empty() {
            parts.push(format!("dropped;fields=\"{}\"", names.join(" ")));
        }
        if estimated {
            parts.push("estimated;fields=\"usage\"".to_owned());
        }
        parts.join(", ")
    }

    /// A seat is passed over.
    pub(crate) fn pass(&mut self, position: usize, class: Class) {
        self.flush(false);
        self.trail.add(Stop::passed(position, class));
        let Some(seat) = self.route.seats.get(position).filter(|_| self.about.recorded) else { return };
        if self.about.counts() {
            seat.metrics.refusal(class);
        }
        let outcome = if class == Class::ModelRefused { Outcome::Refused } else { Outcome::Skipped };
        let record = Record { attempt: None, outcome, class, ..self.blank(position, seat) };
        self.held = Some(Box::new(record));
    }

    /// An attempt begins.
    pub(crate) fn begin(&mut self, position: usize, dropped: &[String]) {
        self.flush(false);
        self.dropped = dropped.to_vec();
        self.attempts = self.attempts.saturating_add(1);
        self.current = Some(Current { position, began: Instant::now(), ttft: None });
    }

    /// The attempt failed before anything reached the client.
    pub(crate) fn failed(&mut self, failure: &Failure<'_>) {
        let Some(current) = self.current.take() else { return };
        let class = failure.class;
        let stop = Stop::tried(current.position, class, failure.status);
        self.trail.add(Stop { retry_after: failure.retry_after, ..stop });
        let Some(seat) = self.route.seats.get(current.position).filter(|_| self.about.recorded) else {
            return;
        };
        if self.about.counts() {
            seat.metrics.attempt(class);
        }
        let outcome = match class {
            Class::TtfbTimeout | Class::IdleTimeout | Class::Deadline => Outcome::Timeout,
            _ => Outcome::Error,
        };
        let record = Record {
            outcome,
            class,
            status: failure.status,
            action: failure.action,
            served_model: failure.served_model.and_then(|m| end::model_name(m, self)).map(Into::into),
            latency_ms: millis(current.began.elapsed()),
            error: self.written(failure.text),
            ..self.blank(current.position, seat)
        };
        tracing::debug!(
            request_id = &*self.about.request_id, seat = &*seat.name, class = class.word(),
            status = failure.status, action = ?failure.action, "attempt failed"
        );
        self.held = Some(Box::new(record));
    }

    /// Nothing follows the attempt on its seat after all: a retry that was announced finds no place.
    pub(crate) fn moved_on(&mut self) {
        if let Some(held) = &mut self.held {
            held.action = ActionWord::FallBack;
        }
    }

    /// The first content of this attempt is about to reach the client. Gives the seat's position.
    pub(crate) fn commit(&mut self, class: Class, status: Option<u16>) -> usize {
        let Some(current) = &mut self.current else { return 0 };
        let took = current.began.elapsed();
        let position = current.position;
        if self.about.stream {
            current.ttft = Some(took);
        }
        if let Some(seat) = self.route.seats.get(position).filter(|_| self.about.recorded) {
            seat.standing.served(self.shared.now_ms());
            if self.about.counts() && self.about.stream {
                seat.metrics.ttft(took);
            }
        }
        self.trail.add(Stop { served: true, ..Stop::tried(position, class, status) });
        position
    }

    /// The request ends with this attempt.
    pub(crate) fn end(&mut self, ending: &Ending<'_>) {
        if self.settled {
            return;
        }
        self.settled = true;
        let Some(current) = self.current.take() else {
            return self.close(request_outcome(ending.outcome));
        };
        self.flush(false);
        let Some(seat) = self.route.seats.get(current.position).filter(|_| self.about.recorded) else {
            return;
        };
        let counts = counts(&ending.usage);
        let cost = seat.seat.price.and_then(|p| counts.map(|c| ledger::cost(&p, &c)));
        let record = Record {
            outcome: ending.outcome,
            class: ending.class,
            status: ending.status,
            action: if ending.outcome == Outcome::Ok { ActionWord::Served } else { ActionWord::Fail },
            served_model: ending.served_model.and_then(|m| end::model_name(m, self)).map(Into::into),
            ttft_ms: current.ttft.map(millis),
            latency_ms: millis(current.began.elapsed()),
            input_tokens: ending.usage.input,
            output_tokens: ending.usage.output,
            cache_read_tokens: ending.usage.cache_read,
            cache_write_tokens: ending.usage.cache_write,
            cost_usd: cost,
            error: ending.text.and_then(|t| self.written(t)),
            ..self.blank(current.position, seat)
        };
        if self.about.counts() {
            seat.metrics.attempt(ending.class);
            if let Some(counts) = counts {
                seat.metrics.tokens(counts.into());
            }
            if let Some(cost) = cost {
                seat.metrics.cost(cost);
            }
        }
        if ending.outcome == Outcome::Ok {
            self.say_substitution(seat, record.served_model.as_deref());
        }
        self.held = Some(Box::new(record));
        self.close(request_outcome(ending.outcome));
    }

    /// The request ends without an answer from any seat; the last record becomes the final one.
    pub(crate) fn give_up(&mut self, outcome: RequestOutcome) {
        if !std::mem::replace(&mut self.settled, true) {
            self.close(outcome);
        }
    }

    /// What is written of a text: no secret, bounded.
    pub(crate) fn written(&self, text: &str) -> Option<Box<str>> {
        let clean = self.live.redact(text, &self.about.caller);
        let kept: String = clean.chars().filter(|c| !c.is_control()).take(MAX_ERROR).collect();
        (!kept.is_empty()).then(|| kept.into())
    }

    fn close(&mut self, outcome: RequestOutcome) {
        let took = self.arrived.elapsed();
        if self.about.counts() {
            self.route.metrics.request(outcome, took);
            if outcome == RequestOutcome::Ok {
                self.route.metrics.succeeded(clock::now());
            }
        }
        if let Some(held) = &mut self.held {
            held.e2e_ms = Some(millis(took));
        }
        self.flush(true);
    }

    fn flush(&mut self, is_final: bool) {
        let Some(mut record) = self.held.take() else { return };
        record.is_final = is_final;
        if is_final && matches!(record.action, ActionWord::FallBack | ActionWord::Retry) {
            record.action = ActionWord::Fail;
        }
        if self.about.recorded {
            self.shared.ledger.load().send(record);
        }
    }

    fn say_substitution(&self, seat: &LiveSeat, served: Option<&str>) {
        let asked = &*self.about.requested_model;
        if served.is_some_and(|s| ledger::requested_model(s) != asked) {
            tracing::debug!(
                request_id = &*self.about.request_id,
                route = &*self.route.name,
                seat = &*seat.name,
                requested = asked,
                served = ledger::requested_model(served.unwrap_or_default()),
                "served by another model than was asked for"
            );
        }
    }

    fn blank(&self, position: usize, seat: &LiveSeat) -> Record {
        Record {
            v: 1,
            ts: Timestamp(clock::now()),
            request_id: Arc::clone(&self.about.request_id),
            attempt: Some(self.attempts),
            route: Arc::clone(&self.route.name),
            path: if position == 0 { Path::Primary } else { Path::Fallback },
            seat: Arc::clone(&seat.name),
            provider: Arc::clone(&seat.provider),
            requested_model: Arc::clone(&self.about.requested_model),
            served_model: None,
            status: None,
            outcome: Outcome::Error,
            class: Class::Ok,
            action: ActionWord::Skip,
            ttft_ms: None,
            latency_ms: 0,
            input_tokens: None,
            output_tokens: None,
            cache_read_tokens: None,
            cache_write_tokens: None,
            cost_usd: None,
            is_final: false,
            e2e_ms: None,
            stream: self.about.stream,
            truncated: false,
            estimated: false,
            probe: self.about.probe.clone(),
            key_id: None,
            client: self.about.client.clone(),
            error: None,
        }
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // A request that panics unwinds through here too, and that is no client that left.
        let (outcome, class, text) = if std::thread::panicking() {
            (Outcome::Error, Class::ServerError, Some("the gateway itself failed on this request"))
        } else {
            (Outcome::Cancelled, Class::Cancelled, None)
        };
        if self.current.is_some() {
            let usage = Usage::default();
            self.end(&Ending { outcome, class, status: None, served_model: None, usage, text });
            return;
        }
        // Between two attempts nothing is running, but the request still ends here: its last record says so.
        self.settled = true;
        if let Some(held) = &mut self.held {
            held.action = ActionWord::Fail;
            if class == Class::Cancelled {
                held.outcome = outcome;
            }
        }
        self.close(request_outcome(outcome));
    }
}

/// How a request ended, by how its last attempt did.
const fn request_outcome(outcome: Outcome) -> RequestOutcome {
    match outcome {
        Outcome::Ok => RequestOutcome::Ok,
        Outcome::Error => RequestOutcome::Error,
        Outcome::Timeout => RequestOutcome::Timeout,
        Outcome::Partial => RequestOutcome::Partial,
        Outcome::Cancelled => RequestOutcome::Cancelled,
        Outcome::Skipped | Outcome::Refused => RequestOutcome::Refused,
    }
}

/// Token counts where any is known.
fn counts(usage: &Usage) -> Option<Tokens> {
    let any = [usage.input, usage.output, usage.cache_read, usage.cache_write].iter().any(Option::is_some);
    any.then(|| Tokens {
        input: usage.input.unwrap_or(0),
        output: usage.output.unwrap_or(0),
        cache_read: usage.cache_read.unwrap_or(0),
        cache_write: usage.cache_write.unwrap_or(0),
    })
}

pub(crate) fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}
