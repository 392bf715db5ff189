//! What a careful client sees in a chat stream, and which rules the stream breaks.
//!
//! For tests and probes: it judges what a gateway sent, so it shares nothing with the code that sends but the
//! splitter. It reads whole streams into memory and is not for the request path.

use bytes::Bytes;
use serde_json::Value;

use crate::wire::sse::Splitter;

#[cfg(test)]
mod tests;

/// What a client makes of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Rules that were broken, in order, each with the number of its event.
    pub problems: Vec<String>,
    /// All words of the answer.
    pub text: String,
    /// All words of a refusal.
    pub refusal: String,
    /// The calls, in order: id, name, arguments.
    pub calls: Vec<(String, String, String)>,
    /// The finish reason.
    pub finish: Option<String>,
    /// The usage chunk.
    pub usage: Option<Value>,
    /// The model of the chunks.
    pub model: Option<String>,
    /// The `error` object.
    pub error: Option<Value>,
    /// Whether `[DONE]` came.
    pub terminated: bool,
}

/// Reads a whole stream as a client would.
#[must_use]
pub fn check(stream: &[u8]) -> Seen {
    let mut checker = Checker::default();
    let mut splitter = Splitter::new();
    splitter.push(Bytes::copy_from_slice(stream));
    while let Ok(Some(event)) = splitter.next_event() {
        if let Some(data) = event.data() {
            checker.count = checker.count.saturating_add(1);
            checker.take(&data);
        }
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
    id: Option<Value>,
}

impl Checker {
    fn problem(&mut self, what: &str) {
        self.seen.problems.push(format!("event {}: {what}", self.count));
    }

    fn take(&mut self, data: &[u8]) {
        if self.seen.terminated || self.seen.error.is_some() {
            self.problem("something comes after the end");
        }
        if data == b"[DONE]" {
            self.seen.terminated = true;
            return;
        }
        let Ok(chunk) = serde_json::from_slice::<Value>(data) else {
            return self.problem("its data is not JSON");
        };
        if let Some(error) = chunk.get("error") {
            if error.get("message").and_then(Value::as_str).is_none_or(str::is_empty) {
                self.problem("the error has no message");
            }
            self.seen.error = Some(error.clone());
            return;
        }
        self.envelope(&chunk);
        let choices = chunk.get("choices").and_then(Value::as_array).cloned().unwrap_or_default();
        if choices.is_empty() {
            match chunk.get("usage").filter(|usage| !usage.is_null()) {
                Some(usage) if self.seen.finish.is_some() => self.seen.usage = Some(usage.clone()),
                _ => self.problem("a chunk without choices that is no usage at the end"),
            }
        }
        for choice in &choices {
            self.choice(choice);
        }
    }

    fn envelope(&mut self, chunk: &Value) {
        if chunk.get("object").and_then(Value::as_str) != Some("chat.completion.chunk") {
            self.problem("its object is no chunk");
        }
        let id = chunk.get("id").cloned().unwrap_or_default();
        match &self.id {
            Some(known) if *known != id => self.problem("the id changes"),
            None if !id.is_string() => self.problem("it has no id"),
            _ => {}
        }
        self.id = Some(id);
        self.seen.model = chunk.get("model").and_then(Value::as_str).map(str::to_owned);
    }

    fn choice(&mut self, choice: &Value) {
        if self.seen.finish.is_some() {
            self.problem("content after the finish reason");
        }
        let word = |key: &str| choice.get("delta")?.get(key)?.as_str();
        self.seen.text.push_str(word("content").unwrap_or_default());
        self.seen.refusal.push_str(word("refusal").unwrap_or_default());
        let calls = choice.get("delta").and_then(|delta| delta.get("tool_calls")).and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.call(call);
        }
        self.seen.finish = choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
    }

    fn call(&mut self, call: &Value) {
        let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let inside = |kind: &str, key: &str| {
            call.get(kind)
                .and_then(|inside| inside.get(key))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let Some(index) = call.get("index").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok())
        else {
            return self.problem("a call without an index");
        };
        if index == self.seen.calls.len() {
            let custom = inside("custom", "name");
            if text("id").is_empty() || (inside("function", "name").is_empty() && custom.is_empty()) {
                self.problem("a call begins without an id or a name");
            }
            if self.seen.calls.iter().any(|(id, _, _)| *id == text("id")) {
                self.problem("two calls have one id");
            }
            self.seen.calls.push((text("id"), inside("function", "name") + &custom, String::new()));
        } else if index > self.seen.calls.len() {
            self.problem("a call leaves an index out");
        }
        let arguments = inside("function", "arguments") + &inside("custom", "input");
        if let Some((_, _, all)) = self.seen.calls.get_mut(index) {
            all.push_str(&arguments);
        }
    }

    fn finish(mut self) -> Seen {
        if self.seen.terminated && self.seen.finish.is_none() {
            self.problem("[DONE] without a finish reason");
        }
        if !self.seen.terminated && self.seen.error.is_none() {
            self.problem("the stream ends without [DONE] and without an error");
        }
        if self.seen.finish.as_deref() == Some("tool_calls") && self.seen.calls.is_empty() {
            self.problem("calls are announced and there are none");
        }
        self.seen
    }
}
