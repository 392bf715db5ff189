//! What a seat can express, and what to say where it cannot.

use bytes::Bytes;

/// What a seat takes. The default is a plain chat server of today: everything but what has to be declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatTraits {
    /// Most tokens that it can answer; what is asked is clamped to it, and it stands in where a wire demands a
    /// limit that the client did not give.
    pub max_output_tokens: Option<u64>,
    /// Which field its limit goes into.
    pub max_tokens_field: MaxTokensField,
    /// It may be given pictures.
    pub images: bool,
    /// It reads PDF documents.
    pub pdf: bool,
    /// It continues a trailing assistant message.
    pub prefill: bool,
    /// It takes `temperature` and `top_p`.
    pub sampling: bool,
    /// It takes `top_k`, on a wire that does not have it.
    pub top_k: bool,
    /// It takes `parallel_tool_calls`.
    pub parallel_tool_calls: bool,
    /// It follows a JSON schema.
    pub json_schema: bool,
    /// It takes messages of role `system` between others.
    pub system_messages: bool,
    /// It takes `stream_options`.
    pub stream_options: bool,
    /// The user goes into `safety_identifier`, not `user`.
    pub safety_identifier: bool,
    /// Fields of its own wire that it must not be sent.
    pub drop_params: Vec<String>,
}

impl SeatTraits {
    /// What an Anthropic seat takes unless it is declared otherwise. System messages between others are for
    /// the newest models only.
    #[must_use]
    pub fn anthropic() -> Self {
        Self { pdf: true, prefill: true, top_k: true, system_messages: false, ..Self::default() }
    }
}

impl Default for SeatTraits {
    fn default() -> Self {
        Self {
            max_output_tokens: None,
            max_tokens_field: MaxTokensField::MaxTokens,
            images: true,
            pdf: false,
            prefill: false,
            sampling: true,
            top_k: false,
            parallel_tool_calls: true,
            json_schema: true,
            system_messages: true,
            stream_options: true,
            safety_identifier: false,
            drop_params: Vec::new(),
        }
    }
}

/// The name of the field for the limit of a chat request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_tokens`: most compatible servers.
    MaxTokens,
    /// `max_completion_tokens`: OpenAI, whose reasoning models demand it.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// The field's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// A request body for a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The body.
    pub body: Bytes,
    /// Names of the client's fields that are not in it, each once: for `x-sanctum-degraded`.
    pub dropped: Vec<String>,
}

/// Why a seat cannot be asked: it is passed over, and the request goes on to the next one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Inexpressible {
    /// What kind of gap it is.
    pub gap: Gap,
    /// What cannot be said, and where it stands; no text of the prompt.
    pub reason: String,
    /// The client's field, where it is one value of one field that no seat of this wire takes: with no other
    /// seat left the answer is a 400 `unsupported_parameter` that names it.
    pub param: Option<&'static str>,
}

/// What kind of thing a seat lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gap {
    /// A tool or block that only its vendor has.
    NativeTools,
    /// The seat is declared without it: pictures, PDF, prefill, schemas.
    Capability,
    /// The wire has no words for it.
    Inexpressible,
}

impl Inexpressible {
    /// Needs the vendor's own tools or blocks.
    #[must_use]
    pub fn native(reason: impl Into<String>) -> Self {
        Self { gap: Gap::NativeTools, reason: reason.into(), param: None }
    }

    /// Needs what the seat is declared without.
    #[must_use]
    pub fn capability(reason: impl Into<String>) -> Self {
        Self { gap: Gap::Capability, reason: reason.into(), param: None }
    }

    /// The wire has no words for it.
    #[must_use]
    pub fn wire(reason: impl Into<String>) -> Self {
        Self { gap: Gap::Inexpressible, reason: reason.into(), param: None }
    }

    /// The wire has no words for this value of a client's field.
    #[must_use]
    pub fn field(param: &'static str, reason: impl Into<String>) -> Self {
        Self { gap: Gap::Inexpressible, reason: reason.into(), param: Some(param) }
    }
}
