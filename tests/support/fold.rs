//! Folds an Anthropic event stream as its clients do, and holds it to the protocol.

use std::collections::BTreeMap;

use serde_json::Value;

/// What a stream said.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) events: Vec<String>,
    pub(crate) text: String,
    pub(crate) thinking: String,
    /// Tools whose block was closed: these would run.
    pub(crate) tools: Vec<Tool>,
    /// Blocks that were never closed.
    pub(crate) open_blocks: usize,
    pub(crate) stop_reason: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: BTreeMap<String, Value>,
    pub(crate) error: Option<Value>,
    pub(crate) terminated: bool,
    pub(crate) protocol_errors: Vec<String>,
}

/// A tool call as a client would run it.
#[derive(Debug, PartialEq)]
pub(crate) struct Tool {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
}

struct Block {
    is_open: bool,
    kind: String,
    id: String,
    name: String,
    json: String,
}

impl Folded {
    /// Fails unless the stream is whole: no error, an end, nothing against the protocol.
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.protocol_errors, Vec::<String>::new());
        assert!(self.error.is_none(), "error in the stream: {:?}", self.error);
        assert!(self.terminated, "no message_stop in {:?}", self.events);
    }

    /// Fails unless the stream ended loudly: an error event, and never a clean stop.
    pub(crate) fn assert_loud(&self) {
        assert_eq!(self.protocol_errors, Vec::<String>::new());
        let error = self.error.as_ref().unwrap_or_else(|| panic!("no error event in {:?}", self.events));
        assert!(error["type"].is_string() && error["message"].is_string(), "not Anthropic's shape: {error}");
        let reason = self.stop_reason.as_deref();
        assert!(matches!(reason, None | Some("error")), "stop_reason {reason:?} after an error");
    }
}

/// Folds a raw body.
pub(crate) fn fold(raw: &[u8]) -> Folded {
    let mut out = Folded::default();
    let mut blocks = BTreeMap::<u64, Block>::new();
    let text = match std::str::from_utf8(raw) {
        Ok(text) => text.trim_start_matches('\u{feff}').replace("\r\n", "\n"),
        Err(e) => {
            out.protocol_errors.push(format!("not UTF-8: {e}"));
            return out;
        }
    };
    let mut parts: Vec<&str> = text.split("\n\n").collect();
    let tail = parts.pop().unwrap_or_default();
    if !tail.trim().is_empty() {
        out.protocol_errors.push(format!("half an event at the end: {tail:?}"));
    }
    for part in parts {
        one(part, &mut out, &mut blocks);
    }
    out.open_blocks = blocks.values().filter(|b| b.is_open).count();
    out
}

fn one(part: &str, out: &mut Folded, blocks: &mut BTreeMap<u64, Block>) {
    let (mut name, mut data) = ("", Vec::new());
    for line in part.lines() {
        if let Some(v) = line.strip_prefix("event:") {
            name = v.trim();
        } else if let Some(v) = line.strip_prefix("data:") {
            data.push(v.strip_prefix(' ').unwrap_or(v));
        } else if !line.starts_with(':') && !line.trim().is_empty() {
            out.protocol_errors.push(format!("not a field: {line:?}"));
        }
    }
    if data.is_empty() {
        return;
    }
    let d: Value = match serde_json::from_str(&data.join("\n")) {
        Ok(d) => d,
        Err(e) => return out.protocol_errors.push(format!("data is not JSON ({e}): {data:?}")),
    };
    let kind = d["type"].as_str().unwrap_or("?");
    out.events.push(kind.into());
    if kind != name {
        out.protocol_errors.push(format!("event {name} carries {kind}"));
    }
    match kind {
        "error" => out.error = Some(d["error"].clone()),
        "message_start" => message_start(&d["message"], out),
        "content_block_start" => block_start(&d, out, blocks),
        "content_block_delta" => block_delta(&d, out, blocks),
        "content_block_stop" => block_stop(&d, out, blocks),
        "message_delta" => {
            out.stop_reason = d["delta"]["stop_reason"].as_str().map(Into::into);
            if out.stop_reason.as_deref() == Some("error") && out.error.is_none() {
                out.protocol_errors.push("stop_reason error before the error event".into());
            }
            usage(&d["usage"], out);
        }
        "message_stop" => {
            out.terminated = true;
            if out.error.is_none() && blocks.values().any(|b| b.is_open) {
                out.protocol_errors.push("message_stop with a block open".into());
            }
        }
        _ => {}
    }
}

fn usage(v: &Value, out: &mut Folded) {
    out.usage.extend(v.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
}

fn message_start(message: &Value, out: &mut Folded) {
    if out.events.iter().filter(|e| *e == "message_start").count() > 1 {
        out.protocol_errors.push("message_start twice".into());
    }
    out.model = message["model"].as_str().map(Into::into);
    usage(&message["usage"], out);
}

fn block_start(d: &Value, out: &mut Folded, blocks: &mut BTreeMap<u64, Block>) {
    let index = d["index"].as_u64().unwrap_or(u64::MAX);
    if blocks.contains_key(&index) {
        out.protocol_errors.push(format!("block {index} opened twice"));
    }
    if blocks.values().any(|b| b.is_open) {
        out.protocol_errors.push(format!("block {index} opened inside another"));
    }
    let word = |k: &str| d["content_block"][k].as_str().unwrap_or_default().to_owned();
    let block =
        Block { is_open: true, kind: word("type"), id: word("id"), name: word("name"), json: String::new() };
    blocks.insert(index, block);
}

fn block_delta(d: &Value, out: &mut Folded, blocks: &mut BTreeMap<u64, Block>) {
    let index = d["index"].as_u64().unwrap_or(u64::MAX);
    let Some(block) = blocks.get_mut(&index).filter(|b| b.is_open) else {
        return out.protocol_errors.push(format!("delta for block {index}, which is not open"));
    };
    let piece = |k: &str| d["delta"][k].as_str().unwrap_or_default();
    out.text.push_str(piece("text"));
    out.thinking.push_str(piece("thinking"));
    block.json.push_str(piece("partial_json"));
}

fn block_stop(d: &Value, out: &mut Folded, blocks: &mut BTreeMap<u64, Block>) {
    let index = d["index"].as_u64().unwrap_or(u64::MAX);
    let Some(block) = blocks.get_mut(&index).filter(|b| b.is_open) else {
        return out.protocol_errors.push(format!("stop for block {index}, which is not open"));
    };
    block.is_open = false;
    if block.kind.ends_with("tool_use") {
        let text = if block.json.is_empty() { "{}" } else { &block.json };
        let input = serde_json::from_str(text).unwrap_or_else(|_| {
            out.protocol_errors.push(format!("input of {} is not JSON: {text}", block.name));
            Value::Null
        });
        out.tools.push(Tool { id: block.id.clone(), name: block.name.clone(), input });
    }
}
