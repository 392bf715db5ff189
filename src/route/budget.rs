//! The retry budget of a route: repeats on the same seat, as a share of its requests of the last 60 s.

use crate::config::Retry;

const WINDOW_SECS: u64 = 60;

/// Requests and repeats of the last 60 s, by second.
#[derive(Debug)]
pub struct Budget {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    second: u64,
    requests: u64,
    repeats: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { slots: vec![Slot::default(); 60] }
    }
}

impl Budget {
    /// A request began.
    pub fn request(&mut self, now_ms: u64) {
        if let Some(slot) = self.slot(now_ms) {
            slot.requests = slot.requests.saturating_add(1);
        }
    }

    /// Takes one repeat, if any is left.
    pub fn take(&mut self, now_ms: u64, rule: &Retry) -> bool {
        if self.left(now_ms, rule) == 0 {
            return false;
        }
        if let Some(slot) = self.slot(now_ms) {
            slot.repeats = slot.repeats.saturating_add(1);
        }
        true
    }

    /// Repeats that are left now: `max(floor, ratio × requests) - repeats`.
    #[must_use]
    pub fn left(&self, now_ms: u64, rule: &Retry) -> u64 {
        let oldest = (now_ms / 1000).saturating_sub(WINDOW_SECS - 1);
        let fresh = self.slots.iter().filter(|s| s.second >= oldest);
        let (requests, repeats) =
            fresh.fold((0u64, 0u64), |(q, r), s| (q.saturating_add(s.requests), r.saturating_add(s.repeats)));
        // A count of requests in a minute; the cast saturates.
        let share = (requests as f64 * rule.budget_ratio) as u64;
        share.max(rule.budget_floor).saturating_sub(repeats)
    }

    fn slot(&mut self, now_ms: u64) -> Option<&mut Slot> {
        let second = now_ms / 1000;
        let slot = self.slots.get_mut(usize::try_from(second % WINDOW_SECS).ok()?)?;
        if slot.second != second {
            *slot = Slot { second, ..Slot::default() };
        }
        Some(slot)
    }
}

#[cfg(test)]
mod tests;
