//! Messages of a chat request.

use serde_json::value::RawValue;

use super::append;
use crate::prompt::{
    BadRequest, Document, DocumentSource, Image, ImageSource, Json, Part, Prompt, Role, Text, ToolCall,
    ToolResult,
};
use crate::wire::json::{Pairs, present, read, text, word};

pub(super) fn messages<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let list: Vec<Pairs<'a>> =
        read(value).ok_or_else(|| BadRequest::malformed("messages", "a list of objects is expected"))?;
    // The call of the form that there was before tools, which has no id.
    let mut legacy: Option<Text<'static>> = None;
    for (at, message) in list.iter().enumerate() {
        let place = format!("messages.{at}");
        let content = present(message.get("content"));
        match word(message.get("role")).as_deref() {
            Some("system" | "developer") => system(prompt, &place, content)?,
            Some("user") => {
                let parts = parts(&format!("{place}.content"), content)?;
                append(&mut prompt.messages, Role::User, parts);
            }
            Some("assistant") => {
                let parts = assistant(&place, message, content, &mut legacy)?;
                append(&mut prompt.messages, Role::Assistant, parts);
            }
            Some("tool") => {
                let call = text(message.get("tool_call_id")).ok_or_else(|| {
                    BadRequest::malformed(format!("{place}.tool_call_id"), "a string is expected")
                })?;
                result(prompt, &place, call, content)?;
            }
            Some("function") => {
                let wrong = || BadRequest::malformed(place.as_str(), "no function_call stands before it");
                result(prompt, &place, legacy.take().ok_or_else(wrong)?, content)?;
            }
            _ => {
                let what = "system, developer, user, assistant or tool is expected";
                return Err(BadRequest::malformed(format!("{place}.role"), what));
            }
        }
    }
    Ok(())
}

/// What the operator says: at the start it is the system prompt, later on a message of its own.
fn system<'a>(prompt: &mut Prompt<'a>, place: &str, content: Option<&'a RawValue>) -> Result<(), BadRequest> {
    let texts = texts(&format!("{place}.content"), content)?;
    if prompt.messages.is_empty() {
        prompt.system.extend(texts);
    } else if !texts.is_empty() {
        append(&mut prompt.messages, Role::System, texts.into_iter().map(Part::Text).collect());
    }
    Ok(())
}

fn result<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    call: Text<'a>,
    content: Option<&'a RawValue>,
) -> Result<(), BadRequest> {
    let texts = texts(&format!("{place}.content"), content)?;
    let parts = texts.into_iter().map(Part::Text).collect();
    append(
        &mut prompt.messages,
        Role::User,
        vec![Part::ToolResult(ToolResult { call, parts, is_error: false })],
    );
    Ok(())
}

/// Text alone: a string or parts.
fn texts<'a>(place: &str, content: Option<&'a RawValue>) -> Result<Vec<Text<'a>>, BadRequest> {
    let texts = parts(place, content)?.into_iter().map(|part| match part {
        Part::Text(text) => Ok(text),
        _ => Err(BadRequest::malformed(place, "only text is expected")),
    });
    texts.collect()
}

fn parts<'a>(place: &str, content: Option<&'a RawValue>) -> Result<Vec<Part<'a>>, BadRequest> {
    let wrong = || BadRequest::malformed(place, "a string or a list of parts is expected");
    let Some(content) = content else { return Ok(Vec::new()) };
    if let Some(text) = Text::of(content) {
        return Ok(if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] });
    }
    let list: Vec<Pairs<'a>> = read(content).ok_or_else(wrong)?;
    let mut parts = Vec::with_capacity(list.len());
    for (at, pairs) in list.iter().enumerate() {
        let place = format!("{place}.{at}");
        parts.extend(part(&place, pairs)?);
    }
    Ok(parts)
}

