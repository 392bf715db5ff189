//! What an answer cost, in disjoint classes.

/// Token counts of an answer. The three input classes are disjoint; `None` is unknown, never zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    pub input: Option<u64>,
    /// Output tokens, thought included.
    pub output: Option<u64>,
    /// Input tokens read from a prompt cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a prompt cache.
    pub cache_write: Option<u64>,
    /// How many of the output tokens were thought.
    pub thinking: Option<u64>,
}

impl Usage {
    /// Takes in a later report of the same answer. Counts are cumulative, so the larger one is the newer:
    /// some servers say the input once and send 0 for it afterwards.
    pub fn merge(&mut self, later: Self) {
        // `None` is less than any count.
        self.input = self.input.max(later.input);
        self.output = self.output.max(later.output);
        self.cache_read = self.cache_read.max(later.cache_read);
        self.cache_write = self.cache_write.max(later.cache_write);
        self.thinking = self.thinking.max(later.thinking);
    }

    /// All input tokens, as OpenAI counts them; `None` when no class is known.
    #[must_use]
    pub fn all_input(&self) -> Option<u64> {
        let classes = [self.input, self.cache_read, self.cache_write];
        let known = classes.iter().any(Option::is_some);
        known.then(|| classes.into_iter().flatten().fold(0, u64::saturating_add))
    }
}
