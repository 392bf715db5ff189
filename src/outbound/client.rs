//! Makes clients.

use std::time::Duration;

/// A pooled connection older than this is not used again: below the 60 s after which common servers close
/// one, since a request into a closing connection fails.
const POOL_IDLE: Duration = Duration::from_secs(50);

/// Idle connections kept per host and client; there is one client a thread.
const POOL_PER_HOST: usize = 64;

/// A silent peer is probed after this.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// TLS could not be set up: mostly, no root certificates.
    #[error(
        "cannot make an HTTP client: {0}; for https, install the system's root certificates (ca-certificates)"
    )]
    Client(String),
}

/// Names the process's one TLS provider. Every maker of TLS calls it first; more calls do
/// nothing.
pub fn init() {
    // An error is a provider that is in place already: this one, since there is no other in the build.
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
}

/// A client that does what it is told once: it never repeats, follows, decompresses or goes through a
/// proxy, and has no time limit but `connect_timeout`. Make one per thread: a pooled connection lives on
/// the runtime that opened it.
#[expect(clippy::disallowed_methods, reason = "this is the one maker of HTTP clients")]
pub fn client(connect_timeout: Duration) -> Result<reqwest::Client, OutboundError> {
    init();
    reqwest::Client::builder()
        // The default repeats up to twice on protocol errors: one layer retries, and it keeps a record.
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(POOL_PER_HOST)
        .tcp_nodelay(true)
        .tcp_keepalive(KEEPALIVE)
        .build()
        .map_err(|error| OutboundError::Client(super::describe(&error).text))
}
