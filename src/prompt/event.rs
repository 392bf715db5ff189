//! What happens in a stream.

use super::{Text, Usage};

/// One thing that happens in a stream, in the order that it happens.
///
/// A decoder promises: [`Event::Start`] comes at most once and first; a call is started once and before its
/// deltas, and has a non-empty id that no other call of the stream has; nothing follows [`Event::Error`] or
/// [`Event::End`]; [`Event::End`] comes after [`Event::Finish`] and says that the answer is whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The upstream names the answer and the model.
    Start {
        /// The answer's id.
        id: Option<Text<'a>>,
        /// The model that serves.
        model: Option<Text<'a>>,
    },
    /// Words of the answer; never empty.
    Text(Text<'a>),
    /// Words of a refusal; never empty.
    Refusal(Text<'a>),
    /// Words of what the model thinks; never empty. Only where the client is to see them.
    Thinking(Text<'a>),
    /// The proof that belongs to the thought before it.
    Signature(Text<'a>),
    /// Thought that only its vendor can read.
    RedactedThinking(Text<'a>),
    /// A call begins.
    ToolStart {
        /// Counts the calls of the stream from 0.
        call: usize,
        /// Ties the call to its result.
        id: Text<'a>,
        /// The tool.
        name: Text<'a>,
    },
    /// A piece of a call's input; never empty. Pieces of several calls may be mixed.
    ToolDelta {
        /// Which call.
        call: usize,
        /// A piece of its JSON.
        json: Text<'a>,
    },
    /// A call is whole.
    ToolStop {
        /// Which call.
        call: usize,
    },
    /// A block of the answer that the hub cannot say; its type.
    Dropped(Text<'a>),
    /// What is known of the cost so far; cumulative.
    Usage(Usage),
    /// Generation has ended.
    Finish(Finish<'a>),
    /// The answer is whole: nothing more comes.
    End,
    /// The upstream failed. The decoder keeps what it said.
    Error,
}

/// Why generation ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish<'a> {
    /// The model was done.
    Stop,
    /// One of the client's stop texts came.
    StopSequence(Option<Text<'a>>),
    /// The limit of tokens was reached.
    Length,
    /// The model's context is full.
    ContextWindow,
    /// Tools are to be called.
    ToolUse,
    /// The model or a filter refused; its explanation, where there is one.
    Refusal(Option<Text<'a>>),
    /// A reason that only its own vendor's clients know how to go on from, such as `pause_turn`.
    Other(Text<'a>),
}

impl Finish<'_> {
    /// The same, kept apart from what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Finish<'static> {
        match self {
            Self::Stop => Finish::Stop,
            Self::StopSequence(text) => Finish::StopSequence(text.map(Text::into_owned)),
            Self::Length => Finish::Length,
            Self::ContextWindow => Finish::ContextWindow,
            Self::ToolUse => Finish::ToolUse,
            Self::Refusal(text) => Finish::Refusal(text.map(Text::into_owned)),
            Self::Other(text) => Finish::Other(text.into_owned()),
        }
    }
}
