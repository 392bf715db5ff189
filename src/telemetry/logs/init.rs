//! Puts the log in place.

use std::io::{self, Write};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::daily::Daily;
use super::filter::{self, Filter};
use super::queue::Queue;
use crate::config::{Log, LogFormat, LogLevel};
use crate::telemetry::clock;

/// How long the end of the process waits for the last lines.
const FLUSH: Duration = Duration::from_millis(500);

/// Writes out the last lines when it is dropped: keep it until the end of `main`.
#[must_use = "the last lines are lost when this is dropped early"]
pub struct LogGuard {
    queues: Vec<Queue>,
    /// Why there is no log file, if there is none.
    trouble: Option<String>,
}

impl std::fmt::Debug for LogGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogGuard").field("trouble", &self.trouble).finish_non_exhaustive()
    }
}

impl LogGuard {
    /// Why there is no log file, for `/health`; `None` when there is one.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        for queue in &self.queues {
            queue.flush(FLUSH);
        }
    }
}

/// Starts the log: into `sanctum.log` in the configured folder and, if asked, onto stderr. A folder that
/// cannot be written puts stdout in the file's place, and the log says so. Never fails; a second call in a
/// process changes the level alone.
pub fn init(config: &Log, stderr: bool) -> LogGuard {
    let mut guard = LogGuard { queues: Vec::new(), trouble: None };
    match Daily::open(&config.dir).and_then(|file| Queue::start("log-file", file)) {
        Ok(queue) => guard.queues.push(queue),
        Err(error) => {
            guard.trouble = Some(format!("cannot log to {}: {error}", config.dir.display()));
            guard.queues.extend(Queue::start("log-stdout", io::stdout()));
        }
    }
    if stderr {
        guard.queues.extend(Queue::start("log-stderr", io::stderr()));
    }
    let lines = Lines(guard.queues.clone());
    let layer: Box<dyn Layer<_> + Send + Sync> = match config.format {
        LogFormat::Text => {
            Box::new(fmt::layer().with_timer(Clock).with_target(false).with_ansi(false).with_writer(lines))
        }
        LogFormat::Json => {
            Box::new(fmt::layer().json().flatten_event(true).with_timer(Clock).with_writer(lines))
        }
    };
    let subscriber = Registry::default().with(layer).with(Filter);
    // An error is a log that is in place already: its level follows.
    tracing::subscriber::set_global_default(subscriber).ok();
    filter::set(config.level);
    if let Some(trouble) = &guard.trouble {
        tracing::warn!(
            dir = %config.dir.display(),
            "{trouble}; logging to stdout instead: make the folder writable or change log.dir"
        );
    }
    guard
}

/// Changes the level of a running log.
pub fn set_level(level: LogLevel) {
    filter::set(level);
}

/// The wall clock, RFC 3339 in milliseconds.
struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, to: &mut Writer<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_millisecond(clock::now()) {
            Ok(now) => write!(to, "{now:.3}"),
            Err(_) => to.write_str("-"),
        }
    }
}

/// Gives every line to every queue.
struct Lines(Vec<Queue>);

struct Line<'a> {
    queues: &'a [Queue],
    bytes: Vec<u8>,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        Line { queues: &self.0, bytes: Vec::new() }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let Some((last, others)) = self.queues.split_last() else { return };
        for queue in others {
            queue.line(self.bytes.clone());
        }
        last.line(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests;
