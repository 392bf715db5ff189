//! System prompt and messages of a Messages request.
//!
//! Results of calls stand in the user's turn that follows them, in the order of the calls. Ids that Anthropic
//! would refuse are replaced in call and result alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::is_hoisted;
use crate::prompt::{
    Document, DocumentSource, Image, ImageSource, Message, Part, Prompt, Role, SeatTraits, Text, ToolResult,
    note,
};
use crate::wire::ids;
use crate::wire::json::quoted;

/// Writes `,"system":…,"messages":[…]`.
pub(super) fn write(out: &mut String, dropped: &mut Vec<String>, prompt: &Prompt<'_>, traits: &SeatTraits) {
    let mut system: Vec<&Text<'_>> = prompt.system.iter().collect();
    for message in prompt.messages.iter().filter(|message| is_hoisted(message.role, traits)) {
        system.extend(message.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        }));
    }
    system.retain(|text| !text.is_empty());
    if !system.is_empty() {
        let blocks: Vec<String> = system.into_iter().map(text_block).collect();
        _ = write!(out, ",\"system\":[{}]", blocks.join(","));
    }
    let mut ids = Ids::default();
    let mut turns: Vec<(Role, Vec<String>)> = Vec::new();
    for message in prompt.messages.iter().filter(|message| !is_hoisted(message.role, traits)) {
        let blocks = blocks(message, &mut ids, dropped);
        match turns.last_mut() {
            // Turns that were apart only because of a message said elsewhere.
            Some((role, before)) if *role == message.role => before.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((message.role, blocks)),
        }
    }
    out.push_str(",\"messages\":[");
    for (at, (role, blocks)) in turns.iter().enumerate() {
        let role = match role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
        };
        let comma = if at == 0 { "" } else { "," };
        _ = write!(out, "{comma}{{\"role\":\"{role}\",\"content\":[{}]}}", blocks.join(","));
    }
    out.push(']');
}

/// What the ids of calls became.
#[derive(Default)]
struct Ids {
    taken: BTreeSet<String>,
    /// By the client's id: the newest one that has it, and which call of its turn it is.
    known: BTreeMap<String, (String, usize)>,
}

impl Ids {
    fn call(&mut self, id: &Text<'_>, at: usize) -> String {
        let theirs = id.decode().into_owned();
        let ours = ids::unique_valid(&theirs, at, &mut self.taken);
        self.known.insert(theirs, (ours.clone(), at));
        ours
    }

    fn result(&self, id: &Text<'_>) -> (String, usize) {
        let theirs = id.decode();
        let known = self.known.get(theirs.as_ref()).cloned();
        known.unwrap_or_else(|| (ids::valid(&theirs), usize::MAX))
    }
}

fn blocks(message: &Message<'_>, ids: &mut Ids, dropped: &mut Vec<String>) -> Vec<String> {
    let mut results: Vec<(usize, String)> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    let mut calls = 0_usize;
    for part in &message.parts {
        match part {
            Part::ToolResult(result) => {
                let (id, at) = ids.result(&result.call);
                results.push((at, self::result(&id, result)));
            }
            Part::ToolCall(call) => {
                let id = ids.call(&call.id, calls);
                calls = calls.saturating_add(1);
                rest.push(format!(
                    r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
                    quoted(&id),
                    call.name.as_json(),
                    call.input.as_str()
                ));
            }
            Part::Thinking { text, signature: Some(signature) } => rest.push(format!(
                r#"{{"type":"thinking","thinking":{},"signature":{}}}"#,
                text.as_json(),
                signature.as_json()
            )),
            // Thought without proof is another vendor's.
            Part::Thinking { signature: None, .. } => note(dropped, "reasoning"),
            Part::RedactedThinking(data) => {
                rest.push(format!(r#"{{"type":"redacted_thinking","data":{}}}"#, data.as_json()));
            }
            other => rest.extend(block(other)),
        }
    }
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, block)| block).chain(rest).collect()
}

fn result(id: &str, result: &ToolResult<'_>) -> String {
    let inside: Vec<String> = result.parts.iter().filter_map(block).collect();
    let mut out = format!(r#"{{"type":"tool_result","tool_use_id":{}"#, quoted(id));
    if !inside.is_empty() {
        _ = write!(out, ",\"content\":[{}]", inside.join(","));
    }
    if result.is_error {
        out.push_str(",\"is_error\":true");
    }
    out.push('}');
    out
}

fn text_block(text: &Text<'_>) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, text.as_json())
}

fn block(part: &Part<'_>) -> Option<String> {
    Some(match part {
        Part::Text(text) if text.is_empty() => return None,
        Part::Text(text) => text_block(text),
        Part::Image(image) => self::image(image),
        Part::Document(document) => self::document(document),
        Part::ToolReference(name) => format!(r#"{{"type":"tool_reference","tool_name":{}}}"#, name.as_json()),
        Part::Native { raw, .. } => raw.as_str().to_owned(),
        Part::ToolCall(_) | Part::ToolResult(_) | Part::Thinking { .. } | Part::RedactedThinking(_) => {
            return None;
        }
    })
}

fn image(image: &Image<'_>) -> String {
    let source = match &image.source {
        ImageSource::Base64 { media_type, data } => {
            format!(r#""base64","media_type":{},"data":{}"#, media_type.as_json(), data.as_json())
        }
        ImageSource::Url(url) => format!(r#""url","url":{}"#, url.as_json()),
        ImageSource::File(id) => format!(r#""file","file_id":{}"#, id.as_json()),
    };
    format!(r#"{{"type":"image","source":{{"type":{source}}}}}"#)
}

fn document(document: &Document<'_>) -> String {
    let source = match &document.source {
        DocumentSource::Pdf(data) => {
            format!(r#""base64","media_type":"application/pdf","data":{}"#, data.as_json())
        }
        DocumentSource::Text(text) => {
            format!(r#""text","media_type":"text/plain","data":{}"#, text.as_json())
        }
        DocumentSource::Parts(parts) => {
            let inside: Vec<String> = parts.iter().filter_map(block).collect();
            format!(r#""content","content":[{}]"#, inside.join(","))
        }
        DocumentSource::Url(url) => format!(r#""url","url":{}"#, url.as_json()),
        DocumentSource::File(id) => format!(r#""file","file_id":{}"#, id.as_json()),
    };
    let mut out = format!(r#"{{"type":"document","source":{{"type":{source}}}"#);
    for (key, value) in [("title", &document.title), ("context", &document.context)] {
        if let Some(value) = value {
            _ = write!(out, ",\"{key}\":{}", value.as_json());
        }
    }
    out.push('}');
    out
}
