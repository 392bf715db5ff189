//! What an answer cost, between OpenAI's nested counts and the hub's disjoint ones.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::prompt::Usage;
use crate::wire::json::{read, whole};

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    prompt_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    completion_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt_tokens_details: Option<&'a RawValue>,
    #[serde(borrow)]
    completion_tokens_details: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    cached_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    cache_write_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    reasoning_tokens: Option<&'a RawValue>,
}

/// Reads a `usage` object; what is not a count is unknown. OpenAI's prompt includes what came from a cache.
pub(super) fn usage_of(json: &RawValue) -> Usage {
    let Some(fields) = read::<Fields<'_>>(json) else { return Usage::default() };
    let details = |json: Option<&'_ RawValue>| -> (Option<u64>, Option<u64>, Option<u64>) {
        let details: Details<'_> = json.and_then(read).unwrap_or_default();
        (whole(details.cached_tokens), whole(details.cache_write_tokens), whole(details.reasoning_tokens))
    };
    let (cache_read, cache_write, _) = details(fields.prompt_tokens_details);
    let (_, _, thinking) = details(fields.completion_tokens_details);
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    Usage {
        input: whole(fields.prompt_tokens).map(|all| all.saturating_sub(cached)),
        output: whole(fields.completion_tokens),
        cache_read,
        cache_write,
        thinking,
    }
}

/// Writes a `usage` object.
pub(super) fn write_usage(out: &mut String, usage: &Usage) {
    let prompt = usage.all_input().unwrap_or(0);
    let completion = usage.output.unwrap_or(0);
    let total = prompt.saturating_add(completion);
    // Writing to a String cannot fail.
    _ = write!(out, r#"{{"prompt_tokens":{prompt},"completion_tokens":{completion},"total_tokens":{total}"#);
    if usage.cache_read.is_some() || usage.cache_write.is_some() {
        let read = usage.cache_read.unwrap_or(0);
        _ = write!(out, r#","prompt_tokens_details":{{"cached_tokens":{read}"#);
        if let Some(written) = usage.cache_write {
            _ = write!(out, r#","cache_write_tokens":{written}"#);
        }
        out.push('}');
    }
    if let Some(thinking) = usage.thinking {
        _ = write!(out, r#","completion_tokens_details":{{"reasoning_tokens":{thinking}}}"#);
    }
    out.push('}');
}
