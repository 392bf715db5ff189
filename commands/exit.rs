//! Exit statuses, and the one mapping from errors to them.

use std::process::ExitCode;

use sanctum::gateway::ServeError;
use sanctum::outbound::OutboundError;
use sanctum::process::LockError;
use sanctum::secret::SecretError;

/// How a command ended. From 69 on they are those of sysexits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// The answer is no.
    Failed = 1,
    /// Wrong usage of the command line.
    Usage = 2,
    /// A service or an address is not available.
    Unavailable = 69,
    /// Internal error.
    Software = 70,
    /// An output file cannot be created, or exists already.
    CantCreate = 73,
    /// Another run holds the lock.
    TempFail = 75,
    /// Permission denied.
    NoPerm = 77,
    /// The configuration is wrong or missing.
    Config = 78,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The status for an error: the first of its causes that has one, else [`Exit::Software`].
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(Self::of_cause).unwrap_or(Self::Software)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if let Some(status) = cause.downcast_ref::<WithExit>() {
            return Some(status.exit);
        }
        if let Some(lock) = cause.downcast_ref::<LockError>() {
            return Some(match lock {
                LockError::Held(_) => Self::TempFail,
                LockError::Io { reason, .. } => Self::of_io(reason).unwrap_or(Self::CantCreate),
            });
        }
        if let Some(serve) = cause.downcast_ref::<ServeError>() {
            return match serve {
                ServeError::Live(_) => Some(Self::Config),
                ServeError::Held { .. } => Some(Self::Unavailable),
                ServeError::Listen { reason, .. } => Self::of_io(reason).or(Some(Self::Unavailable)),
                ServeError::System(_) => Some(Self::Software),
            };
        }
        if cause.is::<SecretError>() {
            return Some(Self::Config);
        }
        if cause.is::<OutboundError>() {
            return Some(Self::Software);
        }
        cause.downcast_ref::<std::io::Error>().and_then(Self::of_io)
    }

    fn of_io(error: &std::io::Error) -> Option<Self> {
        use std::io::ErrorKind as Io;
        match error.kind() {
            Io::PermissionDenied => Some(Self::NoPerm),
            Io::AddrInUse | Io::AddrNotAvailable => Some(Self::Unavailable),
            Io::AlreadyExists | Io::StorageFull | Io::ReadOnlyFilesystem => Some(Self::CantCreate),
            _ => None,
        }
    }
}

/// An error that knows its status: `anyhow::Error::new(WithExit::new(Exit::Config, "no configuration found"))`.
#[derive(Debug)]
pub(crate) struct WithExit {
    exit: Exit,
    text: String,
}

impl WithExit {
    /// `text` is a lowercase fragment.
    pub(crate) fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into() }
    }
}

impl std::fmt::Display for WithExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for WithExit {}

#[cfg(test)]
mod tests;
