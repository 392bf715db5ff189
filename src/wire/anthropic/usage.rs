//! What an answer cost, in Anthropic's disjoint classes.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::prompt::Usage;

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    input_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    output_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_read_input_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_creation_input_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    output_tokens_details: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    thinking_tokens: Option<&'a RawValue>,
}

/// Reads a `usage` object; what is not a count is unknown.
pub(super) fn usage_of(json: &RawValue) -> Usage {
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(json.get()) else { return Usage::default() };
    let details = fields
        .output_tokens_details
        .and_then(|details| serde_json::from_str::<Details<'_>>(details.get()).ok());
    Usage {
        input: fields.input_tokens.and_then(number),
        output: fields.output_tokens.and_then(number),
        cache_read: fields.cache_read_input_tokens.and_then(number),
        cache_write: fields.cache_creation_input_tokens.and_then(number),
        thinking: details.and_then(|details| details.thinking_tokens).and_then(number),
    }
}

/// A whole number that is not negative.
pub(super) fn number(json: &RawValue) -> Option<u64> {
    serde_json::from_str(json.get()).ok()
}

/// A string, at most `max` bytes of it.
pub(super) fn text(json: &RawValue, max: usize) -> Option<String> {
    let text = serde_json::from_str::<std::borrow::Cow<'_, str>>(json.get()).ok()?;
    Some(crate::wire::failure::cut(&text, max).to_owned())
}
