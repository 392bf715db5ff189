//! Reads Messages streams and answers into the hub, for clients of another wire.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::NotAnAnswer;
use super::usage::usage_of;
use crate::prompt::{Block, Completion, Event, Finish, Json, Text, ToolCall, Usage};
use crate::wire::failure::{self, FailureBody, StreamError, not_an_answer};
use crate::wire::json::{Pairs, present, read, text, whole, word};
use crate::wire::sse::{data_of, name_of};

/// Most blocks of one answer.
const MAX_BLOCKS: usize = 4096;
/// Most bytes of the input of one tool call.
const MAX_INPUT: usize = 16 * 1024 * 1024;

/// The fields of any event.
#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    index: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    content_block: Option<Content<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// A block, begun or whole.
#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    signature: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    signature: Option<&'a RawValue>,
    #[serde(borrow)]
    partial_json: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_sequence: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_details: Option<&'a RawValue>,
}

/// A block that was started.
#[derive(Debug)]
struct Started {
    index: u64,
    /// Which call it is, when it is one.
    call: Option<usize>,
    /// An input that came whole in the start, for servers that send no deltas.
    input: Option<String>,
    /// The pieces of its input so far.
    pieces: String,
}

/// Reads one stream.
#[derive(Debug, Default)]
pub struct StreamDecoder {
    show_thinking: bool,
    started: bool,
    began: bool,
    over: bool,
    calls: usize,
    open: Vec<Started>,
    /// A call stopped whose input is no object: right only where a limit cut it.
    half_call: bool,
    finish: Option<Finish<'static>>,
    error: Option<StreamError>,
}

impl StreamDecoder {
    /// A decoder at the start of a stream; with `show_thinking` for a client that is to see what is thought.
    #[must_use]
    pub fn new(show_thinking: bool) -> Self {
        Self { show_thinking, ..Self::default() }
    }

