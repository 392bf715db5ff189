//! Tools of a Messages request, and the choice among them.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::prompt::{BadRequest, Function, Json, Prompt, Text, Tool, ToolChoice};
use crate::wire::json::{flag, present, read, text, word};

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    strict: Option<&'a RawValue>,
    #[serde(borrow)]
    defer_loading: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_control: Option<&'a RawValue>,
    #[serde(borrow)]
    input_examples: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    disable_parallel_tool_use: Option<&'a RawValue>,
}

pub(super) fn tools<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let list: Vec<&'a RawValue> =
        read(value).ok_or_else(|| BadRequest::malformed("tools", "a list of objects is expected"))?;
    for (at, raw) in list.into_iter().enumerate() {
        let tool = tool(prompt, at, raw)?;
        prompt.tools.push(tool);
    }
    Ok(())
}

fn tool<'a>(prompt: &mut Prompt<'a>, at: usize, raw: &'a RawValue) -> Result<Tool<'a>, BadRequest> {
    let wrong = |field: &str, what: &str| BadRequest::malformed(format!("tools.{at}{field}"), what);
    let fields: Fields<'a> = read(raw).ok_or_else(|| wrong("", "an object is expected"))?;
    let name = text(present(fields.name)).filter(|name| !name.is_empty());
    // Whatever has a type of its own is the vendor's: that holds for types which are yet to come, and spares a
    // client's own tool that happens to be called `Bash`.
    if let Some(kind) = present(fields.kind).filter(|kind| word(Some(kind)).as_deref() != Some("custom")) {
        let kind = Text::of(kind).ok_or_else(|| wrong(".type", "a string is expected"))?;
        return Ok(Tool::Native { kind, name, raw: Json::of(raw) });
    }
    if present(fields.cache_control).is_some() {
        prompt.note_extra("cache_control");
    }
    if present(fields.input_examples).is_some() {
        prompt.note_extra("input_examples");
    }
    let schema = present(fields.input_schema)
        .filter(|schema| schema.get().starts_with('{'))
        .ok_or_else(|| wrong(".input_schema", "an object is expected"))?;
    Ok(Tool::Function(Function {
        name: name.ok_or_else(|| wrong(".name", "a string is expected"))?,
        description: text(present(fields.description)),
        schema: Json::of(schema),
        strict: flag(fields.strict),
        defer_loading: flag(fields.defer_loading).unwrap_or_default(),
        freeform: false,
    }))
}

pub(super) fn choice<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let choice: Choice<'a> =
        read(value).ok_or_else(|| BadRequest::malformed("tool_choice", "an object is expected"))?;
    prompt.tool_choice = match (word(choice.kind).as_deref(), text(choice.name)) {
        (Some("auto"), _) => Some(ToolChoice::Auto),
        (Some("any"), _) => Some(ToolChoice::Any),
        (Some("none"), _) => Some(ToolChoice::None),
        (Some("tool"), Some(name)) => Some(ToolChoice::Tool(name)),
        (Some("tool"), None) => {
            return Err(BadRequest::malformed("tool_choice.name", "the name of a tool is expected"));
        }
        // Never a silent `auto`: only the vendor knows what it means.
        _ => {
            prompt.native.push("tool_choice");
            None
        }
    };
    prompt.parallel_tools = flag(choice.disable_parallel_tool_use).map(|disable| !disable);
    Ok(())
}
