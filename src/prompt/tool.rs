//! Tools and how they may be chosen.

use super::{Json, Text};

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool<'a> {
    /// The client runs it.
    Function(Function<'a>),
    /// The vendor runs it, or the model was trained on it: only its own wire can offer it.
    Native {
        /// Its type.
        kind: Text<'a>,
        /// Its name; some have none.
        name: Option<Text<'a>>,
        /// All of it.
        raw: Json<'a>,
    },
}

/// A tool that the client runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Function<'a> {
    /// What the model calls it.
    pub name: Text<'a>,
    /// What it is for.
    pub description: Option<Text<'a>>,
    /// The JSON schema of its input.
    pub schema: Json<'a>,
    /// Whether calls must follow the schema to the letter.
    pub strict: Option<bool>,
    /// The model is not to see it until it was looked up.
    pub defer_loading: bool,
    /// It takes free text: the schema has one string, `input`, and the client is to be given that string.
    pub freeform: bool,
}

impl Function<'_> {
    /// The schema of a tool that takes free text.
    pub const FREEFORM_SCHEMA: &'static str =
        r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
}

/// Which tools may or must be called.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolChoice<'a> {
    /// The model decides.
    Auto,
    /// At least one call.
    Any,
    /// This tool.
    Tool(Text<'a>),
    /// No call.
    None,
}
