//! Tools of a chat request, old and new, and the choice among them.

use serde_json::value::RawValue;

use crate::prompt::{BadRequest, Function, Json, Prompt, Text, Tool, ToolChoice};
use crate::wire::json::{Pairs, flag, present, read, text, word};

/// What a function without parameters takes.
const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;

pub(super) fn tools<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let list: Vec<Pairs<'a>> =
        read(value).ok_or_else(|| BadRequest::malformed("tools", "a list of objects is expected"))?;
    for (at, tool) in list.iter().enumerate() {
        let wrong = |what: &str| BadRequest::malformed(format!("tools.{at}"), what);
        let kind = word(tool.get("type"));
        let function = match kind.as_deref() {
            Some("function") | None => {
                let fields: Pairs<'a> = tool
                    .get("function")
                    .and_then(read)
                    .ok_or_else(|| wrong("function is to be an object"))?;
                function(&fields).ok_or_else(|| wrong("function.name is to be a string"))?
            }
            Some("custom") => {
                let fields: Pairs<'a> =
                    tool.get("custom").and_then(read).ok_or_else(|| wrong("custom is to be an object"))?;
                custom(&fields)?.ok_or_else(|| wrong("custom.name is to be a string"))?
            }
            Some(_) => {
                return Err(BadRequest::unsupported("tools", "only functions and custom tools are offered"));
            }
        };
        prompt.tools.push(Tool::Function(function));
    }
    Ok(())
}

/// The form that there was before tools.
pub(super) fn functions<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let wrong = || BadRequest::malformed("functions", "a list of objects with a name is expected");
    let list: Vec<Pairs<'a>> = read(value).ok_or_else(wrong)?;
    for fields in &list {
        prompt.tools.push(Tool::Function(function(fields).ok_or_else(wrong)?));
    }
    Ok(())
}

fn function<'a>(fields: &Pairs<'a>) -> Option<Function<'a>> {
    Some(Function {
        name: text(fields.get("name")).filter(|name| !name.is_empty())?,
        description: text(present(fields.get("description"))),
        schema: match present(fields.get("parameters")) {
            Some(schema) => Json::of(schema),
            None => Json::parse(NO_PARAMETERS).ok()?,
        },
        strict: flag(fields.get("strict")),
        defer_loading: false,
        freeform: false,
    })
}

/// A tool that takes free text: a function with one string. A grammar cannot be kept.
fn custom<'a>(fields: &Pairs<'a>) -> Result<Option<Function<'a>>, BadRequest> {
    let format: Option<Pairs<'_>> = present(fields.get("format")).and_then(read);
    if format.is_some_and(|format| word(format.get("type")).as_deref() == Some("grammar")) {
        return Err(BadRequest::unsupported("tools", "the seat follows no grammar"));
    }
    let Some(name) = text(fields.get("name")).filter(|name| !name.is_empty()) else { return Ok(None) };
    let Ok(schema) = Json::parse(Function::FREEFORM_SCHEMA) else { return Ok(None) };
    let description = text(present(fields.get("description")));
    Ok(Some(Function { name, description, schema, strict: None, defer_loading: false, freeform: true }))
}

/// Reads `tool_choice`; gives the names that a list of allowed tools has.
pub(super) fn choice<'a>(
    prompt: &mut Prompt<'a>,
    value: &'a RawValue,
) -> Result<Option<Vec<Text<'a>>>, BadRequest> {
    let wrong =
        || BadRequest::malformed("tool_choice", "none, auto, required or an object with a type is expected");
    if let Some(mode) = word(Some(value)) {
        prompt.tool_choice = Some(mode_of(&mode).ok_or_else(wrong)?);
        return Ok(None);
    }
    let pairs: Pairs<'a> = read(value).ok_or_else(wrong)?;
    let kind = word(pairs.get("type")).ok_or_else(wrong)?;
    let inside: Pairs<'a> = pairs.get(&kind).and_then(read).ok_or_else(wrong)?;
    match kind.as_ref() {
        "function" | "custom" => {
            prompt.tool_choice = Some(ToolChoice::Tool(text(inside.get("name")).ok_or_else(wrong)?));
            Ok(None)
        }
        "allowed_tools" => {
            let mode = word(inside.get("mode")).ok_or_else(wrong)?;
            prompt.tool_choice = Some(mode_of(&mode).ok_or_else(wrong)?);
            let list: Vec<Pairs<'a>> = inside.get("tools").and_then(read).ok_or_else(wrong)?;
            let name = |tool: &Pairs<'a>| {
                let kind = word(tool.get("type"))?;
                let inside: Pairs<'a> = read(tool.get(&kind)?)?;
                text(inside.get("name"))
            };
            let names: Option<Vec<Text<'a>>> = list.iter().map(name).collect();
            Ok(Some(names.ok_or_else(wrong)?))
        }
        _ => Err(wrong()),
    }
}

pub(super) fn legacy_choice<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let wrong = || BadRequest::malformed("function_call", "none, auto or an object with a name is expected");
    prompt.tool_choice = Some(match word(Some(value)) {
        Some(mode) => mode_of(&mode).ok_or_else(wrong)?,
        None => {
            let pairs: Pairs<'a> = read(value).ok_or_else(wrong)?;
            ToolChoice::Tool(text(pairs.get("name")).ok_or_else(wrong)?)
        }
    });
    Ok(())
}

/// Takes away the tools that a choice does not allow.
pub(super) fn keep_only(prompt: &mut Prompt<'_>, allowed: &[Text<'_>]) {
    prompt.tools.retain(|tool| match tool {
        Tool::Function(function) => allowed.contains(&function.name),
        Tool::Native { .. } => false,
    });
}

fn mode_of(mode: &str) -> Option<ToolChoice<'static>> {
    Some(match mode {
        "auto" => ToolChoice::Auto,
        "required" => ToolChoice::Any,
        "none" => ToolChoice::None,
        _ => return None,
    })
}
