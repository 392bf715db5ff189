//! How a seat stands: resting, deferred, and how many requests it has at once.
//!
//! Shared by every thread and kept across reloads by the seat's name. Times are milliseconds on the
//! gateway's own clock; they come in as values.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::config::Cooldown;
use crate::route::plan::Condition;

/// Most failure times that are remembered; more than any sensible `allowed_fails`.
const REMEMBERED: usize = 1024;

/// One seat's standing.
#[derive(Debug, Default)]
pub struct Standing {
    cooling_until: AtomicU64,
    deferred_until: AtomicU64,
    last_success: AtomicU64,
    in_flight: AtomicU32,
    failures: Mutex<Vec<u64>>,
}

impl Standing {
    /// How the seat stands now.
    #[must_use]
    pub fn condition(&self, now_ms: u64) -> Condition {
        let ahead = |t: &AtomicU64| Some(t.load(Ordering::Relaxed)).filter(|t| *t > now_ms);
        Condition {
            cooling_until: ahead(&self.cooling_until),
            deferred_until: ahead(&self.deferred_until),
            unusable: false,
        }
    }

    /// A failed attempt. Returns how long the seat now rests, if this was one too many.
    ///
    /// `jitter` in 0..1 lengthens the rest by up to half.
    pub fn failed(&self, now_ms: u64, rule: &Cooldown, jitter: f64) -> Option<Duration> {
        if rule.allowed_fails == 0 {
            return None;
        }
        let oldest = now_ms.saturating_sub(millis(rule.window));
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|t| *t > oldest);
        if failures.len() < REMEMBERED {
            failures.push(now_ms);
        }
        if failures.len() < usize::try_from(rule.allowed_fails).unwrap_or(usize::MAX).min(REMEMBERED) {
            return None;
        }
        failures.clear();
        drop(failures);
        let rest = rule.cooldown.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 2.0);
        self.rest(now_ms, rest);
        Some(rest)
    }

    /// Rests the seat for a time; a later end that is already set wins.
    pub fn rest(&self, now_ms: u64, rest: Duration) {
        self.cooling_until.fetch_max(now_ms.saturating_add(millis(rest)), Ordering::Relaxed);
    }

    /// Lets other seats go first for a time; a later end that is already set wins.
    pub fn defer(&self, now_ms: u64, time: Duration) {
        self.deferred_until.fetch_max(now_ms.saturating_add(millis(time)), Ordering::Relaxed);
    }

    /// An attempt served.
    pub fn served(&self, now_ms: u64) {
        self.last_success.store(now_ms.max(1), Ordering::Relaxed);
    }

    /// When it last served; `None` = not since the start.
    #[must_use]
    pub fn last_success(&self) -> Option<u64> {
        Some(self.last_success.load(Ordering::Relaxed)).filter(|t| *t > 0)
    }

    /// Requests that the seat has now.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Takes a place at the seat; `None` when all are taken.
    #[must_use]
    pub fn enter(self: &Arc<Self>, most: Option<u32>) -> Option<Place> {
        let most = most.unwrap_or(u32::MAX);
        self.in_flight
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| (n < most).then(|| n.saturating_add(1)))
            .ok()?;
        Some(Place(Arc::clone(self)))
    }
}

/// A place at a seat, given back when dropped.
#[derive(Debug)]
pub struct Place(Arc<Standing>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
