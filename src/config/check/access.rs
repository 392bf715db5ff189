//! Who may come in.

use std::collections::HashMap;

use crate::config::KeyRef;
use crate::config::draft::Draft;
use crate::config::report::Report;
use crate::config::schema::{is_loopback_host, key_ref, listen_parts};
use crate::config::tree::Place;
use crate::config::view::View;

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    let auth = draft.root.sub("auth");
    let tokens = auth.texts("tokens").unwrap_or_default();
    let place = draft.root.place("auth", Place::START);
    if tokens.is_empty() && auth.text("require") == Some("always") {
        report
            .error(
                auth.place("require", place),
                "auth.require",
                "is `always`, and there is no token: nobody could ask",
            )
            .hint("add one to `auth.tokens`, e.g. `env:SANCTUM_TOKEN`");
    }
    for (i, (text, place)) in tokens.iter().enumerate() {
        if let Ok(KeyRef::Keychain(_) | KeyRef::Vault { .. }) = key_ref(text) {
            report
                .lint(
                    *place,
                    &token_path(&auth, i),
                    "is kept where this version cannot read it, so it opens nothing",
                )
                .hint("use `env:` or `file:`");
        }
    }
    listen(draft, tokens.is_empty(), report);
}

/// A single token may stand without a list.
fn token_path(auth: &View<'_>, i: usize) -> String {
    let one = auth.written("tokens").is_some_and(|node| node.items().is_empty());
    if one { "auth.tokens".into() } else { format!("auth.tokens[{i}]") }
}

fn listen(draft: &Draft<'_>, open: bool, report: &mut Report<'_>) {
    let addresses = draft.root.sub("server").texts("listen");
    let mut seen: HashMap<(String, u16), Place> = HashMap::new();
    for (i, (text, place)) in addresses.iter().flatten().enumerate() {
        let Some((host, port)) = listen_parts(text) else { continue };
        let one = draft.root.sub("server").written("listen").is_some_and(|node| node.items().is_empty());
        let path = if one { "server.listen".to_owned() } else { format!("server.listen[{i}]") };
        if open && !is_loopback_host(&host) {
            report
                .lint(
                    *place,
                    &path,
                    "can be reached from other machines, and there is no token: every one of them is refused",
                )
                .hint("add one to `auth.tokens`, or listen on 127.0.0.1");
        }
        if port != 0 && seen.insert((host, port), *place).is_some() {
            report.error(*place, &path, "is listed already").hint("an address can be listened on once");
        }
    }
}
