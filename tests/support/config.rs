//! Configurations, as JSON (which is YAML); a test changes what it is about by index.

use serde_json::{Value, json};

use super::upstream::Upstream;

/// One route named `main` that takes every model over Anthropic seats in this order. Each seat has a provider of
/// its own name, the model `model-NAME` and the key `env:KEY_NAME` (upper case); one attempt a seat.
pub(crate) fn chain(seats: &[(&str, &Upstream)]) -> Value {
    let mut config = json!({
        "providers": {}, "seats": {},
        "routes": [{
            "name": "main", "models": ["*"], "chain": seats.iter().map(|(n, _)| n).collect::<Vec<_>>(),
            "deadline_secs": 20, "retry": {"max_attempts_per_seat": 1, "backoff_ms": 10},
        }],
    });
    for (name, upstream) in seats {
        config["providers"][*name] = json!({
            "wire": "anthropic", "base_url": upstream.url(), "key": format!("env:{}", key_name(name)),
        });
        config["seats"][*name] = json!({
            "provider": name, "model": format!("model-{name}"), "max_prompt_tokens": 200_000,
            "ttfb_timeout_secs": 10,
        });
    }
    config
}

/// As [`chain`], with two attempts a seat.
pub(crate) fn retrying(seats: &[(&str, &Upstream)]) -> Value {
    let mut config = chain(seats);
    config["routes"][0]["retry"]["max_attempts_per_seat"] = json!(2);
    config
}

/// The environment variable that holds a seat's key.
pub(crate) fn key_name(seat: &str) -> String {
    format!("KEY_{}", seat.to_ascii_uppercase())
}

/// The key that [`super::Setup`] puts into it.
pub(crate) fn key_of(seat: &str) -> String {
    format!("sk-test-{seat}-0123456789abcdef")
}
