//! What the gateway itself says to a client, in that client's own shape.

use bytes::Bytes;

use super::Dialect;

/// A model as `GET /v1/models` lists it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// Its id.
    pub id: String,
    /// Who serves it: a provider or route name.
    pub owned_by: String,
    /// The most input tokens, when known.
    pub max_input_tokens: Option<u64>,
    /// The most output tokens, when known.
    pub max_tokens: Option<u64>,
}

/// An error body. `kind` defaults to [`kind_of`] the status.
#[must_use]
pub fn error_body(
    _dialect: Dialect,
    _status: u16,
    _kind: Option<&str>,
    _code: Option<&str>,
    _param: Option<&str>,
    _message: &str,
    _request_id: &str,
) -> Bytes {
    Bytes::new()
}

/// The `error.type` that goes with a status.
#[must_use]
pub const fn kind_of(_dialect: Dialect, _status: u16) -> &'static str {
    "api_error"
}

/// An error told inside a stream: the last thing of it.
#[must_use]
pub fn stream_error(
    _dialect: Dialect,
    _status: u16,
    _kind: Option<&str>,
    _code: Option<&str>,
    _message: &str,
    _request_id: &str,
) -> Bytes {
    Bytes::new()
}

/// The list of models.
#[must_use]
pub fn models_body(_dialect: Dialect, _models: &[ModelEntry]) -> Bytes {
    Bytes::new()
}

/// One model.
#[must_use]
pub fn model_body(_dialect: Dialect, _model: &ModelEntry) -> Bytes {
    Bytes::new()
}
