//! Background tasks that a drain knows of.

use std::future::Future;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns, counts and waits for tasks. Clones share everything.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// No tasks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `task` on the current thread's runtime until its own end. Whatever may go on for long listens
    /// to [`token`](Self::token). Must be called inside a runtime.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tracker.spawn(task)
    }

    /// Runs `work`, which may block or compute for long, on a thread of its own kind.
    pub fn spawn_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        self.tracker.spawn_blocking(work)
    }

    /// Cancelled by [`stop`](Self::stop).
    #[must_use]
    pub fn token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Tells every task that listens to end. Does not wait.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until no task is left; ones spawned meanwhile are waited for too.
    pub async fn wait(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// How many are running.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tracker.len()
    }

    /// None is running.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tracker.is_empty()
    }
}

#[cfg(test)]
mod tests;
