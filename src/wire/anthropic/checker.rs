//! What a careful client sees in a stream, and which rules of the protocol the stream breaks.
//!
//! For tests and probes: it judges what a gateway sent, so it shares nothing with the code that sends but the
//! splitter. It reads whole streams into memory and is not for the request path.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::wire::sse::{Event, Splitter};

mod fold;
#[cfg(test)]
mod tests;

use fold::Fold;

/// What a client makes of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Rules of the protocol that were broken, in order, each with the number of its event.
    pub problems: Vec<String>,
    /// The message put together from its events; null when none was started.
    pub message: Value,
    /// The `error` object of an error event.
    pub error: Option<Value>,
    /// Whether `message_stop` came.
    pub terminated: bool,
    /// Indices of the tool calls that were stopped: a client runs these.
    pub runnable_tools: Vec<u64>,
    /// The names of all events with data, in order.
    pub events: Vec<String>,
}

impl Seen {
    /// All text of the message.
    #[must_use]
    pub fn text(&self) -> String {
        let blocks = self.message.get("content").and_then(Value::as_array).into_iter().flatten();
        blocks.filter_map(|block| block.get("text")?.as_str()).collect()
    }

    /// The stop reason of the message.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.message.get("stop_reason")?.as_str()
    }
}

/// Reads a whole stream as a client would.
#[must_use]
pub fn check(stream: &[u8]) -> Seen {
    let mut checker = Checker::default();
    let mut splitter = Splitter::new();
    splitter.push(Bytes::copy_from_slice(stream));
    loop {
        match splitter.next_event() {
            Ok(Some(event)) => checker.take(&event),
            Ok(None) => break,
            Err(oversized) => {
                checker.problem(&oversized.to_string());
                break;
            }
        }
    }
    if let Some(event) = splitter.finish() {
        checker.take(&event);
    }
    if !splitter.partial().is_empty() {
        checker.problem("the stream ends inside an event");
    }
    checker.finish()
}

#[derive(Debug, Default)]
struct Checker {
    seen: Seen,
    count: u64,
    fold: Fold,
    open: Option<u64>,
    next_index: u64,
    has_stop_reason: bool,
    /// Calls that were stopped before their input was whole: sound only where the limit of tokens cut them.
    half_calls: Vec<String>,
}

impl Checker {
    fn problem(&mut self, what: &str) {
        self.seen.problems.push(format!("event {}: {what}", self.count));
    }

    fn take(&mut self, event: &Event) {
        let Some(data) = event.data() else { return };
        self.count = self.count.saturating_add(1);
        let Ok(data) = serde_json::from_slice::<Value>(&data) else {
            return self.problem("its data is not JSON");
        };
        let kind = data.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        match event.name() {
            None => self.problem("it has no `event:` line: clients skip it"),
            Some(name) if name != kind.as_bytes() => {
                self.problem(&format!("its name is not its type `{kind}`"))
            }
            Some(_) => {}
        }
        self.seen.events.push(kind.clone());
        if kind == "ping" {
            return;
        }
        if self.seen.terminated {
            return self.problem(&format!("`{kind}` after message_stop"));
        }
        if !self.fold.is_started() && !matches!(kind.as_str(), "message_start" | "error") {
            self.problem(&format!("`{kind}` before message_start"));
        }
        match kind.as_str() {
            "message_start" => self.message_start(&data),
            "content_block_start" => self.block_start(&data),
            "content_block_delta" => self.block_delta(&data),
            "content_block_stop" => self.block_stop(&data),
            "message_delta" => self.message_delta(&data),
            "message_stop" => self.message_stop(),
            "error" => self.error(&data),
            _ => {}
        }
    }

    fn message_start(&mut self, data: &Value) {
        if self.fold.is_started() {
            return self.problem("a second message_start");
        }
        let message = data.get("message").and_then(Value::as_object).cloned().unwrap_or_default();
        if message.get("content").and_then(Value::as_array).is_none_or(|content| !content.is_empty()) {
            self.problem("message_start without an empty content");
        }
        self.fold.start(message);
    }

