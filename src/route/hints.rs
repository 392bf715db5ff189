//! What an upstream's headers say about when to come back.
//!
//! Every value is hostile until parsed: negative, NaN, absurd and past values are no hint at all.

use std::time::Duration;

use http::{HeaderMap, HeaderName};

use crate::wire::failure::{self, FailureBody};

/// Longest rest that a header may order.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How long a spent quota is left alone when nobody says when it resets.
pub(super) const SPENT: Duration = Duration::from_secs(3600);

/// When to come back, by `retry-after-ms`, else `retry-after` (seconds or an HTTP date), else the body.
///
/// `now_unix_ms` is wall time in milliseconds since the Unix epoch.
#[must_use]
pub fn retry_after(headers: &HeaderMap, body: &FailureBody, now_unix_ms: i64) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    text("retry-after-ms")
        .and_then(|v| seconds(v.parse::<f64>().ok()? / 1000.0))
        .or_else(|| text("retry-after").and_then(|v| seconds_or_date(v, now_unix_ms)))
        .or_else(|| body.retry_hint.and_then(seconds))
        .or_else(|| body.resets_at.and_then(|at| epoch_secs(at, now_unix_ms)))
}

/// `x-should-retry`, where upstream said so.
#[must_use]
pub fn should_retry(headers: &HeaderMap) -> Option<bool> {
    match headers.get("x-should-retry")?.as_bytes() {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

/// A subscription login that upstream calls `rejected`: how long, as far as the headers tell.
///
/// Source: `anthropic-ratelimit-unified-status` and `-reset` (epoch seconds). An overage status beside
/// an `allowed` login is information only.
#[must_use]
pub fn subscription_rejected(headers: &HeaderMap, now_unix_ms: i64) -> Option<Duration> {
    const STATUS: HeaderName = HeaderName::from_static("anthropic-ratelimit-unified-status");
    if headers.get(STATUS).is_none_or(|status| status != "rejected") {
        return None;
    }
    let reset = headers.get("anthropic-ratelimit-unified-reset").and_then(|v| v.to_str().ok());
    let reset = reset.and_then(|v| v.trim().parse().ok());
    Some(reset.and_then(|at| epoch_secs(at, now_unix_ms)).unwrap_or(SPENT))
}

/// How long a seat whose money or quota is spent rests: what upstream said, else until the month turns for
/// a cap that resets then, else an hour; a day at most.
#[must_use]
pub fn spent(headers: &HeaderMap, body: &FailureBody, now_unix_ms: i64) -> Duration {
    let monthly = body.detail_code.as_deref().is_some_and(|c| c.ends_with("_spend_limit_reached"));
    retry_after(headers, body, now_unix_ms)
        .or_else(|| subscription_rejected(headers, now_unix_ms))
        .or_else(|| if monthly { month_end(now_unix_ms) } else { None })
        .unwrap_or(SPENT)
}

/// Time until 00:00 UTC on the first of the next month.
fn month_end(now_unix_ms: i64) -> Option<Duration> {
    let now = jiff::Timestamp::from_millisecond(now_unix_ms).ok()?;
    let now = now.to_zoned_datetime(jiff::tz::TimeZone::UTC);
    let turn = now.last_of_month().ok()?.tomorrow().ok()?.start_of_day().ok()?;
    future(turn.timestamp().as_millisecond(), now_unix_ms)
}

/// How long a seat should be left alone because one of its quotas is under 5 % of its limit.
///
/// Reads both vendors' families: `anthropic-ratelimit-{kind}-{limit,remaining,reset}` with an RFC 3339
/// reset and `x-ratelimit-{limit,remaining,reset}-{kind}` with a duration. Without a reset there is no
/// hint: nobody knows how long.
#[must_use]
pub fn nearly_spent(headers: &HeaderMap, now_unix_ms: i64) -> Option<Duration> {
    static QUOTAS: [[HeaderName; 3]; 6] = [
        [
            HeaderName::from_static("anthropic-ratelimit-requests-remaining"),
            HeaderName::from_static("anthropic-ratelimit-requests-limit"),
            HeaderName::from_static("anthropic-ratelimit-requests-reset"),
        ],
        [
            HeaderName::from_static("anthropic-ratelimit-tokens-remaining"),
            HeaderName::from_static("anthropic-ratelimit-tokens-limit"),
            HeaderName::from_static("anthropic-ratelimit-tokens-reset"),
        ],
        [
            HeaderName::from_static("anthropic-ratelimit-input-tokens-remaining"),
            HeaderName::from_static("anthropic-ratelimit-input-tokens-limit"),
            HeaderName::from_static("anthropic-ratelimit-input-tokens-reset"),
        ],
        [
            HeaderName::from_static("anthropic-ratelimit-output-tokens-remaining"),
            HeaderName::from_static("anthropic-ratelimit-output-tokens-limit"),
            HeaderName::from_static("anthropic-ratelimit-output-tokens-reset"),
        ],
        [
            HeaderName::from_static("x-ratelimit-remaining-requests"),
            HeaderName::from_static("x-ratelimit-limit-requests"),
            HeaderName::from_static("x-ratelimit-reset-requests"),
        ],
        [
            HeaderName::from_static("x-ratelimit-remaining-tokens"),
            HeaderName::from_static("x-ratelimit-limit-tokens"),
            HeaderName::from_static("x-ratelimit-reset-tokens"),
        ],
    ];
    let text = |name: &HeaderName| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    QUOTAS
        .iter()
        .filter_map(|[remaining, limit, reset]| {
            let remaining = text(remaining)?.parse::<f64>().ok()?;
            let limit = text(limit)?.parse::<f64>().ok()?;
            // A negative remainder is a server's "unknown" (Azure sends -1).
            if !(limit > 0.0 && remaining >= 0.0 && remaining < limit * 0.05) {
                return None;
            }
            let reset = text(reset)?;
            rfc3339(reset, now_unix_ms).or_else(|| seconds(failure::duration_secs(reset)?))
        })
        .max()
}

/// Seconds as a duration, where they are finite, positive or zero, and not absurd.
fn seconds(s: f64) -> Option<Duration> {
    if !s.is_finite() || s < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(s).map_or(LONGEST, |d| d.min(LONGEST)))
}

fn seconds_or_date(text: &str, now_unix_ms: i64) -> Option<Duration> {
    if let Ok(s) = text.parse::<f64>() {
        return seconds(s);
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
    future(at, now_unix_ms)
}

fn rfc3339(text: &str, now_unix_ms: i64) -> Option<Duration> {
    future(text.parse::<jiff::Timestamp>().ok()?.as_millisecond(), now_unix_ms)
}

fn epoch_secs(at: u64, now_unix_ms: i64) -> Option<Duration> {
    future(i64::try_from(at).ok()?.checked_mul(1000)?, now_unix_ms)
}

fn future(at_ms: i64, now_ms: i64) -> Option<Duration> {
    let left = u64::try_from(at_ms.checked_sub(now_ms)?).ok().filter(|ms| *ms > 0)?;
    Some(Duration::from_millis(left).min(LONGEST))
}

#[cfg(test)]
mod tests;
