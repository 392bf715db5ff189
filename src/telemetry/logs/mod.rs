//! The log: to a daily file and to stderr, written off the request path, never in anybody's way.
//!
//! Lines wait in a bounded queue; what does not fit or cannot be written is counted. Other crates are
//! never heard below `warn`: their details print URLs and headers.

mod daily;
mod filter;
mod init;
mod queue;

pub use init::{LogGuard, init, set_level};
pub use queue::dropped;
