//! History: the attempt record and its one writer.

mod record;
pub use record::{ActionWord, Outcome, Path, Record, Timestamp};
