//! Content blocks of a Messages request.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::prompt::{
    BadRequest, Document, DocumentSource, Image, ImageSource, Json, Part, Prompt, Text, ToolCall, ToolResult,
};
use crate::wire::json::{flag, present, read, text, word};

/// The fields of any block that is understood.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    context: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    signature: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_control: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    media_type: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    file_id: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// A string, or the texts of text blocks.
pub(super) fn texts<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    content: &'a RawValue,
) -> Result<Vec<Text<'a>>, BadRequest> {
    let parts = parts(prompt, place, content)?;
    let texts = parts.into_iter().map(|part| match part {
        Part::Text(text) => Ok(text),
        _ => Err(BadRequest::malformed(place, "only text blocks are expected")),
    });
    texts.collect()
}

/// A string, or a list of blocks.
pub(super) fn parts<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    content: &'a RawValue,
) -> Result<Vec<Part<'a>>, BadRequest> {
    if let Some(text) = Text::of(content) {
        return Ok(vec![Part::Text(text)]);
    }
    let blocks: Vec<Block<'a>> = read(content)
        .ok_or_else(|| BadRequest::malformed(place, "a string or a list of blocks is expected"))?;
    let mut parts = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let part = match part(prompt, place, at, block)? {
            Some(part) => part,
            None => native(place, at, block, content)?,
        };
        parts.push(part);
    }
    Ok(parts)
}

/// A block that only the vendor can read, kept whole.
fn native<'a>(
    place: &str,
    at: usize,
    block: &Block<'a>,
    content: &'a RawValue,
) -> Result<Part<'a>, BadRequest> {
    let wrong = || BadRequest::malformed(format!("{place}.{at}.type"), "a string is expected");
    let kind = text(block.kind).ok_or_else(wrong)?;
    let all: Vec<&'a RawValue> = read(content).unwrap_or_default();
    let raw = all.get(at).copied().ok_or_else(wrong)?;
    Ok(Part::Native { kind, raw: Json::of(raw) })
}

fn part<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    at: usize,
    block: &Block<'a>,
) -> Result<Option<Part<'a>>, BadRequest> {
    let need = |field: &str, value: Option<&'a RawValue>| {
        text(value)
            .ok_or_else(|| BadRequest::malformed(format!("{place}.{at}.{field}"), "a string is expected"))
    };
    if present(block.cache_control).is_some() {
        prompt.note_extra("cache_control");
    }
    Ok(Some(match word(block.kind).as_deref() {
        Some("text") => Part::Text(need("text", block.text)?),
        Some("image") => match image(block) {
            Some(image) => Part::Image(image),
            None => return Ok(None),
        },
        Some("document") => match document(prompt, place, at, block)? {
            Some(document) => Part::Document(document),
            None => return Ok(None),
        },
        Some("search_result") => Part::Document(search_result(prompt, place, at, block)?),
        Some("tool_use") => Part::ToolCall(ToolCall {
            id: need("id", block.id)?,
            name: need("name", block.name)?,
            input: present(block.input)
                .filter(|input| input.get().starts_with('{'))
                .map(Json::of)
                .ok_or_else(|| {
                    BadRequest::malformed(format!("{place}.{at}.input"), "an object is expected")
                })?,
        }),
        Some("tool_result") => Part::ToolResult(ToolResult {
            call: need("tool_use_id", block.tool_use_id)?,
            parts: match present(block.content) {
                Some(content) => parts(prompt, &format!("{place}.{at}.content"), content)?,
                None => Vec::new(),
            },
            is_error: flag(block.is_error).unwrap_or_default(),
        }),
        Some("tool_reference") => Part::ToolReference(need("tool_name", block.tool_name)?),
        Some("thinking") => Part::Thinking {
            text: text(block.thinking).unwrap_or_default(),
            signature: text(block.signature),
        },
        Some("redacted_thinking") => Part::RedactedThinking(text(block.data).unwrap_or_default()),
        _ => return Ok(None),
    }))
}

fn image<'a>(block: &Block<'a>) -> Option<Image<'a>> {
    let source: Source<'a> = read(block.source?)?;
    let source = match word(source.kind).as_deref()? {
        "base64" => ImageSource::Base64 { media_type: text(source.media_type)?, data: text(source.data)? },
        "url" => ImageSource::Url(text(source.url)?),
        "file" => ImageSource::File(text(source.file_id)?),
        _ => return None,
    };
    Some(Image { source, detail: None })
}

fn document<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    at: usize,
    block: &Block<'a>,
) -> Result<Option<Document<'a>>, BadRequest> {
    let Some(source) = block.source.and_then(read::<Source<'a>>) else { return Ok(None) };
    let media_type = word(source.media_type);
    let source = match word(source.kind).as_deref() {
        Some("base64") if media_type.as_deref() == Some("application/pdf") => {
            text(source.data).map(DocumentSource::Pdf)
        }
        Some("text") => text(source.data).map(DocumentSource::Text),
        Some("content") => match source.content {
            Some(content) => {
                let place = format!("{place}.{at}.source.content");
                Some(DocumentSource::Parts(parts(prompt, &place, content)?))
            }
            None => None,
        },
        Some("url") => text(source.url).map(DocumentSource::Url),
        Some("file") => text(source.file_id).map(DocumentSource::File),
        _ => None,
    };
    Ok(source.map(|source| Document {
        title: text(present(block.title)),
        context: text(present(block.context)),
        source,
    }))
}

/// What a search found: a document of texts, with its address as what is said about it.
fn search_result<'a>(
    prompt: &mut Prompt<'a>,
    place: &str,
    at: usize,
    block: &Block<'a>,
) -> Result<Document<'a>, BadRequest> {
    let place = format!("{place}.{at}.content");
    let content =
        block.content.ok_or_else(|| BadRequest::malformed(place.clone(), "a list of blocks is expected"))?;
    Ok(Document {
        title: text(present(block.title)),
        context: text(present(block.source)),
        source: DocumentSource::Parts(parts(prompt, &place, content)?),
    })
}
