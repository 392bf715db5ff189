//! `docs/actions.md`: both tables, for people.

use std::fmt::Write as _;
use std::time::Duration;

use super::Class;
use super::action::{BACKOFF_CAP, MARGIN, RULES, Repeat, Rule, Then, counts_against_seat};
use super::hints::{LONGEST, SPENT};
use super::table::ROWS;

#[cfg(test)]
mod tests;

/// What is done about what went wrong, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut out = String::from(INTRODUCTION);
    for (number, row) in (1..).zip(ROWS) {
        let _infallible = writeln!(out, "| {number} | {} | `{}` |", cell(row.signal), row.class.word());
    }
    out.push_str(ACTIONS);
    for rule in RULES {
        let _infallible = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            rule.class.word(),
            repeat(rule.repeat),
            then(rule.then),
            counts(rule)
        );
    }
    out.push_str(ANY_OTHER);
    let _infallible = write!(
        out,
        "{}",
        TIMES
            .replace("BACKOFF_CAP", &words(BACKOFF_CAP))
            .replace("MARGIN", &words(MARGIN))
            .replace("LONGEST", &words(LONGEST))
            .replace("SPENT", &words(SPENT))
    );
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

const fn repeat(repeat: Repeat) -> &'static str {
    match repeat {
        Repeat::Never => "no",
        Repeat::Once => "yes",
    }
}

const fn then(then: Then) -> &'static str {
    match then {
        Then::FallBack => "the next seat",
        Then::Larger => "the next seat that can hold more; where there is none, upstream's own answer",
        Then::PassOn => "upstream's own answer, byte for byte",
        Then::ByRoute => {
            "`on_seat_rejected`: 502, or the next seat; a caller's own key: upstream's own answer"
        }
        Then::Fail => "504",
    }
}

const fn counts(rule: &Rule) -> &'static str {
    match rule.class {
        Class::SpendCap => "rests it at once",
        Class::Auth => "only where the route falls back",
        class if counts_against_seat(class) => "yes",
        _ => "no",
    }
}

fn words(time: Duration) -> String {
    match time.as_secs() {
        secs if secs > 0 && secs % 3600 == 0 => format!("{} h", secs / 3600),
        secs => format!("{secs} s"),
    }
}

const INTRODUCTION: &str = "\
# What happens when an upstream fails

<!-- Generated from src/route/table.rs and src/route/action.rs. `UPDATE=1 cargo test --lib route::reference` rewrites it. -->

Two tables decide: what an attempt showed gives its class, and the class gives what follows. The class is the word in
the [attempt record](attempts.md), in `x-sanctum-route-chain` and in the [metrics](metrics.md). Everything here holds
**before commit**, while no content has reached the client. After it nothing is repeated and no other seat is asked.

## Signal to class

The first row that matches wins. An `error` event before any content, and an error inside a 200, are judged by the
status that their type or code stands for.

| | signal | class |
| --- | --- | --- |
";

const ACTIONS: &str = "
A `client_error` or a 499 that is told inside a 200 is a `bad_response`: only a status of upstream's own says that the
request is at fault.

## Class to action

| class | same seat again? | and then | counts against the seat? |
| --- | --- | --- | --- |
";

const ANY_OTHER: &str = "\
| any other | no | the next seat | no |

* *Same seat again*: while the seat has had fewer than `retry.max_attempts_per_seat` attempts, the wait fits into what
  is left of the deadline, and the route's retry budget pays. Otherwise what follows is in the next column.
* *The retry budget* of a route is `max(budget_floor, budget_ratio × requests)` repeats in 60 s. Moving on to another
  seat costs none.
* *Upstream's `x-should-retry`*: `true` makes any class but `spend_cap` one that is repeated, `false` makes it one that
  is not.
* *A failed certificate check* is never repeated: it can only fail the same way.
* *When no seat is left*: 502 with `x-should-retry: false` (`on_exhausted: final`), or 529 with the soonest
  `retry-after` (`on_exhausted: retry`); 429 with `retry-after` where every seat that was asked is rate limited, or none
  could be asked because all are taken or resting; 501 where no seat can serve the request. The message names each
  attempt.
* *A caller's own key* (`key: caller`): its 401 and 403 are the caller's own and are passed on. A model that upstream
  does not know never is: that is the gateway's configuration.

### After commit

| what happens | class | what the client gets |
| --- | --- | --- |
| an `error` event in the stream | `mid_stream_error` | the event, and the end |
| the stream ends, or breaks, without its end | `truncated_stream` | an `error` event, and the end |
| silence for the seat's `idle_timeout_secs` | `idle_timeout` | an `error` event, and the end |
| the route's `stream_total_secs` are over | `deadline` | an `error` event, and the end |
| an event that is too large | `bad_response` | an `error` event, and the end |
| the client leaves | `cancelled` | nothing; the upstream call is closed |

The attempt is recorded as `partial` (`cancelled` where the client left). A block that upstream did not finish is left
open, so that a client runs no half tool call.

### Seats that are passed over

A seat that is not asked leaves a record and a chain entry too, with one of these classes, in this order of precedence:

| class | why |
| --- | --- |
| `operator_skip` | `skip: true`, or the caller's `x-sanctum-skip` |
| `provider_not_allowed` | the route's `allowed_providers` leaves its provider out |
| `inexpressible` | its wire, or the source of its key, is not built; or the body is over its `max_body_bytes` |
| `cooling_down` | it rests, or its quota is nearly spent and others go first |
| `context_length` | another seat refused the prompt as too long, and this one is not known to hold more |
| `deadline` | its turn came when the time was over |
| `busy` | its `max_concurrency` is reached |
| `native_tools` | it speaks another wire, and the request needs tools or blocks that only Anthropic's own API has |
| `capability` | it speaks another wire and is declared without what the request needs: images, PDF, prefill, a schema |

Last of all, `inexpressible` is also what a seat of another wire is that has no words for something else in the request.

When every seat that could serve is resting, the one that comes back soonest is asked all the same.
";

const TIMES: &str = "
## Times

* *Backoff* before a repeat: a random time up to `backoff_ms × 2^n`, at most BACKOFF_CAP.
* *When to come back*, as upstream tells it, in this order: `retry-after-ms`, `retry-after` (seconds or a date), a hint
  in the body. It replaces the backoff where it leaves MARGIN of the deadline; where it does not, the next seat is asked
  and a `rate_limited`, `overloaded` or `server_error` seat rests until then. Negative, past and senseless values are no
  hint, and none is believed beyond LONGEST.
* *Cooldown*: at the `cooldown.allowed_fails`-th counted failure inside `window_secs` the seat rests for
  `cooldown_secs` plus up to half of it. A later end that is already set stays. 0 = never. Counted are failed
  attempts of generating requests; `count_tokens` and other side requests never are.
* *A spend cap* rests the seat until upstream's own time, else until the month turns (for a monthly limit), else for
  SPENT; at most LONGEST.
* *A subscription that upstream calls `rejected`* rests its seat until its reset, also when this answer was delivered.
* *A quota under 5 % of its limit*, by the rate limit headers of an answer, defers the seat until the reset: others go
  first, and it stays the last resort.
";
