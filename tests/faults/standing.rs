//! How a seat stands: what rests it, for how long, and what never counts.

use serde_json::{Value, json};

use crate::support::bodies::{ask, ask_stream, fails, half_stream, message, overloaded, says, streams};
use crate::support::{Answer, End, Gate, Gateway, Upstream, chain};

const RESTING: &str = "a;outcome=cooling_down, b;outcome=served";

fn pair(answers: impl Into<Vec<Answer>>) -> (Upstream, Upstream) {
    (Upstream::new(answers), Upstream::always(says("b-1", "from b")))
}

fn gateway(a: &Upstream, b: &Upstream, cooldown: Value) -> Gateway {
    let mut config = chain(&[("a", a), ("b", b)]);
    config["routes"][0]["cooldown"] = cooldown;
    Gateway::start(&config)
}

fn limited(headers: &[(&str, &str)]) -> Answer {
    let answer = fails(429, "rate_limit_error", "slow down");
    headers.iter().fold(answer, |a, (n, v)| a.header(n, v))
}

#[test]
fn a_seat_that_failed_too_often_rests_and_comes_back() {
    let (a, b) = pair([overloaded(), overloaded(), says("a-1", "rested")]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 2, "window_secs": 60, "cooldown_secs": 1}));
    assert_eq!(gw.ask(&ask("1")).chain(), "a;outcome=overloaded, b;outcome=served");
    assert_eq!(gw.ask(&ask("2")).chain(), "a;outcome=overloaded, b;outcome=served");
    assert_eq!(gw.ask(&ask("3")).chain(), RESTING);
    let records = gw.exactly(6);
    assert_eq!((&records[4]["outcome"], &records[4]["class"]), (&json!("skipped"), &json!("cooling_down")));
    assert_eq!((&records[4]["attempt"], &records[4]["status"]), (&Value::Null, &Value::Null));
    assert_eq!((&records[4]["action"], &records[5]["attempt"]), (&json!("skip"), &json!(1)));
    crate::support::until("the seat to come back", || {
        (gw.ask(&ask("4")).chain() == "a;outcome=served").then_some(())
    });
}

#[test]
fn never_means_never() {
    let (a, b) = pair([overloaded()]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 0}));
    for _ in 0..6 {
        assert_eq!(gw.ask(&ask("x")).chain(), "a;outcome=overloaded, b;outcome=served");
    }
}

#[test]
fn a_later_longer_end_wins() {
    // In flight when the short hint comes: its failure, later, asks for a minute.
    let gate = Gate::closed();
    let (a, b) = pair([limited(&[]).held(&gate), limited(&[("retry-after", "1")]), says("a-1", "back")]);
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 2, "cooldown_secs": 60});
    config["routes"][0]["deadline_secs"] = json!(30);
    let gw = Gateway::start(&config);
    let slow = gw.open(&ask("slow"));
    a.wait_for(1);
    gw.ask(&ask("quick")).expect(200);
    gate.open();
    slow.reply().expect(200);
    let end = tokio::time::Instant::now() + std::time::Duration::from_millis(2500);
    while tokio::time::Instant::now() < end {
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), RESTING);
    }
    assert_eq!(a.count(), 2);
}

#[test]
fn a_later_shorter_end_does_not_shorten_it() {
    let gate = Gate::closed();
    let (a, b) = pair([limited(&[("retry-after", "1")]).held(&gate), limited(&[("retry-after", "600")])]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 1, "cooldown_secs": 1}));
    let slow = gw.open(&ask("slow"));
    a.wait_for(1);
    gw.ask(&ask("quick")).expect(200);
    gate.open();
    slow.reply().expect(200);
    let end = tokio::time::Instant::now() + std::time::Duration::from_millis(2500);
    while tokio::time::Instant::now() < end {
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), RESTING);
    }
}

#[test]
fn a_chain_that_is_all_resting_tries_the_one_that_comes_back_soonest() {
    let a = Upstream::new([limited(&[("retry-after", "900")]), says("a-1", "a")]);
    let b = Upstream::new([limited(&[("retry-after", "300")]), says("b-1", "b")]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 1, "cooldown_secs": 60}));
    gw.ask(&ask("1")).expect(429);
    let reply = gw.ask(&ask("2")).expect(200);
    assert_eq!(reply.chain(), RESTING);
    assert_eq!((a.count(), b.count()), (1, 2));
}

#[test]
fn what_is_not_the_seats_fault_never_counts() {
    let (a, b) = pair([
        fails(400, "invalid_request_error", "messages.0: bad"),
        fails(422, "invalid_request_error", "also bad"),
        fails(413, "request_too_large", "too large"),
        says("a-1", "in favour"),
    ]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 1, "cooldown_secs": 60}));
    for status in [400, 422, 413] {
        gw.ask(&ask("x")).expect(status);
    }
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
}

