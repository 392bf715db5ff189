//! Promises, kept by tests from outside: the real binary, real sockets, scripted upstreams.
//!
//! One file a promise; `rooms` fails when a file is not listed here. The `cfg(test)` is for clippy, which lets only
//! tests unwrap and index.

#[cfg(test)]
mod rooms;
#[cfg(test)]
mod support;
