//! A draft without errors -> the configuration that the engine runs with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::draft::{Draft, Named, RouteDraft};
use super::resolved::{
    Attempts, Auth, Capability, Config, Cooldown, KeyRef, Log, LogFormat, LogLevel, ModelPattern,
    OnExhausted, OnSeatRejected, Price, Provider, Require, Retry, Route, Seat, Server,
};
use super::schema::{header, key_ref, origin_of};
use super::tree::Node;
use super::view::View;

/// Resolves names, fills in defaults, makes paths absolute.
///
/// `None` only where the draft has an error that the checks should have found.
pub(crate) fn resolve(draft: &Draft<'_>, home: &Path, digest: String) -> Option<Config> {
    let providers = draft.providers.iter().map(|p| provider(p, home)).collect::<Option<Vec<_>>>()?;
    let seats = draft.seats.iter().map(|s| seat(s, &providers)).collect::<Option<Vec<_>>>()?;
    let routes = draft.routes.iter().map(|r| route(r, &seats)).collect::<Option<Vec<_>>>()?;
    Some(Config {
        server: server(&draft.root.sub("server"))?,
        auth: auth(&draft.root.sub("auth"), home)?,
        seats,
        routes,
        attempts: attempts(&draft.root.sub("attempts"), home)?,
        log: log(&draft.root.sub("log"), home)?,
        digest,
    })
}

/// `None` where it is not a length of time.
fn secs(view: &View<'_>, key: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(view.number(key)?).ok()
}

/// A clock for which 0 and absence mean that it does not run.
fn clock(view: &View<'_>, key: &str) -> Option<Duration> {
    secs(view, key).filter(|duration| !duration.is_zero())
}

fn texts(view: &View<'_>, key: &str) -> Vec<String> {
    view.texts(key).unwrap_or_default().into_iter().map(|(text, _)| text.to_owned()).collect()
}

fn path(view: &View<'_>, key: &str, home: &Path) -> Option<PathBuf> {
    Some(home.join(view.text(key)?))
}

/// Reads a key reference; a path becomes absolute.
pub(crate) fn key_at(text: &str, home: &Path) -> Option<KeyRef> {
    Some(match key_ref(text).ok()? {
        KeyRef::File(path) => KeyRef::File(home.join(path)),
        other => other,
    })
}

fn server(view: &View<'_>) -> Option<Server> {
    let listen = match view.texts("listen") {
        Some(all) => all.into_iter().map(|(text, _)| text.to_owned()).collect(),
        None => vec![view.text("listen")?.to_owned()],
    };
    Some(Server {
        listen,
        max_body_bytes: view.whole("max_body_bytes")?,
        drain: secs(view, "drain_secs")?,
        allowed_origins: texts(view, "allowed_origins").iter().filter_map(|text| origin_of(text)).collect(),
        allowed_hosts: texts(view, "allowed_hosts").iter().map(|text| text.to_ascii_lowercase()).collect(),
    })
}

fn auth(view: &View<'_>, home: &Path) -> Option<Auth> {
    Some(Auth {
        tokens: texts(view, "tokens").iter().map(|text| key_at(text, home)).collect::<Option<_>>()?,
        require: match view.text("require")? {
            "always" => Require::Always,
            _ => Require::Remote,
        },
    })
}

fn provider(named: &Named<'_>, home: &Path) -> Option<Arc<Provider>> {
    let view = &named.view;
    Some(Arc::new(Provider {
        name: named.name.to_owned(),
        wire: named.wire()?,
        base_url: view.text("base_url").unwrap_or_default().trim_end_matches('/').to_owned(),
        key: match view.text("key") {
            Some(text) => key_at(text, home)?,
            None => KeyRef::None,
        },
        connect_timeout: secs(view, "connect_timeout_secs")?,
    }))
}

fn seat(named: &Named<'_>, providers: &[Arc<Provider>]) -> Option<Arc<Seat>> {
    let view = &named.view;
    let provider = view.text("provider")?;
    let headers = view.written("extra_headers").map(Node::entries).unwrap_or_default();
    Some(Arc::new(Seat {
        name: named.name.to_owned(),
        provider: Arc::clone(providers.iter().find(|p| p.name == provider)?),
        model: view.text("model")?.to_owned(),
        capability: view.text("capability").and_then(capability),
        max_prompt_tokens: view.whole("max_prompt_tokens"),
        max_output_tokens: view.whole("max_output_tokens"),
        max_body_bytes: view.whole("max_body_bytes"),
        max_concurrency: view.whole("max_concurrency").and_then(|count| u32::try_from(count).ok()),
        ttfb_timeout: secs(view, "ttfb_timeout_secs")?,
        response_timeout: secs(view, "response_timeout_secs")?,
        idle_timeout: clock(view, "idle_timeout_secs"),
        skip: view.flag("skip")?,
        prefill: view.flag("prefill")?,
        pdf: view.flag("pdf")?,
        sampling: view.flag("sampling")?,
        drop_params: texts(view, "drop_params"),
        anthropic_betas: texts(view, "anthropic_betas"),
        extra_headers: headers.iter().map(|e| header(&e.key, e.value.text()?)).collect::<Option<_>>()?,
        price: view.written("price").and_then(|_| price(&view.sub("price"))),
    }))
}

