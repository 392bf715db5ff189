//! Seats that nothing uses, and what they leave unsaid or say wrongly.

use std::collections::HashSet;

use crate::config::draft::{Draft, Named};
use crate::config::report::Report;
use crate::config::validate::join;

/// No model holds or writes more; the retired seat that began this had an output limit of two million.
const MOST_PROMPT_TOKENS: u64 = 10_000_000;
const MOST_OUTPUT_TOKENS: u64 = 1_000_000;
/// Less than this does not hold the tools and system prompt of any agent.
const LEAST_PROMPT_TOKENS: u64 = 1_024;

pub(crate) fn check(draft: &Draft<'_>, report: &mut Report<'_>) {
    let used: HashSet<&str> = draft
        .routes
        .iter()
        .flat_map(|route| {
            let policy = route.view.text("policy_seat");
            route.chain.iter().map(|(name, _)| *name).chain(policy)
        })
        .collect();
    for seat in &draft.seats {
        let path = join("seats", seat.name);
        if !used.contains(seat.name) {
            report
                .lint(seat.place, &path, "no route's chain uses this seat")
                .hint("remove it, or put it in a chain");
        }
        limits(seat, &path, report);
        if seat.view.written("price").is_none() {
            report
                .lint(
                    seat.place,
                    &join(&path, "price"),
                    "is missing, so its cost is unknown in records and reports",
                )
                .hint("write {input: .., output: ..} in USD per million tokens; zeros for a local model");
        }
        if seat.view.written("capability").is_none() {
            report
                .lint(
                    seat.place,
                    &join(&path, "capability"),
                    "is undeclared, so it counts as text that passes images on",
                )
                .hint("write `text`, `vision`, `image` or `embedding`");
        }
    }
}

fn limits(seat: &Named<'_>, path: &str, report: &mut Report<'_>) {
    let prompt = seat.view.whole("max_prompt_tokens");
    let output = seat.view.whole("max_output_tokens");
    let at = |key: &str| seat.view.place(key, seat.place);
    if let Some(tokens) = prompt {
        let path = join(path, "max_prompt_tokens");
        if tokens > MOST_PROMPT_TOKENS {
            report
                .lint(
                    at("max_prompt_tokens"),
                    &path,
                    format!("{tokens} tokens are more than any model holds"),
                )
                .hint("leave it out where the prompt is never to be cut");
        } else if tokens < LEAST_PROMPT_TOKENS {
            report
                .lint(
                    at("max_prompt_tokens"),
                    &path,
                    format!("{tokens} tokens do not hold one agent's tools"),
                )
                .hint("it bounds the prompt in tokens, not thousands of them");
        }
    }
    if let Some(tokens) = output {
        let path = join(path, "max_output_tokens");
        let place = at("max_output_tokens");
        if tokens > MOST_OUTPUT_TOKENS {
            report
                .lint(place, &path, format!("{tokens} tokens are more than any model writes"))
                .hint("is it the size of the context, whose place is `max_prompt_tokens`?");
        } else if let Some(prompt) = prompt.filter(|prompt| tokens > *prompt) {
            report
                .lint(
                    place,
                    &path,
                    format!("{tokens} tokens of output are more than the {prompt} of its prompt"),
                )
                .hint("are the two swapped?");
        }
    }
}
