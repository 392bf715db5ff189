//! A histogram of seconds that is only atomics, and a sum of floats likewise.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in seconds: from a cache hit to the longest agent turn.
const BOUNDS: [f64; 16] =
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0];

/// Durations counted by bucket.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    /// Above the last bound.
    above: AtomicU64,
    sum_micros: AtomicU64,
}

/// A histogram as read at one moment.
pub(super) struct Reading {
    /// Upper bound and count of each bucket alone, but for `+Inf`, which the encoder adds.
    pub(super) buckets: Vec<(f64, u64)>,
    pub(super) sum: f64,
    pub(super) count: u64,
}

impl Histogram {
    pub(super) fn observe(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let place = BOUNDS.iter().position(|bound| seconds <= *bound).and_then(|i| self.buckets.get(i));
        place.unwrap_or(&self.above).fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Reading {
        let counts = self.buckets.iter().map(|b| b.load(Ordering::Relaxed));
        let buckets: Vec<(f64, u64)> = BOUNDS.into_iter().zip(counts).collect();
        let above = self.above.load(Ordering::Relaxed);
        let count = buckets.iter().fold(above, |sum, (_, n)| sum.saturating_add(*n));
        let sum = Duration::from_micros(self.sum_micros.load(Ordering::Relaxed)).as_secs_f64();
        Reading { buckets, sum, count }
    }
}

/// A float that only grows.
#[derive(Debug, Default)]
pub(super) struct Sum(AtomicU64);

impl Sum {
    /// Adds what is positive and finite; ignores the rest.
    pub(super) fn add(&self, amount: f64) {
        if !(amount.is_finite() && amount > 0.0) {
            return;
        }
        let add = |bits| Some((f64::from_bits(bits) + amount).to_bits());
        // The closure never declines, so there is no error to see.
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok();
    }

    pub(super) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}
