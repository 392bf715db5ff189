//! What a failed attempt means: its class, what follows, and what it does to the seat's standing.
//!
//! The rules are pure and live in `route`; here they meet the clock, the dice and the seat.

use std::sync::PoisonError;
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

use crate::config::Route;
use crate::gateway::book::Book;
use crate::gateway::live::LiveSeat;
use crate::route::action::{self, Action, Moment};
use crate::route::{Class, hints, table};
use crate::telemetry::clock;
use crate::upstream::failed::Failed;

/// A failed attempt, named and judged.
pub(crate) struct Seen {
    pub(crate) class: Class,
    pub(crate) action: Action,
    pub(crate) retry_after: Option<Duration>,
}

/// Names a failed attempt and decides what follows.
pub(crate) fn see(
    failed: &Failed,
    seat: &LiveSeat,
    route: &Route,
    book: &Book,
    attempts_on_seat: u32,
    deadline: Instant,
) -> Seen {
    let class = table::classify(&failed.signal);
    let remaining = deadline.saturating_duration_since(Instant::now());
    let retry_after = hints::retry_after(&failed.headers, &failed.signal.body, clock::now());
    let moment = Moment {
        class,
        attempts_on_seat,
        max_attempts: route.retry.max_attempts_per_seat,
        remaining,
        retry_after,
        should_retry: hints::should_retry(&failed.headers),
        hopeless: failed.hopeless,
        backoff: route.retry.backoff,
        jitter: fastrand::f64(),
        on_seat_rejected: route.on_seat_rejected,
        // A configured model that upstream does not know is never the caller's fault.
        callers_key: seat.target.as_ref().is_some_and(|t| t.is_callers())
            && matches!(failed.status, Some(401 | 403)),
    };
    let action = action::act(&moment, || take_repeat(book));
    if class == Class::Auth {
        tracing::error!(
            request_id = &*book.about.request_id,
            seat = &*seat.name,
            status = failed.status,
            resets_in_secs = retry_after.map(|d| d.as_secs()),
            "upstream refused the seat's credential or model"
        );
    }
    Seen { class, action, retry_after }
}

/// Takes a repeat from the route's budget; side requests cost none.
fn take_repeat(book: &Book) -> bool {
    let now_ms = book.shared.now_ms();
    !book.about.recorded
        || book
            .route
            .budget
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(now_ms, &book.route.route.retry)
}

/// What a failure does to the seat's standing. A client's own bad request never counts.
pub(crate) fn settle_standing(
    seen: &Seen,
    failed: &Failed,
    seat: &LiveSeat,
    route: &Route,
    now_ms: u64,
    book: &Book,
) {
    let rest = match seen.class {
        Class::SpendCap => Some(hints::spent(&failed.headers, &failed.signal.body, clock::now())),
        class => action::rest_by_hint(class, seen.retry_after, seen.action),
    };
    if let Some(rest) = rest {
        seat.standing.rest(now_ms, rest.min(hints::LONGEST));
        tracing::warn!(
            seat = &*seat.name,
            class = seen.class.word(),
            rest_secs = rest.as_secs(),
            "seat rests until upstream's own time"
        );
    }
    let counts = match seen.class {
        Class::Auth => seen.action == Action::FallBack,
        class => action::counts_against_seat(class) && !failed.ours,
    };
    if counts {
        fail_standing(seat, route, now_ms, seen.class, book);
    }
    note_quota(seat, &failed.headers, now_ms);
}

/// Counts a failure against the seat and says when that was one too many.
pub(crate) fn fail_standing(seat: &LiveSeat, route: &Route, now_ms: u64, class: Class, book: &Book) {
    if let Some(rest) = seat.standing.failed(now_ms, &route.cooldown, fastrand::f64()) {
        tracing::warn!(
            request_id = &*book.about.request_id,
            seat = &*seat.name,
            class = class.word(),
            rest_ms = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX),
            "seat rests after repeated failures"
        );
    }
}

/// Quotas that are nearly spent, and a subscription that is rejected though it answered this once.
pub(crate) fn note_headers(seat: &LiveSeat, headers: &HeaderMap, now_ms: u64, book: &Book) {
    if !book.about.recorded {
        return;
    }
    note_quota(seat, headers, now_ms);
    if let Some(rest) = hints::subscription_rejected(headers, clock::now()) {
        seat.standing.rest(now_ms, rest);
        tracing::warn!(
            seat = &*seat.name,
            rest_secs = rest.as_secs(),
            "the subscription is spent; seat rests"
        );
    }
}

fn note_quota(seat: &LiveSeat, headers: &HeaderMap, now_ms: u64) {
    if let Some(time) = hints::nearly_spent(headers, clock::now()) {
        seat.standing.defer(now_ms, time);
    }
}
