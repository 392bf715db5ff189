//! OpenAI chat completions: what many servers speak, each with its own turns.
//!
//! Outwards: [`encode_request`], [`decode_answer`], [`StreamDecoder`]. Inwards, for clients of this wire:
//! [`decode_request`], [`encode_answer`], [`StreamEncoder`]. Where both sides speak it: [`watch`].

mod answer;
mod ask;
mod calls;
pub mod checker;
mod chunk;
mod listen;
mod request;
mod tell;
mod usage;
pub mod watch;

pub use answer::decode_answer;
pub use ask::{check, encode_request};
pub use listen::StreamDecoder;
pub use request::decode_request;
pub use tell::{StreamEncoder, Unsayable, encode_answer};
