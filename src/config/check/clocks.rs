//! Fallbacks that the clocks leave no time for.

use crate::config::draft::{Draft, Named, RouteDraft};
use crate::config::report::Report;
use crate::config::tree::Place;
use crate::config::validate::join;

/// A single backoff is never longer.
const BACKOFF_CAP_MS: u64 = 8_000;

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    for route in &draft.routes {
        never_runs(draft, route, report);
        if let (Some(hold), Some(deadline)) =
            (written_number(route, "hold_secs"), written_number(route, "deadline_secs"))
            && hold > deadline
        {
            report
                .lint(
                    route.view.place("hold_secs", route.place),
                    &join(&route.path, "hold_secs"),
                    format!("{hold} s is after the deadline of {deadline} s, so no head is ever sent early"),
                )
                .hint("lower it, or leave it out");
        }
    }
}

fn written_number(route: &RouteDraft<'_>, key: &str) -> Option<f64> {
    route.view.written(key)?;
    route.view.number(key)
}

/// One of the two clocks that end an attempt which never answers.
struct Clock {
    key: &'static str,
    requests: &'static str,
    /// Whether the seat may fail late and be asked again; a clock that ran out is never repeated.
    repeats: bool,
}

const CLOCKS: [Clock; 2] = [
    Clock { key: "ttfb_timeout_secs", requests: "a streamed request", repeats: true },
    Clock { key: "response_timeout_secs", requests: "a request that is not streamed", repeats: false },
];

/// Where the seats before a fallback can use up the deadline, the fallback is a claim.
fn never_runs(draft: &Draft<'_>, route: &RouteDraft<'_>, report: &mut Report<'_>) {
    let Some(deadline) = route.view.number("deadline_secs") else { return };
    let retry = route.view.sub("retry");
    let attempts = retry.whole("max_attempts_per_seat").unwrap_or(1).clamp(1, 100);
    let backoff = backoff_secs(retry.whole("backoff_ms").unwrap_or(0), attempts);
    for clock in &CLOCKS {
        let (attempts, backoff) = if clock.repeats { (attempts, backoff) } else { (1, 0.0) };
        let mut spent = 0.0;
        let mut sum: Vec<String> = Vec::new();
        for (i, _, seat) in draft.chain_of(route).filter(|(_, _, seat)| !left_out(draft, seat)) {
            if i > 0 && spent >= deadline && !sum.is_empty() {
                let (place, key) = deadline_place(route);
                report
                    .lint(
                        place,
                        &join(&route.path, key),
                        format!(
                            "`{}` never runs when {} stalls: {} = {spent} s of a deadline of {deadline} s",
                            seat.name,
                            clock.requests,
                            sum.join(" + "),
                        ),
                    )
                    .hint(format!("raise `deadline_secs`, or lower `{}` of the seats before it", clock.key));
                break;
            }
            let limit = seat.view.number(clock.key).unwrap_or(0.0);
            let times = attempts as f64;
            spent += times * limit + backoff;
            sum.push(term(seat.name, attempts, limit, backoff));
        }
    }
}

/// A seat that is passed over costs no time.
fn left_out(draft: &Draft<'_>, seat: &Named<'_>) -> bool {
    seat.view.flag("skip") == Some(true) || draft.provider_of(seat).is_some_and(Named::not_built)
}

fn deadline_place(route: &RouteDraft<'_>) -> (Place, &'static str) {
    match route.view.written("deadline_secs") {
        Some(node) => (node.place, "deadline_secs"),
        None => (route.view.place("chain", route.place), "chain"),
    }
}

fn term(seat: &str, attempts: u64, limit: f64, backoff: f64) -> String {
    let times = if attempts == 1 { String::new() } else { format!("{attempts} x ") };
    let wait = if backoff > 0.0 { format!(" + {backoff} s of backoff") } else { String::new() };
    format!("{times}{limit} s (`{seat}`){wait}")
}

/// The longest that the waits between `attempts` attempts can be together.
fn backoff_secs(base_ms: u64, attempts: u64) -> f64 {
    let mut wait = base_ms;
    let mut total: u64 = 0;
    for _ in 1..attempts {
        total = total.saturating_add(wait.min(BACKOFF_CAP_MS));
        wait = wait.saturating_mul(2);
    }
    let total = total as f64;
    total / 1000.0
}
