//! The signals that a daemon obeys, one after the other.

use std::io;

use tokio::signal::unix::{self, SignalKind};

/// What the process was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end, after what is running.
    Terminate,
    /// SIGINT: the same, from a keyboard.
    Interrupt,
    /// SIGHUP: read the configuration again.
    Hangup,
}

/// Listens for [`Signal`]s. From its making on they no longer end the process by themselves.
#[derive(Debug)]
pub struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hangup: unix::Signal,
}

impl Signals {
    /// Starts to listen. Needs a tokio runtime with I/O; fails when the system refuses a handler.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: unix::signal(SignalKind::terminate())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            hangup: unix::signal(SignalKind::hangup())?,
        })
    }

    /// The next signal. Safe to drop and call again: none is lost, though equal ones may be merged.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            // An end comes before a reload.
            biased;
            Some(()) = self.terminate.recv() => Signal::Terminate,
            Some(()) = self.interrupt.recv() => Signal::Interrupt,
            Some(()) = self.hangup.recv() => Signal::Hangup,
            // Every stream is at its end only when the runtime is.
            else => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests;