fn capability(word: &str) -> Option<Capability> {
    Some(match word {
        "text" => Capability::Text,
        "vision" => Capability::Vision,
        "image" => Capability::Image,
        "embedding" => Capability::Embedding,
        _ => return None,
    })
}

/// Cache prices that are not given are the price of input: estimated high rather than free.
fn price(view: &View<'_>) -> Option<Price> {
    let input = view.number("input")?;
    Some(Price {
        input,
        output: view.number("output")?,
        cache_read: view.number("cache_read").unwrap_or(input),
        cache_write: view.number("cache_write").unwrap_or(input),
    })
}

fn route(draft: &RouteDraft<'_>, seats: &[Arc<Seat>]) -> Option<Arc<Route>> {
    let view = &draft.view;
    let name = view.text("name")?;
    let seat = |(name, _): &(&str, _)| seats.iter().find(|seat| seat.name == *name).map(Arc::clone);
    let models = match view.texts("models") {
        Some(models) => models.into_iter().map(|(text, _)| pattern(text)).collect(),
        None => vec![ModelPattern::Exact(name.to_owned())],
    };
    Some(Arc::new(Route {
        name: name.to_owned(),
        models,
        chain: draft.chain.iter().map(seat).collect::<Option<Vec<_>>>().filter(|chain| !chain.is_empty())?,
        deadline: secs(view, "deadline_secs")?,
        allowed_providers: view.written("allowed_providers").map(|_| texts(view, "allowed_providers")),
        retry: retry(&view.sub("retry"))?,
        cooldown: cooldown(&view.sub("cooldown"))?,
        on_seat_rejected: match view.text("on_seat_rejected")? {
            "fall_back" => OnSeatRejected::FallBack,
            _ => OnSeatRejected::Fail,
        },
        on_exhausted: match view.text("on_exhausted")? {
            "retry" => OnExhausted::Retry,
            _ => OnExhausted::Final,
        },
        hold: secs(view, "hold_secs")?,
        stream_total: clock(view, "stream_total_secs"),
    }))
}

/// `a*b` is the glob of `a` and `b`; without a star it is exact.
fn pattern(text: &str) -> ModelPattern {
    if text.contains('*') {
        ModelPattern::Glob(text.split('*').map(str::to_owned).collect())
    } else {
        ModelPattern::Exact(text.to_owned())
    }
}

fn retry(view: &View<'_>) -> Option<Retry> {
    Some(Retry {
        max_attempts_per_seat: u32::try_from(view.whole("max_attempts_per_seat")?).ok()?,
        backoff: Duration::from_millis(view.whole("backoff_ms")?),
        budget_ratio: view.number("budget_ratio")?,
        budget_floor: view.whole("budget_floor")?,
    })
}

fn cooldown(view: &View<'_>) -> Option<Cooldown> {
    Some(Cooldown {
        allowed_fails: u32::try_from(view.whole("allowed_fails")?).ok()?,
        window: secs(view, "window_secs")?,
        cooldown: secs(view, "cooldown_secs")?,
    })
}

fn attempts(view: &View<'_>, home: &Path) -> Option<Attempts> {
    Some(Attempts {
        enabled: view.flag("enabled")?,
        path: path(view, "path", home)?,
        rotate_bytes: view.whole("rotate_bytes")?,
        keep: u32::try_from(view.whole("keep")?).ok()?,
    })
}

fn log(view: &View<'_>, home: &Path) -> Option<Log> {
    Some(Log {
        level: match view.text("level")? {
            "error" => LogLevel::Error,
            "warn" => LogLevel::Warn,
            "debug" => LogLevel::Debug,
            "trace" => LogLevel::Trace,
            _ => LogLevel::Info,
        },
        format: match view.text("format")? {
            "json" => LogFormat::Json,
            _ => LogFormat::Text,
        },
        dir: path(view, "dir", home)?,
    })
}
