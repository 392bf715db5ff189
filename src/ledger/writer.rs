//! The one thread that writes attempt records.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use tokio::time::Instant;

use super::handle::{Message, Trouble};
use super::live::{Failed, Live};
use super::pages::lay_out;
use super::record::Record;
use super::rotate::Rotated;
use crate::config::Attempts;
use crate::telemetry::metrics::Metrics;

/// The first record of a batch waits this long for others: being woken by each costs ten times as much.
const GATHER: Duration = Duration::from_millis(5);

/// A batch is written when it has grown to this, in bytes.
const MAX_BATCH: usize = 256 * 1024;

/// A line longer than this is no record that anybody could use.
const MAX_LINE: usize = 64 * 1024;

/// How often somebody is looked for who moved or deleted the file.
const LOOK: Duration = Duration::from_millis(100);

/// When it cannot be written, a batch is tried again after this,
const RETRY: Duration = Duration::from_millis(250);

/// How long a flush waits for a rotated file that is being compressed.
const COMPRESSING: Duration = Duration::from_secs(3);

/// and given up after this; later ones are then tried once.
const GIVE_UP: Duration = Duration::from_secs(1);

/// A rotation that failed is tried again after this.
const ROTATE_RETRY: Duration = Duration::from_secs(60);

/// Writes what it is sent until every sender is gone.
pub(super) struct Writer {
    path: PathBuf,
    rotate_bytes: u64,
    rotated: Rotated,
    metrics: Arc<Metrics>,
    trouble: Trouble,
    live: Option<Live>,
    batch: Batch,
    looked: Instant,
    /// Since when nothing can be written.
    failing_since: Option<Instant>,
    /// Records lost since then.
    lost: u64,
    rotate_after: Instant,
}

/// Lines without line ends, one behind the other.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The lines as they are laid out, kept for its memory.
    out: Vec<u8>,
}

impl Writer {
    pub(super) fn new(config: &Attempts, metrics: Arc<Metrics>, trouble: Trouble) -> Self {
        // A link to the file is followed now, so that rotation moves the file and not the link.
        let path = fs::canonicalize(&config.path).unwrap_or_else(|_| config.path.clone());
        let now = Instant::now();
        Self {
            rotated: Rotated::new(&path, config.keep),
            path,
            rotate_bytes: config.rotate_bytes,
            metrics,
            trouble,
            live: None,
            batch: Batch::default(),
            looked: now,
            failing_since: None,
            lost: 0,
            rotate_after: now,
        }
    }

    pub(super) fn run(mut self, receiver: &Receiver<Message>) {
        self.reopen();
        if self.live.is_some() {
            self.rotated.tidy();
        }
        while let Some(first) = self.next(receiver) {
            let mut asked = Vec::new();
            if matches!(first, Message::Record(_)) {
                std::thread::sleep(GATHER);
            }
            self.take(first, &mut asked);
            while self.batch.bytes.len() < MAX_BATCH
                && let Ok(more) = receiver.try_recv()
            {
                self.take(more, &mut asked);
            }
            self.write_batch();
            if !asked.is_empty() {
                self.rotated.finish(COMPRESSING);
            }
            for done in asked {
                // Whoever asked may have stopped waiting.
                done.try_send(()).ok();
            }
        }
    }

