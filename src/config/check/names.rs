//! Names that lead nowhere, and names that stand twice.

use std::collections::HashMap;

use crate::config::draft::{Draft, Named};
use crate::config::report::{Report, shown};
use crate::config::spelling::nearest;
use crate::config::tree::Place;
use crate::config::validate::{join, list};

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    for seat in &draft.seats {
        if let Some(name) = seat.view.text("provider")
            && draft.provider(name).is_none()
        {
            let path = join(&join("seats", seat.name), "provider");
            dangling(
                name,
                "provider",
                &draft.providers,
                seat.view.place("provider", seat.place),
                &path,
                report,
            );
        }
    }
    for route in &draft.routes {
        for (i, (name, place)) in route.chain.iter().enumerate() {
            if draft.seat(name).is_none() {
                dangling(name, "seat", &draft.seats, *place, &format!("{}.chain[{i}]", route.path), report);
            }
        }
        for (i, (name, place)) in route.view.texts("allowed_providers").unwrap_or_default().iter().enumerate()
        {
            if draft.provider(name).is_none() {
                let path = format!("{}.allowed_providers[{i}]", route.path);
                dangling(name, "provider", &draft.providers, *place, &path, report);
            }
        }
        if let Some(name) = route.view.text("policy_seat")
            && draft.seat(name).is_none()
        {
            let place = route.view.place("policy_seat", route.place);
            dangling(name, "seat", &draft.seats, place, &join(&route.path, "policy_seat"), report);
        }
    }
    twice(draft, report);
}

fn dangling(name: &str, kind: &str, known: &[Named<'_>], place: Place, path: &str, report: &mut Report<'_>) {
    let hint = match nearest(name, known.iter().map(|k| k.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("no {kind} is configured"),
        None => format!("there are {}", list(known.iter().take(20).map(|k| k.name))),
    };
    let name = shown(name).map_or_else(String::new, |name| format!(" {name}"));
    report.error(place, path, format!("names the {kind}{name}, which does not exist")).hint(hint);
}

fn twice(draft: &Draft<'_>, report: &mut Report<'_>) {
    let mut routes: HashMap<&str, Place> = HashMap::new();
    for route in &draft.routes {
        let place = route.view.place("name", route.place);
        if let Some(name) = route.view.text("name") {
            if let Some(first) = routes.get(name) {
                report.error(place, &join(&route.path, "name"), "is the name of an earlier route").hint(
                    format!("that one is at {}:{}; routes are told apart by name", first.line, first.col),
                );
            } else {
                routes.insert(name, place);
            }
        }
        let mut seats: HashMap<&str, usize> = HashMap::new();
        for (i, (name, place)) in route.chain.iter().enumerate() {
            if let Some(first) = seats.get(name) {
                report
                    .error(*place, &format!("{}.chain[{i}]", route.path), "stands in this chain already")
                    .hint(format!("as chain[{first}]; a seat is repeated by `retry.max_attempts_per_seat`"));
            } else {
                seats.insert(name, i);
            }
        }
    }
}
