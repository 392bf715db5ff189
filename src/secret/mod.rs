//! Resolves where a key is kept into the key; remembers which source answered.
//!
//! No error here contains a value.

mod error;
mod resolve;

pub use error::SecretError;
pub use resolve::resolve;
