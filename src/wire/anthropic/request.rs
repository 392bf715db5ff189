//! Reads a Messages request into the hub.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::prompt::{BadRequest, Effort, Json, Message, OutputFormat, Prompt, Role, Text, Thinking};
use crate::wire::json::{Key, Pairs, flag, present, read, text, whole, word};

mod blocks;
#[cfg(test)]
mod tests;
mod tools;

/// The start of the line by which Claude Code tells the vendor who pays. Only the vendor reads it, and it
/// differs from one conversation to the next.
const BILLING: &str = "x-anthropic-billing-header:";

/// Reads the body of `POST /v1/messages`.
///
/// Fields and blocks that only the vendor can serve are kept as such, so that a seat of another wire is passed
/// over; what is merely of no use elsewhere is named in [`Prompt::extras`].
///
/// # Errors
/// When it is no request: the field that is missing or of the wrong form.
pub fn decode_request(body: &[u8]) -> Result<Prompt<'_>, BadRequest> {
    let body: Body<'_> = serde_json::from_slice(body).map_err(|error| not_understood(&error))?;
    let mut prompt = Prompt::default();
    for (key, value) in &body.fields {
        if value.get() != "null" {
            field(&mut prompt, &key.0, value)?;
        }
    }
    for (at, message) in body.messages.iter().enumerate() {
        let message = self::message(&mut prompt, at, message)?;
        prompt.messages.push(message);
    }
    Ok(prompt)
}

/// Says where the body stops making sense, without a word of it.
fn not_understood(error: &serde_json::Error) -> BadRequest {
    let (line, column) = (error.line(), error.column());
    BadRequest {
        param: None,
        code: None,
        message: match error.classify() {
            serde_json::error::Category::Data => {
                format!(
                    "messages: a list of objects with role and content is expected; line {line} column {column} is something else"
                )
            }
            _ => format!("the body is not JSON: line {line} column {column}"),
        },
    }
}

/// The top level: messages typed, since they are the bulk, and everything else as it is written.
#[derive(Default)]
struct Body<'a> {
    messages: Vec<RawMessage<'a>>,
    fields: Vec<(Key<'a>, &'a RawValue)>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow)]
    role: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    output_config: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_control: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Body<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Body<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Body<'de>, A::Error> {
                let mut body = Body::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    if key.0 == "messages" {
                        body.messages = map.next_value()?;
                    } else {
                        body.fields.push((key, map.next_value()?));
                    }
                }
                Ok(body)
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// Takes in one field of the top level.
fn field<'a>(prompt: &mut Prompt<'a>, key: &str, value: &'a RawValue) -> Result<(), BadRequest> {
    let wrong = |what: &str| BadRequest::malformed(key, what);
    match key {
        "model" => prompt.model = Text::of(value).ok_or_else(|| wrong("a string is expected"))?,
        "max_tokens" => {
            let tokens = whole(Some(value)).ok_or_else(|| wrong("a whole number, 0 or more, is expected"))?;
            prompt.max_tokens = Some(tokens);
        }
        "stream" => prompt.stream = flag(Some(value)).ok_or_else(|| wrong("true or false is expected"))?,
        "system" => prompt.system = system(prompt, value)?,
        "tools" => tools::tools(prompt, value)?,
        "tool_choice" => tools::choice(prompt, value)?,
        "stop_sequences" => {
            prompt.stop = read(value).ok_or_else(|| wrong("a list of strings is expected"))?;
        }
        "temperature" => prompt.sampling.temperature = Some(Json::of(value)),
        "top_p" => prompt.sampling.top_p = Some(Json::of(value)),
        "top_k" => prompt.sampling.top_k = Some(Json::of(value)),
        "thinking" => thinking(prompt, value)?,
        "output_config" => output_config(prompt, value)?,
        "output_format" => prompt.format = format(prompt, value),
        "metadata" => {
            let pairs: Pairs<'_> = read(value).ok_or_else(|| wrong("an object is expected"))?;
            prompt.user = text(present(pairs.get("user_id")));
        }
        // An id of a running container, or skills in one: only the vendor has it.
        "container" => prompt.native.push("container"),
        "mcp_servers" if value.get() != "[]" => prompt.native.push("mcp_servers"),
        _ => prompt.note_extra(key),
    }
    Ok(())
}

fn system<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<Vec<Text<'a>>, BadRequest> {
    let mut texts = blocks::texts(prompt, "system", value)?;
    if let Some(first) = texts.first() {
        let plain = first.decode();
        if plain.starts_with(BILLING) {
            let rest = plain.split_once('\n').map_or("", |(_, rest)| rest).trim_start_matches('\n');
            let rest = Text::plain(rest);
            match texts.first_mut() {
                Some(first) if !rest.is_empty() => *first = rest,
                _ => _ = texts.remove(0),
            }
        }
    }
    texts.retain(|text| !text.is_empty());
    Ok(texts)
}

fn message<'a>(
    prompt: &mut Prompt<'a>,
    at: usize,
    message: &RawMessage<'a>,
) -> Result<Message<'a>, BadRequest> {
    let place = format!("messages.{at}");
    let role = match word(message.role).as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => {
            return Err(BadRequest::malformed(
                format!("{place}.role"),
                "user, assistant or system is expected",
            ));
        }
    };
    for (name, value) in [("output_config", message.output_config), ("cache_control", message.cache_control)]
    {
        if present(value).is_some() {
            prompt.note_extra(name);
        }
    }
    let content = present(message.content).ok_or_else(|| {
        BadRequest::malformed(format!("{place}.content"), "a string or a list of blocks is expected")
    })?;
    Ok(Message { role, parts: blocks::parts(prompt, &format!("{place}.content"), content)? })
}

fn thinking(prompt: &mut Prompt<'_>, value: &RawValue) -> Result<(), BadRequest> {
    let pairs: Pairs<'_> =
        read(value).ok_or_else(|| BadRequest::malformed("thinking", "an object is expected"))?;
    prompt.reasoning.thinking = Some(match word(pairs.get("type")).as_deref() {
        Some("enabled") => Thinking::Budget(whole(pairs.get("budget_tokens")).unwrap_or_default()),
        Some("disabled") => Thinking::Disabled,
        Some(_) => Thinking::Adaptive,
        None => return Err(BadRequest::malformed("thinking.type", "a string is expected")),
    });
    let omitted = word(pairs.get("display")).as_deref() == Some("omitted");
    prompt.reasoning.show = prompt.reasoning.thinking != Some(Thinking::Disabled) && !omitted;
    Ok(())
}

fn output_config<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let pairs: Pairs<'a> =
        read(value).ok_or_else(|| BadRequest::malformed("output_config", "an object is expected"))?;
    for (key, value) in pairs.iter().filter(|(_, value)| value.get() != "null") {
        match key {
            "effort" => match word(Some(value)).and_then(|name| Effort::of(&name)) {
                Some(effort) => prompt.reasoning.effort = Some(effort),
                None => prompt.note_extra("output_config.effort"),
            },
            "format" => prompt.format = format(prompt, value),
            other => prompt.note_extra(&format!("output_config.{other}")),
        }
    }
    Ok(())
}

/// The form of the answer; one that is not known here needs the vendor itself.
fn format<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Option<OutputFormat<'a>> {
    let pairs: Pairs<'a> = read(value)?;
    match (word(pairs.get("type")).as_deref(), pairs.get("schema")) {
        (Some("json_schema"), Some(schema)) => Some(OutputFormat::Schema {
            name: text(pairs.get("name")),
            schema: Json::of(schema),
            strict: None,
        }),
        _ => {
            prompt.native.push("output_config.format");
            None
        }
    }
}
