//! Who may come in. Pure: headers and addresses in, a verdict out.
//!
//! Loopback is not a person: any web page can reach it and a tunnel makes a stranger local. So a browser's
//! origin must be listed, the host must be ours, and a forwarded caller is remote.

use std::net::{IpAddr, Ipv6Addr};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::config::Require;
use crate::upstream::request::{Credentials, detached};

/// The header of Anthropic's own clients.
pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Headers by which a proxy says that the caller is not the peer.
static FORWARDED: [HeaderName; 3] =
    [HeaderName::from_static("x-forwarded-for"), header::FORWARDED, HeaderName::from_static("x-real-ip")];

/// What the gate knows.
#[derive(Debug)]
pub(crate) struct Gate {
    /// SHA-256 of each accepted token: equal lengths, so that comparing tells nothing of theirs.
    pub(crate) tokens: Vec<[u8; 32]>,
    /// Who needs one.
    pub(crate) require: Require,
    /// Origins that may call, lower case.
    pub(crate) origins: Vec<String>,
    /// Host names that are ours besides loopback and the address of the connection, lower case.
    pub(crate) hosts: Vec<String>,
}

/// What is known of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// The caller's address.
    pub(crate) peer: IpAddr,
    /// Our own address on this connection.
    pub(crate) local: IpAddr,
}

/// A caller that came through the door.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    /// May use operator headers and pages.
    pub(crate) trusted: bool,
    /// Credentials that are the caller's own; never one that opens the gate.
    pub(crate) own: Credentials,
}

/// Why a caller was refused at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A browser's origin that is not listed.
    Origin,
    /// A host that is not ours.
    Host,
    /// No token, or a wrong one.
    Token,
    /// An operator's header from a caller that is not trusted.
    Operator,
}

impl Refusal {
    /// HTTP status, word for metrics, and what to do about it.
    pub(crate) const fn told(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Origin => (
                403,
                "origin",
                "this origin may not call the gateway; list it under server.allowed_origins if it should",
            ),
            Self::Host => (
                403,
                "host",
                "the Host header names neither loopback nor an address of the gateway; list it under server.allowed_hosts if it should",
            ),
            Self::Operator => (
                403,
                "operator_header",
                "x-sanctum-* request headers are for trusted callers: from loopback, or with a gateway token",
            ),
            Self::Token => (
                401,
                "token",
                "a gateway token is needed, as `authorization: Bearer …` or `x-api-key`, and it must be one of auth.tokens",
            ),
        }
    }
}

/// SHA-256 of a token, as the gate keeps it.
pub(crate) fn fingerprint(token: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    for (o, b) in out.iter_mut().zip(digest(&SHA256, token).as_ref()) {
        *o = *b;
    }
    out
}

impl Gate {
    /// Judges a caller. `open` paths need no token, but a web page may not read them either.
    pub(crate) fn judge(
        &self,
        headers: &HeaderMap,
        authority: Option<&str>,
        link: Link,
        open: bool,
    ) -> Result<Caller, Refusal> {
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            if !self.origins.contains(&origin) {
                return Err(Refusal::Origin);
            }
        }
        let hosts = headers.get_all(header::HOST).iter().map(|h| h.to_str().unwrap_or_default());
        let mut named = authority.into_iter().chain(hosts).peekable();
        if named.peek().is_none() || !named.all(|host| self.is_ours(host, link)) {
            return Err(Refusal::Host);
        }
        let bearer = headers.get(header::AUTHORIZATION);
        let api_key = headers.get(API_KEY);
        let bearer_opens = bearer.is_some_and(|v| self.opens(bearer_token(v)));
        let api_key_opens = api_key.is_some_and(|v| self.opens(v.as_bytes()));
        let local =
            link.peer.to_canonical().is_loopback() && !FORWARDED.iter().any(|h| headers.contains_key(h));
        let trusted = bearer_opens || api_key_opens || (local && self.require == Require::Remote);
        if !trusted && !open {
            return Err(Refusal::Token);
        }
        Ok(Caller {
            trusted,
            own: Credentials {
                api_key: api_key.filter(|_| !api_key_opens).map(detached),
                authorization: bearer.filter(|_| !bearer_opens).map(detached),
            },
        })
    }

    fn opens(&self, token: &[u8]) -> bool {
        if self.tokens.is_empty() || token.is_empty() {
            return false;
        }
        let seen = fingerprint(token);
        // Every token is compared, so that the time does not tell which one was near.
        self.tokens.iter().fold(false, |found, t| found | verify_slices_are_equal(t, &seen).is_ok())
    }

    fn is_ours(&self, host: &str, link: Link) -> bool {
        let Some(name) = host_name(host).map(str::to_ascii_lowercase) else { return false };
        if name == "localhost" || self.hosts.contains(&name) {
            return true;
        }
        name.parse::<IpAddr>().is_ok_and(|ip| {
            let ip = ip.to_canonical();
            ip.is_loopback() || ip == link.local.to_canonical()
        })
    }
}

/// The token of an `authorization` header; the whole value where it is no bearer.
fn bearer_token(value: &HeaderValue) -> &[u8] {
    let bytes = value.as_bytes();
    match bytes.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => bytes,
    }
}

/// The host of `host[:port]`, without the brackets of an IPv6 address; `None` where it is not of that form.
fn host_name(host: &str) -> Option<&str> {
    let port_or_none = |rest: &str| match rest.strip_prefix(':') {
        Some(port) => !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()),
        None => rest.is_empty(),
    };
    if let Some(rest) = host.strip_prefix('[') {
        let (inner, rest) = rest.split_once(']')?;
        return (inner.parse::<Ipv6Addr>().is_ok() && port_or_none(rest)).then_some(inner);
    }
    let (name, port) = host.find(':').map_or((host, ""), |at| host.split_at(at));
    port_or_none(port).then_some(name)
}

#[cfg(test)]
mod tests;
