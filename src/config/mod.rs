//! What was asked for: text -> a tree with places -> findings, all of them -> resolved types.
//!
//! [`load`] is pure and never fails on a text: it answers with every finding and, where none is an
//! error, the [`Config`]. [`read`] is the same from a file. No secret is read here, only where it is kept.

mod finding;
mod home;
mod load;
mod pointers;
mod resolved;
mod show;

pub use finding::{Finding, Severity};
pub use home::{home_dir, locate};
pub use load::{Loaded, MAX_CONFIG_BYTES, ReadError, load, read};
pub use pointers::client_lines;
pub use resolved::*;
pub use show::{show, show_json};
