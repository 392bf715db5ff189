//! Reads a whole chat answer.

use std::collections::BTreeSet;

use super::chunk::{Call, Chunk, Delta, Ending, Function};
use super::listen::read_error;
use super::usage::usage_of;
use crate::prompt::{Block, Completion, Finish, Json, Text, ToolCall, Usage};
use crate::wire::failure::{FailureBody, NotAnAnswer, not_an_answer};
use crate::wire::ids;
use crate::wire::json::{present, text};

/// Reads the whole body of a 200; with `show_thinking` for a client that is to see what was thought.
///
/// # Errors
/// When it is no whole answer: an error body, no choices, an empty one, a finish that is none, broken calls.
pub fn decode_answer(body: &[u8], show_thinking: bool) -> Result<Completion<'_>, NotAnAnswer> {
    let Ok(chunk) = serde_json::from_slice::<Chunk<'_>>(body) else { return Err(not_an_answer(body)) };
    if chunk.has_error() {
        return Err(failed(read_error(body), "an error: "));
    }
    let Some(choice) = chunk.choice() else {
        return Err(match &chunk.choices {
            Some(_) => wrong("upstream answered 200 with no choices"),
            None => not_an_answer(body),
        });
    };
    let Some(message) = choice.message.as_ref().or(choice.delta.as_ref()) else {
        return Err(wrong("upstream answered 200 with a choice that has no message"));
    };
    let calls = calls_of(message);
    let mut refusals = Vec::new();
    message.each_refusal(|text| refusals.push(text));
    let finish = match choice.ending(!calls.is_empty(), !refusals.is_empty()) {
        Ending::Finish(finish) => finish,
        Ending::None => return Err(wrong("upstream answered 200 without a finish reason")),
        Ending::Failure(what) => return Err(wrong(&what)),
    };
    let mut blocks = Vec::new();
    if let Some(text) = message.thought().filter(|_| show_thinking) {
        blocks.push(Block::Thinking { text, signature: None });
    }
    message.each_text(|text| blocks.push(Block::Text(text)));
    blocks.extend(refusals.into_iter().map(Block::Refusal));
    let has_calls = !calls.is_empty();
    let cut = matches!(finish, Finish::Length);
    push_calls(&mut blocks, &calls, cut)?;
    if blocks.is_empty() && !has_calls && !matches!(finish, Finish::Refusal(_)) {
        return Err(wrong("upstream answered 200 without a word"));
    }
    let filled = |json| text(json).filter(|text: &Text<'_>| !text.is_empty());
    Ok(Completion {
        id: filled(chunk.id),
        model: filled(chunk.model),
        blocks,
        finish,
        usage: present(chunk.usage).map_or_else(Usage::default, usage_of),
        dropped: Vec::new(),
    })
}

/// The calls of a message: id and function.
fn calls_of<'m, 'a>(message: &'m Delta<'a>) -> Vec<(Option<Text<'a>>, &'m Function<'a>)> {
    let calls = message.tool_calls.iter().flatten();
    let of = |call: &'m Call<'a>| call.function.as_ref().map(|function| (text(call.id), function));
    let mut all: Vec<_> = calls.filter_map(of).collect();
    if all.is_empty() {
        all.extend(message.function_call.as_ref().map(|function| (None, function)));
    }
    all
}

fn push_calls<'a>(
    blocks: &mut Vec<Block<'a>>,
    calls: &[(Option<Text<'a>>, &Function<'a>)],
    cut: bool,
) -> Result<(), NotAnAnswer> {
    let mut taken = BTreeSet::new();
    for (at, (id, function)) in calls.iter().enumerate() {
        let id = id.as_ref().map(Text::decode).unwrap_or_default();
        let id = Text::plain(&ids::unique(&id, at, &mut taken));
        let name = text(function.name).filter(|name| !name.is_empty());
        match (name, arguments(function)) {
            (Some(name), Arguments::Object(input)) => {
                blocks.push(Block::ToolCall(ToolCall { id, name, input }));
            }
            // Half a call, as the limit left it: a whole answer cannot hold it. That nothing of its arguments
            // came is no sign that none were meant.
            _ if cut => {}
            (Some(name), Arguments::Nothing) => {
                blocks.push(Block::ToolCall(ToolCall { id, name, input: Json::EMPTY_OBJECT }));
            }
            (None, _) => return Err(wrong("upstream made a tool call without a name")),
            (_, Arguments::Broken) => {
                return Err(wrong("upstream made a tool call whose arguments are no JSON object"));
            }
        }
    }
    Ok(())
}

/// The arguments of a call.
enum Arguments<'a> {
    Object(Json<'a>),
    /// None, or white space.
    Nothing,
    /// No JSON object.
    Broken,
}

fn arguments<'a>(function: &Function<'a>) -> Arguments<'a> {
    let Some(json) = present(function.arguments) else { return Arguments::Nothing };
    let object = match Text::of(json) {
        Some(text) if text.decode().trim_ascii().is_empty() => return Arguments::Nothing,
        Some(text) => Json::parse(text.decode().into_owned()).ok(),
        None => Some(Json::of(json)),
    };
    object.filter(Json::is_object).map_or(Arguments::Broken, Arguments::Object)
}

fn wrong(message: &str) -> NotAnAnswer {
    let body = FailureBody { message: message.to_owned(), is_json: true, ..FailureBody::default() };
    NotAnAnswer { kind: None, status_hint: None, message: message.to_owned(), body: Box::new(body) }
}

fn failed(mut body: FailureBody, what: &str) -> NotAnAnswer {
    body.message = format!("{what}{}", body.message);
    let message = format!("upstream answered 200 with {}", body.message);
    NotAnAnswer { kind: body.kind.clone(), status_hint: body.status_hint(), message, body: Box::new(body) }
}
