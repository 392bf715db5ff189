//! The bytes of an Anthropic answer, told as events or whole.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write as _;

use bytes::Bytes;

use crate::prompt::{Block, Completion, Finish, Text, Usage};
use crate::wire::json::quoted;
use crate::wire::{AnswerOptions, ids};

/// Adds one event; `rest` is what follows its type.
fn event(out: &mut Vec<u8>, kind: &str, rest: &[&str]) {
    for part in ["event: ", kind, "\ndata: {\"type\":\"", kind, "\""] {
        out.extend_from_slice(part.as_bytes());
    }
    for part in rest {
        out.extend_from_slice(part.as_bytes());
    }
    out.extend_from_slice(b"}\n\n");
}

/// Adds an event of a block.
fn block_event(out: &mut Vec<u8>, kind: &str, index: u64, rest: &[&str]) {
    for part in ["event: ", kind, "\ndata: {\"type\":\"", kind, "\",\"index\":"] {
        out.extend_from_slice(part.as_bytes());
    }
    // Writing to a vector cannot fail.
    _ = write!(out, "{index}");
    for part in rest {
        out.extend_from_slice(part.as_bytes());
    }
    out.extend_from_slice(b"}\n\n");
}

pub(super) fn message_start(out: &mut Vec<u8>, id: &str, model: &str, usage: &Usage) {
    let usage = usage_json(&Usage { output: Some(usage.output.unwrap_or(0)), ..*usage });
    let rest = [
        ",\"message\":{\"id\":\"",
        id,
        "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":",
        model,
        ",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":",
        &usage,
        "}",
    ];
    event(out, "message_start", &rest);
}

