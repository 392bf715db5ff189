//! Signals, tasks, locks and atomic replacement.

mod lock;
mod signals;
mod tasks;

pub mod memory;
pub mod replace;

pub use lock::{Lock, LockError};
pub use signals::{Signal, Signals};
pub use tasks::Tasks;
