//! What an answer cost, in Anthropic's disjoint classes.

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
