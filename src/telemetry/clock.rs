//! The one wall clock, and the one monotonic clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The monotonic clock: tokio's, so that a paused clock rules in tests.
pub use tokio::time::Instant;

/// Milliseconds since the Unix epoch by the wall clock; negative before it.
///
/// For what is shown or stored. Durations are measured with [`Instant`].
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one wall clock")]
pub fn now() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}