    /// Takes in one whole server-sent event.
    pub fn event(&mut self, raw: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        if self.over {
            return;
        }
        let Some(data) = data_of(raw) else { return };
        let name = name_of(raw);
        if matches!(name, Some(b"ping")) {
            return;
        }
        if name == Some(b"error") {
            return self.fail(failure::read(&data), sink);
        }
        match serde_json::from_slice::<Data<'_>>(&data) {
            Ok(fields) => {
                let kind = match name.map(std::str::from_utf8) {
                    Some(Ok(name)) => Some(std::borrow::Cow::Borrowed(name)),
                    _ => word(fields.kind),
                };
                self.take(kind.as_deref(), &fields, &data, sink);
            }
            // `[DONE]`, or a heartbeat sent as data.
            Err(_) if name.is_none() && !data.starts_with(b"{") => {}
            Err(_) => self.broken("upstream sent an event that is not understood", sink),
        }
    }

    /// Says that the body has ended; `rest` is what was begun and not ended by a blank line.
    pub fn end(&mut self, rest: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        let is_whole = data_of(rest).is_some_and(|data| serde_json::from_slice::<Data<'_>>(&data).is_ok());
        if is_whole {
            self.event(rest, sink);
        }
    }

    /// Whether generation was seen.
    #[must_use]
    pub fn began(&self) -> bool {
        self.began
    }

    /// What failed, after [`Event::Error`].
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.error.as_ref()
    }

    fn take(&mut self, kind: Option<&str>, fields: &Data<'_>, data: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match kind {
            Some("message_start") => {
                let Some(message) = &fields.message else { return };
                if std::mem::replace(&mut self.started, true) {
                    return self.broken("upstream began a second message inside the first", sink);
                }
                let filled = |json| text(json).filter(|text: &Text<'_>| !text.is_empty());
                sink(Event::Start { id: filled(message.id), model: filled(message.model) });
                if let Some(usage) = present(message.usage) {
                    sink(Event::Usage(usage_of(usage)));
                }
            }
            Some("content_block_start") => self.block_start(fields, sink),
            Some("content_block_delta") => self.block_delta(fields, sink),
            Some("content_block_stop") => self.block_stop(fields, sink),
            Some("message_delta") => {
                if let Some(usage) = present(fields.usage) {
                    sink(Event::Usage(usage_of(usage)));
                }
                if let Some(delta) =
                    fields.delta.as_ref().filter(|delta| present(delta.stop_reason).is_some())
                {
                    let finish = finish_of(delta.stop_reason, delta.stop_sequence, delta.stop_details);
                    self.finish = Some(finish.into_owned());
                }
            }
            Some("message_stop") => match self.finish.take() {
                Some(finish) => self.stop(finish, sink),
                None => self.broken("the stream ended without a stop reason", sink),
            },
            Some("error") => self.fail(failure::read(data), sink),
            None if present(fields.error).is_some() => self.fail(failure::read(data), sink),
            _ => {}
        }
    }

    /// A client runs the calls of an answer that ends well: so they have to be whole.
    fn stop(&mut self, finish: Finish<'_>, sink: &mut impl FnMut(Event<'_>)) {
        let cut = matches!(finish, Finish::Length | Finish::ContextWindow);
        if self.open.iter().any(|block| block.call.is_some()) {
            return self.broken("upstream ended its answer inside a tool call", sink);
        }
        if self.half_call && !cut {
            return self.broken("upstream made a tool call whose input is no JSON object", sink);
        }
        if matches!(finish, Finish::ToolUse) && self.calls == 0 {
            return self.broken("upstream stopped for a tool call and made none", sink);
        }
        self.over = true;
        sink(Event::Finish(finish));
        sink(Event::End);
    }

    fn block_start(&mut self, fields: &Data<'_>, sink: &mut impl FnMut(Event<'_>)) {
        self.began = true;
        let (Some(index), Some(block)) = (whole(fields.index), &fields.content_block) else { return };
        if self.open.len() >= MAX_BLOCKS {
            return self.broken("upstream opens more blocks than an answer has", sink);
        }
        let mut started = Started { index, call: None, input: None, pieces: String::new() };
        match word(block.kind).as_deref() {
            Some("text") => {
                if let Some(text) = text(block.text).filter(|text| !text.is_empty()) {
                    sink(Event::Text(text));
                }
            }
            Some("thinking") => {
                if let Some(text) = text(block.thinking).filter(|text| !text.is_empty() && self.show_thinking)
                {
                    sink(Event::Thinking(text));
                }
            }
            Some("redacted_thinking") => {
                if let Some(data) = text(block.data).filter(|_| self.show_thinking) {
                    sink(Event::RedactedThinking(data));
                }
            }
            Some("tool_use") => {
                let (Some(id), Some(name)) = (text(block.id), text(block.name)) else {
                    return self.broken("upstream made a tool call without an id or a name", sink);
                };
                let call = self.calls;
                self.calls = self.calls.saturating_add(1);
                started.call = Some(call);
                started.input =
                    present(block.input).map(RawValue::get).filter(|input| *input != "{}").map(str::to_owned);
                sink(Event::ToolStart { call, id, name });
            }
            _ => sink(Event::Dropped(text(block.kind).unwrap_or_default())),
        }
        self.open.push(started);
    }

    fn block_delta(&mut self, fields: &Data<'_>, sink: &mut impl FnMut(Event<'_>)) {
        self.began = true;
        let (Some(index), Some(delta)) = (whole(fields.index), &fields.delta) else { return };
        let filled = |json| text(json).filter(|text: &Text<'_>| !text.is_empty());
        match word(delta.kind).as_deref() {
            Some("text_delta") => {
                if let Some(text) = filled(delta.text) {
                    sink(Event::Text(text));
                }
            }
            Some("thinking_delta") if self.show_thinking => {
                if let Some(text) = filled(delta.thinking) {
                    sink(Event::Thinking(text));
                }
            }
            Some("signature_delta") if self.show_thinking => {
                if let Some(text) = filled(delta.signature) {
                    sink(Event::Signature(text));
                }
            }
            Some("input_json_delta") => {
                let Some(block) = self.open.iter_mut().find(|block| block.index == index) else {
                    return self.broken("upstream sent the input of a tool call that is not open", sink);
                };
                // The server's own tools have inputs too.
                let Some(call) = block.call else { return };
                if let Some(json) = filled(delta.partial_json) {
                    block.input = None;
                    block.pieces.push_str(&json.decode());
                    if block.pieces.len() > MAX_INPUT {
                        return self.broken("the input of upstream's tool call is larger than 16 MiB", sink);
                    }
                    sink(Event::ToolDelta { call, json });
                }
            }
            _ => {}
        }
    }

    fn block_stop(&mut self, fields: &Data<'_>, sink: &mut impl FnMut(Event<'_>)) {
        let index = whole(fields.index);
        let Some(at) = self.open.iter().position(|block| Some(block.index) == index) else { return };
        let block = self.open.remove(at);
        if let Some(call) = block.call {
            if let Some(input) = block.input {
                sink(Event::ToolDelta { call, json: Text::plain(&input) });
                self.half_call |= !is_object(input);
            } else if !block.pieces.is_empty() {
                self.half_call |= !is_object(block.pieces);
            }
            sink(Event::ToolStop { call });
        }
    }

    fn broken(&mut self, what: &str, sink: &mut impl FnMut(Event<'_>)) {
        self.fail(FailureBody { message: what.to_owned(), ..FailureBody::default() }, sink);
    }

    fn fail(&mut self, body: FailureBody, sink: &mut impl FnMut(Event<'_>)) {
        self.over = true;
        self.error = Some(StreamError {
            kind: body.kind.clone().unwrap_or_else(|| "api_error".to_owned()),
            message: body.message.clone(),
            body,
        });
        sink(Event::Error);
    }
}

fn is_object(input: String) -> bool {
    Json::parse(input).is_ok_and(|json| json.is_object())
}

fn finish_of<'a>(
    reason: Option<&'a RawValue>,
    sequence: Option<&'a RawValue>,
    details: Option<&'a RawValue>,
) -> Finish<'a> {
    match word(reason).as_deref() {
        Some("end_turn") => Finish::Stop,
        Some("stop_sequence") => Finish::StopSequence(text(sequence)),
        Some("max_tokens") => Finish::Length,
        Some("model_context_window_exceeded") => Finish::ContextWindow,
        Some("tool_use") => Finish::ToolUse,
        Some("refusal") => {
            let details: Option<Pairs<'a>> = present(details).and_then(read);
            Finish::Refusal(details.and_then(|details| text(present(details.get("explanation")))))
        }
        _ => Finish::Other(text(reason).unwrap_or_default()),
    }
}

