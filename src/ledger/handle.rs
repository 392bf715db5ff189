//! The sending side of the attempt log.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::record::Record;
use super::writer::Writer;
use crate::config::Attempts;
use crate::telemetry::metrics::Metrics;

/// Records that may wait. The channel's slots are pointers: all of them together are 64 KiB.
const QUEUE: usize = 4096;

/// What the writer is sent.
pub(super) enum Message {
    /// To be written.
    Record(Box<Record>),
    /// To be answered when everything before it is written.
    Flush(SyncSender<()>),
}

/// Why records are not being written, shared with the writer.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    pub(super) fn set(&self, trouble: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    pub(super) fn is_none(&self) -> bool {
        self.get().is_none()
    }

    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Takes attempt records and has them written. Clones write into the same file by the same thread, which writes
/// what it was sent and ends when the last of them is dropped: on a reload that changes `attempts:`, start a new
/// one and drop the old. Call [`close`](Self::close) at the end so that nothing is left unwritten.
#[derive(Debug, Clone)]
pub struct Ledger(Option<Handle>);

#[derive(Debug, Clone)]
struct Handle {
    sender: SyncSender<Message>,
    trouble: Trouble,
    metrics: Arc<Metrics>,
}

impl Ledger {
    /// Starts the writer; [`disabled`](Self::disabled) when the configuration says so. Never fails: a folder or
    /// file that cannot be written is a [`trouble`](Self::trouble), and is tried again.
    #[must_use]
    pub fn start(config: &Attempts, metrics: Arc<Metrics>) -> Self {
        if !config.enabled {
            return Self::disabled();
        }
        let (sender, receiver): (_, Receiver<Message>) = sync_channel(QUEUE);
        let trouble = Trouble::default();
        let writer = Writer::new(config, Arc::clone(&metrics), trouble.clone());
        let thread = std::thread::Builder::new().name("attempts".to_owned());
        if let Err(error) = thread.spawn(move || writer.run(&receiver)) {
            tracing::error!(%error, "attempt records are lost: there is no thread to write them");
            trouble.set(Some(format!("attempt records are lost: there is no thread to write them: {error}")));
        }
        Self(Some(Handle { sender, trouble, metrics }))
    }

    /// A log that takes nothing.
    #[must_use]
    pub const fn disabled() -> Self {
        Self(None)
    }

    /// Whether records are wanted: where not, none need be built.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Hands a record to the writer. Never blocks: one that finds the queue full is lost and counted in
    /// `sanctum_attempt_records_dropped_total`.
    pub fn send(&self, record: impl Into<Box<Record>>) {
        let Some(handle) = &self.0 else { return };
        if handle.sender.try_send(Message::Record(record.into())).is_err() {
            handle.metrics.attempt_records_dropped(1);
        }
    }

    /// Why records are not being written, for `/health`; `None` when they are.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.0.as_ref()?.trouble.get()
    }

    /// Waits, blocking, until all records sent before are written or given up, and for a rotated file that is
    /// being compressed; `false` after `wait`.
    pub fn flush(&self, wait: Duration) -> bool {
        let Some(handle) = &self.0 else { return true };
        let until = Instant::now() + wait;
        let (done, told) = sync_channel(1);
        let mut message = Message::Flush(done);
        loop {
            match handle.sender.try_send(message) {
                Ok(()) => break,
                Err(TrySendError::Full(back)) if Instant::now() < until => message = back,
                Err(_) => return false,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        told.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok()
    }

    /// The end: as [`flush`](Self::flush), and says what is lost.
    pub fn close(self, wait: Duration) {
        if !self.flush(wait) {
            tracing::warn!(
                waited_ms = wait.as_millis() as u64,
                "attempt records were still unwritten at the end"
            );
        }
    }
}
