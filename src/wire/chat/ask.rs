//! Writes the hub's prompt as a chat request.

use bytes::Bytes;

use crate::prompt::{
    Effort, Encoded, Inexpressible, Json, OutputFormat, Prompt, SeatTraits, Text, Thinking, Tool, ToolChoice,
    note,
};
use crate::wire::json::quoted;

mod fit;
mod messages;
mod parts;
#[cfg(test)]
mod tests;

pub use fit::check;

/// Chat allows no more texts that end an answer.
const MAX_STOPS: usize = 4;
/// OpenAI's limit for the name of a user, in bytes.
const MAX_USER_BYTES: usize = 64;
/// What `drop_params` cannot take away: without it the answer would be another.
const KEPT: [&str; 7] = ["model", "messages", "tools", "tool_choice", "stream", "response_format", "stop"];

/// Writes `prompt` for the model `model` of a seat.
///
/// # Errors
/// When the seat cannot be asked this: it is to be passed over.
pub fn encode_request(
    prompt: &Prompt<'_>,
    model: &str,
    traits: &SeatTraits,
) -> Result<Encoded, Inexpressible> {
    check(prompt, traits)?;
    let mut out = Out { body: String::new(), dropped: prompt.extras.clone(), traits };
    out.body.push_str("{\"model\":");
    out.body.push_str(&quoted(model));
    out.body.push_str(",\"messages\":[");
    messages::write(&mut out.body, &mut out.dropped, prompt);
    out.body.push(']');
    tools(&mut out, prompt);
    limits(&mut out, prompt);
    sampling(&mut out, prompt);
    reasoning(&mut out, prompt);
    format(&mut out, prompt);
    user(&mut out, prompt);
    if prompt.stream {
        out.body.push_str(",\"stream\":true");
        if traits.stream_options {
            // Not a client's field: dropping it takes nothing from anybody.
            out.unless_dropped("stream_options", |body| body.push_str("{\"include_usage\":true}"));
        }
    }
    out.body.push('}');
    Ok(Encoded { body: Bytes::from(out.body), dropped: out.dropped })
}

/// The body so far, and what is left out of it.
struct Out<'t> {
    body: String,
    dropped: Vec<String>,
    traits: &'t SeatTraits,
}

impl Out<'_> {
    /// Writes a field, unless the seat must not be sent it; whether it was written.
    fn unless_dropped(&mut self, field: &str, value: impl FnOnce(&mut String)) -> bool {
        if self.traits.drop_params.iter().any(|name| name == field) && !KEPT.contains(&field) {
            return false;
        }
        self.body.push_str(",\"");
        self.body.push_str(field);
        self.body.push_str("\":");
        value(&mut self.body);
        true
    }

    /// Writes a field that stands for the client's `said`, and notes that one where the seat must not be sent it.
    fn field(&mut self, field: &str, said: &str, value: impl FnOnce(&mut String)) {
        if !self.unless_dropped(field, value) {
            self.drop_field(said);
        }
    }

    fn drop_field(&mut self, name: &str) {
        note(&mut self.dropped, name);
    }
}

fn tools(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    let offered: Vec<_> = fit::offered(prompt).collect();
    if offered.is_empty() {
        // A choice without tools is refused by servers, and says nothing.
        return;
    }
    if offered.len() < prompt.tools.len() {
        out.drop_field("defer_loading");
    }
    out.body.push_str(",\"tools\":[");
    for (at, tool) in offered.iter().enumerate() {
        if at > 0 {
            out.body.push(',');
        }
        out.body.push_str("{\"type\":\"function\",\"function\":{\"name\":");
        out.body.push_str(tool.name.as_json());
        if let Some(description) = &tool.description {
            out.body.push_str(",\"description\":");
            out.body.push_str(description.as_json());
        }
        out.body.push_str(",\"parameters\":");
        out.body.push_str(tool.schema.as_str());
        if let Some(strict) = tool.strict {
            out.body.push_str(if strict { ",\"strict\":true" } else { ",\"strict\":false" });
        }
        out.body.push_str("}}");
    }
    out.body.push(']');
    if let Some(choice) = &prompt.tool_choice {
        out.body.push_str(",\"tool_choice\":");
        match choice {
            ToolChoice::Auto => out.body.push_str("\"auto\""),
            ToolChoice::Any => out.body.push_str("\"required\""),
            ToolChoice::None => out.body.push_str("\"none\""),
            ToolChoice::Tool(name) => {
                out.body.push_str("{\"type\":\"function\",\"function\":{\"name\":");
                out.body.push_str(name.as_json());
                out.body.push_str("}}");
            }
        }
    }
    // To allow them is what a server does anyhow, and some do not know the word.
    if prompt.parallel_tools == Some(false) {
        if out.traits.parallel_tool_calls {
            out.field("parallel_tool_calls", "disable_parallel_tool_use", |body| body.push_str("false"));
        } else {
            out.drop_field("disable_parallel_tool_use");
        }
    }
}

