//! A gate that an upstream waits at until the test opens it: order without sleeping.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Closed until [`Gate::open`]; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// A closed gate.
    pub(crate) fn closed() -> Self {
        Self::default()
    }

    /// Lets everybody through, now and later.
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// Waits at most `limit`; true once open.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let guard = self.0.0.lock().unwrap();
        *self.0.1.wait_timeout_while(guard, limit, |open| !*open).unwrap().0
    }
}
