//! Signal -> class. One table, first match wins; the docs' copy is generated from it.

use crate::route::Class;
use crate::wire::failure::{self, FailureBody};

/// Where a failure showed itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An HTTP status other than 2xx.
    Status,
    /// A 200 whose body is an error or no answer.
    InBand,
    /// An error event before anything was sent on.
    Stream,
    /// No connection, or it broke before an answer.
    Transport,
    /// A stream that ended, before anything was sent on, without its end.
    Ended,
    /// No sign of generation in the seat's budget.
    FirstByte,
    /// The request's deadline.
    Deadline,
}

/// What an attempt showed, as far as the table cares.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Where it showed.
    pub source: Source,
    /// The HTTP status; for errors inside a 200 the one that their kind stands for; 0 = none.
    pub status: u16,
    /// What the body said.
    pub body: FailureBody,
    /// Headers call the login `rejected`.
    pub subscription_rejected: bool,
    /// `retry-after` was there.
    pub has_retry_after: bool,
}

/// A row: a class, the signal in words for the docs, and the test.
#[derive(Debug)]
pub struct Row {
    /// The class it gives.
    pub class: Class,
    /// The signal in words.
    pub signal: &'static str,
    /// Whether a signal is one of these.
    pub test: fn(&Signal) -> bool,
}

/// The table. First match wins.
pub const ROWS: &[Row] = &[
    Row {
        class: Class::Deadline,
        signal: "the request's deadline ran out",
        test: |s| s.source == Source::Deadline,
    },
    Row {
        class: Class::TtfbTimeout,
        signal: "no sign of generation within the seat's budget, counted from the end of the upload",
        test: |s| s.source == Source::FirstByte,
    },
    Row { class: Class::Cancelled, signal: "499", test: |s| s.status == 499 },
    Row {
        class: Class::SpendCap,
        signal: "`details.error_code` ending in `_spend_limit_reached`",
        test: |s| s.body.detail_code.as_deref().is_some_and(|c| c.ends_with("_spend_limit_reached")),
    },
    Row {
        class: Class::RateLimited,
        signal: "402 with `retry-after` for an in-flight budget",
        test: |s| {
            s.status == 402
                && s.has_retry_after
                && s.body.limit_source.as_deref() == Some("openrouter_in_flight_budget")
        },
    },
    Row { class: Class::SpendCap, signal: "402", test: |s| s.status == 402 },
    Row {
        class: Class::SpendCap,
        signal: "a quota or billing code (`insufficient_quota`, `credit_balance_exhausted`, `*_spend_limit_exceeded`, `usage_limit_reached`, …)",
        test: |s| words(&s.body).any(is_money_code),
    },
    Row {
        class: Class::SpendCap,
        signal: "400 that says \"specified API usage limits\" or \"credit balance is too low\"",
        test: |s| is_client_status(s.status) && is_money_text(&s.body.message),
    },
    Row {
        class: Class::SpendCap,
        signal: "403 whose limit source is a budget or a key limit",
        test: |s| s.status == 403 && s.body.limit_source.as_deref().is_some_and(is_money_source),
    },
    Row {
        class: Class::SpendCap,
        signal: "429 or 403 while the subscription's status header is `rejected`",
        test: |s| s.subscription_rejected && matches!(s.status, 429 | 403),
    },
    Row {
        class: Class::ContextLength,
        signal: "429 that asks for more tokens than the limit ever allows",
        test: |s| s.status == 429 && s.body.requested_over_limit,
    },
    Row {
        class: Class::ContextLength,
        signal: "400, 413, 422, 500 or an error in a 200 that says the prompt does not fit (never 429)",
        test: |s| {
            s.status != 429
                && s.source != Source::Transport
                && (words(&s.body)
                    .any(|w| w == "context_length_exceeded" || w == "exceed_context_size_error")
                    || failure::overflow(&s.body.message))
        },
    },
    Row {
        class: Class::ContentPolicy,
        signal: "`content_filter`, `content_policy_violation`, `invalid_prompt`, `bio_policy`, or 403 with moderation reasons",
        test: |s| words(&s.body).any(is_policy_code) || (s.status == 403 && s.body.moderation),
    },
    Row {
        class: Class::Auth,
        signal: "404 `model_not_found`, `DeploymentNotFound`, an unknown model on a configured id",
        test: |s| is_client_status(s.status) && is_unknown_model(s),
    },
    Row {
        class: Class::Overloaded,
        signal: "529, 503, `overloaded_error`, `slow_down`, `server_is_overloaded`",
        test: |s| {
            matches!(s.status, 529 | 503)
                || words(&s.body)
                    .any(|w| matches!(w, "overloaded_error" | "slow_down" | "server_is_overloaded"))
        },
    },
    Row { class: Class::RateLimited, signal: "any other 429", test: |s| s.status == 429 },
    Row {
        class: Class::Auth,
        signal: "401 or 403, `authentication_error`, `permission_error`, an expired login",
        test: |s| {
            matches!(s.status, 401 | 403)
                || words(&s.body).any(|w| {
                    matches!(
                        w,
                        "authentication_error"
                            | "permission_error"
                            | "authentication_failed"
                            | "oauth_org_not_allowed"
                    )
                })
        },
    },
    Row {
        class: Class::ServerError,
        signal: "500, 502, 504, 408, 409 and every other 5xx",
        test: |s| matches!(s.status, 408 | 409) || s.status >= 500,
    },
    Row {
        class: Class::Network,
        signal: "no connection within the connect timeout, refused, reset, DNS, TLS, or an end before the answer's head",
        test: |s| s.source == Source::Transport,
    },
    Row {
        class: Class::TruncatedStream,
        signal: "a stream that ended before content and without its end",
        test: |s| s.source == Source::Ended,
    },
    Row {
        class: Class::BadResponse,
        signal: "a 200 with an error, no answer, HTML or another content type; an unasked redirect",
        test: |s| matches!(s.source, Source::InBand | Source::Stream) || (s.status < 400 && s.status > 0),
    },
    Row {
        class: Class::ClientError,
        signal: "any other 4xx: it fails the same way everywhere",
        test: |_| true,
    },
];

