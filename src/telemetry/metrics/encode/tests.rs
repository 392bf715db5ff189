use std::time::Duration;

use super::*;
use crate::telemetry::metrics::TokenCounts;

fn name(text: &str) -> Arc<str> {
    Arc::from(text)
}

fn filled() -> Arc<Metrics> {
    let metrics = Metrics::new();
    let route = metrics.route(&name("coding"));
    route.request(RequestOutcome::Ok, Duration::from_millis(120));
    route.request(RequestOutcome::Partial, Duration::from_secs(700));
    route.retry_budget(9);
    route.succeeded(1_700_000_000_500);
    let seat = metrics.seat(&name("coding"), &name("sonnet"), Position::Primary);
    seat.attempt(Class::Overloaded);
    seat.refusal(Class::Busy);
    let seat = metrics.seat(&name("coding"), &name("g\"lm"), Position::Fallback);
    seat.attempt(Class::Ok);
    seat.ttft(Duration::from_millis(30));
    seat.tokens(TokenCounts { input: 1, output: 2, cache_read: 3, cache_write: 4 });
    seat.cost(0.25);
    seat.cost(f64::NAN);
    seat.cost(0.5);
    seat.truncated();
    metrics.seat_state(&name("sonnet"), SeatState::CoolingDown);
    metrics.dropped_field(&name("sonnet"), "top_k");
    metrics.side_request("/v1/messages/count_tokens", 204);
    metrics.door_refusal("origin");
    metrics.attempt_records_dropped(3);
    metrics
}

#[test]
fn everything_is_written() {
    // Other tests of this process may panic or log.
    let ours = |line: &&str| !line.starts_with("sanctum_panics") && !line.starts_with("sanctum_log_lines");
    let text: Vec<String> = filled().encode().lines().filter(ours).map(str::to_owned).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn classes_are_indexed_by_their_place() {
    for (place, class) in Class::ALL.iter().enumerate() {
        assert_eq!(*class as usize, place);
    }
    for (place, outcome) in RequestOutcome::ALL.iter().enumerate() {
        assert_eq!(*outcome as usize, place);
    }
}

#[test]
fn what_a_reload_drops_is_forgotten_and_stays_so() {
    let metrics = filled();
    let old = metrics.seat(&name("coding"), &name("sonnet"), Position::Primary);
    metrics.retain(|_| true, |_, seat| seat != "sonnet");
    old.attempt(Class::Ok);
    let text = metrics.encode();
    assert!(!text.contains("sonnet"), "{text}");
    assert!(text.contains("coding"));
    metrics.retain(|_| false, |_, _| true);
    assert!(!metrics.encode().contains("coding"));
}

#[test]
fn a_seat_that_moves_keeps_one_series_for_what_has_no_path() {
    let metrics = filled();
    metrics.seat(&name("coding"), &name("sonnet"), Position::Fallback).attempt(Class::Ok);
    let text = metrics.encode();
    let cost = text.lines().filter(|l| l.starts_with("sanctum_cost_usd_total") && l.contains("sonnet"));
    assert_eq!(cost.count(), 1);
}

#[test]
fn handles_of_the_same_name_count_together() {
    let metrics = Metrics::new();
    metrics.route(&name("a")).request(RequestOutcome::Ok, Duration::ZERO);
    metrics.route(&name("a")).request(RequestOutcome::Ok, Duration::ZERO);
    assert!(metrics.encode().contains("sanctum_requests_total{route=\"a\",outcome=\"ok\"} 2"));
}
