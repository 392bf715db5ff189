//! A whole answer told as a stream, for a client that asked for one.
//!
//! Values are carried over as they are written, so that a number keeps its form and an unknown field its
//! place. What has deltas in the protocol is sent as deltas: clients ignore a tool input that comes whole.

use bytes::Bytes;
use serde_json::value::RawValue;

use super::answer::{NotAnAnswer, not_an_answer, read};
use crate::wire::json::{Pairs, push_on_one_line, quoted};

#[cfg(test)]
mod tests;

/// What a `message_delta` carries and `message_start` therefore has as null.
const ENDINGS: [&str; 3] = ["stop_reason", "stop_sequence", "stop_details"];

/// The event stream that says what `body` says.
///
/// # Errors
/// When `body` is no message.
pub fn reframe(body: &[u8]) -> Result<Bytes, NotAnAnswer> {
    read(body)?;
    let message: Pairs<'_> = serde_json::from_slice(body).map_err(|_| not_an_answer(body))?;
    let content = message.get("content").map_or("[]", RawValue::get);
    let blocks: Vec<&RawValue> = serde_json::from_str(content).map_err(|_| not_an_answer(body))?;
    let mut out = Out::with_room_for(body.len());
    start(&mut out, &message);
    for (index, block) in blocks.into_iter().enumerate() {
        let block: Pairs<'_> = serde_json::from_str(block.get()).map_err(|_| not_an_answer(body))?;
        tell_block(&mut out, index, &block);
    }
    end(&mut out, &message);
    Ok(Bytes::from(out.text))
}

/// The events so far.
struct Out {
    text: String,
}

impl Out {
    fn with_room_for(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes.saturating_add(bytes / 4).saturating_add(1024)) }
    }

    /// Writes one event; `fields` writes what follows its type.
    fn event(&mut self, kind: &str, fields: impl FnOnce(&mut String)) {
        for part in ["event: ", kind, "\ndata: {\"type\":\"", kind, "\""] {
            self.text.push_str(part);
        }
        fields(&mut self.text);
        self.text.push_str("}\n\n");
    }

    /// Writes one delta of a block; `value` writes its payload, which stands under `key`.
    fn delta(&mut self, index: usize, kind: &str, key: &str, value: &str) {
        self.event("content_block_delta", |out| {
            out.push_str(&format!(r#","index":{index},"delta":{{"type":"{kind}","{key}":"#));
            push_on_one_line(out, value);
            out.push('}');
        });
    }
}

fn start(out: &mut Out, message: &Pairs<'_>) {
    out.event("message_start", |out| {
        out.push_str(",\"message\":");
        message.write_with(out, |key| match key {
            "content" => Some("[]"),
            key if ENDINGS.contains(&key) => Some("null"),
            _ => None,
        });
    });
}

fn tell_block(out: &mut Out, index: usize, block: &Pairs<'_>) {
    let kind = block.text("type").unwrap_or_default();
    let citations: Vec<&RawValue> =
        block.get("citations").and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    let is_call = kind.ends_with("tool_use");
    // Where the start has a stand-in, the value follows in deltas.
    let stand_in = |key: &str| match (kind.as_str(), key) {
        ("text", "text") | ("thinking", "thinking" | "signature") => Some("\"\""),
        ("text", "citations") if !citations.is_empty() => Some("[]"),
        (_, "input") if is_call => Some("{}"),
        _ => None,
    };
    out.event("content_block_start", |out| {
        out.push_str(&format!(",\"index\":{index},\"content_block\":"));
        block.write_with(out, stand_in);
    });
    for (key, delta) in
        [("text", "text_delta"), ("thinking", "thinking_delta"), ("signature", "signature_delta")]
    {
        if let Some(value) = block.get(key).filter(|value| stand_in(key).is_some() && value.get() != "\"\"") {
            out.delta(index, delta, key, value.get());
        }
    }
    if kind == "text" {
        for citation in citations {
            out.delta(index, "citations_delta", "citation", citation.get());
        }
    }
    if let Some(input) = block.get("input").filter(|_| is_call) {
        out.delta(index, "input_json_delta", "partial_json", &quoted(input.get()));
    }
    out.event("content_block_stop", |out| out.push_str(&format!(",\"index\":{index}")));
}

fn end(out: &mut Out, message: &Pairs<'_>) {
    out.event("message_delta", |out| {
        out.push_str(",\"delta\":{");
        let reason = message.get("stop_reason").map_or("null", RawValue::get);
        let sequence = message.get("stop_sequence").map_or("null", RawValue::get);
        out.push_str("\"stop_reason\":");
        push_on_one_line(out, reason);
        out.push_str(",\"stop_sequence\":");
        push_on_one_line(out, sequence);
        for key in ["stop_details", "container"] {
            if let Some(value) = message.get(key) {
                out.push_str(&format!(",\"{key}\":"));
                push_on_one_line(out, value.get());
            }
        }
        out.push_str("},\"usage\":");
        push_on_one_line(out, message.get("usage").map_or("{}", RawValue::get));
    });
    out.event("message_stop", |_| {});
}
