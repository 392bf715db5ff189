//! The hub: one prompt type, one event type and one whole-answer type, in which all wires meet.
//!
//! A wire decodes what it reads into these and encodes what it writes from these, and so needs nothing of any
//! other wire. What passes through is kept as it was written: text as the JSON string that it came in
//! ([`Text`]), schemas and tool inputs as their JSON ([`Json`]), so that numbers, the order of keys and escapes
//! survive. What has no place here is named in [`Prompt::extras`], never dropped in silence. Pure.

mod completion;
mod event;
mod expressible;
mod json;
mod message;
mod refused;
mod request;
mod settings;
mod text;
mod tool;
mod usage;

pub use completion::{Block, Completion};
pub use event::{Event, Finish};
pub use expressible::{Encoded, Gap, Inexpressible, MaxTokensField, SeatTraits};
pub use json::Json;
pub use message::{Document, DocumentSource, Image, ImageSource, Message, Part, Role, ToolCall, ToolResult};
pub use refused::BadRequest;
pub use request::Prompt;
pub(crate) use request::note;
pub use settings::{Effort, OutputFormat, Reasoning, Sampling, Thinking};
pub use text::Text;
pub use tool::{Function, Tool, ToolChoice};
pub use usage::Usage;
