//! Embedded stub seats for a first look without an account.
//!
//! Two small Anthropic-shaped servers on loopback, the first of which fails every other time, and the
//! configuration that puts a gateway in front of them.

mod start;
mod stub;

pub use start::{Stubs, config, start};
