//! Reads what an upstream says when it refuses, whatever its vendor.
//!
//! Sources of the shapes: Anthropic's and OpenAI's error references; OpenRouter's `error.metadata`; vLLM
//! (numeric `code`, old builds unwrapped); llama.cpp and mlx-lm (`{"error":"text"}`); Google's compatible
//! endpoint (a one-element array, `details[].retryDelay`); Azure (`innererror.code`).

use serde_json::{Map, Value};

mod inside;
mod overflow;
#[cfg(test)]
mod tests;
mod text;
mod wait;

pub(super) use inside::not_an_answer;
pub use inside::{NotAnAnswer, StreamError};
pub use overflow::{OverflowSizes, overflow, overflow_sizes};
pub(super) use text::cut;
pub use wait::duration_secs;

/// How much of a body is read.
const MAX_BODY_BYTES: usize = 256 * 1024;
/// Where the words for a person stand.
const WORDS: [&str; 3] = ["message", "msg", "detail"];
/// How long a name (type, code) may be, in bytes; more is cut.
const MAX_NAME_BYTES: usize = 128;

/// What an error body says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailureBody {
    /// `error.type`, or Google's `error.status`.
    pub kind: Option<String>,
    /// `error.code` as text, numbers too.
    pub code: Option<String>,
    /// Anthropic's `error.details.error_code`, or Azure's `error.innererror.code`.
    pub detail_code: Option<String>,
    /// What it says to a person: never empty, at most 4 KiB, no control characters.
    pub message: String,
    /// OpenRouter's `error.metadata.limit_source`.
    pub limit_source: Option<String>,
    /// OpenRouter's `error.metadata.error_type`.
    pub error_type: Option<String>,
    /// OpenRouter's `error.metadata.reasons` is there: a moderation refusal.
    pub moderation: bool,
    /// The wait that the body asks for, in seconds: finite, not negative.
    pub retry_hint: Option<f64>,
    /// When a limit resets, in seconds since the epoch.
    pub resets_at: Option<u64>,
    /// "Limit L, Requested R" with R above L: it can never succeed there.
    pub requested_over_limit: bool,
    /// Whether the body is JSON.
    pub is_json: bool,
}

impl FailureBody {
    /// The HTTP status that an error with this code or type goes with, for one that came under a 200.
    #[must_use]
    pub fn status_hint(&self) -> Option<u16> {
        let number = self.code.as_deref().and_then(|code| code.parse::<u16>().ok());
        if let Some(status) = number.filter(|status| (400..=599).contains(status)) {
            return Some(status);
        }
        [&self.kind, &self.error_type, &self.code].into_iter().flatten().find_map(|word| status_of(word))
    }
}

/// Reads an error body of any vendor. Reads the first 256 KiB at most; never fails.
#[must_use]
pub fn read(body: &[u8]) -> FailureBody {
    let head = body.get(..MAX_BODY_BYTES).unwrap_or(body);
    let Ok(value) = serde_json::from_slice::<Value>(head) else {
        let message = text::describe(head);
        return FailureBody {
            retry_hint: wait::in_text(&message),
            requested_over_limit: overflow::requested_over_limit(&message),
            message,
            ..FailureBody::default()
        };
    };
    let root = match &value {
        Value::Array(list) => list.first().unwrap_or(&value),
        other => other,
    };
    let nothing = Map::new();
    let top = root.as_object().unwrap_or(&nothing);
    let wrapped = top.get("error").filter(|error| !error.is_null() && **error != Value::Bool(true));
    // Old servers send the error object unwrapped. Without words it is some other object.
    let bare = WORDS.iter().any(|key| top.get(*key).is_some_and(Value::is_string)).then_some(top);
    let error = wrapped.map_or(bare, Value::as_object).unwrap_or(&nothing);
    let metadata = error.get("metadata").and_then(Value::as_object).unwrap_or(&nothing);
    let message = said(root, wrapped, error, metadata);
    // The `type` of an unwrapped error may be the envelope's own word for "this is an error".
    let kind = name(error.get("type")).filter(|kind| kind != "error").or_else(|| name(error.get("status")));
    FailureBody {
        kind,
        code: name(error.get("code")),
        detail_code: name(error.get("details").and_then(|details| details.get("error_code")))
            .or_else(|| name(error.get("innererror").and_then(|inner| inner.get("code")))),
        limit_source: name(metadata.get("limit_source")),
        error_type: name(metadata.get("error_type")),
        moderation: metadata.get("reasons").is_some_and(|reasons| !reasons.is_null()),
        retry_hint: wait::in_fields(error).or_else(|| wait::in_text(&message)),
        resets_at: [error, metadata, top]
            .iter()
            .find_map(|fields| wait::epoch_secs(fields.get("resets_at")?)),
        requested_over_limit: overflow::requested_over_limit(&message),
        message,
        is_json: true,
    }
}

/// The words for a person.
fn said(
    root: &Value,
    wrapped: Option<&Value>,
    error: &Map<String, Value>,
    metadata: &Map<String, Value>,
) -> String {
    let plain = wrapped
        .and_then(Value::as_str)
        .or_else(|| WORDS.iter().find_map(|key| error.get(*key)?.as_str()))
        .or_else(|| root.get("message")?.as_str())
        .or_else(|| root.as_str());
    let Some(plain) = plain.filter(|plain| !plain.trim().is_empty()) else {
        // An object that is no error may hold an answer's text: its keys say enough.
        return match (wrapped, root) {
            (Some(error), _) => text::bounded(&error.to_string()),
            (None, Value::Object(top)) => text::keys(top.keys()),
            (None, Value::Array(_)) => "a JSON list".to_owned(),
            (None, other) => text::bounded(&format!("the JSON value {other}")),
        };
    };
    // An aggregator's own words say little; what its provider said comes along as text.
    match metadata.get("raw").and_then(Value::as_str) {
        Some(raw) => text::bounded(&format!("{plain}: {raw}")),
        None => text::bounded(plain),
    }
}

/// A short word or number of the body.
fn name(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let short = cut(&text, MAX_NAME_BYTES);
    (!short.is_empty()).then(|| short.to_owned())
}

/// The status behind an error type or code.
fn status_of(word: &str) -> Option<u16> {
    Some(match word {
        "invalid_request_error"
        | "invalid_prompt"
        | "context_length_exceeded"
        | "exceed_context_size_error"
        | "BadRequestError"
        | "INVALID_ARGUMENT" => 400,
        "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => 401,
        "billing_error" => 402,
        "permission_error" | "PERMISSION_DENIED" => 403,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => 404,
        "request_too_large" => 413,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "insufficient_quota"
        | "slow_down"
        | "RESOURCE_EXHAUSTED" => 429,
        "api_error" | "server_error" | "internal_error" | "InternalServerError" | "INTERNAL" => 500,
        "provider_unavailable" => 502,
        "service_unavailable_error" | "server_is_overloaded" | "unavailable_error" | "UNAVAILABLE" => 503,
        "timeout_error" | "DEADLINE_EXCEEDED" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}
