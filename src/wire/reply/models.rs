//! `GET /v1/models` in both shapes.

use bytes::Bytes;
use serde::Serialize;

use super::json;
use crate::wire::Dialect;

/// What Anthropic's reference gives for a model whose release date is not known.
const UNKNOWN_DATE: &str = "1970-01-01T00:00:00Z";

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

#[derive(Serialize)]
struct AnthropicModel<'a> {
    r#type: &'static str,
    id: &'a str,
    display_name: &'a str,
    created_at: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
}

#[derive(Serialize)]
struct AnthropicList<'a> {
    data: Vec<AnthropicModel<'a>>,
    has_more: bool,
    first_id: Option<&'a str>,
    last_id: Option<&'a str>,
}

#[derive(Serialize)]
struct OpenAiModel<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    owned_by: &'a str,
}

#[derive(Serialize)]
struct OpenAiList<'a> {
    object: &'static str,
    data: Vec<OpenAiModel<'a>>,
}

fn anthropic(model: &ModelEntry) -> AnthropicModel<'_> {
    AnthropicModel {
        r#type: "model",
        id: &model.id,
        display_name: &model.id,
        created_at: UNKNOWN_DATE,
        max_input_tokens: model.max_input_tokens,
        max_tokens: model.max_tokens,
    }
}

fn openai(model: &ModelEntry) -> OpenAiModel<'_> {
    OpenAiModel { id: &model.id, object: "model", created: 0, owned_by: &model.owned_by }
}

/// The list of models, whole.
#[must_use]
pub fn models_body(dialect: Dialect, models: &[ModelEntry]) -> Bytes {
    match dialect {
        Dialect::Anthropic => json(&AnthropicList {
            data: models.iter().map(anthropic).collect(),
            has_more: false,
            first_id: models.first().map(|model| model.id.as_str()),
            last_id: models.last().map(|model| model.id.as_str()),
        }),
        Dialect::OpenAi | Dialect::Responses => {
            json(&OpenAiList { object: "list", data: models.iter().map(openai).collect() })
        }
    }
}

/// One model.
#[must_use]
pub fn model_body(dialect: Dialect, model: &ModelEntry) -> Bytes {
    match dialect {
        Dialect::Anthropic => json(&anthropic(model)),
        Dialect::OpenAi | Dialect::Responses => json(&openai(model)),
    }
}
