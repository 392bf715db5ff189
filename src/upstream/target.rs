//! A seat made ready for use: its URLs parsed once, its key at hand.

use std::sync::Arc;

use http::HeaderValue;
use reqwest::Url;

use crate::config::{Capability, KeyRef, Seat};
use crate::prompt::SeatTraits;
use crate::wire::{Endpoint, Wire};

/// Where a seat's requests go, and with which credential.
#[derive(Debug, Clone)]
pub struct Target {
    /// The seat.
    pub seat: Arc<Seat>,
    /// Base URL of its provider.
    base: Url,
    /// Where generation is asked for.
    generate: Url,
    count_tokens: Url,
    /// What the seat can express, for a client of another wire.
    pub traits: SeatTraits,
    /// The provider's key as a header value marked sensitive; `None` for a local server or a caller's own.
    pub key: Option<HeaderValue>,
}

impl Target {
    /// Parses the seat's URLs. `None` where its base URL is none.
    #[must_use]
    pub fn new(seat: Arc<Seat>, key: Option<HeaderValue>) -> Option<Self> {
        let base: Url = seat.provider.base_url.parse().ok()?;
        let generate = joined(&base, generate_path(seat.provider.wire))?;
        let count_tokens = joined(&base, Endpoint::CountTokens.path())?;
        let traits = traits(&seat);
        Some(Self { seat, base, generate, count_tokens, traits, key })
    }

    /// The URL of an endpoint, with the client's query.
    #[must_use]
    pub fn url(&self, endpoint: Endpoint, query: Option<&str>) -> Url {
        let mut url = match endpoint {
            Endpoint::CountTokens => self.count_tokens.clone(),
            Endpoint::Embeddings => self.below("/embeddings"),
            Endpoint::Images => self.below("/images/generations"),
            _ => self.generate.clone(),
        };
        add_query(&mut url, query);
        url
    }

    /// The URL of any other path below the base; `None` for one that would not arrive as it was asked.
    ///
    /// A URL resolves `..`, `%2e%2e` and backslashes, and with them a path leaves the folder by which it was
    /// let in, with the gateway's key. A server may unpack `%2f` likewise, so no such byte goes out encoded.
    #[must_use]
    pub fn side_url(&self, path: &str, query: Option<&str>) -> Option<Url> {
        let hidden = path
            .as_bytes()
            .windows(3)
            .any(|w| [b"%2e", b"%2f", b"%5c", b"%25"].iter().any(|encoded| w.eq_ignore_ascii_case(*encoded)));
        let mut url = joined(&self.base, path)?;
        let whole = url.path().strip_prefix(self.base.path().trim_end_matches('/'));
        if hidden || whole != Some(path) {
            return None;
        }
        add_query(&mut url, query);
        Some(url)
    }

    /// A path below the base; these are not asked for often enough to be kept.
    fn below(&self, path: &str) -> Url {
        joined(&self.base, path).unwrap_or_else(|| self.generate.clone())
    }

    /// Whether requests carry the caller's own credential.
    #[must_use]
    pub fn is_callers(&self) -> bool {
        self.seat.provider.key == KeyRef::Caller
    }
}

/// The path of generation below a provider's base URL, which for OpenAI's wires holds the version.
const fn generate_path(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "/chat/completions",
        Wire::OpenAiResponses => "/responses",
        Wire::Anthropic | Wire::ClaudeCli | Wire::CodexCli => "/v1/messages",
    }
}

fn traits(seat: &Seat) -> SeatTraits {
    let wire = match seat.provider.wire {
        Wire::Anthropic => SeatTraits::anthropic(),
        _ => SeatTraits::default(),
    };
    SeatTraits {
        max_output_tokens: seat.max_output_tokens,
        images: seat.capability != Some(Capability::Text),
        prefill: seat.prefill || wire.prefill,
        pdf: seat.pdf || wire.pdf,
        sampling: seat.sampling,
        drop_params: seat.drop_params.clone(),
        ..wire
    }
}

/// Appends a path to the base's own, keeping a query that the base carries (some servers want a key there).
fn joined(base: &Url, path: &str) -> Option<Url> {
    let mut url = base.clone();
    let whole = format!("{}{path}", base.path().trim_end_matches('/'));
    url.set_path(&whole);
    url.scheme().starts_with("http").then_some(url)
}

fn add_query(url: &mut Url, query: Option<&str>) {
    let Some(query) = query.filter(|q| !q.is_empty()) else { return };
    match url.query() {
        Some(own) => {
            let both = format!("{own}&{query}");
            url.set_query(Some(&both));
        }
        None => url.set_query(Some(query)),
    }
}

#[cfg(test)]
mod tests;