    /// The next message; `None` when there will be no more. While there is no file, looks for one meanwhile.
    fn next(&mut self, receiver: &Receiver<Message>) -> Option<Message> {
        loop {
            if self.live.is_some() {
                return receiver.recv().ok();
            }
            match receiver.recv_timeout(GIVE_UP) {
                Ok(message) => return Some(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.reopen(),
            }
        }
    }

    fn take(&mut self, message: Message, asked: &mut Vec<SyncSender<()>>) {
        match message {
            Message::Record(record) => {
                if !self.batch.push(&record) {
                    self.metrics.attempt_records_dropped(1);
                    tracing::warn!(request_id = %record.request_id, "an attempt record is too long to be written");
                }
            }
            Message::Flush(done) => asked.push(done),
        }
    }

    /// Writes the batch, or gives it up.
    fn write_batch(&mut self) {
        while !self.batch.ends.is_empty() {
            let Err(error) = self.try_batch() else {
                self.recovered();
                continue;
            };
            let since = *self.failing_since.get_or_insert_with(Instant::now);
            let is_over = since.elapsed() >= GIVE_UP;
            if is_over {
                let records = u64::try_from(self.batch.ends.len()).unwrap_or(u64::MAX);
                self.lost = self.lost.saturating_add(records);
                self.metrics.attempt_records_dropped(records);
                self.batch.clear();
            }
            self.failed(&error);
            if !is_over {
                std::thread::sleep(RETRY);
            }
        }
    }

    /// Writes what is left of the batch; lines that are written leave it, also when others fail.
    fn try_batch(&mut self) -> io::Result<()> {
        self.look()?;
        let Some(live) = &mut self.live else { return Ok(()) };
        let mut out = std::mem::take(&mut self.batch.out);
        let pieces = lay_out(self.batch.lines(), live.len(), &mut out);
        let mut start = 0_usize;
        let mut result = Ok(());
        let mut written = 0_usize;
        for piece in pieces {
            let bytes = out.get(start..piece.end).unwrap_or_default();
            let grown = live.len().saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            if grown > self.rotate_bytes && live.len() > 0 && Instant::now() >= self.rotate_after {
                // The rest is laid out anew for the new file.
                result = self.rotate();
                break;
            }
            if let Err(Failed { whole, error }) = live.append(bytes) {
                let lines = memchr::memchr_iter(b'\n', bytes.get(..whole).unwrap_or_default()).count();
                written = written.saturating_add(lines);
                result = Err(error);
                break;
            }
            (start, written) = (piece.end, piece.lines);
        }
        self.batch.out = out;
        self.batch.remove(written);
        result
    }

    /// Makes sure that there is a file and that it is the one at the path.
    fn look(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if let Some(live) = &mut self.live {
            if now.duration_since(self.looked) < LOOK {
                return Ok(());
            }
            self.looked = now;
            if live.is_at(&self.path)? {
                return Ok(());
            }
            tracing::info!(path = %self.path.display(), "the attempt log was moved or deleted; starting a new one");
            self.live = None;
        }
        self.live = Some(Live::open(&self.path)?);
        self.looked = now;
        Ok(())
    }

    fn reopen(&mut self) {
        match self.look() {
            Ok(()) => self.recovered(),
            Err(error) => self.failed(&error),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        if let Err(error) = self.rotated.rotate() {
            // The file grows on: that costs disk, a record lost costs the truth.
            tracing::warn!(path = %self.path.display(), %error, "cannot rotate the attempt log");
            self.rotate_after = Instant::now() + ROTATE_RETRY;
            return Ok(());
        }
        self.live = None;
        self.look()
    }

    fn failed(&mut self, error: &io::Error) {
        let path = self.path.display();
        if self.failing_since.is_none() || self.trouble.is_none() {
            tracing::error!(%path, %error, "attempt records are not being written");
        }
        self.failing_since.get_or_insert_with(Instant::now);
        let lost = self.lost;
        self.trouble
            .set(Some(format!("attempt records are not being written to {path}: {error}; {lost} lost")));
    }

    fn recovered(&mut self) {
        if self.failing_since.take().is_some() {
            tracing::info!(path = %self.path.display(), lost = self.lost, "attempt records are written again");
            self.lost = 0;
            self.trouble.set(None);
        }
    }
}

impl Batch {
    /// Adds a record's line; `false` when it is too long.
    fn push(&mut self, record: &Record) -> bool {
        let start = self.bytes.len();
        let fits = serde_json::to_writer(&mut self.bytes, record).is_ok()
            && self.bytes.len().saturating_sub(start) <= MAX_LINE;
        if fits {
            self.ends.push(self.bytes.len());
        } else {
            self.bytes.truncate(start);
        }
        fits
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.bytes.get(start..*end).unwrap_or_default())
    }

    /// Removes the first lines.
    fn remove(&mut self, lines: usize) {
        if lines >= self.ends.len() {
            self.clear();
            return;
        }
        let Some(cut) = lines.checked_sub(1).and_then(|last| self.ends.get(last)).copied() else { return };
        self.bytes.drain(..cut);
        self.ends.drain(..lines);
        for end in &mut self.ends {
            *end = end.saturating_sub(cut);
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        // A burst does not keep its memory.
        self.bytes.shrink_to(MAX_BATCH);
        self.out.shrink_to(MAX_BATCH);
    }
}

#[cfg(test)]
mod tests;