/// Names what an attempt showed.
#[must_use]
pub fn classify(signal: &Signal) -> Class {
    let class = ROWS.iter().find(|row| (row.test)(signal)).map_or(Class::BadResponse, |row| row.class);
    // What a status of upstream's own says is the client's fault, an error inside a 200 does not.
    match (class, signal.source) {
        (Class::ClientError | Class::Cancelled, Source::InBand | Source::Stream) => Class::BadResponse,
        (class, _) => class,
    }
}

fn words(body: &FailureBody) -> impl Iterator<Item = &str> {
    [&body.kind, &body.code, &body.detail_code, &body.error_type].into_iter().filter_map(|w| w.as_deref())
}

const fn is_client_status(status: u16) -> bool {
    matches!(status, 400..=428 | 430..=499)
}

fn is_money_code(word: &str) -> bool {
    matches!(
        word,
        "insufficient_quota"
            | "credit_balance_exhausted"
            | "organization_spend_limit_exceeded"
            | "project_spend_limit_exceeded"
            | "organization_usage_limit_exceeded"
            | "billing_hard_limit_reached"
            | "billing_error"
            | "usage_limit_reached"
            | "usage_not_included"
            | "linked_organization_billing_unavailable"
    )
}

fn is_money_text(message: &str) -> bool {
    let m = message.to_ascii_lowercase();
    m.contains("specified api usage limits")
        || m.contains("specified workspace api usage limits")
        || m.contains("credit balance is too low")
}

fn is_money_source(source: &str) -> bool {
    source.contains("budget") || source.contains("key_limit")
}

fn is_policy_code(word: &str) -> bool {
    matches!(
        word,
        "content_filter"
            | "content_policy_violation"
            | "invalid_prompt"
            | "bio_policy"
            | "ResponsibleAIPolicyViolation"
    )
}

/// A 404 about the model, not about the path or a resource that the client named.
fn is_unknown_model(s: &Signal) -> bool {
    if words(&s.body).any(|w| matches!(w, "model_not_found" | "DeploymentNotFound")) {
        return true;
    }
    let m = s.body.message.to_ascii_lowercase();
    match s.status {
        // Anthropic: 404 not_found_error "model: NAME"; Ollama: 404 "model 'x' not found".
        404 => {
            m.starts_with("model:")
                || (m.contains("model") && (m.contains("not found") || m.contains("not exist")))
        }
        400 | 422 => {
            (m.contains("model") && (m.contains("does not exist") || m.contains("not a valid model")))
                || m.contains("unknown model")
                || m.contains("invalid model")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
