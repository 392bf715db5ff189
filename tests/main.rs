//! Promises, kept by tests from outside: the real binary, real sockets, scripted upstreams.
//!
//! One file a promise; `rooms` fails when a file is not listed here. The `cfg(test)` is for clippy, which lets only
//! tests unwrap and index.

#[cfg(test)]
mod cli {
    mod config;
    mod serve_exits;
}
#[cfg(test)]
mod docs {
    mod examples;
    mod lists;
    mod markdown;
    mod transcript;
}
#[cfg(test)]
mod faults {
    mod client_gone;
    mod clocks;
    mod exhausted;
    mod mid_stream;
    mod refused_requests;
    mod retry;
    mod standing;
}
#[cfg(test)]
mod gateway {
    mod attempt_log;
    mod chat_seats;
    mod credentials;
    mod endpoints;
    mod fallback;
    mod headers;
    mod hold;
    mod lifecycle;
    mod listen;
    mod no_splice;
    mod operator;
    mod pass_through;
    mod request_bodies;
    mod secrets;
    mod stream_bytes;
    mod trust;
}
#[cfg(test)]
mod generated;
#[cfg(test)]
mod heavy;
#[cfg(test)]
mod rooms;
#[cfg(test)]
mod support;
