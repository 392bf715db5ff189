//! A prompt, whoever asks and whoever is asked.

use std::collections::BTreeSet;

use super::{Message, OutputFormat, Part, Reasoning, Sampling, Text, Tool, ToolChoice};

/// How many names of dropped fields are kept.
const MAX_EXTRAS: usize = 32;
/// How long such a name may be, in bytes.
const MAX_EXTRA_BYTES: usize = 64;

/// A request for one answer. Never changed once it is decoded: every attempt encodes it anew.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt<'a> {
    /// The model that was asked for.
    pub model: Text<'a>,
    /// What the operator says first, in order.
    pub system: Vec<Text<'a>>,
    /// The conversation.
    pub messages: Vec<Message<'a>>,
    /// The tools on offer.
    pub tools: Vec<Tool<'a>>,
    /// Which of them may or must be called.
    pub tool_choice: Option<ToolChoice<'a>>,
    /// Whether several calls may come in one answer, where that was said.
    pub parallel_tools: Option<bool>,
    /// Most tokens of the answer.
    pub max_tokens: Option<u64>,
    /// Texts that end the answer.
    pub stop: Vec<Text<'a>>,
    /// Numbers of the sampler.
    pub sampling: Sampling<'a>,
    /// Whether and how much the model is to think.
    pub reasoning: Reasoning,
    /// The form that the answer is to have.
    pub format: Option<OutputFormat<'a>>,
    /// Whether the answer is to come as a stream.
    pub stream: bool,
    /// Whether an OpenAI client asked for the usage in its stream.
    pub stream_usage: bool,
    /// Who is behind the request, as the client names it.
    pub user: Option<Text<'a>>,
    /// Fields that need the vendor itself (`container`, `mcp_servers`): no other wire can serve the request.
    pub native: Vec<&'static str>,
    /// Names of client fields that have no place here, each once: fit for a header.
    pub extras: Vec<String>,
}

impl Prompt<'_> {
    /// Notes a client field that has no place here.
    pub fn note_extra(&mut self, name: &str) {
        note(&mut self.extras, name);
    }

    /// The ids of all tool calls of the conversation, as the client has them.
    #[must_use]
    pub fn call_ids(&self) -> BTreeSet<String> {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        parts
            .filter_map(|part| match part {
                Part::ToolCall(call) => Some(call.id.decode().into_owned()),
                _ => None,
            })
            .collect()
    }

    /// The names of tools that take free text.
    #[must_use]
    pub fn freeform_tools(&self) -> BTreeSet<String> {
        let names = self.tools.iter().filter_map(|tool| match tool {
            Tool::Function(function) if function.freeform => Some(function.name.decode().into_owned()),
            _ => None,
        });
        names.collect()
    }

    /// Whether a picture stands anywhere in it.
    #[must_use]
    pub fn has_images(&self) -> bool {
        fn has(parts: &[Part<'_>]) -> bool {
            parts.iter().any(|part| match part {
                Part::Image(_) => true,
                Part::ToolResult(result) => has(&result.parts),
                Part::Document(document) => match &document.source {
                    super::DocumentSource::Parts(parts) => has(parts),
                    _ => false,
                },
                _ => false,
            })
        }
        self.messages.iter().any(|message| has(&message.parts))
    }
}

/// Adds a field's name to a list that goes into a header: letters, digits and `_.-`, each once, bounded.
pub(crate) fn note(list: &mut Vec<String>, name: &str) {
    let clean: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' })
        .take(MAX_EXTRA_BYTES)
        .collect();
    if !clean.is_empty() && list.len() < MAX_EXTRAS && !list.contains(&clean) {
        list.push(clean);
    }
}
