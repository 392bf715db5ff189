//! What is configured, ready for use, and how it stands. Swapped whole on reload.
//!
//! Standings and budgets are carried over by name, so that a reload forgives nobody.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{Config, KeyRef, Provider, Route, Seat};
use crate::gateway::reply::Refused;
use crate::gateway::trust::{Gate, fingerprint};
use crate::route::budget::Budget;
use crate::route::plan::Condition;
use crate::secret;
use crate::telemetry::metrics::{Metrics, Position, RouteMetrics, SeatMetrics};
use crate::telemetry::redact::{REDACTED, Redactor};
use crate::upstream::request::Credentials;
use crate::upstream::standing::Standing;
use crate::upstream::target::Target;

/// Why a configuration cannot go live. Its text is whole: no cause stands behind it.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Keys that could not be read, all of them, in the order of the configuration.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Secrets(Vec<Unreadable>),
    /// A base URL that is none.
    #[error("providers.{0}.base_url: not a URL that can be asked")]
    BaseUrl(String),
}

/// A key that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct Unreadable {
    /// Key path in the configuration, e.g. `providers.backup.key`.
    pub place: String,
    /// What is wrong with it.
    pub reason: secret::SecretError,
}

/// The live configuration.
pub(crate) struct Live {
    pub(crate) config: Arc<Config>,
    pub(crate) gate: Gate,
    pub(crate) routes: Vec<Arc<LiveRoute>>,
    pub(crate) standings: HashMap<String, Arc<Standing>>,
    redactor: Redactor,
}

/// A route with its seats.
pub(crate) struct LiveRoute {
    pub(crate) route: Arc<Route>,
    pub(crate) name: Arc<str>,
    pub(crate) seats: Vec<LiveSeat>,
    pub(crate) budget: Arc<Mutex<Budget>>,
    pub(crate) metrics: RouteMetrics,
}

/// A seat at its place in a chain.
pub(crate) struct LiveSeat {
    pub(crate) seat: Arc<Seat>,
    pub(crate) name: Arc<str>,
    pub(crate) provider: Arc<str>,
    /// `None` where it cannot be asked: its wire or the source of its key is not built.
    pub(crate) target: Option<Arc<Target>>,
    pub(crate) standing: Arc<Standing>,
    pub(crate) metrics: SeatMetrics,
}

impl Live {
    /// Reads the keys and makes everything ready; `before` hands on what must survive a reload.
    pub(crate) fn build(
        config: Arc<Config>,
        metrics: &Arc<Metrics>,
        before: Option<&Self>,
    ) -> Result<Self, LiveError> {
        let mut found = Found::default();
        let mut tokens = Vec::new();
        for (i, token) in config.auth.tokens.iter().enumerate() {
            if let Some(secret) = found.read(token, || format!("auth.tokens[{i}]")) {
                tokens.push(fingerprint(secret.expose_secret().as_bytes()));
            }
        }
        let keys = provider_keys(&config, &mut found);
        if !found.unreadable.is_empty() {
            return Err(LiveError::Secrets(found.unreadable));
        }
        let mut secrets = found.secrets;
        secrets.extend(config.seats.iter().flat_map(|s| url_secrets(&s.provider.base_url)));

        let mut standings = HashMap::new();
        let mut targets: HashMap<&str, Option<Arc<Target>>> = HashMap::new();
        for seat in &config.seats {
            let kept = before.and_then(|b| b.standings.get(&seat.name)).cloned().unwrap_or_default();
            standings.insert(seat.name.clone(), kept);
            let target = match keys.get(seat.provider.name.as_str()) {
                Some(key) => Some(Arc::new(
                    Target::new(Arc::clone(seat), key.clone())
                        .ok_or_else(|| LiveError::BaseUrl(seat.provider.name.clone()))?,
                )),
                None => None,
            };
            targets.insert(&seat.name, target);
        }
        let routes = config
            .routes
            .iter()
            .map(|route| {
                let name: Arc<str> = route.name.as_str().into();
                let kept = before.and_then(|b| b.routes.iter().find(|r| r.name == name));
                let seats = route.chain.iter().enumerate().map(|(i, seat)| {
                    let seat_name: Arc<str> = seat.name.as_str().into();
                    let position = if i == 0 { Position::Primary } else { Position::Fallback };
                    LiveSeat {
                        seat: Arc::clone(seat),
                        provider: seat.provider.name.as_str().into(),
                        target: targets.get(seat.name.as_str()).cloned().flatten(),
                        standing: standings.get(&seat.name).cloned().unwrap_or_default(),
                        metrics: metrics.seat(&name, &seat_name, position),
                        name: seat_name,
                    }
                });
                Arc::new(LiveRoute {
                    route: Arc::clone(route),
                    seats: seats.collect(),
                    budget: kept.map(|r| Arc::clone(&r.budget)).unwrap_or_default(),
                    metrics: metrics.route(&name),
                    name,
                })
            })
            .collect();
        let hosts = config.server.allowed_hosts.iter().cloned().chain(listen_hosts(&config)).collect();
        let gate = Gate {
            tokens,
            require: config.auth.require,
            origins: config.server.allowed_origins.clone(),
            hosts,
        };
        Ok(Self { gate, routes, standings, redactor: Redactor::new(secrets), config })
    }

    /// The first route that takes a model.
    pub(crate) fn route_for(&self, model: &str) -> Option<&Arc<LiveRoute>> {
        self.routes.iter().find(|r| r.route.models.iter().any(|p| p.matches(model)))
    }

