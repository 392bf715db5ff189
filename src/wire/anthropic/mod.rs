//! Anthropic Messages: streams watched, whole answers read, whole answers re-framed as streams.

pub mod answer;
pub mod checker;
pub mod reframe;
mod request;
mod tell;
mod usage;
pub mod watch;
pub use crate::prompt::Usage;
pub use request::decode_request;
pub use tell::{StreamEncoder, TooMuch, encode_answer};