fn part<'a>(place: &str, pairs: &Pairs<'a>) -> Result<Option<Part<'a>>, BadRequest> {
    let wrong = |what: &str| BadRequest::malformed(place, what);
    let unsupported = |what: &str, why: &str| BadRequest {
        param: Some(place.to_owned()),
        ..BadRequest::unsupported(what, why)
    };
    Ok(match word(pairs.get("type")).as_deref() {
        Some("text") => {
            let text = text(pairs.get("text")).ok_or_else(|| wrong("text is to be a string"))?;
            (!text.is_empty()).then_some(Part::Text(text))
        }
        Some("refusal") => text(pairs.get("refusal")).filter(|text| !text.is_empty()).map(Part::Text),
        Some("image_url") => {
            let fields: Pairs<'a> =
                pairs.get("image_url").and_then(read).ok_or_else(|| wrong("image_url is to be an object"))?;
            let url = text(fields.get("url")).ok_or_else(|| wrong("image_url.url is to be a string"))?;
            let source = image(&url).ok_or_else(|| wrong("image_url.url is no base64 data URI"))?;
            Some(Part::Image(Image { source, detail: text(present(fields.get("detail"))) }))
        }
        Some("input_audio") => return Err(unsupported("input_audio", "the seat hears no audio")),
        Some("file") => {
            let fields: Pairs<'a> =
                pairs.get("file").and_then(read).ok_or_else(|| wrong("file is to be an object"))?;
            if present(fields.get("file_id")).is_some() {
                return Err(unsupported("file_id", "the seat has no files of this account; send file_data"));
            }
            let data =
                text(fields.get("file_data")).ok_or_else(|| wrong("file.file_data is to be a string"))?;
            let plain = data.decode();
            let pdf = plain.strip_prefix("data:application/pdf;base64,");
            let pdf =
                pdf.ok_or_else(|| unsupported("file_data", "only PDF in a base64 data URI is taken"))?;
            let title = text(present(fields.get("filename")));
            let source = DocumentSource::Pdf(Text::plain(pdf));
            Some(Part::Document(Document { title, context: None, source }))
        }
        _ => return Err(wrong("a part of type text, image_url or file is expected")),
    })
}

/// A picture by its address, or in a data URI.
fn image<'a>(url: &Text<'a>) -> Option<ImageSource<'a>> {
    let plain = url.decode();
    let Some(rest) = plain.strip_prefix("data:") else { return Some(ImageSource::Url(url.clone())) };
    let (head, data) = rest.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    Some(ImageSource::Base64 { media_type: Text::plain(media_type), data: Text::plain(data) })
}

fn assistant<'a>(
    place: &str,
    message: &Pairs<'a>,
    content: Option<&'a RawValue>,
    legacy: &mut Option<Text<'static>>,
) -> Result<Vec<Part<'a>>, BadRequest> {
    let mut parts = parts(&format!("{place}.content"), content)?;
    parts.extend(text(present(message.get("refusal"))).filter(|text| !text.is_empty()).map(Part::Text));
    let list: Vec<Pairs<'a>> = match present(message.get("tool_calls")) {
        Some(calls) => read(calls).ok_or_else(|| {
            BadRequest::malformed(format!("{place}.tool_calls"), "a list of objects is expected")
        })?,
        None => Vec::new(),
    };
    for (at, call) in list.iter().enumerate() {
        let place = format!("{place}.tool_calls.{at}");
        let wrong = |what: &str| BadRequest::malformed(place.as_str(), what);
        let id = text(call.get("id")).ok_or_else(|| wrong("id is to be a string"))?;
        let is_custom = word(call.get("type")).as_deref() == Some("custom");
        let key = if is_custom { "custom" } else { "function" };
        let fields: Pairs<'a> =
            call.get(key).and_then(read).ok_or_else(|| wrong("function is to be an object"))?;
        let name = text(fields.get("name")).ok_or_else(|| wrong("name is to be a string"))?;
        let input = if is_custom {
            let input = text(fields.get("input")).unwrap_or_default();
            Json::parse(format!("{{\"input\":{}}}", input.as_json())).ok()
        } else {
            arguments(fields.get("arguments"))
        };
        let input = input.ok_or_else(|| wrong("function.arguments is to be a JSON object, as a string"))?;
        parts.push(Part::ToolCall(ToolCall { id, name, input }));
    }
    if let Some(call) = present(message.get("function_call")) {
        let wrong =
            || BadRequest::malformed(format!("{place}.function_call"), "a name and arguments are expected");
        let fields: Pairs<'a> = read(call).ok_or_else(wrong)?;
        let id = Text::plain(&format!("call_{}", place.replace('.', "_")));
        *legacy = Some(id.clone());
        let name = text(fields.get("name")).ok_or_else(wrong)?;
        let input = arguments(fields.get("arguments")).ok_or_else(wrong)?;
        parts.push(Part::ToolCall(ToolCall { id, name, input }));
    }
    Ok(parts)
}

/// Arguments as an object; an empty string is an empty one.
fn arguments(json: Option<&RawValue>) -> Option<Json<'static>> {
    let Some(json) = present(json) else { return Some(Json::EMPTY_OBJECT) };
    let text = Text::of(json)?;
    let plain = text.decode();
    if plain.trim().is_empty() {
        return Some(Json::EMPTY_OBJECT);
    }
    Json::parse(plain.into_owned()).ok().filter(Json::is_object)
}
