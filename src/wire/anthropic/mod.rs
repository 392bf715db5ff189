//! Anthropic Messages: streams watched, whole answers read, whole answers re-framed as streams; and, where the
//! other side speaks another wire, requests, answers and streams read into the hub and written from it.

pub mod answer;
mod ask;
pub mod checker;
mod listen;
pub mod reframe;
mod request;
mod tell;
mod usage;
pub mod watch;
pub use crate::prompt::Usage;
pub use ask::{check, encode_request};
pub use listen::{StreamDecoder, decode_answer};
pub use request::decode_request;
pub use tell::{StreamEncoder, TooMuch, encode_answer};
