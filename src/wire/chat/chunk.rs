//! The shape of a chunk and of a whole answer: typed where every server agrees, as written where they do not.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::prompt::{Finish, Text};
use crate::wire::json::{present, read, text, word};

/// A chunk of a stream, or a whole answer.
#[derive(Default, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) object: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) model: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) index: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) stop_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) matched_stop: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// What a chunk adds, or a whole message.
#[derive(Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) reasoning: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) reasoning_content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Call<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<Function<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) index: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    refusal: Option<&'a RawValue>,
}

impl<'a> Chunk<'a> {
    /// The first answer; no other is ever asked for.
    pub(super) fn choice(&self) -> Option<&Choice<'a>> {
        self.choices.as_ref()?.iter().find(|choice| choice.index.is_none_or(|index| index.get() == "0"))
    }

    /// Whether it says that something failed.
    pub(super) fn has_error(&self) -> bool {
        let is_error = |error: Option<&RawValue>| {
            present(error).is_some_and(|error| !matches!(error.get(), "false" | "\"\"" | "{}"))
        };
        is_error(self.error)
            || self.choices.iter().flatten().any(|choice| is_error(choice.error))
            || word(self.object).as_deref() == Some("error")
    }
}

impl<'a> Delta<'a> {
    /// The words, wherever and however a server puts them: a string, or a list of parts.
    pub(super) fn each_text(&self, mut take: impl FnMut(Text<'a>)) {
        let Some(content) = self.content else { return };
        match Text::of(content) {
            Some(text) if text.is_empty() => {}
            Some(text) => take(text),
            None => pieces(content, |piece| piece.text).into_iter().for_each(take),
        }
    }

    /// The words of a refusal: a field of its own, or parts of the content.
    pub(super) fn each_refusal(&self, mut take: impl FnMut(Text<'a>)) {
        if let Some(content) = self.content.filter(|content| content.get().starts_with('[')) {
            pieces(content, |piece| piece.refusal).into_iter().for_each(&mut take);
        }
        if let Some(text) = text(self.refusal).filter(|text| !text.is_empty()) {
            take(text);
        }
    }

    /// What was thought: `reasoning`, in older servers `reasoning_content`; some send both, with the same words.
    pub(super) fn thought(&self) -> Option<Text<'a>> {
        let filled = |json| text(json).filter(|text: &Text<'a>| !text.is_empty());
        filled(self.reasoning).or_else(|| filled(self.reasoning_content))
    }
}

fn pieces<'a>(content: &'a RawValue, of: impl Fn(&Piece<'a>) -> Option<&'a RawValue>) -> Vec<Text<'a>> {
    let list: Vec<Piece<'a>> = read(content).unwrap_or_default();
    list.iter().filter_map(|piece| text(of(piece))).filter(|text| !text.is_empty()).collect()
}

/// What a finish reason means.
pub(super) enum Ending<'a> {
    /// Not yet.
    None,
    /// An end.
    Finish(Finish<'a>),
    /// No end that is known to be sound.
    Failure(String),
}

impl<'a> Choice<'a> {
    /// Reads the finish reason. `calls` says whether a call was made, `refused` whether a refusal was said.
    pub(super) fn ending(&self, calls: bool, refused: bool) -> Ending<'a> {
        let Some(reason) = present(self.finish_reason) else { return Ending::None };
        let reason = word(Some(reason)).unwrap_or_default();
        let finish = match reason.as_ref() {
            "" => return Ending::None,
            "stop" | "tool_calls" | "function_call" if calls => Finish::ToolUse,
            "stop" | "content_filter" if refused => Finish::Refusal(None),
            "content_filter" => Finish::Refusal(None),
            "stop" => match [self.stop_reason, self.matched_stop].into_iter().find_map(text) {
                // A string is the client's own stop text; a number is the id of a token.
                Some(sequence) if !sequence.is_empty() => Finish::StopSequence(Some(sequence)),
                _ => Finish::Stop,
            },
            "length" => Finish::Length,
            "tool_calls" | "function_call" => {
                return Ending::Failure(format!("upstream ended with {reason} and made no call"));
            }
            other => {
                let other = crate::wire::failure::cut(other, 40);
                return Ending::Failure(format!("upstream ended with the finish reason {other:?}"));
            }
        };
        Ending::Finish(finish)
    }
}
