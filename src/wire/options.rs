//! What an answer needs besides what upstream says.

use std::collections::BTreeSet;

use crate::prompt::Prompt;

/// What an answer needs besides what upstream says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerOptions {
    /// Makes an id where upstream has none: the request's own.
    pub id: String,
    /// The seat's model, where upstream names none.
    pub model: String,
    /// When the answer was begun, in seconds since the epoch, where upstream does not say.
    pub created: u64,
    /// Input tokens as estimated: told where upstream counts nothing.
    pub input_estimate: Option<u64>,
    /// Ids of tool calls that the conversation already has, as the client has them.
    pub taken_ids: BTreeSet<String>,
    /// Names of tools that take free text: the client is given the text, not the object around it.
    pub freeform: BTreeSet<String>,
    /// Whether the client is to see what is thought.
    pub show_thinking: bool,
    /// Whether an OpenAI client asked for the usage in its stream.
    pub stream_usage: bool,
}

impl AnswerOptions {
    /// Takes from a prompt what bears on its answer.
    #[must_use]
    pub fn of(prompt: &Prompt<'_>, id: &str, model: &str, created: u64, input_estimate: Option<u64>) -> Self {
        Self {
            id: id.to_owned(),
            model: model.to_owned(),
            created,
            input_estimate,
            taken_ids: prompt.call_ids(),
            freeform: prompt.freeform_tools(),
            show_thinking: prompt.reasoning.show,
            stream_usage: prompt.stream_usage,
        }
    }
}
