//! What vendors define: request envelopes, event streams, error shapes. Pure: bytes in, values out.
//!
//! Same wire on both sides passes bytes through; this room then only observes. No clock, no socket.

pub mod anthropic;
pub mod chat;
mod dialect;
pub mod envelope;
pub mod failure;
pub mod flow;
mod ids;
mod json;
mod options;
pub mod reply;
pub mod sse;
#[cfg(test)]
mod tests;
pub mod transcode;
pub mod translate;
pub use dialect::{Dialect, Endpoint, Wire};
pub use flow::Flow;
pub use options::AnswerOptions;
pub use transcode::Transcoder;
