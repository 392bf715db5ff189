//! The first configuration: commented, usable as it is, without a key in it.

use super::quote::plain;
use super::vendors::{PRIMARY_VARIABLE, PROGRAMS, VENDORS};
use crate::wire::Wire;

#[cfg(test)]
mod tests;

/// What a machine has to offer. Names and addresses, never a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Environment variables with a key in them, by name.
    pub variables: Vec<&'static str>,
    /// Programs on `PATH`.
    pub programs: Vec<&'static str>,
    /// Local servers that answered.
    pub locals: Vec<Local>,
}

/// A local server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// What it probably is, by its port.
    pub name: &'static str,
    /// Its port on loopback.
    pub port: u16,
    /// The first model that it lists.
    pub model: String,
    /// Whether it speaks Anthropic Messages; else OpenAI chat completions.
    pub speaks_messages: bool,
}

/// A provider with one seat, as it is written.
struct Fallback {
    seat: String,
    provider: String,
    why: String,
    wire: Wire,
    base_url: Option<String>,
    key: Option<String>,
    model: String,
    local: bool,
}

/// The models of the primary: seat, what is sent, which requests. The exact id stands first: Claude Code asks
/// it whether a command may run, which is no question for another model.
const PRIMARY: [(&str, &str, &str, &str); 4] = [
    ("permission", "sonnet-5", "claude-sonnet-5", "claude-sonnet-5"),
    ("opus", "opus", "claude-opus-5-5", "claude-opus-*"),
    ("haiku", "haiku", "claude-haiku-5-5", "claude-haiku-*"),
    ("main", "sonnet", "claude-sonnet-5-5", "*"),
];

/// The text of a first configuration.
#[must_use]
pub fn first_config(found: &Found) -> String {
    let fallbacks = fallbacks(found);
    let (ready, later): (Vec<_>, Vec<_>) = fallbacks.iter().partition(|fallback| fallback.wire.is_built());
    let mut out = String::from(HEAD);
    providers(found, &ready, &later, &mut out);
    seats(&ready, &later, &mut out);
    routes(&ready, &mut out);
    out
}

fn fallbacks(found: &Found) -> Vec<Fallback> {
    let vendors =
        VENDORS.iter().filter(|vendor| found.variables.contains(&vendor.variable)).map(|vendor| Fallback {
            seat: vendor.name.to_owned(),
            provider: vendor.name.to_owned(),
            why: format!("{} is set", vendor.variable),
            wire: vendor.wire,
            base_url: Some(vendor.base_url.to_owned()),
            key: Some(format!("env:{}", vendor.variable)),
            model: vendor.model.to_owned(),
            local: false,
        });
    let locals = found.locals.iter().map(|local| Fallback {
        seat: local.name.to_owned(),
        provider: local.name.to_owned(),
        why: format!("port {} answers and lists this model", local.port),
        wire: if local.speaks_messages { Wire::Anthropic } else { Wire::OpenAi },
        base_url: Some(format!(
            "http://127.0.0.1:{}{}",
            local.port,
            if local.speaks_messages { "" } else { "/v1" }
        )),
        key: None,
        model: local.model.clone(),
        local: true,
    });
    let programs =
        PROGRAMS.iter().filter(|(name, ..)| found.programs.contains(name)).map(|(name, wire, model)| {
            Fallback {
                seat: format!("{name}-cli"),
                provider: format!("{name}-cli"),
                why: format!("`{name}` is on PATH"),
                wire: *wire,
                base_url: None,
                key: None,
                model: (*model).to_owned(),
                local: false,
            }
        });
    vendors.chain(locals).chain(programs).collect()
}

fn providers(found: &Found, ready: &[&Fallback], later: &[&Fallback], out: &mut String) {
    out.push_str(
        "\nproviders:\n  anthropic:\n    wire: anthropic\n    base_url: https://api.anthropic.com\n",
    );
    if found.variables.contains(&PRIMARY_VARIABLE) {
        out.push_str("    key: env:ANTHROPIC_API_KEY\n");
    } else {
        out.push_str("    key: caller                  # ANTHROPIC_API_KEY is not set: each caller's own key is forwarded\n");
    }
    for fallback in ready {
        out.push_str(&provider(fallback));
    }
    for fallback in later {
        out.push_str(&not_yet(fallback, &provider(fallback)));
    }
}