    fn block_start(&mut self, data: &Value) {
        let Some(index) = self.index(data) else { return };
        if self.seen.error.is_some() {
            self.problem("a block is started after the error");
        }
        if let Some(open) = self.open {
            self.problem(&format!("block {index} is started while block {open} is open"));
        }
        if index != self.next_index {
            self.problem(&format!("block {index} comes where block {} was due", self.next_index));
        }
        self.next_index = index.saturating_add(1);
        self.open = Some(index);
        match data.get("content_block").and_then(Value::as_object) {
            Some(block) => self.fold.open(index, block.clone()),
            None => self.problem("a block is started without a content_block"),
        }
    }

    fn block_delta(&mut self, data: &Value) {
        let Some(index) = self.index(data) else { return };
        if self.seen.error.is_some() {
            self.problem("content after the error");
        }
        if self.open != Some(index) {
            return self.problem(&format!("a delta for block {index}, which is not open"));
        }
        let nothing = Map::new();
        let delta = data.get("delta").and_then(Value::as_object).unwrap_or(&nothing);
        if let Err(what) = self.fold.delta(index, delta) {
            self.problem(&what);
        }
    }

    fn block_stop(&mut self, data: &Value) {
        let Some(index) = self.index(data) else { return };
        if self.open != Some(index) {
            return self.problem(&format!("a stop for block {index}, which is not open"));
        }
        self.open = None;
        match self.fold.close(index) {
            Ok(false) => {}
            Ok(true) if self.seen.error.is_some() => self.problem("a tool call is stopped after the error"),
            Ok(true) => self.seen.runnable_tools.push(index),
            Err(what) => self.half_calls.push(format!("event {}: {what}", self.count)),
        }
    }

    fn message_delta(&mut self, data: &Value) {
        let nothing = Map::new();
        let delta = data.get("delta").and_then(Value::as_object).unwrap_or(&nothing);
        let reason = delta.get("stop_reason").filter(|reason| !reason.is_null());
        match (reason, &self.seen.error) {
            (Some(reason), None) if reason == "error" => {
                self.problem("stop reason `error` before the error event")
            }
            (Some(reason), Some(_)) if reason != "error" => {
                self.problem("a clean stop reason after the error")
            }
            (Some(_), None) if self.open.is_some() => self.problem("a stop reason while a block is open"),
            _ => {}
        }
        if self.has_stop_reason && reason.is_some() {
            self.problem("a second stop reason");
        }
        self.has_stop_reason |= reason.is_some();
        self.fold.end(delta, data.get("usage").and_then(Value::as_object));
    }

    fn message_stop(&mut self) {
        self.seen.terminated = true;
        if self.seen.error.is_some() {
            return;
        }
        if let Some(open) = self.open {
            self.problem(&format!("message_stop while block {open} is open"));
        }
        if !self.has_stop_reason {
            self.problem("message_stop without a stop reason");
        }
    }

    fn error(&mut self, data: &Value) {
        if self.seen.error.is_some() {
            self.problem("a second error");
        }
        if self.has_stop_reason {
            self.problem("the error comes after the stop reason: clients took that for success");
        }
        match data.get("error") {
            Some(error) if error.get("type").is_some_and(Value::is_string) => {}
            _ => self.problem("the error has no type"),
        }
        self.seen.error = Some(data.get("error").cloned().unwrap_or_default());
    }

    fn index(&mut self, data: &Value) -> Option<u64> {
        let index = data.get("index").and_then(Value::as_u64);
        if index.is_none() {
            self.problem("it has no index");
        }
        index
    }

    fn finish(mut self) -> Seen {
        if !self.seen.terminated && self.seen.error.is_none() {
            self.problem("the stream ends without message_stop and without an error");
        }
        self.seen.message = self.fold.into_message();
        if self.seen.stop_reason() != Some("max_tokens") {
            self.seen.problems.append(&mut self.half_calls);
        }
        self.seen
    }
}