    /// The route that a caller names in `x-sanctum-route`; `None` where it names none.
    pub(crate) fn named(&self, headers: &HeaderMap) -> Option<Result<&Arc<LiveRoute>, Refused>> {
        let value = headers.get("x-sanctum-route")?;
        let route = value.to_str().ok().and_then(|name| self.route_named(name.trim()));
        Some(route.ok_or_else(|| Refused::new(404, "x-sanctum-route names no route of this gateway")))
    }

    /// A route by its name.
    pub(crate) fn route_named(&self, name: &str) -> Option<&Arc<LiveRoute>> {
        self.routes.iter().find(|r| &*r.name == name)
    }

    /// Takes every secret out of a text: the configured ones, the caller's own, and what looks like one.
    pub(crate) fn redact(&self, text: &str, caller: &Credentials) -> String {
        let mut out: Cow<'_, str> = self.redactor.redact(text);
        for value in own_values(caller) {
            if out.contains(value) {
                out = Cow::Owned(out.replace(value, REDACTED));
            }
        }
        out.into_owned()
    }

    /// Whether bytes hold a configured secret.
    pub(crate) fn knows(&self, bytes: &[u8]) -> bool {
        self.redactor.knows(bytes)
    }

    /// Whether a short text quotes a configured secret, or the credential that the caller sent. Unlike
    /// [`holds_secret`](Self::holds_secret) it does not look for what only looks like one.
    pub(crate) fn quotes(&self, text: &str, caller: &Credentials) -> bool {
        self.knows(text.as_bytes()) || own_values(caller).any(|value| text.contains(value))
    }

    /// Takes out the headers that quote a configured secret: upstreams have been seen to.
    pub(crate) fn scrub(&self, headers: &mut HeaderMap) {
        let quoted = headers.iter().filter(|(_, value)| self.knows(value.as_bytes()));
        let names: Vec<HeaderName> = quoted.map(|(name, _)| name.clone()).collect();
        for name in names {
            headers.remove(name);
        }
    }

    /// Whether bytes hold a configured secret or the caller's own.
    pub(crate) fn holds_secret(&self, bytes: &[u8], caller: &Credentials) -> bool {
        let Ok(text) = std::str::from_utf8(bytes) else { return true };
        self.redactor.finds(text) || own_values(caller).any(|value| text.contains(value))
    }

    /// Drops the metrics of routes and seats that are gone.
    pub(crate) fn forget_others(&self, metrics: &Metrics) {
        let seats: BTreeSet<(&str, &str)> =
            self.routes.iter().flat_map(|r| r.seats.iter().map(|s| (&*r.name, &*s.name))).collect();
        metrics
            .retain(|route| self.route_named(route).is_some(), |route, seat| seats.contains(&(route, seat)));
    }
}

impl LiveSeat {
    /// How the seat stands for planning.
    pub(crate) fn condition(&self, now_ms: u64) -> Condition {
        Condition { unusable: self.target.is_none(), ..self.standing.condition(now_ms) }
    }
}

/// A caller's own credentials as they would be quoted; shorter ones are words that redaction would only garble.
fn own_values(caller: &Credentials) -> impl Iterator<Item = &str> {
    [&caller.api_key, &caller.authorization].into_iter().flatten().filter_map(|value| {
        let value = value.to_str().ok()?;
        Some(value.strip_prefix("Bearer ").unwrap_or(value).trim()).filter(|v| v.len() >= 4)
    })
}

/// The secrets that were read, and what could not be.
#[derive(Default)]
struct Found {
    secrets: Vec<SecretString>,
    unreadable: Vec<Unreadable>,
}

impl Found {
    /// Reads the key at `place`, and notes it either way.
    fn read(&mut self, from: &KeyRef, place: impl Fn() -> String) -> Option<SecretString> {
        match secret::resolve(from) {
            Ok(secret) => {
                self.secrets.extend(secret.clone());
                secret
            }
            Err(reason) => {
                self.unreadable.push(Unreadable { place: place(), reason });
                None
            }
        }
    }
}

/// The credential of each provider whose seats can be asked: `None` inside for one that sends none of ours.
fn provider_keys(config: &Config, found: &mut Found) -> HashMap<String, Option<HeaderValue>> {
    let mut keys = HashMap::new();
    for provider in config.seats.iter().map(|s| &s.provider).filter(|p| is_usable(p)) {
        if keys.contains_key(&provider.name) {
            continue;
        }
        let secret = found.read(&provider.key, || format!("providers.{}.key", provider.name));
        let value = secret.and_then(|s| {
            let mut value = HeaderValue::from_str(s.expose_secret()).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        keys.insert(provider.name.clone(), value);
    }
    keys
}

/// What a base URL may hide: its password and the values of its query.
fn url_secrets(base_url: &str) -> Vec<SecretString> {
    let Ok(url) = base_url.parse::<reqwest::Url>() else { return Vec::new() };
    let values = url.query_pairs().map(|(_, value)| value.into_owned());
    let hidden = values.chain(url.password().map(str::to_owned));
    hidden.filter(|v| v.len() >= SHORTEST_SECRET).map(SecretString::from).collect()
}

/// Shorter values are words that redaction would only garble texts with.
const SHORTEST_SECRET: usize = 6;

fn is_usable(provider: &Provider) -> bool {
    provider.wire.is_built() && !matches!(provider.key, KeyRef::Keychain(_) | KeyRef::Vault { .. })
}

/// Names in `server.listen` that are no addresses.
fn listen_hosts(config: &Config) -> impl Iterator<Item = String> + '_ {
    config.server.listen.iter().filter_map(|l| Some(l.rsplit_once(':')?.0.to_ascii_lowercase()))
}