pub(super) fn text_start(out: &mut Vec<u8>, index: u64) {
    block_event(out, "content_block_start", index, &[r#","content_block":{"type":"text","text":""}"#]);
}

pub(super) fn thinking_start(out: &mut Vec<u8>, index: u64) {
    let block = r#","content_block":{"type":"thinking","thinking":"","signature":""}"#;
    block_event(out, "content_block_start", index, &[block]);
}

pub(super) fn tool_start(out: &mut Vec<u8>, index: u64, id: &str, name: &Text<'_>) {
    let rest = [
        r#","content_block":{"type":"tool_use","id":"#,
        &quoted(id),
        ",\"name\":",
        name.as_json(),
        r#","input":{}}"#,
    ];
    block_event(out, "content_block_start", index, &rest);
}

pub(super) fn redacted(out: &mut Vec<u8>, index: u64, data: &Text<'_>) {
    let rest = [r#","content_block":{"type":"redacted_thinking","data":"#, data.as_json(), "}"];
    block_event(out, "content_block_start", index, &rest);
    block_stop(out, index);
}

pub(super) fn delta(out: &mut Vec<u8>, index: u64, kind: &str, key: &str, text: &Text<'_>) {
    let rest = [",\"delta\":{\"type\":\"", kind, "\",\"", key, "\":", text.as_json(), "}"];
    block_event(out, "content_block_delta", index, &rest);
}

pub(super) fn block_stop(out: &mut Vec<u8>, index: u64) {
    block_event(out, "content_block_stop", index, &[]);
}

pub(super) fn end(out: &mut Vec<u8>, finish: &Finish<'_>, refusal: &str, usage: &Usage) {
    let rest = [",\"delta\":{", &ending(finish, refusal), "},\"usage\":", &usage_json(usage)];
    event(out, "message_delta", &rest);
    event(out, "message_stop", &[]);
}

/// The error types that Anthropic's clients know.
const ERROR_TYPES: [&str; 11] = [
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "conflict_error",
    "request_too_large",
    "rate_limit_error",
    "api_error",
    "timeout_error",
    "overloaded_error",
];

/// The type that stands for another vendor's.
fn error_type(kind: &str) -> &str {
    match kind {
        known if ERROR_TYPES.contains(&known) => known,
        "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" | "insufficient_quota" => "rate_limit_error",
        "server_is_overloaded" | "service_unavailable_error" | "slow_down" | "UNAVAILABLE" => {
            "overloaded_error"
        }
        _ => "api_error",
    }
}

pub(super) fn error(out: &mut Vec<u8>, kind: &str, message: &str) {
    let kind = error_type(kind);
    let rest = [",\"error\":{\"type\":", &quoted(kind), ",\"message\":", &quoted(message), "}"];
    event(out, "error", &rest);
}

pub(super) fn failed_end(out: &mut Vec<u8>, usage: &Usage) {
    let rest = [r#","delta":{"stop_reason":"error","stop_sequence":null},"usage":"#, &usage_json(usage)];
    event(out, "message_delta", &rest);
    event(out, "message_stop", &[]);
}

/// The id of a message: upstream's, made to look like one of Anthropic's.
pub(super) fn message_id(upstream: Option<&Text<'_>>, own: &str) -> String {
    let upstream = upstream.map(Text::decode).unwrap_or_default();
    let id = if upstream.is_empty() { own } else { &upstream };
    let clean: String =
        id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(64).collect();
    if clean.starts_with("msg_") { clean } else { format!("msg_{clean}") }
}

/// The model that serves, as JSON.
pub(super) fn model<'t>(upstream: Option<&'t Text<'_>>, own: &str) -> Cow<'t, str> {
    match upstream {
        Some(model) => Cow::Borrowed(model.as_json()),
        None => Cow::Owned(quoted(own)),
    }
}

/// The fields that say why a message ended. `refusal` is a refusal in words, escaped.
fn ending(finish: &Finish<'_>, refusal: &str) -> String {
    let plain = |reason: &str| format!(r#""stop_reason":"{reason}","stop_sequence":null"#);
    match finish {
        Finish::Stop => plain("end_turn"),
        Finish::StopSequence(sequence) => {
            let sequence = sequence.as_ref().map_or("null", Text::as_json);
            format!(r#""stop_reason":"stop_sequence","stop_sequence":{sequence}"#)
        }
        Finish::Length => plain("max_tokens"),
        Finish::ContextWindow => plain("model_context_window_exceeded"),
        Finish::ToolUse => plain("tool_use"),
        Finish::Refusal(explanation) => {
            let explanation = match explanation {
                Some(text) => text.as_json().to_owned(),
                None if refusal.is_empty() => "null".to_owned(),
                None => format!("\"{refusal}\""),
            };
            let details = format!(r#"{{"type":"refusal","category":null,"explanation":{explanation}}}"#);
            format!("{},\"stop_details\":{details}", plain("refusal"))
        }
        Finish::Other(reason) => {
            format!(r#""stop_reason":{},"stop_sequence":null"#, reason.as_json())
        }
    }
}

/// A `usage` object; an unknown count is left out, never told as zero.
fn usage_json(usage: &Usage) -> String {
    let fields = [
        ("input_tokens", usage.input),
        ("cache_creation_input_tokens", usage.cache_write),
        ("cache_read_input_tokens", usage.cache_read),
        ("output_tokens", usage.output),
    ];
    let known: Vec<String> = fields
        .into_iter()
        .filter_map(|(name, count)| count.map(|count| format!("\"{name}\":{count}")))
        .chain(usage.thinking.map(|t| format!(r#""output_tokens_details":{{"thinking_tokens":{t}}}"#)))
        .collect();
    format!("{{{}}}", known.join(","))
}

/// Writes a whole answer as a message.
#[must_use]
pub fn encode_answer(answer: &Completion<'_>, options: &AnswerOptions) -> Bytes {
    let mut taken: BTreeSet<String> = options.taken_ids.clone();
    let mut blocks: Vec<String> = Vec::new();
    let mut refusal = String::new();
    let mut said_bytes = 0_u64;
    let mut calls = 0_usize;
    for block in &answer.blocks {
        let block = match block {
            Block::Text(text) => format!(r#"{{"type":"text","text":{}}}"#, text.as_json()),
            Block::Refusal(text) => {
                refusal.push_str(text.escaped());
                format!(r#"{{"type":"text","text":{}}}"#, text.as_json())
            }
            Block::Thinking { text, signature } => {
                let signature = signature.as_ref().map_or("\"\"", Text::as_json);
                format!(r#"{{"type":"thinking","thinking":{},"signature":{signature}}}"#, text.as_json())
            }
            Block::RedactedThinking(data) => {
                format!(r#"{{"type":"redacted_thinking","data":{}}}"#, data.as_json())
            }
            Block::ToolCall(call) => {
                let id = ids::unique_valid(&call.id.decode(), calls, &mut taken);
                calls = calls.saturating_add(1);
                format!(
                    r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
                    quoted(&id),
                    call.name.as_json(),
                    call.input.as_str()
                )
            }
        };
        said_bytes = said_bytes.saturating_add(block.len().try_into().unwrap_or(0));
        blocks.push(block);
    }
    let mut usage = answer.usage;
    if usage.all_input().is_none() {
        usage.input = options.input_estimate;
    }
    if usage.output.is_none() {
        usage.output = Some(said_bytes.div_ceil(4).max(1));
    }
    Bytes::from(format!(
        r#"{{"id":"{}","type":"message","role":"assistant","model":{},"content":[{}],{},"usage":{}}}"#,
        message_id(answer.id.as_ref(), &options.id),
        model(answer.model.as_ref(), &options.model),
        blocks.join(","),
        ending(&answer.finish, &refusal),
        usage_json(&usage)
    ))
}
