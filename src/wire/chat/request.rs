//! Reads a chat request into the hub, for a seat of another wire.
//!
//! What has no place there is refused by name where the answer would be another without it, and else noted.

use serde_json::value::RawValue;

use crate::prompt::{BadRequest, Effort, Json, Message, OutputFormat, Part, Prompt, Role, Text, Thinking};
use crate::wire::json::{Pairs, flag, read, text, whole, word};

mod messages;
#[cfg(test)]
mod tests;
mod tools;

/// Reads the body of `POST /v1/chat/completions`.
///
/// # Errors
/// When it is no request, or asks for what no other wire can give: the field, by name.
pub fn decode_request(body: &[u8]) -> Result<Prompt<'_>, BadRequest> {
    let pairs: Pairs<'_> = serde_json::from_slice(body).map_err(|error| BadRequest {
        param: None,
        code: None,
        message: format!("the body is no JSON object: line {} column {}", error.line(), error.column()),
    })?;
    let mut prompt = Prompt::default();
    let mut allowed = None;
    for (key, value) in pairs.iter().filter(|(_, value)| value.get() != "null") {
        match key {
            "tool_choice" => allowed = tools::choice(&mut prompt, value)?,
            "function_call" => tools::legacy_choice(&mut prompt, value)?,
            "messages" => messages::messages(&mut prompt, value)?,
            _ => field(&mut prompt, key, value)?,
        }
    }
    // The newer field is the one that counts, whichever comes first.
    if let Some(tokens) = pairs.get("max_completion_tokens").filter(|value| value.get() != "null") {
        prompt.max_tokens = Some(limit("max_completion_tokens", tokens)?);
    }
    if let Some(allowed) = allowed {
        tools::keep_only(&mut prompt, &allowed);
    }
    Ok(prompt)
}

fn limit(key: &str, value: &RawValue) -> Result<u64, BadRequest> {
    whole(Some(value)).ok_or_else(|| BadRequest::malformed(key, "a whole number is expected"))
}

/// Takes in one field of the top level.
fn field<'a>(prompt: &mut Prompt<'a>, key: &str, value: &'a RawValue) -> Result<(), BadRequest> {
    let wrong = |what: &str| BadRequest::malformed(key, what);
    let unsupported = |what: &str| Err(BadRequest::unsupported(key, what));
    let json = value.get();
    match key {
        "model" => prompt.model = Text::of(value).ok_or_else(|| wrong("a string is expected"))?,
        "max_tokens" => prompt.max_tokens = Some(limit(key, value)?),
        "max_completion_tokens" => {}
        "stream" => prompt.stream = flag(Some(value)).ok_or_else(|| wrong("true or false is expected"))?,
        "stream_options" => {
            let options: Pairs<'_> = read(value).ok_or_else(|| wrong("an object is expected"))?;
            prompt.stream_usage = flag(options.get("include_usage")).unwrap_or_default();
        }
        "tools" => tools::tools(prompt, value)?,
        "functions" => tools::functions(prompt, value)?,
        "parallel_tool_calls" => prompt.parallel_tools = flag(Some(value)),
        "stop" => {
            prompt.stop = match Text::of(value) {
                Some(text) => vec![text],
                None => read(value).ok_or_else(|| wrong("a string or a list of strings is expected"))?,
            };
            prompt.stop.retain(|text| !text.is_empty());
        }
        "temperature" => prompt.sampling.temperature = Some(Json::of(value)),
        "top_p" => prompt.sampling.top_p = Some(Json::of(value)),
        "top_k" => prompt.sampling.top_k = Some(Json::of(value)),
        "reasoning_effort" => match word(Some(value)).and_then(|name| Effort::of(&name)) {
            Some(Effort::None) => prompt.reasoning.thinking = Some(Thinking::Disabled),
            Some(effort) => prompt.reasoning.effort = Some(effort),
            None => prompt.note_extra(key),
        },
        "response_format" => format(prompt, value)?,
        "user" if prompt.user.is_none() => prompt.user = text(Some(value)),
        "safety_identifier" => prompt.user = text(Some(value)).or(prompt.user.take()),
        "n" if json != "1" => return unsupported("one answer is given at a time; send 1"),
        "logprobs" if json != "false" => return unsupported("the seat gives no log probabilities"),
        "top_logprobs" if json != "0" => return unsupported("the seat gives no log probabilities"),
        "modalities" => {
            let list: Vec<Text<'_>> = read(value).ok_or_else(|| wrong("a list of strings is expected"))?;
            if list.iter().any(|modality| modality.decode() != "text") {
                return unsupported("the seat answers in text alone");
            }
        }
        "audio" => return unsupported("the seat answers in text alone"),
        "prediction" => return unsupported("the seat takes no predicted output"),
        "web_search_options" => return unsupported("the seat has no web search of this shape"),
        "logit_bias" if json != "{}" => return unsupported("the seat's tokens are others"),
        "store" if json == "true" => return unsupported("answers are not stored; send false"),
        "presence_penalty" | "frequency_penalty" => match read::<f64>(value) {
            Some(0.0) => prompt.note_extra(key),
            _ => return unsupported("the seat has no such penalty; send 0"),
        },
        "n" | "logprobs" | "top_logprobs" | "logit_bias" | "store" | "user" => {}
        _ => prompt.note_extra(key),
    }
    Ok(())
}

fn format<'a>(prompt: &mut Prompt<'a>, value: &'a RawValue) -> Result<(), BadRequest> {
    let wrong = |what: &str| BadRequest::malformed("response_format", what);
    let pairs: Pairs<'a> = read(value).ok_or_else(|| wrong("an object is expected"))?;
    prompt.format = match word(pairs.get("type")).as_deref() {
        Some("text") => None,
        Some("json_object") => Some(OutputFormat::Object),
        Some("json_schema") => {
            let schema: Pairs<'a> = pairs
                .get("json_schema")
                .and_then(read)
                .ok_or_else(|| wrong("json_schema is to be an object with a schema"))?;
            Some(OutputFormat::Schema {
                name: text(schema.get("name")),
                schema: schema
                    .get("schema")
                    .map(Json::of)
                    .ok_or_else(|| wrong("json_schema.schema is missing"))?,
                strict: flag(schema.get("strict")),
            })
        }
        _ => return Err(BadRequest::unsupported("response_format", "the type is not known")),
    };
    Ok(())
}

/// Adds a part to the last message, when that has this role, else in a message of its own.
fn append<'a>(messages: &mut Vec<Message<'a>>, role: Role, parts: Vec<Part<'a>>) {
    match messages.last_mut() {
        Some(last) if last.role == role => last.parts.extend(parts),
        _ => messages.push(Message { role, parts }),
    }
}