fn provider(fallback: &Fallback) -> String {
    let mut text = format!("  {}:\n    wire: {}\n", fallback.provider, fallback.wire.name());
    if let Some(url) = &fallback.base_url {
        text.push_str(&format!("    base_url: {url}\n"));
    }
    if let Some(key) = &fallback.key {
        text.push_str(&format!("    key: {key}\n"));
    }
    text
}

fn seats(ready: &[&Fallback], later: &[&Fallback], out: &mut String) {
    out.push_str(SEATS);
    // The last seat of a chain must still have time when all before it stalled.
    let patience = match ready.len() {
        0 | 1 => None,
        more => 500_usize.checked_div(more),
    };
    let patience = patience.map_or_else(String::new, |secs| format!("    response_timeout_secs: {secs}\n"));
    for (_, seat, model, _) in PRIMARY {
        out.push_str(&format!(
            "  {seat}:\n    provider: anthropic\n    model: {model}\n    capability: vision\n{patience}"
        ));
    }
    for fallback in ready {
        out.push_str(&format!("{}{patience}", seat(fallback)));
    }
    for fallback in later {
        out.push_str(&not_yet(fallback, &seat(fallback)));
    }
}

fn seat(fallback: &Fallback) -> String {
    let mut text = format!(
        "  {}:                       # {}\n    provider: {}\n    model: {}\n    capability: text\n",
        fallback.seat,
        fallback.why,
        fallback.provider,
        plain(&fallback.model)
    );
    if fallback.local {
        text.push_str("    price: {input: 0, output: 0}\n    # max_prompt_tokens: 32768   # what the server was started with\n");
    }
    text
}

/// A block that waits for its wire, as a comment.
fn not_yet(fallback: &Fallback, block: &str) -> String {
    let mut text = format!(
        "  # Not served yet: the wire `{}` is not built. Uncomment it when it is.\n",
        fallback.wire.name()
    );
    for line in block.lines() {
        text.push_str(&format!("  # {}\n", line.strip_prefix("  ").unwrap_or(line)));
    }
    text
}

fn routes(ready: &[&Fallback], out: &mut String) {
    out.push_str(if ready.is_empty() { ROUTES_ALONE } else { ROUTES });
    for (name, seat, _, models) in PRIMARY {
        let mut chain = vec![seat];
        // Whether a command may run is not asked of another model.
        if name != "permission" {
            chain.extend(ready.iter().map(|fallback| fallback.seat.as_str()));
        }
        out.push_str(&format!(
            "  - name: {name}\n    models: [\"{models}\"]\n    chain: [{}]\n    on_seat_rejected: fail\n",
            chain.join(", ")
        ));
    }
}

const HEAD: &str = "\
# sanctum's configuration. `sanctum config check` judges it, `sanctum config show` prints what holds with every
# default filled in. Relative paths are relative to SANCTUM_HOME. No key stands here, only where one is kept.

server:
  listen: 127.0.0.1:4040         # only this machine; other addresses need `auth.tokens`
";

const SEATS: &str = "
# A seat is one model at one provider. `price` (USD per million tokens) makes costs appear in records and reports:
#   price: {input: .., output: .., cache_read: .., cache_write: ..}
seats:
";

const ROUTES: &str = "
# The first route that matches the requested model wins; a chain is tried in order, primary first. Every provider in
# a chain may come to see its prompts: take out whom you do not want to, or say so with `allowed_providers`.
# `on_seat_rejected`: when upstream refuses the gateway's own key or model, `fail` tells you; `fall_back` goes on.
# `permission`: Claude Code asks this very model whether a command may run, so it has no fallback on purpose.
routes:
";

const ROUTES_ALONE: &str = "
# The first route that matches the requested model wins; a chain is tried in order, primary first.
# THERE IS NO FALLBACK YET: add a second provider with a seat, and name it last in the chains (but see `permission`).
# `on_seat_rejected`: when upstream refuses the gateway's own key or model, `fail` tells you; `fall_back` goes on.
# `permission`: Claude Code asks this very model whether a command may run, so it has no fallback on purpose.
routes:
";
