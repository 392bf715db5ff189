//! Writes the hub's prompt as a Messages request, for clients of another wire.

use std::fmt::Write as _;

use bytes::Bytes;

use crate::prompt::{
    Effort, Encoded, Inexpressible, OutputFormat, Prompt, Role, SeatTraits, Text, Thinking, Tool, ToolChoice,
    note,
};
use crate::wire::json::quoted;

mod fit;
mod messages;
pub use fit::check;

/// The limit where neither the client nor the seat has one: Anthropic demands one.
const DEFAULT_MAX_TOKENS: u64 = 8192;
/// What `drop_params` cannot take away: without it the answer would be another, or none.
const KEPT: [&str; 7] =
    ["model", "messages", "system", "tools", "tool_choice", "max_tokens", "stop_sequences"];

/// Writes `prompt` for the model `model` of a seat; to be sent with version 2023-06-01.
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
    let asked = prompt.max_tokens.or(traits.max_output_tokens).unwrap_or(DEFAULT_MAX_TOKENS);
    let tokens = traits.max_output_tokens.map_or(asked, |most| asked.min(most));
    // Writing to a String cannot fail.
    _ = write!(out.body, "{{\"model\":{},\"max_tokens\":{tokens}", quoted(model));
    messages::write(&mut out.body, &mut out.dropped, prompt, traits);
    tools(&mut out, prompt);
    if !prompt.stop.is_empty() {
        let list: Vec<&str> = prompt.stop.iter().map(Text::as_json).collect();
        _ = write!(out.body, ",\"stop_sequences\":[{}]", list.join(","));
    }
    let sampling = &prompt.sampling;
    for (name, value) in
        [("temperature", &sampling.temperature), ("top_p", &sampling.top_p), ("top_k", &sampling.top_k)]
    {
        match value {
            Some(value) if traits.sampling => out.field(name, name, value.as_str()),
            Some(_) => note(&mut out.dropped, name),
            None => {}
        }
    }
    reasoning(&mut out, prompt);
    if let Some(user) = &prompt.user {
        out.field("metadata", "user", &format!("{{\"user_id\":{}}}", user.as_json()));
    }
    if prompt.stream {
        out.body.push_str(",\"stream\":true");
    }
    out.body.push('}');
    Ok(Encoded { body: Bytes::from(out.body), dropped: out.dropped })
}

struct Out<'t> {
    body: String,
    dropped: Vec<String>,
    traits: &'t SeatTraits,
}

impl Out<'_> {
    /// Writes a field that stands for the client's `said`, unless the seat must not be sent it.
    fn field(&mut self, field: &str, said: &str, value: &str) {
        if self.traits.drop_params.iter().any(|name| name == field) && !KEPT.contains(&field) {
            return note(&mut self.dropped, said);
        }
        _ = write!(self.body, ",\"{field}\":{value}");
    }
}

fn tools(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    if prompt.tools.is_empty() {
        return;
    }
    let written: Vec<String> = prompt.tools.iter().map(tool).collect();
    _ = write!(out.body, ",\"tools\":[{}]", written.join(","));
    let only_one = prompt.parallel_tools == Some(false);
    let default = only_one.then_some(ToolChoice::Auto);
    let Some(choice) = prompt.tool_choice.as_ref().or(default.as_ref()) else { return };
    out.body.push_str(",\"tool_choice\":{\"type\":");
    match choice {
        ToolChoice::Auto => out.body.push_str("\"auto\""),
        ToolChoice::Any => out.body.push_str("\"any\""),
        ToolChoice::None => out.body.push_str("\"none\""),
        ToolChoice::Tool(name) => {
            out.body.push_str("\"tool\",\"name\":");
            out.body.push_str(name.as_json());
        }
    }
    if only_one && !matches!(choice, ToolChoice::None) {
        out.body.push_str(",\"disable_parallel_tool_use\":true");
    }
    out.body.push('}');
}

fn tool(tool: &Tool<'_>) -> String {
    match tool {
        Tool::Native { raw, .. } => raw.as_str().to_owned(),
        Tool::Function(function) => {
            let mut out = format!("{{\"name\":{}", function.name.as_json());
            if let Some(description) = &function.description {
                _ = write!(out, ",\"description\":{}", description.as_json());
            }
            _ = write!(out, ",\"input_schema\":{}", function.schema.as_str());
            if let Some(strict) = function.strict {
                _ = write!(out, ",\"strict\":{strict}");
            }
            if function.defer_loading {
                out.push_str(",\"defer_loading\":true");
            }
            out.push('}');
            out
        }
    }
}

fn reasoning(out: &mut Out<'_>, prompt: &Prompt<'_>) {
    match prompt.reasoning.thinking {
        Some(Thinking::Disabled) => out.field("thinking", "reasoning_effort", r#"{"type":"disabled"}"#),
        Some(Thinking::Adaptive) => out.field("thinking", "thinking", r#"{"type":"adaptive"}"#),
        Some(Thinking::Budget(tokens)) => {
            let value = format!(r#"{{"type":"enabled","budget_tokens":{tokens}}}"#);
            out.field("thinking", "thinking", &value);
        }
        None => {}
    }
    let effort = prompt.reasoning.effort.map(|effort| match effort {
        Effort::None | Effort::Minimal => Effort::Low,
        other => other,
    });
    let mut config: Vec<String> = Vec::new();
    config.extend(effort.map(|effort| format!("\"effort\":\"{}\"", effort.name())));
    if let Some(OutputFormat::Schema { schema, .. }) = &prompt.format {
        config.push(format!("\"format\":{{\"type\":\"json_schema\",\"schema\":{}}}", schema.as_str()));
    }
    if !config.is_empty() {
        let said = if prompt.format.is_some() { "response_format" } else { "reasoning_effort" };
        out.field("output_config", said, &format!("{{{}}}", config.join(",")));
    }
}

/// Whether a message of this role stands among the others, or is said at the start.
fn is_hoisted(role: Role, traits: &SeatTraits) -> bool {
    role == Role::System && !traits.system_messages
}
