//! History: the attempt record and its one writer.
//!
//! Records go through a bounded queue to one thread, which appends whole lines. A full or missing disk
//! costs records, which are counted, and never a request.

mod cost;

mod handle;
mod live;
mod pages;
mod record;
mod rotate;
mod sanitise;
mod writer;

pub use cost::{Tokens, cost};
pub use handle::Ledger;
pub use record::{ActionWord, Outcome, Path, Record, Timestamp};
pub use sanitise::{client_product, requested_model};
