//! Tells the hub's events, or a whole answer, to a client of this wire.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bytes::Bytes;

use super::usage::write_usage;
use crate::prompt::{Block, Completion, Event, Finish, Text, Usage};
use crate::wire::json::{Pairs, quoted, text};
use crate::wire::{AnswerOptions, Dialect, reply};

/// An end that this wire has no words for, such as `pause_turn`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("upstream stopped with {reason}, which a chat completion cannot say")]
pub struct Unsayable {
    /// Upstream's reason.
    pub reason: String,
}

/// Writes one stream.
#[derive(Debug, Default)]
pub struct StreamEncoder {
    options: AnswerOptions,
    id: Option<Text<'static>>,
    model: Option<Text<'static>>,
    /// What every chunk begins with, once it is known.
    head: String,
    calls: Vec<Call>,
    usage: Usage,
    said_bytes: u64,
    refused: bool,
    finish: Option<Finish<'static>>,
    over: bool,
}

#[derive(Debug)]
struct Call {
    /// The input so far, where it cannot be told in pieces.
    kept: Option<(Text<'static>, Text<'static>, String)>,
    told: bool,
}

impl StreamEncoder {
    /// An encoder at the start of a stream.
    #[must_use]
    pub fn new(options: AnswerOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes in one event and writes what can be told. The caller sees to it that no [`Finish::Other`] comes.
    pub fn take(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match event {
            Event::Start { id, model } => {
                self.id = id.map(Text::into_owned);
                self.model = model.map(Text::into_owned);
            }
            Event::Text(text) => self.words(out, "content", &text),
            Event::Refusal(text) => {
                self.refused = true;
                self.words(out, "refusal", &text);
            }
            Event::Thinking(text) => self.words(out, "reasoning", &text),
            Event::ToolStart { call, id, name } => self.tool_start(out, call, id, name),
            Event::ToolDelta { call, json } => self.tool_delta(out, call, &json),
            Event::ToolStop { call } => self.tool_stop(out, call),
            Event::Usage(usage) => self.usage.merge(usage),
            Event::Finish(finish) => self.finish = Some(finish.into_owned()),
            Event::End => self.end(out),
            Event::Signature(_) | Event::RedactedThinking(_) | Event::Dropped(_) | Event::Error => {}
        }
    }

    /// Whether anything was told.
    #[must_use]
    pub fn committed(&self) -> bool {
        !self.head.is_empty()
    }

    /// Whether the client has the end of the answer.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.over
    }

    /// The loud end of a stream that failed: an error, and no `[DONE]`.
    pub fn close(&self, message: &str, out: &mut Vec<u8>) {
        if !self.over {
            out.extend_from_slice(&reply::stream_error(Dialect::OpenAi, 502, None, None, message, ""));
        }
    }

    fn words(&mut self, out: &mut Vec<u8>, key: &str, text: &Text<'_>) {
        self.count(text);
        self.chunk(out, &["{\"", key, "\":", text.as_json(), "}"], None);
    }

    fn count(&mut self, text: &Text<'_>) {
        self.said_bytes = self.said_bytes.saturating_add(text.escaped().len().try_into().unwrap_or(0));
    }

    fn tool_start(&mut self, out: &mut Vec<u8>, call: usize, id: Text<'_>, name: Text<'_>) {
        if call != self.calls.len() {
            return;
        }
        let freeform = self.options.freeform.contains(name.decode().as_ref());
        let kept = freeform.then(|| (id.clone().into_owned(), name.clone().into_owned(), String::new()));
        if kept.is_none() {
            let start = format!(
                r#"{{"tool_calls":[{{"index":{call},"id":{},"type":"function","function":{{"name":{},"arguments":""}}}}]}}"#,
                id.as_json(),
                name.as_json()
            );
            self.chunk(out, &[&start], None);
        }
        self.calls.push(Call { kept, told: false });
    }

