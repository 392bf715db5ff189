//! The configuration as the engine uses it: names resolved, defaults filled in, durations typed.
//!
//! Nothing here can be invalid; what a person wrote is judged before it gets this far.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::wire::Wire;

/// The whole configuration, swapped as one value on reload.
#[derive(Debug, Clone)]
pub struct Config {
    /// `server:`
    pub server: Server,
    /// `auth:`
    pub auth: Auth,
    /// `seats:`, in the file's order.
    pub seats: Vec<Arc<Seat>>,
    /// `routes:`, first match wins.
    pub routes: Vec<Arc<Route>>,
    /// `attempts:`
    pub attempts: Attempts,
    /// `log:`
    pub log: Log,
    /// First 16 hex digits of the SHA-256 of the file as read.
    pub digest: String,
}

/// `server:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Addresses to listen on, `HOST:PORT`; port 0 takes a free one.
    pub listen: Vec<String>,
    /// Largest request body, in bytes.
    pub max_body_bytes: u64,
    /// How long open requests may go on after SIGTERM.
    pub drain: Duration,
    /// Browser origins that may call, lower case, e.g. `http://localhost:3000`.
    pub allowed_origins: Vec<String>,
    /// Host names, besides loopback and the listen addresses, that are ours; lower case, no port.
    pub allowed_hosts: Vec<String>,
}

/// `auth:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    /// Where the accepted tokens are.
    pub tokens: Vec<KeyRef>,
    /// Who needs one.
    pub require: Require,
}

/// `auth.require`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Require {
    /// Callers beyond loopback.
    Remote,
    /// Everybody.
    Always,
}

/// Where a key is kept; never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRef {
    /// `env:NAME`
    Env(String),
    /// `file:PATH`, made absolute.
    File(PathBuf),
    /// `keychain:SERVICE`
    Keychain(String),
    /// `vault:PATH#FIELD`
    Vault {
        /// Path of the secret.
        path: String,
        /// Field within it.
        field: String,
    },
    /// `caller`: the caller's own credential is forwarded.
    Caller,
    /// No key: a local server.
    None,
}

/// An account at a vendor, or a local server.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Its key under `providers:`.
    pub name: String,
    /// The wire format that it speaks.
    pub wire: Wire,
    /// Base URL without a trailing slash; empty for CLI wires.
    pub base_url: String,
    /// Its credential.
    pub key: KeyRef,
    /// How long a connection may take to open.
    pub connect_timeout: Duration,
}

/// One model at one provider, with what it can hold.
#[derive(Debug, Clone)]
pub struct Seat {
    /// Its key under `seats:`.
    pub name: String,
    /// The account or server behind it.
    pub provider: Arc<Provider>,
    /// The id sent upstream.
    pub model: String,
    /// What the seat can do; `None` where undeclared.
    pub capability: Option<Capability>,
    /// Most prompt tokens it can hold; `None` = never cut.
    pub max_prompt_tokens: Option<u64>,
    /// Most output tokens it can be asked for.
    pub max_output_tokens: Option<u64>,
    /// Largest request body that is sent to it, in bytes.
    pub max_body_bytes: Option<u64>,
    /// Most requests at once.
    pub max_concurrency: Option<u32>,
    /// Streamed: from the end of the upload to the first sign of generation.
    pub ttfb_timeout: Duration,
    /// Not streamed: from the end of the upload to the whole answer.
    pub response_timeout: Duration,
    /// Longest silence inside a stream; `None` = unbounded.
    pub idle_timeout: Option<Duration>,
    /// `skip: true`: taken out of every chain by the operator.
    pub skip: bool,
    /// It continues a trailing assistant message.
    pub prefill: bool,
    /// It reads PDF documents.
    pub pdf: bool,
    /// It takes `temperature`, `top_p` and `top_k`.
    pub sampling: bool,
    /// Fields of its own wire that it must not be sent.
    pub drop_params: Vec<String>,
    /// Values joined to the client's `anthropic-beta`.
    pub anthropic_betas: Vec<String>,
    /// Headers added to each upstream request; valid names and values.
    pub extra_headers: Vec<(http::HeaderName, http::HeaderValue)>,
    /// USD per million tokens; `None` where no price is configured.
    pub price: Option<Price>,
}

