//! What an answer cost, in Anthropic's disjoint classes.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Token counts of an answer. The three input classes are disjoint; `None` is unknown, never zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Input tokens read from a prompt cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a prompt cache.
    pub cache_write: Option<u64>,
}

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
}

impl Usage {
    /// Reads a `usage` object; what is not a count is unknown.
    pub(super) fn of(json: &RawValue) -> Self {
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(json.get()) else { return Self::default() };
        Self {
            input: fields.input_tokens.and_then(number),
            output: fields.output_tokens.and_then(number),
            cache_read: fields.cache_read_input_tokens.and_then(number),
            cache_write: fields.cache_creation_input_tokens.and_then(number),
        }
    }

    /// Takes in a later report of the same answer. Counts are cumulative, so the larger one is the newer:
    /// some servers say the input once and send 0 for it afterwards.
    pub(super) fn merge(&mut self, later: Self) {
        // `None` is less than any count.
        self.input = self.input.max(later.input);
        self.output = self.output.max(later.output);
        self.cache_read = self.cache_read.max(later.cache_read);
        self.cache_write = self.cache_write.max(later.cache_write);
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