fn limits(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    if let Some(asked) = prompt.max_tokens {
        let tokens = out.traits.max_output_tokens.map_or(asked, |most| asked.min(most));
        let field = out.traits.max_tokens_field.name();
        out.field(field, "max_tokens", |body| body.push_str(&tokens.to_string()));
    }
    if !prompt.stop.is_empty() {
        out.body.push_str(",\"stop\":[");
        join(&mut out.body, prompt.stop.iter().map(Text::as_json));
        out.body.push(']');
    }
}

fn join<'a>(out: &mut String, items: impl Iterator<Item = &'a str>) {
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(item);
    }
}

fn sampling(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    let sampling = &prompt.sampling;
    let traits = out.traits;
    let all: [(&str, &Option<Json<'_>>, bool); 3] = [
        ("temperature", &sampling.temperature, traits.sampling),
        ("top_p", &sampling.top_p, traits.sampling),
        ("top_k", &sampling.top_k, traits.sampling && traits.top_k),
    ];
    for (field, value, takes) in all {
        match value {
            Some(value) if takes => out.field(field, field, |body| body.push_str(value.as_str())),
            Some(_) => out.drop_field(field),
            None => {}
        }
    }
}

fn reasoning(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    let reasoning = prompt.reasoning;
    let (effort, said) = match (reasoning.effort, reasoning.thinking) {
        (Some(effort), _) => (Some(effort), "output_config.effort"),
        (None, Some(Thinking::Budget(tokens))) => (Some(effort_of(tokens)), "thinking"),
        (None, thinking) => {
            if thinking == Some(Thinking::Adaptive) {
                out.drop_field("thinking");
            }
            (None, "thinking")
        }
    };
    if let Some(effort) = effort {
        out.field("reasoning_effort", said, |body| {
            body.push('"');
            body.push_str(effort.name());
            body.push('"');
        });
    }
}

/// What a budget of thought amounts to.
const fn effort_of(tokens: u64) -> Effort {
    match tokens {
        0..=4096 => Effort::Low,
        4097..=16_384 => Effort::Medium,
        _ => Effort::High,
    }
}

fn format(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    match &prompt.format {
        Some(OutputFormat::Schema { name, schema, strict }) => {
            out.body.push_str(",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":");
            out.body.push_str(name.as_ref().map_or("\"output\"", Text::as_json));
            out.body.push_str(",\"schema\":");
            out.body.push_str(schema.as_str());
            out.body.push_str(if strict.unwrap_or(true) {
                ",\"strict\":true}}"
            } else {
                ",\"strict\":false}}"
            });
        }
        Some(OutputFormat::Object) => out.body.push_str(",\"response_format\":{\"type\":\"json_object\"}"),
        None => {}
    }
}

fn user(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    let Some(user) = &prompt.user else { return };
    let plain = user.decode();
    // Coding agents send an object with the ids of device, account and session: longer than OpenAI takes, and
    // nothing that another vendor is to know.
    if plain.is_empty() || plain.len() > MAX_USER_BYTES || plain.trim_start().starts_with('{') {
        return out.drop_field("metadata.user_id");
    }
    let field = if out.traits.safety_identifier { "safety_identifier" } else { "user" };
    out.field(field, "metadata.user_id", |body| body.push_str(user.as_json()));
}

/// The tools that a prompt has besides functions.
fn natives<'p>(prompt: &'p Prompt<'_>) -> impl Iterator<Item = &'p Text<'p>> {
    prompt.tools.iter().filter_map(|tool| match tool {
        Tool::Native { kind, .. } => Some(kind),
        Tool::Function(_) => None,
    })
}
