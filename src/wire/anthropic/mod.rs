//! Anthropic Messages: streams watched, whole answers read, whole answers re-framed as streams.

pub mod answer;
pub mod checker;
pub mod reframe;
mod usage;
pub mod watch;
pub use crate::prompt::Usage;