#[test]
fn a_spend_cap_rests_the_seat_at_once() {
    let capped = Answer::json(
        429,
        &json!({"type": "error", "error": {"type": "rate_limit_error", "message": "x",
        "details": {"error_code": "enforced_spend_limit_reached"}}}),
    );
    let (a, b) = pair([capped, says("a-1", "no")]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 3}));
    assert_eq!(gw.ask(&ask("1")).chain(), "a;outcome=spend_cap, b;outcome=served");
    assert_eq!(gw.ask(&ask("2")).chain(), RESTING);
}

#[test]
fn a_long_retry_after_rests_the_seat_until_then() {
    let (a, b) = pair([limited(&[("retry-after", "120")]), says("a-1", "no")]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 3}));
    assert_eq!(gw.ask(&ask("1")).chain(), "a;outcome=rate_limited, b;outcome=served");
    assert_eq!(gw.ask(&ask("2")).chain(), RESTING);
}

#[test]
fn a_rejected_subscription_delivers_what_it_still_gave_then_rests() {
    let last = |answer: Answer| {
        answer
            .header("anthropic-ratelimit-unified-status", "rejected")
            .header("anthropic-ratelimit-unified-reset", "4102444800")
    };
    for body in [ask("1"), ask_stream("1")] {
        let is_stream = body["stream"] == true;
        let answer = if is_stream { streams("a-1", &["the last"]) } else { says("a-1", "the last") };
        let (a, b) = pair([last(answer)]);
        let gw = gateway(&a, &b, json!({"allowed_fails": 3}));
        assert_eq!(gw.ask(&body).expect(200).chain(), "a;outcome=served");
        assert_eq!(gw.ask(&ask("2")).expect(200).chain(), RESTING);
    }
    let allowed = Answer::json(200, &message("a-1", "x"))
        .header("anthropic-ratelimit-unified-status", "allowed")
        .header("anthropic-ratelimit-unified-overage-status", "rejected");
    let (a, b) = pair([allowed]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 3}));
    gw.ask(&ask("1")).expect(200);
    assert_eq!(gw.ask(&ask("2")).expect(200).chain(), "a;outcome=served");
}

#[test]
fn a_quota_near_zero_defers_the_seat_and_never_shuts_it_out() {
    let low = says("a-1", "a")
        .header("anthropic-ratelimit-requests-limit", "1000")
        .header("anthropic-ratelimit-requests-remaining", "10")
        .header("anthropic-ratelimit-requests-reset", "2099-01-01T00:00:00Z");
    let a = Upstream::always(low);
    let b = Upstream::new([says("b-1", "b"), overloaded()]);
    let gw = gateway(&a, &b, json!({"allowed_fails": 0}));
    gw.ask(&ask("1")).expect(200);
    assert_eq!(a.count(), 1);
    let reply = gw.ask(&ask("2")).expect(200);
    assert_eq!(
        (a.count(), b.count(), reply.json()["model"].as_str()),
        (1, 1, Some("b-1")),
        "{}",
        reply.chain()
    );
    let reply = gw.ask(&ask("3")).expect(200);
    assert_eq!(
        (a.count(), b.count(), reply.json()["model"].as_str()),
        (2, 2, Some("a-1")),
        "{}",
        reply.chain()
    );
}

#[test]
fn a_quota_with_room_defers_nobody() {
    let fine = says("a-1", "a")
        .header("anthropic-ratelimit-requests-limit", "1000")
        .header("anthropic-ratelimit-requests-remaining", "60")
        .header("anthropic-ratelimit-tokens-limit", "-1")
        .header("anthropic-ratelimit-tokens-remaining", "0")
        .header("anthropic-ratelimit-requests-reset", "2099-01-01T00:00:00Z");
    let (a, b) = pair([fine]);
    let gw = gateway(&a, &b, json!({}));
    for _ in 0..3 {
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
    }
}

/// Its failure in mid-stream was counted against the seat that had failed before it, and the chain named them in the wrong order.
#[test]
fn a_seat_that_is_tried_last_answers_for_itself() {
    let low = says("a-1", "a")
        .header("anthropic-ratelimit-requests-limit", "1000")
        .header("anthropic-ratelimit-requests-remaining", "10")
        .header("anthropic-ratelimit-requests-reset", "2099-01-01T00:00:00Z");
    let cut = Answer::stream(&half_stream("a-1", &["half "])).end(End::Fin);
    let a = Upstream::new([low, cut]);
    let b = Upstream::always(overloaded());
    let gw = gateway(&a, &b, json!({"allowed_fails": 100}));
    gw.ask(&ask("1")).expect(200);
    let reply = gw.ask(&ask_stream("2")).expect(200);
    assert_eq!(reply.chain(), "b;outcome=overloaded, a;outcome=served");
    reply.folded().assert_loud();
    let last = gw.attempts(4).pop().unwrap();
    let told = (&last["seat"], &last["path"], &last["outcome"], &last["final"]);
    assert_eq!(told, (&json!("a"), &json!("primary"), &json!("partial"), &json!(true)));
}
