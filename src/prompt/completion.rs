//! A whole answer.

use super::{Event, Finish, Text, ToolCall, Usage};

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion<'a> {
    /// The upstream's id for it.
    pub id: Option<Text<'a>>,
    /// The model that served.
    pub model: Option<Text<'a>>,
    /// What was said, in order.
    pub blocks: Vec<Block<'a>>,
    /// Why it ended.
    pub finish: Finish<'a>,
    /// What it cost.
    pub usage: Usage,
    /// Types of blocks that the hub cannot say.
    pub dropped: Vec<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Block<'a> {
    /// Words.
    Text(Text<'a>),
    /// Words of a refusal.
    Refusal(Text<'a>),
    /// What the model thought.
    Thinking {
        /// The words.
        text: Text<'a>,
        /// The vendor's proof.
        signature: Option<Text<'a>>,
    },
    /// Thought that only its vendor can read.
    RedactedThinking(Text<'a>),
    /// A call; its id is not empty and no other call of the answer has it.
    ToolCall(ToolCall<'a>),
}

impl Completion<'_> {
    /// Tells the answer as a stream.
    pub fn tell(&self, mut sink: impl FnMut(Event<'_>)) {
        sink(Event::Start {
            id: self.id.as_ref().map(Text::by_ref),
            model: self.model.as_ref().map(Text::by_ref),
        });
        let mut calls = 0_usize;
        for block in &self.blocks {
            match block {
                Block::Text(text) if !text.is_empty() => sink(Event::Text(text.by_ref())),
                Block::Refusal(text) if !text.is_empty() => sink(Event::Refusal(text.by_ref())),
                Block::Text(_) | Block::Refusal(_) => {}
                Block::Thinking { text, signature } => {
                    if !text.is_empty() {
                        sink(Event::Thinking(text.by_ref()));
                    }
                    if let Some(signature) = signature {
                        sink(Event::Signature(signature.by_ref()));
                    }
                }
                Block::RedactedThinking(data) => sink(Event::RedactedThinking(data.by_ref())),
                Block::ToolCall(call) => {
                    let at = calls;
                    calls = calls.saturating_add(1);
                    sink(Event::ToolStart { call: at, id: call.id.by_ref(), name: call.name.by_ref() });
                    let json = Text::plain(call.input.as_str());
                    sink(Event::ToolDelta { call: at, json });
                    sink(Event::ToolStop { call: at });
                }
            }
        }
        for kind in &self.dropped {
            sink(Event::Dropped(Text::plain(kind)));
        }
        sink(Event::Usage(self.usage));
        sink(Event::Finish(self.finish.clone()));
        sink(Event::End);
    }
}
