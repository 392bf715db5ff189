//! Puts a message together from its deltas, as the vendor's SDKs do.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(super) struct Fold {
    message: Option<Map<String, Value>>,
    blocks: BTreeMap<u64, Map<String, Value>>,
    /// Tool input as it came, by block.
    inputs: BTreeMap<u64, String>,
}

impl Fold {
    pub(super) fn is_started(&self) -> bool {
        self.message.is_some()
    }

    pub(super) fn start(&mut self, message: Map<String, Value>) {
        self.message = Some(message);
    }

    pub(super) fn open(&mut self, index: u64, block: Map<String, Value>) {
        self.blocks.insert(index, block);
    }

    /// Adds a delta to its block; says so when the two do not go together.
    pub(super) fn delta(&mut self, index: u64, delta: &Map<String, Value>) -> Result<(), String> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(()) };
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        let block_kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        let fits = match kind {
            "text_delta" | "citations_delta" => block_kind == "text",
            "thinking_delta" | "signature_delta" => block_kind == "thinking",
            "input_json_delta" => block_kind.ends_with("tool_use"),
            _ => true,
        };
        if !fits {
            return Err(format!("`{kind}` in a block of type `{block_kind}`"));
        }
        match kind {
            "text_delta" => append(block, "text", text("text")),
            "thinking_delta" => append(block, "thinking", text("thinking")),
            "signature_delta" => {
                block.insert("signature".to_owned(), text("signature").into());
            }
            "citations_delta" => {
                let mut citations =
                    block.get("citations").and_then(Value::as_array).cloned().unwrap_or_default();
                citations.push(delta.get("citation").cloned().unwrap_or_default());
                block.insert("citations".to_owned(), citations.into());
            }
            "input_json_delta" => self.inputs.entry(index).or_default().push_str(text("partial_json")),
            _ => {}
        }
        Ok(())
    }

    /// Closes a block; whether it is a call that a client would run now.
    pub(super) fn close(&mut self, index: u64) -> Result<bool, String> {
        let Some(block) = self.blocks.get_mut(&index) else { return Ok(false) };
        let is_call = block.get("type").is_some_and(|kind| kind == "tool_use");
        let input = self.inputs.remove(&index).unwrap_or_default();
        if !input.is_empty() {
            match serde_json::from_str::<Value>(&input) {
                Ok(input) => {
                    block.insert("input".to_owned(), input);
                }
                Err(_) => return Err(format!("block {index} is stopped with a tool input that is not JSON")),
            }
        }
        Ok(is_call)
    }

    /// Adds what a `message_delta` says.
    pub(super) fn end(&mut self, delta: &Map<String, Value>, usage: Option<&Map<String, Value>>) {
        let Some(message) = self.message.as_mut() else { return };
        for (key, value) in delta {
            message.insert(key.clone(), value.clone());
        }
        let mut all = message.get("usage").and_then(Value::as_object).cloned().unwrap_or_default();
        for (key, value) in usage.into_iter().flatten() {
            all.insert(key.clone(), value.clone());
        }
        message.insert("usage".to_owned(), all.into());
    }

    pub(super) fn into_message(self) -> Value {
        let Some(mut message) = self.message else { return Value::Null };
        let content: Vec<Value> = self.blocks.into_values().map(Value::Object).collect();
        message.insert("content".to_owned(), content.into());
        Value::Object(message)
    }
}

fn append(block: &mut Map<String, Value>, key: &str, more: &str) {
    let mut text = block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    text.push_str(more);
    block.insert(key.to_owned(), text.into());
}
