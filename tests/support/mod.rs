//! The rig: scripted upstreams, the real binary in a home of its own, a client that can misbehave.
//!
//! Nothing here sleeps to synchronise. A test waits for a line, a byte, a request or a closed socket, and every
//! wait has an end: [`PATIENCE`], after which it fails and says what it was waiting for.

pub(crate) mod answer;
pub(crate) mod bodies;
pub(crate) mod call;
pub(crate) mod config;
pub(crate) mod fold;
pub(crate) mod gate;
pub(crate) mod gateway;
pub(crate) mod live;
pub(crate) mod log;
pub(crate) mod play;
pub(crate) mod reader;
pub(crate) mod upstream;

mod itself;

pub(crate) use answer::{Answer, End};
pub(crate) use call::{Call, Reply};
pub(crate) use config::chain;
pub(crate) use fold::{Folded, fold};
pub(crate) use gate::Gate;
pub(crate) use gateway::{Gateway, Setup};
pub(crate) use live::Live;
pub(crate) use upstream::Upstream;

use std::time::Duration;

/// How long anything is waited for before a test fails; a busy machine gets all of it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Calls `ready` every few milliseconds until it gives something, or fails naming `what`.
pub(crate) fn until<T>(what: &str, ready: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, ready).unwrap_or_else(|| panic!("waited {PATIENCE:?} for {what}"))
}

/// Calls `ready` every few milliseconds for at most `limit`.
pub(crate) fn within<T>(limit: Duration, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
    let end = tokio::time::Instant::now() + limit;
    loop {
        if let Some(value) = ready() {
            return Some(value);
        }
        if tokio::time::Instant::now() >= end {
            return None;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
