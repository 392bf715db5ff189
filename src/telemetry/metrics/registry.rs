//! The table of everything that is counted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::route::Route;
use super::seat::Seat;
use super::{Position, RouteMetrics, SeatMetrics, SeatState};

/// Everything that is counted. One per process, shared.
#[derive(Debug, Default)]
pub struct Metrics {
    pub(super) routes: Mutex<BTreeMap<Arc<str>, Arc<Route>>>,
    pub(super) seats: Mutex<BTreeMap<SeatKey, Arc<Seat>>>,
    pub(super) states: Mutex<BTreeMap<Arc<str>, SeatState>>,
    pub(super) dropped_fields: Mutex<BTreeMap<(Arc<str>, &'static str), u64>>,
    pub(super) side: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    pub(super) door: Mutex<BTreeMap<&'static str, u64>>,
    pub(super) records_dropped: AtomicU64,
}

/// Route and seat.
pub(super) type SeatKey = (Arc<str>, Arc<str>);

impl Metrics {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// The handle of a route; the same counters for the same name, across reloads too.
    pub fn route(&self, route: &Arc<str>) -> RouteMetrics {
        RouteMetrics(Arc::clone(lock(&self.routes).entry(Arc::clone(route)).or_default()))
    }

    /// The handle of a seat in a route's chain; the same counters for the same names and position.
    pub fn seat(&self, route: &Arc<str>, seat: &Arc<str>, position: Position) -> SeatMetrics {
        let key = (Arc::clone(route), Arc::clone(seat));
        let seat = Arc::clone(lock(&self.seats).entry(key).or_default());
        seat.at(position).used.store(true, Ordering::Relaxed);
        SeatMetrics { seat, position }
    }

    /// The state that a seat is in. States end by time too: set them all before [`encode`](Self::encode).
    pub fn seat_state(&self, seat: &Arc<str>, state: SeatState) {
        lock(&self.states).insert(Arc::clone(seat), state);
    }

    /// A field of a request that a seat's wire has no place for was left out. `field` is from our own tables.
    pub fn dropped_field(&self, seat: &Arc<str>, field: &'static str) {
        count(&mut lock(&self.dropped_fields), (Arc::clone(seat), field));
    }

    /// A request that is no generation was answered, e.g. `count_tokens` with 200. `path` is from our own
    /// tables; of the status its class is kept.
    pub fn side_request(&self, path: &'static str, status: u16) {
        let class = match status {
            100..=199 => "1xx",
            200..=299 => "2xx",
            300..=399 => "3xx",
            400..=499 => "4xx",
            500..=599 => "5xx",
            _ => "other",
        };
        count(&mut lock(&self.side), (path, class));
    }

    /// A request was refused before it was anybody's: `reason` is from our own tables.
    pub fn door_refusal(&self, reason: &'static str) {
        count(&mut lock(&self.door), reason);
    }

    /// Attempt records that will never be on disk.
    pub fn attempt_records_dropped(&self, records: u64) {
        self.records_dropped.fetch_add(records, Ordering::Relaxed);
    }

    /// How many attempt records will never be on disk.
    #[must_use]
    pub fn attempt_records_dropped_total(&self) -> u64 {
        self.records_dropped.load(Ordering::Relaxed)
    }

    /// Forgets the routes and seats that `is_route` and `is_seat` (asked with route and seat) deny.
    /// A handle that is still held counts into nothing from then on.
    pub fn retain(&self, is_route: impl Fn(&str) -> bool, is_seat: impl Fn(&str, &str) -> bool) {
        lock(&self.routes).retain(|route, _| is_route(route));
        let mut seats = lock(&self.seats);
        seats.retain(|(route, seat), _| is_route(route) && is_seat(route, seat));
        let known = |name: &Arc<str>| seats.keys().any(|(_, seat)| seat == name);
        lock(&self.states).retain(|seat, _| known(seat));
        lock(&self.dropped_fields).retain(|(seat, _), _| known(seat));
    }
}

fn count<K: Ord>(counters: &mut BTreeMap<K, u64>, key: K) {
    let counter = counters.entry(key).or_default();
    *counter = counter.saturating_add(1);
}

/// A panic elsewhere does not make a counter wrong: a poisoned lock is taken.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
