//! A client that goes away takes its upstream call with it, and nobody is punished for that.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::support::bodies::{ask, ask_stream, half_stream, says, streams};
use crate::support::{Answer, End, Gate, Gateway, Upstream, chain};

/// One client that leaves, then proof: upstream closed within about a second, one record, no further seat, no penalty.
fn leaves(first: Answer, body: serde_json::Value, after: &str) {
    let a = Upstream::new([first, says("a-1", "still in favour")]);
    let b = Upstream::always(says("b-1", "never asked"));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 1});
    let gw = Gateway::start(&config);
    let mut live = gw.open(&body);
    a.wait_for(1);
    if !after.is_empty() {
        live.read_until(after);
    }
    let left = Instant::now();
    live.hang_up();
    let gone = a.wait_gone(0).duration_since(left);
    assert!(gone < Duration::from_millis(1500), "upstream was held for {gone:?}");
    let record = gw.exactly(1).remove(0);
    assert_eq!(
        (&record["outcome"], &record["class"]),
        (&json!("cancelled"), &json!("cancelled")),
        "{record}"
    );
    assert_eq!(record["final"], true);
    assert_eq!(gw.ask(&ask("again")).expect(200).chain(), "a;outcome=served");
    assert_eq!(b.count(), 0);
}

#[test]
fn before_the_head_of_a_stream() {
    leaves(streams("a-1", &["x"]).held(&Gate::closed()), ask_stream("hi"), "");
}

#[test]
fn before_a_whole_answer() {
    leaves(says("a-1", "x").held(&Gate::closed()), ask("hi"), "");
}

#[test]
fn inside_a_whole_answer() {
    let answer = says("a-1", &"x".repeat(4000)).split(500).held_at(1, &Gate::closed());
    leaves(answer, ask("hi"), "");
}

#[test]
fn after_some_of_a_stream() {
    let answer = Answer::stream(&half_stream("a-1", &["1", "2", "3"])).end(End::Stall);
    leaves(answer, ask_stream("hi"), r#""text":"3""#);
}

#[test]
fn in_the_wait_between_two_attempts() {
    let a = Upstream::always(Answer::text(429, "application/json", "{}").header("retry-after", "8"));
    let b = Upstream::always(says("b-1", "never asked"));
    let gw = Gateway::start(&crate::support::config::retrying(&[("a", &a), ("b", &b)]));
    let live = gw.open(&ask("hi"));
    a.wait_for(1);
    live.hang_up();
    let records = gw.attempts(1);
    assert_eq!(records.last().unwrap()["final"], true, "{records:#?}");
    assert_eq!((a.count(), b.count()), (1, 0));
}

#[test]
fn a_body_that_never_ends_reaches_no_upstream() {
    let a = Upstream::always(says("a-1", "x"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = crate::support::Call::messages(&ask("hi")).with("content-length", "5000");
    let live = call.open(gw.addr());
    live.hang_up();
    assert_eq!(gw.ask(&ask("again")).expect(200).status, 200);
    assert_eq!(a.count(), 1);
    assert_eq!(gw.exactly(1)[0]["outcome"], "ok");
}
