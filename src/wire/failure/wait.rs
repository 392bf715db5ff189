//! How long an error body asks to wait.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// "try again in 1m2s", "Please retry after 10 seconds", "retry in 34.07s."
static IN_TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(?:try again|retry)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:{UNITS})\b?\s*)+)"
    ))
    .ok()
});

/// One number with its unit.
static PIECE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)(\d+(?:\.\d+)?)\s*({UNITS})")).ok());

/// Longer names first: the first that fits is taken.
const UNITS: &str = "milliseconds?|minutes?|seconds?|hours?|days?|mins?|secs?|hrs?|ms|s|m|h|d";

/// A duration as vendors write it (`34s`, `20ms`, `1m2s`, `6m0s`, `1.5 seconds`), in seconds. A bare number
/// is in seconds. Finite and not negative.
#[must_use]
pub fn duration_secs(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return sane(seconds);
    }
    let mut sum = 0.0;
    let mut end = 0;
    for found in PIECE.as_ref()?.captures_iter(text) {
        let whole = found.get(0)?;
        // Nothing but blanks may stand between the pieces, else this is no duration.
        if !text.get(end..whole.start())?.trim().is_empty() {
            return None;
        }
        end = whole.end();
        sum += found.get(1)?.as_str().parse::<f64>().ok()? * scale(found.get(2)?.as_str());
    }
    if end == 0 || !text.get(end..)?.trim().is_empty() {
        return None;
    }
    sane(sum)
}

/// Seconds in one of `unit`.
fn scale(unit: &str) -> f64 {
    let unit = unit.to_ascii_lowercase();
    if unit == "ms" || unit.starts_with("milli") {
        return 0.001;
    }
    match unit.chars().next() {
        Some('m') => 60.0,
        Some('h') => 3600.0,
        Some('d') => 86_400.0,
        _ => 1.0,
    }
}

/// The wait in the text of a message.
pub(super) fn in_text(message: &str) -> Option<f64> {
    let found = IN_TEXT.as_ref()?.captures(message)?;
    duration_secs(found.get(1)?.as_str())
}

/// The wait in the fields of an error object.
pub(super) fn in_fields(error: &Map<String, Value>) -> Option<f64> {
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    let google = details.into_iter().find_map(|detail| seconds(detail.get("retryDelay")?));
    google.or_else(|| ["resets_in_seconds", "retry_after"].iter().find_map(|key| seconds(error.get(*key)?)))
}

fn seconds(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => duration_secs(text),
        other => other.as_f64().and_then(sane),
    }
}

fn sane(seconds: f64) -> Option<f64> {
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

/// A point in time: seconds or milliseconds since the epoch, as a number or text, or RFC 3339.
pub(super) fn epoch_secs(value: &Value) -> Option<u64> {
    let number = match value {
        Value::String(text) => match text.trim().parse::<u64>() {
            Ok(number) => number,
            Err(_) => return u64::try_from(text.trim().parse::<jiff::Timestamp>().ok()?.as_second()).ok(),
        },
        other => other.as_u64().or_else(|| whole(other.as_f64()?))?,
    };
    // In seconds this would be the year 5138: it is milliseconds.
    Some(if number >= 100_000_000_000 { number.checked_div(1000)? } else { number })
}

/// `number` without its fraction, when it fits.
fn whole(number: f64) -> Option<u64> {
    // Floats hold every whole number up to 2^53.
    (number.is_finite() && (0.0..=9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
}
