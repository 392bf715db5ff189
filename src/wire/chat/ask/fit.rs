//! Whether a seat of this wire can be asked what a prompt asks.

use std::collections::BTreeSet;

use super::{MAX_STOPS, natives};
use crate::prompt::{
    Document, DocumentSource, Function, Image, ImageSource, Inexpressible, OutputFormat, Part, Prompt, Role,
    SeatTraits, Tool,
};

/// Most bytes of a tool's name on this wire.
const MAX_NAME_BYTES: usize = 64;

/// Says whether a seat can be asked this, without writing anything.
///
/// # Errors
/// With what it cannot be asked.
pub fn check(prompt: &Prompt<'_>, traits: &SeatTraits) -> Result<(), Inexpressible> {
    if let Some(kind) = natives(prompt).next() {
        let kind = name_for_reason(&kind.decode());
        return Err(Inexpressible::native(format!("the tool type {kind} is Anthropic's own")));
    }
    if let Some(field) = prompt.native.first() {
        return Err(Inexpressible::native(format!("{field} is Anthropic's own")));
    }
    for tool in offered(prompt) {
        let name = tool.name.decode();
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !plain {
            let name = name_for_reason(&name);
            return Err(Inexpressible::wire(format!("chat has no tool names like {name}")));
        }
    }
    if prompt.max_tokens == Some(0) {
        return Err(Inexpressible::wire("max_tokens 0 warms a cache, which chat has not"));
    }
    if prompt.stop.len() > MAX_STOPS {
        return Err(Inexpressible::wire(format!("chat takes at most {MAX_STOPS} stop sequences")));
    }
    if matches!(prompt.format, Some(OutputFormat::Schema { .. })) && !traits.json_schema {
        return Err(Inexpressible::capability("the seat is declared without json_schema"));
    }
    let last = prompt.messages.iter().rfind(|message| says_something(&message.parts));
    if last.is_some_and(|message| message.role == Role::Assistant) && !traits.prefill {
        return Err(Inexpressible::capability(
            "the seat is not declared to continue a trailing assistant message",
        ));
    }
    for message in &prompt.messages {
        if message.role == Role::System && !traits.system_messages {
            return Err(Inexpressible::capability("the seat takes no system message between others"));
        }
        parts(&message.parts, traits)?;
    }
    Ok(())
}

/// Whether anything of a message is left once thought is taken out.
fn says_something(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|part| match part {
        Part::Text(text) => !text.is_empty(),
        Part::Thinking { .. } | Part::RedactedThinking(_) => false,
        _ => true,
    })
}

fn parts(parts: &[Part<'_>], traits: &SeatTraits) -> Result<(), Inexpressible> {
    for part in parts {
        match part {
            Part::Image(image) => self::image(image, traits)?,
            Part::Document(document) => self::document(document, traits)?,
            Part::ToolResult(result) => self::parts(&result.parts, traits)?,
            Part::Native { kind, .. } => {
                let kind = name_for_reason(&kind.decode());
                return Err(Inexpressible::native(format!("a block of type {kind} is Anthropic's own")));
            }
            Part::Text(_)
            | Part::ToolCall(_)
            | Part::ToolReference(_)
            | Part::Thinking { .. }
            | Part::RedactedThinking(_) => {}
        }
    }
    Ok(())
}

fn image(image: &Image<'_>, traits: &SeatTraits) -> Result<(), Inexpressible> {
    match image.source {
        _ if !traits.images => {
            Err(Inexpressible::capability("the seat is declared text and there is an image"))
        }
        ImageSource::File(_) => Err(Inexpressible::wire("an image by file id is its vendor's own")),
        ImageSource::Base64 { .. } | ImageSource::Url(_) => Ok(()),
    }
}

fn document(document: &Document<'_>, traits: &SeatTraits) -> Result<(), Inexpressible> {
    match &document.source {
        DocumentSource::Text(_) => Ok(()),
        DocumentSource::Parts(parts) => self::parts(parts, traits),
        DocumentSource::Pdf(_) if traits.pdf => Ok(()),
        DocumentSource::Pdf(_) => Err(Inexpressible::capability("the seat is not declared to read PDF")),
        DocumentSource::Url(_) => Err(Inexpressible::wire("chat has no documents by address")),
        DocumentSource::File(_) => Err(Inexpressible::wire("a document by file id is its vendor's own")),
    }
}

/// The tools that the model is to see. A placeholder for tools that are yet to be looked up is for the vendor
/// alone; a deferred tool that was looked up, or is simply there, is offered like any other.
pub(super) fn offered<'p, 'a>(prompt: &'p Prompt<'a>) -> impl Iterator<Item = &'p Function<'a>> {
    let has_deferred = prompt.tools.iter().any(|t| matches!(t, Tool::Function(f) if f.defer_loading));
    let loaded = if has_deferred { referenced(prompt) } else { BTreeSet::new() };
    prompt.tools.iter().filter_map(move |tool| match tool {
        Tool::Function(function) => {
            let name = function.name.decode();
            let placeholder = function.defer_loading
                && name.to_ascii_lowercase().contains("placeholder")
                && !loaded.contains(name.as_ref());
            (!placeholder).then_some(function)
        }
        Tool::Native { .. } => None,
    })
}

/// The tools that results refer to.
fn referenced(prompt: &Prompt<'_>) -> BTreeSet<String> {
    let all = prompt.messages.iter().flat_map(|message| &message.parts);
    let inside = all.filter_map(|part| match part {
        Part::ToolResult(result) => Some(&result.parts),
        _ => None,
    });
    inside
        .flatten()
        .filter_map(|part| match part {
            Part::ToolReference(name) => Some(name.decode().into_owned()),
            _ => None,
        })
        .collect()
}

/// A name that the client chose, as it can stand in a reason.
fn name_for_reason(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | ';' | ',') { c } else { '?' })
        .take(48)
        .collect();
    if clean.is_empty() { "(empty)".to_owned() } else { clean }
}
