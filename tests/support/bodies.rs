//! Anthropic answers and requests, short to write.

use serde_json::{Value, json};

use super::answer::Answer;

/// A request for one user turn.
pub(crate) fn ask(text: &str) -> Value {
    json!({"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": [{"role": "user", "content": text}]})
}

/// The same, streamed.
pub(crate) fn ask_stream(text: &str) -> Value {
    let mut body = ask(text);
    body["stream"] = json!(true);
    body
}

/// A whole message.
pub(crate) fn message(model: &str, text: &str) -> Value {
    json!({
        "id": "msg_rig", "type": "message", "role": "assistant", "model": model,
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 31, "output_tokens": 7}
    })
}

/// The answer that carries [`message`].
pub(crate) fn says(model: &str, text: &str) -> Answer {
    Answer::json(200, &message(model, text)).header("request-id", "req_rig_1")
}

/// A streamed answer of these text pieces.
pub(crate) fn streams(model: &str, pieces: &[&str]) -> Answer {
    Answer::stream(&text_stream(model, pieces))
}

/// An Anthropic error body.
pub(crate) fn error_body(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_rig_2"})
}

/// An answer with an Anthropic error.
pub(crate) fn fails(status: u16, kind: &str, message: &str) -> Answer {
    Answer::json(status, &error_body(kind, message)).header("request-id", "req_rig_2")
}

/// 529, the usual way.
pub(crate) fn overloaded() -> Answer {
    fails(529, "overloaded_error", "too many of you")
}

/// One server-sent event, named for its `type`.
pub(crate) fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().expect("a type"))
}

/// `message_start`.
pub(crate) fn start(model: &str) -> String {
    event(&json!({"type": "message_start", "message": {
        "id": "msg_rig", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 31, "output_tokens": 1}}}))
}

/// `ping`.
pub(crate) fn ping() -> String {
    event(&json!({"type": "ping"}))
}

/// A text block opens.
pub(crate) fn text_block(index: usize) -> String {
    block(index, &json!({"type": "text", "text": ""}))
}

/// A tool block opens.
pub(crate) fn tool_block(index: usize, id: &str, name: &str) -> String {
    block(index, &json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
}

/// Any block opens.
pub(crate) fn block(index: usize, block: &Value) -> String {
    event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

/// A piece of text.
pub(crate) fn text(index: usize, text: &str) -> String {
    delta(index, &json!({"type": "text_delta", "text": text}))
}

/// A piece of a tool's input.
pub(crate) fn input(index: usize, json: &str) -> String {
    delta(index, &json!({"type": "input_json_delta", "partial_json": json}))
}

/// Any delta.
pub(crate) fn delta(index: usize, delta: &Value) -> String {
    event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

/// A block closes.
pub(crate) fn stop(index: usize) -> String {
    event(&json!({"type": "content_block_stop", "index": index}))
}

/// `message_delta` and `message_stop`.
pub(crate) fn finish(reason: &str) -> [String; 2] {
    [
        event(&json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 7}})),
        event(&json!({"type": "message_stop"})),
    ]
}

/// An error event.
pub(crate) fn error_event(kind: &str, message: &str) -> String {
    event(&json!({"type": "error", "error": {"type": kind, "message": message}}))
}

/// The events of a whole streamed text.
pub(crate) fn text_stream(model: &str, pieces: &[&str]) -> Vec<String> {
    let mut events = vec![start(model), ping(), text_block(0)];
    events.extend(pieces.iter().map(|p| text(0, p)));
    events.push(stop(0));
    events.extend(finish("end_turn"));
    events
}

/// The first events of a stream: up to and with these pieces, nothing closed.
pub(crate) fn half_stream(model: &str, pieces: &[&str]) -> Vec<String> {
    let mut events = vec![start(model), ping(), text_block(0)];
    events.extend(pieces.iter().map(|p| text(0, p)));
    events
}
