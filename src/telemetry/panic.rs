//! The panic record: where and what, into the log, bounded and without what looks like a secret.

use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering};

use super::redact::Redactor;

/// Longest panic message that is kept, in bytes.
const MAX_MESSAGE: usize = 512;

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Puts the hook in place: each panic is counted and logged with `file:line` and its message; the
/// default printing is off. Call it after [`logs::init`](super::logs::init).
pub fn install() {
    std::panic::set_hook(Box::new(record));
}

/// How many panics there were since [`install`].
#[must_use]
pub fn count() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// The message that a panic carries, bounded; for a caught panic's payload too.
#[must_use]
pub fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no message",
    };
    super::redact::bounded(text, MAX_MESSAGE)
}

fn record(info: &PanicHookInfo<'_>) {
    PANICS.fetch_add(1, Ordering::Relaxed);
    let (file, line) = info.location().map_or(("unknown", 0), |at| (at.file(), at.line()));
    let thread = std::thread::current();
    let reason = Redactor::default();
    let reason = reason.redact(message(info.payload()));
    tracing::error!(
        file,
        line,
        thread = thread.name().unwrap_or("unnamed"),
        reason = %reason,
        "panicked"
    );
}

#[cfg(test)]
mod tests;
