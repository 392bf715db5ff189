//! What an attempt cost, by its seat's price.

use crate::config::Price;

/// Tokens of one attempt in disjoint classes: each token is in one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Uncached input.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input read from the provider's cache.
    pub cache_read: u64,
    /// Input written to the provider's cache.
    pub cache_write: u64,
}

impl From<Tokens> for crate::telemetry::metrics::TokenCounts {
    fn from(tokens: Tokens) -> Self {
        let Tokens { input, output, cache_read, cache_write } = tokens;
        Self { input, output, cache_read, cache_write }
    }
}

/// The cost in USD, each class once at its own price per million; rounded to 1e-12.
#[must_use]
pub fn cost(price: &Price, tokens: &Tokens) -> f64 {
    const PICO: f64 = 1e12;
    let of = |count: u64, per_million: f64| count as f64 * per_million;
    let sum = of(tokens.input, price.input)
        + of(tokens.output, price.output)
        + of(tokens.cache_read, price.cache_read)
        + of(tokens.cache_write, price.cache_write);
    let usd = sum / 1e6;
    // Without the noise of binary fractions: 0.003702, not 0.0037020000000000004.
    let rounded = (usd * PICO).round() / PICO;
    if rounded.is_finite() { rounded } else { usd }
}

#[cfg(test)]
mod tests;
