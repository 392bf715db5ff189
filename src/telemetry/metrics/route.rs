//! What is counted per route.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use super::RequestOutcome;
use super::histogram::Histogram;

/// A gauge that nobody has set.
const UNSET: u64 = u64::MAX;

/// A route's handle. Cheap to clone; no look-up in use.
#[derive(Debug, Clone)]
pub struct RouteMetrics(pub(super) Arc<Route>);

#[derive(Debug)]
pub(super) struct Route {
    pub(super) requests: [AtomicU64; RequestOutcome::ALL.len()],
    pub(super) duration: Histogram,
    budget: AtomicU64,
    last_success_ms: AtomicI64,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            requests: Default::default(),
            duration: Histogram::default(),
            budget: AtomicU64::new(UNSET),
            last_success_ms: AtomicI64::new(i64::MIN),
        }
    }
}

impl Route {
    pub(super) fn budget(&self) -> Option<u64> {
        Some(self.budget.load(Ordering::Relaxed)).filter(|left| *left != UNSET)
    }

    /// Seconds since the Unix epoch.
    pub(super) fn last_success(&self) -> Option<f64> {
        let ms = Some(self.last_success_ms.load(Ordering::Relaxed)).filter(|ms| *ms != i64::MIN)?;
        Some(std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0)).as_secs_f64())
    }
}

impl RouteMetrics {
    /// A request ended: counts it by outcome and, from arrival to end, by duration.
    pub fn request(&self, outcome: RequestOutcome, took: Duration) {
        if let Some(counter) = self.0.requests.get(outcome as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.0.duration.observe(took);
    }

    /// A user's request was served at `at_ms`, milliseconds since the Unix epoch.
    pub fn succeeded(&self, at_ms: i64) {
        self.0.last_success_ms.fetch_max(at_ms, Ordering::Relaxed);
    }

    /// Repeats that the route's budget still allows.
    pub fn retry_budget(&self, remaining: u64) {
        self.0.budget.store(remaining.min(UNSET - 1), Ordering::Relaxed);
    }
}
