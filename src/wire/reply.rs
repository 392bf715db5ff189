//! What the gateway itself says to a client, in that client's own shape.

use bytes::Bytes;
use serde::Serialize;

use super::Dialect;
use super::failure::OverflowSizes;

mod models;
#[cfg(test)]
mod tests;

pub use models::{ModelEntry, model_body, models_body};

#[derive(Serialize)]
struct AnthropicError<'a> {
    r#type: &'static str,
    error: AnthropicInner<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    request_id: &'a str,
}

#[derive(Serialize)]
struct AnthropicInner<'a> {
    r#type: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details<'a>>,
}

#[derive(Serialize)]
struct Details<'a> {
    error_code: &'a str,
}

#[derive(Serialize)]
struct OpenAiError<'a> {
    error: OpenAiInner<'a>,
}

#[derive(Serialize)]
struct OpenAiInner<'a> {
    message: &'a str,
    r#type: &'a str,
    param: Option<&'a str>,
    code: Option<&'a str>,
}

#[derive(Serialize)]
struct ResponseFailed<'a> {
    r#type: &'static str,
    sequence_number: u64,
    response: FailedResponse<'a>,
}

#[derive(Serialize)]
struct FailedResponse<'a> {
    id: String,
    object: &'static str,
    status: &'static str,
    error: ResponseError<'a>,
    output: [&'static str; 0],
}

#[derive(Serialize)]
struct ResponseError<'a> {
    code: &'a str,
    message: &'a str,
}

/// An error body. `kind` defaults to [`kind_of`] the status. Anthropic's shape has no `param` (the message
/// names the field) and takes `code` as `details.error_code`; OpenAI's has no request id (a header has it).
#[must_use]
pub fn error_body(
    dialect: Dialect,
    status: u16,
    kind: Option<&str>,
    code: Option<&str>,
    param: Option<&str>,
    message: &str,
    request_id: &str,
) -> Bytes {
    let kind = kind.unwrap_or(kind_of(dialect, status));
    match dialect {
        Dialect::Anthropic => json(&AnthropicError {
            r#type: "error",
            error: AnthropicInner {
                r#type: kind,
                message,
                details: code.map(|error_code| Details { error_code }),
            },
            request_id,
        }),
        Dialect::OpenAi | Dialect::Responses => {
            json(&OpenAiError { error: OpenAiInner { message, r#type: kind, param, code } })
        }
    }
}

/// The `error.type` that goes with a status, as the vendor's reference has it.
#[must_use]
pub const fn kind_of(dialect: Dialect, status: u16) -> &'static str {
    match (dialect, status) {
        (_, 401) => "authentication_error",
        (_, 403) => "permission_error",
        (_, 429) => "rate_limit_error",
        (Dialect::Anthropic, 402) => "billing_error",
        (Dialect::Anthropic, 404) => "not_found_error",
        (Dialect::Anthropic, 409) => "conflict_error",
        (Dialect::Anthropic, 413) => "request_too_large",
        (Dialect::Anthropic, 408 | 504) => "timeout_error",
        (Dialect::Anthropic, 529) => "overloaded_error",
        (_, 400..=499) => "invalid_request_error",
        (Dialect::Anthropic, _) => "api_error",
        (_, 503 | 529) => "service_unavailable_error",
        (_, _) => "server_error",
    }
}

/// An error told inside a stream, where the status is already spent: the last thing in it. Without a `kind` or
/// `code` it is what clients expect of a stream that broke off; for Responses it ends the response as failed,
/// with a code that Codex does not try again.
#[must_use]
pub fn stream_error(
    dialect: Dialect,
    status: u16,
    kind: Option<&str>,
    code: Option<&str>,
    message: &str,
    request_id: &str,
) -> Bytes {
    match dialect {
        Dialect::Anthropic => {
            event(Some("error"), &error_body(dialect, status, kind, code, None, message, request_id))
        }
        Dialect::OpenAi => {
            let kind = kind.unwrap_or("upstream_error");
            let code = code.unwrap_or("stream_interrupted");
            event(None, &error_body(dialect, status, Some(kind), Some(code), None, message, request_id))
        }
        Dialect::Responses => {
            let failed = ResponseFailed {
                r#type: "response.failed",
                sequence_number: 0,
                response: FailedResponse {
                    id: format!("resp_{request_id}"),
                    object: "response",
                    status: "failed",
                    error: ResponseError { code: code.unwrap_or("server_is_overloaded"), message },
                    output: [],
                },
            };
            event(Some("response.failed"), &json(&failed))
        }
    }
}

/// A context overflow in the words that Anthropic's clients parse to shrink what they send.
#[must_use]
pub fn overflow_message(sizes: OverflowSizes) -> String {
    let OverflowSizes { prompt, output, limit } = sizes;
    match output {
        Some(output) if prompt <= limit => format!(
            "input length and `max_tokens` exceed context limit: {prompt} + {output} > {limit}, decrease input length or `max_tokens` and try again"
        ),
        _ => format!("prompt is too long: {prompt} tokens > {limit} maximum"),
    }
}

fn event(name: Option<&str>, data: &Bytes) -> Bytes {
    let mut out = Vec::with_capacity(data.len().saturating_add(64));
    if let Some(name) = name {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
    Bytes::from(out)
}

fn json<T: Serialize>(value: &T) -> Bytes {
    // Strings and numbers always serialise.
    Bytes::from(serde_json::to_vec(value).unwrap_or_default())
}
