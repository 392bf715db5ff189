//! Too heavy for every run; `tests/heavy/run` plays them.

mod kill_nine;
mod soak;

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}
