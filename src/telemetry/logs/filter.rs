//! Who may be heard, and how loud.

use std::sync::atomic::{AtomicU8, Ordering};

use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::config::LogLevel;

/// Our own crates: the library and the binary share the name.
const OURS: &str = "sanctum";

/// The level in force, as [`rank`] gives it.
static LEVEL: AtomicU8 = AtomicU8::new(3);

/// Sets the level in force and tells every call site.
pub(super) fn set(level: LogLevel) {
    LEVEL.store(rank(level), Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
}

/// Lets through our own lines up to the level, and those of other crates up to `warn`.
pub(super) struct Filter;

impl<S: Subscriber> Layer<S> for Filter {
    fn register_callsite(&self, meta: &'static Metadata<'static>) -> Interest {
        if passes(meta.target(), *meta.level(), current()) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, meta: &Metadata<'_>, _: Context<'_, S>) -> bool {
        passes(meta.target(), *meta.level(), current())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(current())
    }
}

pub(super) fn passes(target: &str, level: tracing::Level, current: LevelFilter) -> bool {
    let cap = if is_ours(target) { LevelFilter::TRACE } else { LevelFilter::WARN };
    level <= current.min(cap)
}

fn is_ours(target: &str) -> bool {
    target.strip_prefix(OURS).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

const fn rank(level: LogLevel) -> u8 {
    match level {
        LogLevel::Error => 1,
        LogLevel::Warn => 2,
        LogLevel::Info => 3,
        LogLevel::Debug => 4,
        LogLevel::Trace => 5,
    }
}

fn current() -> LevelFilter {
    match LEVEL.load(Ordering::Relaxed) {
        1 => LevelFilter::ERROR,
        2 => LevelFilter::WARN,
        3 => LevelFilter::INFO,
        4 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests;
