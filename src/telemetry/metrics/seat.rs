//! What is counted per seat of a route.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::Position;
use super::histogram::{Histogram, Sum};
use crate::route::Class;

/// The handle of a seat in a route's chain. Cheap to clone; no look-up in use.
#[derive(Debug, Clone)]
pub struct SeatMetrics {
    pub(super) seat: Arc<Seat>,
    pub(super) position: Position,
}

#[derive(Debug, Default)]
pub(super) struct Seat {
    pub(super) primary: ByClass,
    pub(super) fallback: ByClass,
    pub(super) ttft: Histogram,
    pub(super) tokens: [AtomicU64; 4],
    pub(super) cost: Sum,
    pub(super) truncations: AtomicU64,
}

/// What is counted apart for each position: a reload may move a seat.
#[derive(Debug, Default)]
pub(super) struct ByClass {
    /// The seat has had this position.
    pub(super) used: AtomicBool,
    pub(super) attempts: [AtomicU64; Class::ALL.len()],
    pub(super) refusals: [AtomicU64; Class::ALL.len()],
}

impl Seat {
    pub(super) fn at(&self, position: Position) -> &ByClass {
        match position {
            Position::Primary => &self.primary,
            Position::Fallback => &self.fallback,
        }
    }
}

/// The values of `kind`, in the order of [`TokenCounts`].
pub(super) const KINDS: [&str; 4] = ["input", "output", "cache_read", "cache_write"];

/// Tokens of an attempt in disjoint classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Uncached input.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input read from the provider's cache.
    pub cache_read: u64,
    /// Input written to the provider's cache.
    pub cache_write: u64,
}

impl SeatMetrics {
    /// A try at the seat ended so.
    pub fn attempt(&self, class: Class) {
        add_one(&self.seat.at(self.position).attempts, class);
    }

    /// The seat was passed over, or refused the request, for this reason.
    pub fn refusal(&self, reason: Class) {
        add_one(&self.seat.at(self.position).refusals, reason);
    }

    /// Time from an attempt's start to the first sign of generation.
    pub fn ttft(&self, took: Duration) {
        self.seat.ttft.observe(took);
    }

    /// Adds an attempt's tokens.
    pub fn tokens(&self, counts: TokenCounts) {
        let values = [counts.input, counts.output, counts.cache_read, counts.cache_write];
        for (counter, value) in self.seat.tokens.iter().zip(values) {
            counter.fetch_add(value, Ordering::Relaxed);
        }
    }

    /// Adds an attempt's cost in USD; what is negative or no number is ignored.
    pub fn cost(&self, usd: f64) {
        self.seat.cost.add(usd);
    }

    /// An answer of this seat rests on a shortened prompt.
    pub fn truncated(&self) {
        self.seat.truncations.fetch_add(1, Ordering::Relaxed);
    }
}

fn add_one(counters: &[AtomicU64], class: Class) {
    if let Some(counter) = counters.get(class as usize) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
