//! What vendors define: request envelopes, event streams, error shapes. Pure: bytes in, values out.
//!
//! Same wire on both sides passes bytes through; this room then only observes. No clock, no socket.

mod dialect;
pub use dialect::{Dialect, Endpoint, Wire};
