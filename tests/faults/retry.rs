//! One layer retries, within its budget, and when it is told to.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::support::bodies::{ask, fails, overloaded, says};
use crate::support::config::retrying;
use crate::support::{Answer, Gateway, Reply, Upstream};

fn limited(headers: &[(&str, &str)]) -> Answer {
    let answer = fails(429, "rate_limit_error", "slow down");
    headers.iter().fold(answer, |a, (n, v)| a.header(n, v))
}

/// A first seat that is limited once, with these headers; the deadline in seconds.
fn hinted(first: Answer, deadline: u64) -> (Reply, usize, Vec<serde_json::Value>) {
    let a = Upstream::new([first, says("a-1", "second try")]);
    let b = Upstream::always(says("b-1", "fallback"));
    let mut config = retrying(&[("a", &a), ("b", &b)]);
    config["routes"][0]["deadline_secs"] = json!(deadline);
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask("hi")).expect(200);
    (reply, a.count(), gw.exactly(2))
}

#[test]
fn a_failure_is_repeated_once_on_the_same_seat() {
    for first in
        [fails(500, "api_error", "x"), fails(502, "api_error", "x"), fails(408, "x", "x"), overloaded()]
    {
        let (reply, tries, records) = hinted(first, 20);
        assert_eq!((reply.chain(), tries), ("a;outcome=served", 2));
        assert_eq!((&records[0]["action"], &records[0]["attempt"]), (&json!("retry"), &json!(1)));
        assert_eq!((&records[1]["action"], &records[1]["attempt"]), (&json!("served"), &json!(2)));
        assert_eq!(records[1]["path"], "primary");
    }
}

#[test]
fn a_hint_that_fits_is_waited_out() {
    for (headers, low) in [
        (&[("retry-after", "1")][..], 950),
        (&[("retry-after", "0.5")][..], 450),
        (&[("retry-after-ms", "700"), ("retry-after", "60")][..], 650),
        (&[("retry-after-ms", "650.5")][..], 600),
    ] {
        let (reply, tries, records) = hinted(limited(headers), 20);
        assert_eq!((reply.chain(), tries), ("a;outcome=served", 2), "{headers:?}");
        let took = reply.elapsed;
        assert!(
            took >= Duration::from_millis(low) && took < Duration::from_millis(low + 4000),
            "{headers:?}: {took:?}"
        );
        assert_eq!((&records[0]["class"], &records[0]["action"]), (&json!("rate_limited"), &json!("retry")));
    }
}

#[test]
fn a_date_is_a_hint() {
    #[expect(clippy::disallowed_methods, reason = "the header holds the real time")]
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3);
    let date = soon.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let (reply, tries, _) = hinted(limited(&[("retry-after", &date)]), 20);
    assert_eq!((reply.chain(), tries), ("a;outcome=served", 2), "{date}");
    assert!(reply.elapsed > Duration::from_millis(1500), "{:?}", reply.elapsed);
}

#[test]
fn a_hint_in_the_body_counts() {
    let (reply, tries, _) = hinted(fails(429, "rate_limit_error", "Please try again in 1m2s."), 10);
    assert_eq!((reply.chain(), tries), ("a;outcome=rate_limited, b;outcome=served", 1));
    assert!(reply.elapsed < Duration::from_secs(2));
    let (reply, tries, _) = hinted(fails(429, "rate_limit_error", "please try again in 600ms"), 10);
    assert_eq!((reply.chain(), tries), ("a;outcome=served", 2));
    assert!(reply.elapsed > Duration::from_millis(550));
}

#[test]
fn a_hint_that_does_not_fit_falls_back_at_once() {
    for hint in ["90", "19.5", "1e308", "99999999999999999999999", "1e12"] {
        let (reply, tries, _) = hinted(limited(&[("retry-after", hint)]), 20);
        assert_eq!((reply.chain(), tries), ("a;outcome=rate_limited, b;outcome=served", 1), "{hint}");
        assert!(reply.elapsed < Duration::from_secs(3), "{hint}: {:?}", reply.elapsed);
    }
}

#[test]
fn a_senseless_hint_is_none() {
    for hint in ["-5", "NaN", "-inf", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "0"] {
        let (reply, tries, _) = hinted(limited(&[("retry-after", hint)]), 20);
        assert_eq!((reply.chain(), tries), ("a;outcome=served", 2), "{hint}");
        assert!(reply.elapsed < Duration::from_secs(4), "{hint}: {:?}", reply.elapsed);
    }
}

#[test]
fn upstream_may_forbid_or_ask_for_a_repeat() {
    let (reply, tries, _) = hinted(fails(500, "api_error", "x").header("x-should-retry", "false"), 20);
    assert_eq!((reply.chain(), tries), ("a;outcome=server_error, b;outcome=served", 1));
}

#[test]
fn a_spend_cap_is_never_repeated() {
    let capped = Answer::json(
        429,
        &json!({"type": "error", "error": {"type": "rate_limit_error", "message": "x",
        "details": {"error_code": "contract_spend_limit_reached"}}}),
    );
    for first in [
        capped.header("x-should-retry", "true"),
        fails(402, "billing_error", "pay"),
        fails(400, "invalid_request_error", "You have reached your specified workspace API usage limits. x"),
        fails(400, "invalid_request_error", "Your credit balance is too low to access the API"),
    ] {
        let (reply, tries, records) = hinted(first, 20);
        assert_eq!((reply.chain(), tries), ("a;outcome=spend_cap, b;outcome=served", 1));
        assert_eq!(records[0]["action"], "fall_back");
    }
}

#[test]
fn a_burst_of_failures_is_not_amplified() {
    let (a, b) =
        (Upstream::always(fails(503, "api_error", "x")), Upstream::always(fails(503, "api_error", "x")));
    let mut config = retrying(&[("a", &a), ("b", &b)]);
    config["routes"][0]["retry"]["budget_floor"] = json!(4);
    config["routes"][0]["retry"]["budget_ratio"] = json!(0.1);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 0});
    let gw = Gateway::start(&config);
    let lives: Vec<_> = (0..20).map(|_| gw.open(&ask("hi"))).collect();
    for live in lives {
        let reply = live.reply().expect(502);
        assert_eq!(reply.header("x-should-retry"), Some("false"));
    }
    let calls = a.count() + b.count();
    assert!((40..=44).contains(&calls), "{calls} upstream calls for 20 requests");
    let mut tries = BTreeMap::<(String, String), usize>::new();
    for record in gw.exactly(calls) {
        let key = (record["request_id"].to_string(), record["seat"].to_string());
        *tries.entry(key).or_default() += 1;
    }
    assert!(tries.values().all(|n| *n <= 2), "{tries:?}");
}

#[test]
fn moving_on_costs_no_budget() {
    let (a, b) = (Upstream::always(overloaded()), Upstream::always(says("b-1", "ok")));
    let mut config = retrying(&[("a", &a), ("b", &b)]);
    config["routes"][0]["retry"]["budget_floor"] = json!(0);
    config["routes"][0]["retry"]["budget_ratio"] = json!(0.0);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 0});
    let gw = Gateway::start(&config);
    for _ in 0..5 {
        gw.ask(&ask("hi")).expect(200);
    }
    assert_eq!((a.count(), b.count()), (5, 5));
}
