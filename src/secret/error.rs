//! Why a key could not be had.

use std::path::PathBuf;

/// Why a key could not be had, with the way out. Never contains the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The environment variable is not there.
    #[error("environment variable {0} is not set: export it before the start, or use file:PATH")]
    EnvUnset(String),
    /// The environment variable is there and empty.
    #[error("environment variable {0} is empty")]
    EnvEmpty(String),
    /// The file cannot be read.
    #[error("cannot read key file {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A folder, a device or a pipe.
    #[error("key file {} is not a regular file", .0.display())]
    NotRegular(PathBuf),
    /// Others may read the file.
    #[error("key file {} may be read by others (mode {mode:04o}): chmod 600 {}", path.display(), path.display())]
    TooOpen {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file is no key.
    #[error("key file {} is larger than 64 KiB", .0.display())]
    TooLarge(PathBuf),
    /// The file holds nothing.
    #[error("key file {} is empty", .0.display())]
    FileEmpty(PathBuf),
    /// What is there cannot be sent in a header.
    #[error("the key in {source_name} cannot be sent in a header: it must be one line of printable ASCII")]
    NotHeader {
        /// `environment variable NAME` or `PATH`.
        source_name: String,
    },
    /// The source is not built yet.
    #[error("{0} is not built yet: use env:NAME or file:PATH")]
    NotBuilt(&'static str),
}
