//! Says whether an error text means that the prompt does not fit the model, and by how much.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// The wording of the servers in use. A bare "too many tokens" or "token limit" is left out on purpose: those
/// belong to rate limits.
const PATTERNS: [&str; 17] = [
    r"context_length_exceeded",
    r"exceed_context_size_error",
    r"prompt is too long",
    r"exceed(s|ed)?( the)?( available)? context (size|window|limit|length)",
    r"maximum context length",
    r"(greater|larger) than the (max )?context",
    r"too large for model with \d+ max",
    r"keep the first \d+ tokens when context",
    r"context size has been exceeded",
    r"input token count.*exceeds",
    r"maximum prompt length",
    r"reduce the length of the",
    r"input is too long for",
    r"exceed the configured limit of",
    r"exceeded model token limit",
    r"context window exceeds",
    r"max_tokens must be at least 1, got -",
];

/// `None` only if a pattern above were wrong, which a test rules out.
static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSetBuilder::new(PATTERNS).case_insensitive(true).dot_matches_new_line(true).build().ok()
});

static LIMIT_REQUESTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| insensitive(r"\blimit:?\s*([\d,]+).{0,80}?\brequested:?\s*([\d,]+)"));

/// Sizes, in the words of: Anthropic (twice), llama.cpp, vLLM and OpenAI, Google.
static SIZES: LazyLock<Vec<(Regex, Order)>> = LazyLock::new(|| {
    let patterns = [
        (r"prompt is too long:?\s*(\d+) tokens\s*>\s*(\d+)", Order::PromptLimit),
        (r"exceed context limit:?\s*(\d+)\s*\+\s*(\d+)\s*>\s*(\d+)", Order::PromptOutputLimit),
        (r"\((\d+) tokens\) exceeds the available context size \((\d+) tokens", Order::PromptLimit),
        (
            r"maximum context length is (\d+) tokens.{0,160}?\((\d+) (?:of text )?in the (?:messages|prompt|input)[^,;)]*[,;] (\d+) (?:of tool input|in the functions|in the completion|for the completion|in the output)",
            Order::LimitPromptOutput,
        ),
        (
            r"maximum context length is (\d+) tokens.{0,160}?(?:resulted in|requested|has|contains at least) (\d+)",
            Order::LimitPrompt,
        ),
        (r"input token count \((\d+)\) exceeds .{0,60}?\((\d+)\)", Order::PromptLimit),
        (r"limit:?\s*([\d,]+).{0,80}?requested:?\s*([\d,]+)", Order::LimitPrompt),
    ];
    patterns.into_iter().filter_map(|(pattern, order)| Some((insensitive(pattern)?, order))).collect()
});

#[derive(Debug, Clone, Copy)]
enum Order {
    PromptLimit,
    LimitPrompt,
    PromptOutputLimit,
    LimitPromptOutput,
}

/// The numbers of an overflow, as upstream gave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverflowSizes {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Output tokens that were asked for, where the refusal counts them in.
    pub output: Option<u64>,
    /// Tokens that the model can hold.
    pub limit: u64,
}

fn insensitive(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build().ok()
}

/// Whether an error text says that the prompt does not fit the model's context. Meant for the text of 400,
/// 413, 500 and of errors under a 200; a 429 speaks of rates.
#[must_use]
pub fn overflow(message: &str) -> bool {
    SET.as_ref().is_some_and(|set| set.is_match(message))
}

/// The numbers in an overflow text, where it has them in a known wording.
#[must_use]
pub fn overflow_sizes(message: &str) -> Option<OverflowSizes> {
    SIZES.iter().find_map(|(pattern, order)| {
        let found = pattern.captures(message)?;
        let at = |index| found.get(index).and_then(|number| tokens(number.as_str()));
        Some(match order {
            Order::PromptLimit => OverflowSizes { prompt: at(1)?, output: None, limit: at(2)? },
            Order::LimitPrompt => OverflowSizes { prompt: at(2)?, output: None, limit: at(1)? },
            Order::PromptOutputLimit => OverflowSizes { prompt: at(1)?, output: at(2), limit: at(3)? },
            Order::LimitPromptOutput => OverflowSizes { prompt: at(2)?, output: at(3), limit: at(1)? },
        })
    })
}

/// Whether `message` has "Limit L, Requested R" with R above L.
pub(super) fn requested_over_limit(message: &str) -> bool {
    let numbers = LIMIT_REQUESTED.as_ref().and_then(|pattern| {
        let found = pattern.captures(message)?;
        Some((tokens(found.get(1)?.as_str())?, tokens(found.get(2)?.as_str())?))
    });
    numbers.is_some_and(|(limit, requested)| requested > limit)
}

fn tokens(number: &str) -> Option<u64> {
    number.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests;
