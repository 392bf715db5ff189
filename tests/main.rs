//! One test binary: a module a promise. `cfg(test)` is what exempts helpers from the lints on panics.

#[cfg(test)]
mod generated;
