//! Base URLs that do not suit their wire, and wires and keys that are not built yet.

use crate::config::KeyRef;
use crate::config::draft::{Draft, Named, is_cli};
use crate::config::report::Report;
use crate::config::schema::{CLI_ONLY, UrlParts, is_loopback_host, key_ref, may_hide_key, split_url};
use crate::config::validate::join;
use crate::wire::Wire;

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    for provider in &draft.providers {
        let path = join("providers", provider.name);
        if let Some(wire) = provider.wire() {
            built(provider, wire, &path, report);
            suited(draft, provider, wire, &path, report);
        }
        key(provider, &path, report);
        keyless(provider, &path, report);
        if !draft.seats.iter().any(|seat| seat.view.text("provider") == Some(provider.name)) {
            report
                .lint(provider.place, &path, "no seat is at this provider")
                .hint("remove it, or give it a seat");
        }
    }
}

fn built(provider: &Named<'_>, wire: Wire, path: &str, report: &mut Report<'_>) {
    if !wire.is_built() {
        let place = provider.view.place("wire", provider.place);
        report
            .lint(place, &join(path, "wire"), format!("the wire `{}` is not built yet", wire.name()))
            .hint("seats of this provider are passed over as `inexpressible`");
    }
    if !is_cli(wire) {
        for name in CLI_ONLY {
            if provider.view.written(name).is_some() {
                let place = provider.view.place(name, provider.place);
                report
                    .lint(place, &join(path, name), format!("says nothing on the wire `{}`", wire.name()))
                    .hint("only `claude-cli` and `codex-cli` read it");
            }
        }
    }
}

fn suited(draft: &Draft<'_>, provider: &Named<'_>, wire: Wire, path: &str, report: &mut Report<'_>) {
    let path = join(path, "base_url");
    let place = provider.view.place("base_url", provider.place);
    let Some(url) = provider.view.written("base_url").and_then(|node| node.text()) else {
        let elsewhere = !wire.is_built() && has_targets(draft, provider);
        if !is_cli(wire) && !elsewhere && provider.view.written("base_url").is_none() {
            report
                .error(place, &path, "is missing")
                .hint(format!("the wire `{}` is asked over HTTP and needs an address", wire.name()));
        }
        return;
    };
    if is_cli(wire) {
        report
            .lint(place, &path, format!("says nothing on the wire `{}`", wire.name()))
            .hint("it runs a program");
        return;
    }
    let Some(parts) = split_url(url) else { return };
    versioned(wire, &parts, report, place, &path);
    if may_hide_key(url) {
        report
            .lint(place, &path, "has a user, a password or a query in it")
            .hint("a credential's place is `key`, as a reference");
    }
    let sends_key = provider.view.written("key").is_some();
    if sends_key && !parts.tls && !is_private(&parts.host) {
        report.lint(place, &path, "sends the key unencrypted to another machine").hint("use https");
    }
}

/// Whether each seat of a provider says itself where it is.
fn has_targets(draft: &Draft<'_>, provider: &Named<'_>) -> bool {
    let mut seats =
        draft.seats.iter().filter(|seat| seat.view.text("provider") == Some(provider.name)).peekable();
    seats.peek().is_some() && seats.all(|seat| seat.view.written("targets").is_some())
}

fn versioned(
    wire: Wire,
    parts: &UrlParts,
    report: &mut Report<'_>,
    place: crate::config::tree::Place,
    path: &str,
) {
    let version = |segment: &str| {
        segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let segments: Vec<_> = parts.path.split('/').collect();
    let ends_versioned = segments.last().is_some_and(|segment| version(segment));
    let whole_endpoint =
        ["/messages", "/chat/completions", "/responses"].iter().any(|end| parts.path.ends_with(end));
    if whole_endpoint {
        report
            .lint(place, path, "ends in an endpoint, which is added again")
            .hint("give only what stands before it");
    } else if wire == Wire::Anthropic && ends_versioned {
        report
            .lint(place, path, "ends in a version, and `/v1/messages` is added to it")
            .hint("on the wire `anthropic` write it without `/v1`");
    } else if wire != Wire::Anthropic && !segments.iter().any(|segment| version(segment)) {
        report
            .lint(place, path, "has no version in its path, and none is added")
            .hint(format!("on the wire `{}` write it with `/v1`", wire.name()));
    }
}

/// Loopback, and addresses and names that do not leave a private network.
fn is_private(host: &str) -> bool {
    let private = match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local(),
        Ok(std::net::IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => !host.contains('.') || host.ends_with(".local") || host.ends_with(".internal"),
    };
    private || is_loopback_host(host)
}

/// No key for a server of somebody else is a key that was forgotten.
fn keyless(provider: &Named<'_>, path: &str, report: &mut Report<'_>) {
    let remote = provider.view.text("base_url").and_then(split_url).is_some_and(|url| !is_private(&url.host));
    if remote && provider.wire().is_some_and(|wire| !is_cli(wire)) && provider.view.written("key").is_none() {
        report
            .lint(
                provider.place,
                &join(path, "key"),
                "is missing: no credential will be sent to another machine",
            )
            .hint("write `key: env:NAME`, `file:PATH` or `caller`");
    }
}

fn key(provider: &Named<'_>, path: &str, report: &mut Report<'_>) {
    let kind = match provider.view.text("key").map(key_ref) {
        Some(Ok(KeyRef::Keychain(_))) => "keychain:",
        Some(Ok(KeyRef::Vault { .. })) => "vault:",
        _ => return,
    };
    let place = provider.view.place("key", provider.place);
    report
        .lint(place, &join(path, "key"), format!("keys from `{kind}` are not built yet"))
        .hint("seats of this provider are passed over; `env:` and `file:` work");
}
