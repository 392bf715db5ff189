//! A request as received. It never changes after it is read.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

use crate::wire::Endpoint;
use crate::wire::envelope::Facts;

/// A generating request as received.
#[derive(Debug)]
pub struct Request {
    /// Where it came in.
    pub endpoint: Endpoint,
    /// The query string, without `?`.
    pub query: Option<String>,
    /// The client's headers that may travel on.
    pub headers: HeaderMap,
    /// The caller's own credentials; never one that opens the gate.
    pub caller: Credentials,
    /// The body, in the frames in which it came.
    pub frames: Arc<[Bytes]>,
    /// What the envelope says.
    pub facts: Facts,
}

/// Credentials that a caller sent for the upstream.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// `x-api-key`
    pub api_key: Option<HeaderValue>,
    /// `authorization`
    pub authorization: Option<HeaderValue>,
}

/// Headers of a client that travel on, besides `anthropic-*`, `x-stainless-*` and `x-claude-*`.
///
/// A list of what passes, not of what is held back: a credential in a header that nobody thought of
/// stays here.
const TRAVELLING: [&str; 5] = ["accept", "content-type", "idempotency-key", "user-agent", "x-app"];

/// The client's headers that may travel on to a seat of its own wire.
#[must_use]
pub fn travelling(headers: &HeaderMap) -> HeaderMap {
    let mut out = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let n = name.as_str();
        if n.starts_with("anthropic-")
            || n.starts_with("x-stainless-")
            || n.starts_with("x-claude-")
            || TRAVELLING.contains(&n)
        {
            out.append(name.clone(), detached(value));
        }
    }
    out
}

/// A copy with memory of its own. A value as received is a slice of the connection's whole read buffer, which
/// then cannot be used again: 8 KB more for each request that waits.
#[must_use]
pub fn detached(value: &HeaderValue) -> HeaderValue {
    match HeaderValue::from_bytes(value.as_bytes()) {
        Ok(mut copy) => {
            copy.set_sensitive(value.is_sensitive());
            copy
        }
        Err(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests;
