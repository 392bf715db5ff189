//! What the gateway says of itself.

use std::sync::atomic::Ordering;

use http::{HeaderValue, Response, header};
use serde_json::{Value, json};

use crate::gateway::body::ReplyBody;
use crate::gateway::live::{Live, LiveRoute, LiveSeat};
use crate::gateway::reply;
use crate::gateway::worker::Shared;
use crate::telemetry::metrics::{self, SeatState};

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// The listener serves.
    Health,
    /// It takes new requests.
    Ready,
    /// Claude Code's ping.
    Hello,
    /// Prometheus.
    Metrics,
    /// Routes, seats, and what they are doing.
    Status,
    /// Seats alone.
    Seats,
}

impl Page {
    /// The page at a path.
    pub(crate) fn at(path: &str) -> Option<Self> {
        Some(match path {
            "/health" => Self::Health,
            "/ready" => Self::Ready,
            "/api/hello" => Self::Hello,
            "/metrics" => Self::Metrics,
            "/api/status" => Self::Status,
            "/api/seats" => Self::Seats,
            _ => return None,
        })
    }

    /// Whether it needs no token.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Health | Self::Ready | Self::Hello)
    }
}

/// Answers a page. What went wrong on this machine is for trusted callers.
pub(crate) fn answer(shared: &Shared, live: &Live, page: Page, trusted: bool) -> Response<ReplyBody> {
    match page {
        Page::Health => document(200, &health(shared, live, trusted)),
        Page::Ready => ready(shared, live),
        Page::Hello => document(200, &json!({"name": "sanctum"})),
        Page::Metrics => {
            refresh(shared, live);
            let mut response = reply::json(200, shared.metrics.encode());
            let kind = HeaderValue::from_static(metrics::CONTENT_TYPE);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Page::Status => document(200, &status(shared, live)),
        Page::Seats => {
            let now = shared.now_ms();
            let seats: Vec<Value> = live.config.seats.iter().map(|s| seat_line(live, &s.name, now)).collect();
            document(200, &json!({"seats": seats}))
        }
    }
}

fn document(status: u16, value: &Value) -> Response<ReplyBody> {
    reply::json(status, value.to_string())
}

fn health(shared: &Shared, live: &Live, trusted: bool) -> Value {
    json!({
        "name": "sanctum",
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_secs": shared.now_ms() / 1000,
        "config_digest": live.config.digest,
        "draining": shared.draining.load(Ordering::Relaxed),
        "drain_secs": live.config.server.drain.as_secs(),
        "notes": if trusted { notes(shared) } else { Vec::new() },
    })
}

/// What an operator should look at.
fn notes(shared: &Shared) -> Vec<String> {
    let mut notes: Vec<String> =
        shared.ledger.load().trouble().map(|t| format!("attempt log: {t}")).into_iter().collect();
    notes.extend(shared.reload_note.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone());
    let lost = shared.metrics.attempt_records_dropped_total();
    if lost > 0 {
        notes.push(format!("{lost} attempt records were lost since the start"));
    }
    notes
}

fn ready(shared: &Shared, live: &Live) -> Response<ReplyBody> {
    let draining = shared.draining.load(Ordering::Relaxed);
    let now = shared.now_ms();
    let lives = |seat: &LiveSeat| matches!(state(seat, now), SeatState::Ready | SeatState::Deferred);
    let dead = live.routes.iter().filter(|r| !r.seats.iter().any(lives));
    let dead: Vec<&str> = dead.map(|r| &*r.name).collect();
    let body = json!({"ready": !draining, "routes_without_live_seat": dead});
    document(if draining { 503 } else { 200 }, &body)
}

fn state(seat: &LiveSeat, now: u64) -> SeatState {
    let condition = seat.condition(now);
    if condition.unusable {
        SeatState::Unusable
    } else if seat.seat.skip {
        SeatState::Skipped
    } else if condition.cooling_until.is_some() {
        SeatState::CoolingDown
    } else if condition.deferred_until.is_some() {
        SeatState::Deferred
    } else {
        SeatState::Ready
    }
}

/// Sets what changes by time alone.
fn refresh(shared: &Shared, live: &Live) {
    let now = shared.now_ms();
    for route in &live.routes {
        route.metrics.retry_budget(budget_left(route, now));
        for seat in &route.seats {
            shared.metrics.seat_state(&seat.name, state(seat, now));
        }
    }
}

fn budget_left(route: &LiveRoute, now: u64) -> u64 {
    route.budget.lock().unwrap_or_else(std::sync::PoisonError::into_inner).left(now, &route.route.retry)
}

fn status(shared: &Shared, live: &Live) -> Value {
    let now = shared.now_ms();
    let routes: Vec<Value> = live
        .routes
        .iter()
        .map(|route| {
            let seats: Vec<Value> = route.seats.iter().map(|s| seat_line(live, &s.name, now)).collect();
            json!({"route": &*route.name, "retry_budget_remaining": budget_left(route, now), "seats": seats})
        })
        .collect();
    let addresses: Vec<String> =
        shared.addresses.get().into_iter().flatten().map(ToString::to_string).collect();
    let mut value = health(shared, live, true);
    if let Some(map) = value.as_object_mut() {
        map.insert("config".to_owned(), json!(shared.source.as_ref().map(|p| p.display().to_string())));
        map.insert("listening".to_owned(), json!(addresses));
        map.insert("requests_in_flight".to_owned(), json!(shared.active.load(Ordering::Relaxed)));
        map.insert("routes".to_owned(), Value::Array(routes));
    }
    value
}

fn seat_line(live: &Live, name: &str, now: u64) -> Value {
    let Some(seat) = live.routes.iter().flat_map(|r| &r.seats).find(|s| &*s.name == name) else {
        return json!({"seat": name, "state": "unused"});
    };
    let condition = seat.condition(now);
    let left = |until: Option<u64>| until.map(|t| t.saturating_sub(now));
    json!({
        "seat": name,
        "provider": &*seat.provider,
        "model": seat.seat.model,
        "state": state(seat, now).word(),
        "cooldown_left_ms": left(condition.cooling_until),
        "deferred_left_ms": left(condition.deferred_until),
        "in_flight": seat.standing.in_flight(),
        "last_success_secs_ago": seat.standing.last_success().map(|t| now.saturating_sub(t) / 1000),
    })
}
