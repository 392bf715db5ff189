//! Resolves where a key is kept into the key.
//!
//! No error here contains a value.

mod error;
mod resolve;

pub use error::SecretError;
pub use resolve::resolve;