/// USD per million tokens, each class apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Uncached input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the provider's cache.
    pub cache_read: f64,
    /// Input written to the provider's cache.
    pub cache_write: f64,
}

/// What a seat can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Text alone.
    Text,
    /// Text, and images in the prompt.
    Vision,
    /// Makes images.
    Image,
    /// Makes embeddings.
    Embedding,
}

/// Which requested names go where, under which contract.
#[derive(Debug, Clone)]
pub struct Route {
    /// Its name.
    pub name: String,
    /// Requested models that it takes.
    pub models: Vec<ModelPattern>,
    /// The seats in order, primary first; never empty.
    pub chain: Vec<Arc<Seat>>,
    /// Time from the end of the request's body to commit.
    pub deadline: Duration,
    /// Providers that may see this route's prompts; `None` = any.
    pub allowed_providers: Option<Vec<String>>,
    /// Repeats on one seat.
    pub retry: Retry,
    /// When a seat is rested.
    pub cooldown: Cooldown,
    /// Upstream refused the gateway's own credential or configured model.
    pub on_seat_rejected: OnSeatRejected,
    /// What the answer of a spent chain tells the client to do.
    pub on_exhausted: OnExhausted,
    /// The head is sent by then, with pings, so that the client does not hang up.
    pub hold: Duration,
    /// Longest stream after commit; `None` = unbounded.
    pub stream_total: Option<Duration>,
}

/// A requested model: exact, or a glob in which `*` matches anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelPattern {
    /// This name alone.
    Exact(String),
    /// Pieces between the stars of a glob; `a*b` is `["a", "b"]`.
    Glob(Vec<String>),
}

/// `routes[].retry`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// Most attempts on one seat for one request, the first included; at least 1.
    pub max_attempts_per_seat: u32,
    /// Base of the backoff `base * 2^n`, full jitter, capped at 8 s.
    pub backoff: Duration,
    /// Share of the route's requests of the last 60 s that may be repeated.
    pub budget_ratio: f64,
    /// Repeats that are always allowed in 60 s.
    pub budget_floor: u64,
}

/// `routes[].cooldown`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cooldown {
    /// Failed attempts inside the window that rest the seat; 0 = never.
    pub allowed_fails: u32,
    /// The window.
    pub window: Duration,
    /// How long it rests, plus 0-50 % jitter.
    pub cooldown: Duration,
}

/// `routes[].on_seat_rejected`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSeatRejected {
    /// The request fails; the operator is told.
    Fail,
    /// The next seat is tried.
    FallBack,
}

/// `routes[].on_exhausted`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExhausted {
    /// 502 with `x-should-retry: false`.
    Final,
    /// 529 with the soonest `retry-after`.
    Retry,
}

/// `attempts:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempts {
    /// Whether records are written.
    pub enabled: bool,
    /// The live file, absolute.
    pub path: PathBuf,
    /// The live file is rotated when it would grow past this.
    pub rotate_bytes: u64,
    /// Rotated files kept.
    pub keep: u32,
}

/// `log:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Least severe level that is written.
    pub level: LogLevel,
    /// Lines for people, or JSON.
    pub format: LogFormat,
    /// Folder, absolute.
    pub dir: PathBuf,
}

/// `log.level`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Errors alone.
    Error,
    /// And warnings.
    Warn,
    /// And what an operator wants to know.
    Info,
    /// And each attempt.
    Debug,
    /// Everything.
    Trace,
}

/// `log.format`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// One line a message, fields as `key=value`.
    Text,
    /// One JSON object a line.
    Json,
}

impl ModelPattern {
    /// The one name that this pattern takes, if it takes but one.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(name) => Some(name),
            Self::Glob(_) => None,
        }
    }

    /// Whether this pattern takes a requested model.
    #[must_use]
    pub fn matches(&self, model: &str) -> bool {
        match self {
            Self::Exact(name) => name == model,
            Self::Glob(pieces) => glob_matches(pieces, model),
        }
    }
}

/// The first piece starts the text, the last ends it, those between follow each other in it.
fn glob_matches(pieces: &[String], text: &str) -> bool {
    let [first, between @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| only == text);
    };
    let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
    let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
    for piece in between {
        let Some((_, after)) = rest.split_once(piece.as_str()) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests;