/// Reads a whole answer; with `show_thinking` for a client that is to see what was thought.
///
/// # Errors
/// When it is no message.
pub fn decode_answer(body: &[u8], show_thinking: bool) -> Result<Completion<'_>, NotAnAnswer> {
    super::answer::read(body)?;
    let no = || not_an_answer(body);
    let pairs: Pairs<'_> = serde_json::from_slice(body).map_err(|_| no())?;
    let content: Vec<Content<'_>> = pairs.get("content").and_then(read).ok_or_else(no)?;
    let mut blocks = Vec::new();
    let mut dropped = Vec::new();
    for block in &content {
        match word(block.kind).as_deref() {
            Some("text") => blocks.push(Block::Text(text(block.text).unwrap_or_default())),
            Some("thinking") if show_thinking => blocks.push(Block::Thinking {
                text: text(block.thinking).unwrap_or_default(),
                signature: text(present(block.signature)),
            }),
            Some("redacted_thinking") if show_thinking => {
                blocks.push(Block::RedactedThinking(text(block.data).unwrap_or_default()));
            }
            Some("thinking" | "redacted_thinking") => {}
            Some("tool_use") => blocks.push(Block::ToolCall(ToolCall {
                id: text(block.id).ok_or_else(no)?,
                name: text(block.name).ok_or_else(no)?,
                input: match present(block.input) {
                    Some(input) => Some(Json::of(input)).filter(Json::is_object).ok_or_else(no)?,
                    None => Json::EMPTY_OBJECT,
                },
            })),
            other => crate::prompt::note(&mut dropped, other.unwrap_or("unknown")),
        }
    }
    Ok(Completion {
        id: text(present(pairs.get("id"))),
        model: text(present(pairs.get("model"))),
        blocks,
        finish: finish_of(pairs.get("stop_reason"), pairs.get("stop_sequence"), pairs.get("stop_details")),
        usage: present(pairs.get("usage")).map_or_else(Usage::default, usage_of),
        dropped,
    })
}
