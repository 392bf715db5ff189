//! Fallbacks that are none, and routes that no request reaches.

use crate::config::draft::{Draft, Named, RouteDraft};
use crate::config::report::Report;
use crate::config::schema::split_url;
use crate::config::validate::join;
use crate::config::view::View;

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    for route in &draft.routes {
        alone(draft, route, report);
        allowed(draft, route, report);
        apart(draft, route, report);
        answerable(draft, route, report);
    }
    reached(draft, report);
}

fn alone(draft: &Draft<'_>, route: &RouteDraft<'_>, report: &mut Report<'_>) {
    let place = route.view.place("chain", route.place);
    let path = join(&route.path, "chain");
    let skipped = |seat: &Named<'_>| seat.view.flag("skip") == Some(true);
    let working = draft.chain_of(route).filter(|(_, _, seat)| !skipped(seat)).count();
    match route.chain.len() {
        0 => {}
        1 => {
            report
                .lint(place, &path, "is a chain of one: when its seat fails, the request fails")
                .hint("add a seat at another provider");
        }
        _ if working <= 1 && draft.chain_of(route).count() == route.chain.len() => {
            report
                .lint(place, &path, format!("leaves {working} seat after those with `skip: true`"))
                .hint("the chain has no fallback while they are skipped");
        }
        _ => {}
    }
}

fn allowed(draft: &Draft<'_>, route: &RouteDraft<'_>, report: &mut Report<'_>) {
    let Some(allowed) = route.view.texts("allowed_providers") else { return };
    for (i, place, seat) in draft.chain_of(route) {
        let Some(provider) = seat.view.text("provider") else { continue };
        if !allowed.iter().any(|(name, _)| *name == provider) {
            let which = if i == 0 { "the primary" } else { "this fallback" };
            report
                .lint(
                    place,
                    &format!("{}.chain[{i}]", route.path),
                    format!("{which} is at `{provider}`, outside `allowed_providers`, so it never runs"),
                )
                .hint("allow its provider, or take it out of the chain");
        }
    }
}

/// The address behind a seat.
fn address(provider: &Named<'_>) -> Option<(String, String)> {
    let url = split_url(provider.view.text("base_url")?)?;
    Some((url.host, url.path))
}

/// What a fallback shares with the primary, and what takes both then.
fn shared(first: &Named<'_>, other: &Named<'_>) -> Option<(String, &'static str)> {
    let key = |provider: &Named<'_>| provider.view.text("key").map(str::to_owned);
    let same_key = key(first) == key(other);
    let same_address = address(first).is_some() && address(first) == address(other);
    if other.name == first.name {
        let what = format!("shares its provider (`{}`) and key with the primary", first.name);
        Some((
            what,
            "an outage, a rate limit or a spent account takes both; another provider or key does not",
        ))
    } else if same_address && same_key {
        let what = format!(
            "is at `{}`, with the same address and key as the primary's `{}`",
            other.name, first.name
        );
        Some((
            what,
            "an outage, a rate limit or a spent account takes both; another provider or key does not",
        ))
    } else if same_key && key(first).is_some() {
        let what = format!("is at `{}`, with the same key as the primary's `{}`", other.name, first.name);
        Some((what, "a revoked key or a spent account takes both; another key does not"))
    } else {
        None
    }
}

fn apart(draft: &Draft<'_>, route: &RouteDraft<'_>, report: &mut Report<'_>) {
    let mut chain = draft.chain_of(route);
    let Some((0, _, primary)) = chain.next() else { return };
    let Some(first) = draft.provider_of(primary) else { return };
    for (i, place, seat) in chain {
        if let Some((what, hint)) = draft.provider_of(seat).and_then(|other| shared(first, other)) {
            report.lint(place, &format!("{}.chain[{i}]", route.path), what).hint(hint);
        }
    }
}

fn answerable(draft: &Draft<'_>, route: &RouteDraft<'_>, report: &mut Report<'_>) {
    let mut seats = draft.chain_of(route).filter_map(|(_, _, seat)| draft.provider_of(seat)).peekable();
    if seats.peek().is_some() && seats.all(Named::not_built) {
        report
            .lint(route.view.place("chain", route.place), &join(&route.path, "chain"), "no seat of it can be asked yet")
            .hint("each is on a wire or behind a key that is not built, so every request of this route is refused");
    }
}

/// The patterns of a route: what it names, else its own name.
fn patterns<'a>(view: &View<'a>) -> Vec<&'a str> {
    match view.texts("models") {
        Some(models) => models.into_iter().map(|(text, _)| text).collect(),
        None => view.text("name").into_iter().collect(),
    }
}

fn reached(draft: &Draft<'_>, report: &mut Report<'_>) {
    let mut earlier: Vec<(&str, &str)> = Vec::new();
    for route in &draft.routes {
        let own = patterns(&route.view);
        let taker =
            |model: &str| earlier.iter().find(|(_, pattern)| covers(pattern, model)).map(|(name, _)| *name);
        let takers: Vec<_> = own.iter().map(|model| taker(model)).collect();
        if !own.is_empty()
            && let Some(first) =
                takers.iter().copied().collect::<Option<Vec<_>>>().and_then(|all| all.first().copied())
        {
            let key = if route.view.written("models").is_some() { "models" } else { "name" };
            report
                .lint(
                    route.view.place(key, route.place),
                    &join(&route.path, key),
                    format!(
                        "no request reaches this route: `{first}`, which stands before it, takes them all"
                    ),
                )
                .hint("put the narrower route first");
        }
        let name = route.view.text("name").unwrap_or_default();
        earlier.extend(own.into_iter().map(|pattern| (name, pattern)));
    }
}

/// Whether everything that matches `model` (itself perhaps a glob) matches `pattern`; sure where it says yes.
fn covers(pattern: &str, model: &str) -> bool {
    if pattern == model {
        return true;
    }
    let mut pieces = pattern.split('*');
    let Some(start) = pieces.next() else { return false };
    let Some(mut rest) = model.strip_prefix(start) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(middle) = last.replace(piece) {
            let Some((_, after)) = rest.split_once(middle) else { return false };
            rest = after;
        }
    }
    last.is_some_and(|end: &str| rest.ends_with(end))
}
