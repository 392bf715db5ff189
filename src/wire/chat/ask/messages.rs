//! The messages of a chat request.
//!
//! Chat wants the results of all calls right after the turn that made them, each in a message of its own that
//! carries text alone. So turns of one role are read as one, results come first, pictures of results follow in
//! the user's message, and a system message that stands between calls and results waits until after them.

use super::parts::{Content, write_result};
use crate::prompt::{Message, Part, Prompt, Role, Text, ToolCall, ToolResult, note};
use crate::wire::ids;
use crate::wire::json::quoted;

/// Writes all messages, comma separated.
pub(super) fn write(out: &mut String, dropped: &mut Vec<String>, prompt: &Prompt<'_>) {
    let mut writer = Writer { out, dropped, is_first: true };
    if !prompt.system.is_empty() {
        writer.system(&Text::join(&prompt.system, "\n\n"));
    }
    let mut rest = prompt.messages.as_slice();
    // System messages that wait for the results of the calls before them.
    let mut waiting: Vec<&Message<'_>> = Vec::new();
    let mut has_calls = false;
    while let Some(first) = rest.first() {
        let length = match first.role {
            Role::System => 1,
            role => rest.iter().take_while(|message| message.role == role).count(),
        };
        let (turn, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        rest = after;
        match first.role {
            Role::System if has_calls => waiting.push(first),
            Role::System => writer.system_message(first),
            Role::Assistant => {
                writer.flush(&mut waiting);
                has_calls = writer.assistant(turn);
            }
            Role::User => {
                let results = has_calls && turn.iter().any(has_results);
                if !results {
                    writer.flush(&mut waiting);
                }
                writer.user(turn, &mut waiting);
                has_calls = false;
            }
        }
    }
    writer.flush(&mut waiting);
}

fn has_results(message: &Message<'_>) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::ToolResult(_)))
}

struct Writer<'o> {
    out: &'o mut String,
    dropped: &'o mut Vec<String>,
    is_first: bool,
}

impl Writer<'_> {
    fn begin(&mut self, role: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        self.out.push_str("{\"role\":\"");
        self.out.push_str(role);
        self.out.push('"');
    }

    fn system(&mut self, text: &Text<'_>) {
        self.begin("system");
        self.out.push_str(",\"content\":");
        self.out.push_str(text.as_json());
        self.out.push('}');
    }

    fn system_message(&mut self, message: &Message<'_>) {
        let texts = message.parts.iter().filter_map(|part| match part {
            Part::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        });
        let text = Text::join(texts, "\n\n");
        if !text.is_empty() {
            self.system(&text);
        }
    }

    fn flush(&mut self, waiting: &mut Vec<&Message<'_>>) {
        for message in waiting.drain(..) {
            self.system_message(message);
        }
    }

    /// Writes one assistant message; whether it calls tools.
    fn assistant(&mut self, turn: &[Message<'_>]) -> bool {
        let mut calls: Vec<&ToolCall<'_>> = Vec::new();
        let mut text = String::new();
        // Neighbouring texts are one text that was cut by citations; others are paragraphs.
        let mut is_apart = false;
        for message in turn {
            for part in &message.parts {
                match part {
                    Part::Text(piece) if !piece.is_empty() => {
                        if is_apart && !text.is_empty() {
                            text.push_str("\\n\\n");
                        }
                        text.push_str(piece.escaped());
                        is_apart = false;
                        continue;
                    }
                    Part::Text(_) => continue,
                    Part::ToolCall(call) => calls.push(call),
                    Part::Thinking { .. } | Part::RedactedThinking(_) => note(self.dropped, "thinking"),
                    // Nothing else stands in an assistant's turn that this wire can say: `check` saw to it.
                    _ => {}
                }
                is_apart = true;
            }
            is_apart = true;
        }
        if text.is_empty() && calls.is_empty() {
            return false;
        }
        self.begin("assistant");
        self.out.push_str(",\"content\":");
        if text.is_empty() {
            self.out.push_str("null");
        } else {
            self.out.push('"');
            self.out.push_str(&text);
            self.out.push('"');
        }
        for (at, call) in calls.iter().enumerate() {
            self.out.push_str(if at == 0 { ",\"tool_calls\":[" } else { "," });
            self.out.push_str("{\"id\":");
            self.out.push_str(&quoted(&ids::short(&call.id.decode())));
            self.out.push_str(",\"type\":\"function\",\"function\":{\"name\":");
            self.out.push_str(call.name.as_json());
            self.out.push_str(",\"arguments\":");
            self.out.push_str(Text::plain(&call.input.compact()).as_json());
            self.out.push_str("}}");
        }
        if !calls.is_empty() {
            self.out.push(']');
        }
        self.out.push('}');
        !calls.is_empty()
    }

    /// Writes a user's turn: results first, then what waits for them, then the rest.
    fn user(&mut self, turn: &[Message<'_>], waiting: &mut Vec<&Message<'_>>) {
        let mut content = Content::default();
        let parts = turn.iter().flat_map(|message| &message.parts);
        for part in parts.clone() {
            if let Part::ToolResult(result) = part {
                self.result(result, &mut content);
            }
        }
        self.flush(waiting);
        for part in parts {
            if !matches!(part, Part::ToolResult(_)) {
                content.push(part);
            }
        }
        if content.is_empty() {
            return;
        }
        self.begin("user");
        self.out.push_str(",\"content\":");
        content.write(self.out);
        self.out.push('}');
    }

    fn result(&mut self, result: &ToolResult<'_>, after: &mut Content) {
        self.begin("tool");
        self.out.push_str(",\"tool_call_id\":");
        self.out.push_str(&quoted(&ids::short(&result.call.decode())));
        self.out.push_str(",\"content\":");
        write_result(self.out, result, after);
        self.out.push('}');
    }
}
