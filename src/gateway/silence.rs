//! How long a body may keep the gateway waiting: in one piece, and on the whole.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// Longest silence of a client inside its own body.
pub(crate) const BODY_SILENCE: Duration = Duration::from_secs(30);

/// A client is waited for this long whatever its pace.
const GRACE: Duration = Duration::from_secs(60);

/// Slowest pace of a client after that, in bytes a second. A modem is faster; a client that sends a byte
/// before each silence is over would otherwise hold a connection and its buffers for ever.
const FLOOR: u64 = 1024;

/// A clock that runs only while the other end is waited for.
pub(crate) struct Silence {
    limit: Option<Duration>,
    alarm: Option<Pin<Box<Sleep>>>,
    since: Option<Instant>,
}

impl Silence {
    /// `None` = any silence is fine.
    pub(crate) const fn new(limit: Option<Duration>) -> Self {
        Self { limit, alarm: None, since: None }
    }

    /// Nothing came: whether that has gone on for too long. Wakes when it has.
    pub(crate) fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let begins = self.since.is_none();
        let since = *self.since.get_or_insert_with(Instant::now);
        let Some(limit) = self.limit else { return false };
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(limit)));
        if begins && let Some(until) = since.checked_add(limit) {
            alarm.as_mut().reset(until);
        }
        alarm.as_mut().poll(cx).is_ready()
    }

    /// Something came; how long it was waited for.
    pub(crate) fn ended(&mut self) -> Duration {
        self.since.take().map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// The pace of a client on the whole.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    waited: Duration,
    bytes: u64,
}

impl Pace {
    /// So many bytes came after so long a wait; whether the client keeps up.
    pub(crate) fn keeps_up(&mut self, waited: Duration, bytes: usize) -> bool {
        self.waited = self.waited.saturating_add(waited);
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.waited <= GRACE || self.bytes >= self.waited.as_secs().saturating_mul(FLOOR)
    }
}

#[cfg(test)]
mod tests;
