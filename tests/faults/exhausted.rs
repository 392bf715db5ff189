//! A spent chain is an honest error: what was tried, whether to try again, and nothing else.

use serde_json::{Value, json};

use crate::support::bodies::{ask, ask_stream, fails, overloaded};
use crate::support::{Answer, Gateway, Reply, Upstream, chain};

fn limited(secs: &str) -> Answer {
    fails(429, "rate_limit_error", "slow down").header("retry-after", secs)
}

fn ask_both(a: Answer, change: impl FnOnce(&mut Value)) -> (Gateway, Reply) {
    let (a, b) = (Upstream::always(a), Upstream::refused());
    let mut config = chain(&[("a", &a), ("b", &b)]);
    change(&mut config);
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask_stream("hi"));
    (gw, reply)
}

#[test]
fn the_error_names_each_attempt() {
    let (gw, reply) = ask_both(overloaded(), |_| {});
    let reply = reply.expect_error(502, "api_error");
    assert_eq!(reply.chain(), "a;outcome=overloaded, b;outcome=network");
    assert_eq!(reply.header("x-should-retry"), Some("false"));
    assert_eq!(reply.header("retry-after"), None);
    let message = reply.message();
    let at = |word: &str| message.find(word).unwrap_or_else(|| panic!("{word} is not in {message:?}"));
    assert!(at("529") < at("network"), "{message}");
    at("overloaded");
    let records = gw.exactly(2);
    assert_eq!((&records[1]["action"], &records[1]["final"]), (&json!("fail"), &json!(true)));
    assert!(records[1]["e2e_ms"].is_u64() && records[0]["e2e_ms"].is_null());
    assert_eq!((&records[1]["status"], &records[1]["served_model"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_chain_that_may_come_back_can_say_so() {
    let (_gw, reply) = ask_both(limited("40"), |c| c["routes"][0]["on_exhausted"] = json!("retry"));
    let reply = reply.expect_error(529, "overloaded_error");
    assert_eq!(reply.header("x-should-retry"), None);
    let secs: u64 = reply.header("retry-after").expect("a retry-after").parse().expect("whole seconds");
    assert!(secs <= 60, "{secs}");
}

#[test]
fn when_every_seat_is_limited_the_client_is_told_when() {
    let (a, b) = (Upstream::always(limited("50.5")), Upstream::always(limited("21")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    let reply = gw.ask(&ask("hi")).expect_error(429, "rate_limit_error");
    let secs: u64 = reply.header("retry-after").expect("a retry-after").parse().expect("whole seconds");
    assert!((20..=22).contains(&secs), "the soonest: {secs}");
    assert_eq!(reply.header("x-should-retry"), None);
    assert_eq!(reply.chain(), "a;outcome=rate_limited, b;outcome=rate_limited");
}

#[test]
fn upstreams_text_is_bounded_in_the_error() {
    let (gw, reply) = ask_both(fails(500, "api_error", &"long ".repeat(100_000)), |_| {});
    let reply = reply.expect(502);
    assert!(reply.body.len() < 20_000, "{} bytes", reply.body.len());
    let record = gw.exactly(2).remove(0);
    assert!(record["error"].as_str().is_none_or(|e| e.len() < 5_000), "{record}");
}

#[test]
fn an_openai_client_is_told_in_its_own_shape() {
    let gw = {
        let a = Upstream::refused();
        Gateway::start(&chain(&[("a", &a)]))
    };
    let reply = gw.send(&crate::support::Call::bytes("/v1/chat/completions", "{\"model\":")).expect(400);
    let body = reply.json();
    assert!(body["error"]["message"].is_string() && body["error"]["type"].is_string(), "{body}");
    assert!(body.get("type").is_none(), "{body}");
}
