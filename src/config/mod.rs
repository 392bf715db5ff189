//! What was asked for: text -> a tree with places -> findings, all of them -> resolved types.

mod resolved;
pub use resolved::*;