    fn tool_delta(&mut self, out: &mut Vec<u8>, call: usize, json: &Text<'_>) {
        self.count(json);
        let Some(state) = self.calls.get_mut(call) else { return };
        if let Some((_, _, kept)) = &mut state.kept {
            kept.push_str(&json.decode());
            return;
        }
        state.told = true;
        self.arguments(out, call, json);
    }

    fn arguments(&mut self, out: &mut Vec<u8>, call: usize, json: &Text<'_>) {
        let call = call.to_string();
        let delta =
            [r#"{"tool_calls":[{"index":"#, &call, r#","function":{"arguments":"#, json.as_json(), "}}]}"];
        self.chunk(out, &delta, None);
    }

    fn tool_stop(&mut self, out: &mut Vec<u8>, call: usize) {
        let Some(state) = self.calls.get_mut(call) else { return };
        match state.kept.take() {
            Some((id, name, input)) => {
                state.told = true;
                let whole =
                    format!(r#"{{"tool_calls":[{{"index":{call},{}}}]}}"#, custom_call(&id, &name, &input));
                self.chunk(out, &[&whole], None);
            }
            // Clients parse the arguments: none at all is no JSON.
            None if !state.told => {
                state.told = true;
                self.arguments(out, call, &Text::plain("{}"));
            }
            None => {}
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let Some(finish) = self.finish.take() else { return };
        if let Finish::Refusal(Some(explanation)) = &finish
            && !self.refused
        {
            self.words(out, "refusal", &explanation.clone());
        }
        let reason = reason_of(&finish).unwrap_or("error");
        self.chunk(out, &["{}"], Some(reason));
        if self.options.stream_usage {
            let mut usage = String::new();
            write_usage(&mut usage, &estimated(self.usage, &self.options, self.said_bytes));
            for part in ["data: ", &self.head, ",\"choices\":[],\"usage\":", &usage, "}\n\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
        self.over = true;
    }

    fn chunk(&mut self, out: &mut Vec<u8>, delta: &[&str], finish: Option<&str>) {
        if self.head.is_empty() {
            self.head = format!(
                r#"{{"id":{},"object":"chat.completion.chunk","created":{},"model":{}"#,
                quoted(&answer_id(self.id.as_ref(), &self.options.id)),
                self.options.created,
                model(self.model.as_ref(), &self.options)
            );
            self.chunk(out, &[r#"{"role":"assistant","content":""}"#], None);
        }
        for part in ["data: ", &self.head, ",\"choices\":[{\"index\":0,\"delta\":"]
            .into_iter()
            .chain(delta.iter().copied())
        {
            out.extend_from_slice(part.as_bytes());
        }
        let finish = finish.map_or_else(|| "null".to_owned(), |reason| format!("\"{reason}\""));
        let usage = if self.options.stream_usage { ",\"usage\":null" } else { "" };
        for part in [",\"finish_reason\":", &finish, "}]", usage, "}\n\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    }
}

/// The finish reason; `None` where this wire has none.
fn reason_of(finish: &Finish<'_>) -> Option<&'static str> {
    Some(match finish {
        Finish::Stop | Finish::StopSequence(_) => "stop",
        Finish::Length | Finish::ContextWindow => "length",
        Finish::ToolUse => "tool_calls",
        Finish::Refusal(_) => "content_filter",
        Finish::Other(_) => return None,
    })
}

fn answer_id(upstream: Option<&Text<'_>>, own: &str) -> String {
    let upstream = upstream.map(Text::decode).unwrap_or_default();
    let id = if upstream.is_empty() { own } else { &upstream };
    if id.starts_with("chatcmpl-") { id.to_owned() } else { format!("chatcmpl-{id}") }
}

fn model(upstream: Option<&Text<'_>>, options: &AnswerOptions) -> String {
    upstream.map_or_else(|| quoted(&options.model), |model| model.as_json().to_owned())
}

fn estimated(mut usage: Usage, options: &AnswerOptions, said_bytes: u64) -> Usage {
    if usage.all_input().is_none() {
        usage.input = options.input_estimate;
    }
    if usage.output.is_none() {
        usage.output = Some(said_bytes.div_ceil(4).max(1));
    }
    usage
}

/// The fields of a call of a tool that takes free text: its one string, unwrapped.
fn custom_call(id: &Text<'_>, name: &Text<'_>, input: &str) -> String {
    let inside = serde_json::from_str::<Pairs<'_>>(input).ok();
    let input =
        inside.as_ref().and_then(|pairs| text(pairs.get("input"))).unwrap_or_else(|| Text::plain(input));
    format!(
        r#""id":{},"type":"custom","custom":{{"name":{},"input":{}}}"#,
        id.as_json(),
        name.as_json(),
        input.as_json()
    )
}

/// Writes a whole answer.
///
/// # Errors
/// When it ended in a way that this wire has no words for.
pub fn encode_answer(answer: &Completion<'_>, options: &AnswerOptions) -> Result<Bytes, Unsayable> {
    let Some(reason) = reason_of(&answer.finish) else {
        let reason = match &answer.finish {
            Finish::Other(reason) => crate::wire::failure::cut(&reason.decode(), 64).to_owned(),
            _ => String::new(),
        };
        return Err(Unsayable { reason });
    };
    let mut content: Option<String> = None;
    let mut refusal: Option<String> = None;
    let mut reasoning: Option<String> = None;
    let mut calls: Vec<String> = Vec::new();
    for block in &answer.blocks {
        match block {
            Block::Text(text) => content.get_or_insert_default().push_str(text.escaped()),
            Block::Refusal(text) => refusal.get_or_insert_default().push_str(text.escaped()),
            Block::Thinking { text, .. } => reasoning.get_or_insert_default().push_str(text.escaped()),
            Block::RedactedThinking(_) => {}
            Block::ToolCall(call) => calls.push(if is_freeform(&call.name, &options.freeform) {
                format!("{{{}}}", custom_call(&call.id, &call.name, call.input.as_str()))
            } else {
                format!(
                    r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
                    call.id.as_json(),
                    call.name.as_json(),
                    Text::plain(call.input.as_str()).as_json()
                )
            }),
        }
    }
    if let Finish::Refusal(Some(explanation)) = &answer.finish
        && refusal.is_none()
    {
        refusal = Some(explanation.escaped().to_owned());
    }
    if content.is_none() && refusal.is_none() && calls.is_empty() {
        content = Some(String::new());
    }
    let lengths = [&content, &refusal, &reasoning].into_iter().flatten().chain(&calls).map(String::len);
    let said_bytes = lengths.fold(0_u64, |sum, length| sum.saturating_add(length.try_into().unwrap_or(0)));
    let string =
        |text: &Option<String>| text.as_ref().map_or("null".to_owned(), |text| format!("\"{text}\""));
    let mut out = format!(
        r#"{{"id":{},"object":"chat.completion","created":{},"model":{},"choices":[{{"index":0,"message":{{"role":"assistant","content":{},"refusal":{}"#,
        quoted(&answer_id(answer.id.as_ref(), &options.id)),
        options.created,
        model(answer.model.as_ref(), options),
        string(&content),
        string(&refusal),
    );
    if let Some(reasoning) = reasoning {
        // Writing to a String cannot fail.
        _ = write!(out, ",\"reasoning\":\"{reasoning}\"");
    }
    if !calls.is_empty() {
        _ = write!(out, ",\"tool_calls\":[{}]", calls.join(","));
    }
    _ = write!(out, "}},\"logprobs\":null,\"finish_reason\":\"{reason}\"}}],\"usage\":");
    write_usage(&mut out, &estimated(answer.usage, options, said_bytes));
    out.push('}');
    Ok(Bytes::from(out))
}

fn is_freeform(name: &Text<'_>, freeform: &BTreeSet<String>) -> bool {
    freeform.contains(name.decode().as_ref())
}
