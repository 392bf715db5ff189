//! A bounded queue of lines in front of a writer that may block.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tokio::time::Instant;

/// Lines that may wait.
const QUEUE: usize = 4096;

static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Log lines that were not written, since the start of the process.
#[must_use]
pub fn dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

enum Message {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

/// The sending side: each write is one line.
#[derive(Clone)]
pub(super) struct Queue(SyncSender<Message>);

impl Queue {
    /// Starts a thread that writes into `sink`; fails when there can be no thread.
    pub(super) fn start(name: &str, sink: impl Write + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || drain(&receiver, sink))?;
        Ok(Self(sender))
    }

    /// Never blocks: a line that finds the queue full is lost and counted.
    pub(super) fn line(&self, line: Vec<u8>) {
        if self.0.try_send(Message::Line(line)).is_err() {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all that was sent before is written, at most `wait`.
    pub(super) fn flush(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let (done, told) = sync_channel(1);
        let mut message = Message::Flush(done);
        loop {
            match self.0.try_send(message) {
                Ok(()) => break,
                Err(TrySendError::Full(back)) if Instant::now() < until => message = back,
                Err(_) => return,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // An error is a writer that is gone or stuck: nothing more can be done for its lines.
        told.recv_timeout(until.saturating_duration_since(Instant::now())).ok();
    }
}

fn drain(receiver: &Receiver<Message>, mut sink: impl Write) {
    while let Ok(message) = receiver.recv() {
        match message {
            Message::Line(line) => {
                if sink.write_all(&line).is_err() {
                    DROPPED.fetch_add(1, Ordering::Relaxed);
                }
            }
            Message::Flush(done) => {
                sink.flush().ok();
                done.try_send(()).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests;
