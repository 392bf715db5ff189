//! Reads what went wrong out of an HTTP client's error, without its URL.

use std::error::Error;
use std::fmt::Write;
use std::io;

/// Longest description, in bytes.
const MAX_TEXT: usize = 256;

/// Most errors of a chain that are looked at.
const MAX_DEPTH: usize = 16;

/// What went wrong on the way to or from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The connection was refused or the address cannot be reached.
    Connect,
    /// No connection in time.
    ConnectTimeout,
    /// The name has no address.
    Dns,
    /// No TLS session: a certificate, or no TLS at the other end.
    Tls,
    /// The connection was reset.
    Reset,
    /// The connection was closed in the middle of something.
    Eof,
    /// This process has no descriptor left for it.
    Exhausted,
    /// Something else, e.g. an answer that is no HTTP.
    Other,
}

impl FailureKind {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::ConnectTimeout => "connect_timeout",
            Self::Dns => "dns",
            Self::Tls => "tls",
            Self::Reset => "reset",
            Self::Eof => "eof",
            Self::Exhausted => "exhausted",
            Self::Other => "other",
        }
    }
}

/// What went wrong, for people and for decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// For decisions.
    pub kind: FailureKind,
    /// For people: at most 256 bytes, without a URL.
    pub text: String,
}

/// What `error` says. Its URL, which may carry keys, is left out.
#[must_use]
pub fn describe(error: &reqwest::Error) -> Failure {
    let kind = kind_of(error);
    let mut text = String::new();
    // The outermost error prints the URL, and says nothing that the inner ones do not.
    let mut at = error.source();
    for _ in 0..MAX_DEPTH {
        let Some(inner) = at else { break };
        let said = inner.to_string();
        if !text.contains(&said) {
            let colon = if text.is_empty() { "" } else { ": " };
            // Writing into a string cannot fail.
            write!(text, "{colon}{said}").ok();
        }
        at = inner.source();
    }
    if text.is_empty() {
        text.push_str(kind.word());
    }
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    Failure { kind, text }
}

fn kind_of(error: &reqwest::Error) -> FailureKind {
    if error.is_dns() {
        return FailureKind::Dns;
    }
    if error.is_connect() && error.is_timeout() {
        return FailureKind::ConnectTimeout;
    }
    let found = deepest_kind(error);
    match (error.is_connect(), found) {
        (_, Some(FailureKind::Tls)) => FailureKind::Tls,
        // Closed before there was a session: the other end speaks no TLS.
        (true, Some(FailureKind::Eof)) => FailureKind::Tls,
        (_, Some(kind)) => kind,
        (true, None) => FailureKind::Connect,
        (false, None) => FailureKind::Other,
    }
}

/// The kind that the innermost telling error has.
fn deepest_kind(error: &reqwest::Error) -> Option<FailureKind> {
    let mut found = None;
    let mut at: Option<&(dyn Error + 'static)> = error.source();
    for _ in 0..MAX_DEPTH {
        let inner = at?;
        if inner.is::<rustls::Error>() {
            return Some(FailureKind::Tls);
        }
        if let Some(hyper) = inner.downcast_ref::<hyper::Error>()
            && hyper.is_incomplete_message()
        {
            found = Some(FailureKind::Eof);
        }
        at = inner.source();
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            found = kind_of_io(io).or(found);
            // An I/O error that wraps another one names that one's source as its own: look inside first.
            at = io.get_ref().map(|wrapped| wrapped as &(dyn Error + 'static)).or(at);
        }
        if at.is_none() {
            break;
        }
    }
    found
}

fn kind_of_io(error: &io::Error) -> Option<FailureKind> {
    use io::ErrorKind as Io;
    // EMFILE and ENFILE, the same number on every Unix.
    if matches!(error.raw_os_error(), Some(23 | 24)) {
        return Some(FailureKind::Exhausted);
    }
    match error.kind() {
        Io::ConnectionRefused | Io::HostUnreachable | Io::NetworkUnreachable | Io::AddrNotAvailable => {
            Some(FailureKind::Connect)
        }
        Io::ConnectionReset | Io::ConnectionAborted | Io::BrokenPipe => Some(FailureKind::Reset),
        Io::UnexpectedEof => Some(FailureKind::Eof),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
