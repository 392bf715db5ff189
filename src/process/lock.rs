//! A lock that one process at a time holds, by a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Held as long as it lives; the system releases it when the process ends in whatever way. The file is
/// never deleted, since that would let two processes lock two files of one name.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("{} is held by another process", .0.display())]
    Held(PathBuf),
    /// The file cannot be opened or locked.
    #[error("cannot lock {}: {reason}", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

impl Lock {
    /// Takes the lock, or says at once that another process has it. Creates the file (0600), not its folder.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let io = |reason| LockError::Io { path: path.to_owned(), reason };
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Held(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// The lock file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests;
