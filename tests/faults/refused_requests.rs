//! What fails the same way everywhere is passed on as it is; what a larger seat can hold goes there.

use serde_json::json;

use crate::support::bodies::{ask, ask_stream, error_body, fails, says};
use crate::support::config::retrying;
use crate::support::{Answer, Call, End, Gate, Gateway, Upstream, chain, until};

#[test]
fn a_client_error_is_relayed_byte_for_byte_and_goes_no_further() {
    let odd = "{\"type\":\"error\", \"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.3.role: odd \\u00e9\"},\
        \"request_id\":\"req_9\" }";
    for (status, body) in
        [(400, ask("x")), (400, ask_stream("x")), (422, ask("x")), (413, ask("x")), (405, ask("x"))]
    {
        let answer = Answer::text(status, "application/json", odd).header("request-id", "req_up_9");
        let (a, b) = (Upstream::always(answer), Upstream::always(says("b-1", "no")));
        let gw = Gateway::start(&retrying(&[("a", &a), ("b", &b)]));
        let reply = gw.ask(&body).expect(status);
        assert_eq!((reply.text(), reply.header("request-id")), (odd, Some("req_up_9")));
        assert_eq!(reply.chain(), "a;outcome=client_error");
        assert_eq!((a.count(), b.count()), (1, 0));
        let record = gw.exactly(1).remove(0);
        assert_eq!((&record["class"], &record["action"]), (&json!("client_error"), &json!("fail")));
        assert_eq!((&record["status"], &record["final"]), (&json!(status), &json!(true)));
    }
}

#[test]
fn an_error_that_is_no_json_is_relayed_too() {
    let page = "<html><h1>413 Request Entity Too Large</h1></html>";
    let a = Upstream::always(Answer::text(413, "text/html", page));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&ask("x")).expect(413);
    assert_eq!(reply.text(), page);
}

fn sized(a: &Upstream, b: &Upstream, windows: [u64; 2]) -> Gateway {
    let mut config = retrying(&[("a", a), ("b", b)]);
    config["seats"]["a"]["max_prompt_tokens"] = json!(windows[0]);
    config["seats"]["b"]["max_prompt_tokens"] = json!(windows[1]);
    Gateway::start(&config)
}

#[test]
fn an_overflow_goes_to_a_larger_seat_and_is_never_repeated_as_it_is() {
    for words in [
        "prompt is too long: 9120 tokens > 8000 maximum",
        "input length and `max_tokens` exceed context limit: 7000 + 1200 > 8000",
    ] {
        let a = Upstream::always(fails(400, "invalid_request_error", words));
        let b = Upstream::always(says("b-1", "it fits"));
        let gw = sized(&a, &b, [8000, 190_000]);
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=context_length, b;outcome=served");
        assert_eq!(a.count(), 1);
    }
}

#[test]
fn an_overflow_with_no_larger_seat_is_told_in_upstreams_words() {
    let body = error_body("invalid_request_error", "prompt is too long: 9120 tokens > 8000 maximum");
    let a = Upstream::always(Answer::json(400, &body));
    let b = Upstream::always(says("b-1", "no larger"));
    let gw = sized(&a, &b, [8000, 8000]);
    let reply = gw.ask(&ask("x")).expect(400);
    assert_eq!((reply.json(), b.count()), (body, 0));
    let records = gw.attempts(1);
    assert_eq!((&records[0]["class"], &records[0]["seat"]), (&json!("context_length"), &json!("a")));
    assert!(records.iter().skip(1).all(|r| r["outcome"] == "skipped"), "{records:#?}");
}

#[test]
fn a_body_too_big_for_a_seat_goes_past_it() {
    let (a, b) = (Upstream::always(says("a-1", "small")), Upstream::always(says("b-1", "large")));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["max_body_bytes"] = json!(2000);
    let gw = Gateway::start(&config);
    assert_eq!(gw.ask(&ask("short")).expect(200).chain(), "a;outcome=served");
    let reply = gw.ask(&ask(&"z".repeat(3000))).expect(200);
    assert!(reply.chain().ends_with("b;outcome=served"), "{}", reply.chain());
    assert_eq!(a.count(), 1);
}

#[test]
fn every_seat_refused_by_its_wire_is_no_capability() {
    let a = Upstream::always(says("a-1", "no"));
    let mut config = chain(&[("a", &a)]);
    config["providers"]["a"]["wire"] = json!("openai-responses");
    config["providers"]["a"]["base_url"] = json!(format!("{}/v1", a.url()));
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask("x")).expect(501);
    assert_eq!(reply.header("x-should-retry"), Some("false"));
    assert_eq!(reply.chain(), "a;outcome=inexpressible");
    assert!(reply.json().get("content").is_none());
    assert!(reply.text().contains("capability_unavailable"), "{}", reply.text());
    assert_eq!(a.count(), 0);
}

/// Seen with servers that put their errors into a 200: the client was told of a broken gateway, and sent it all again.
#[test]
fn an_overflow_inside_a_200_is_a_400_in_words_that_clients_parse() {
    let body = json!({"error": {"code": 400, "message": "This model's maximum context length is 8192 tokens. However, you requested 9412 tokens."}});
    let a = Upstream::always(Answer::json(200, &body));
    let b = Upstream::always(says("b-1", "no larger"));
    let gw = sized(&a, &b, [8192, 8192]);
    let reply = gw.ask(&ask("x")).expect_error(400, "invalid_request_error");
    assert!(
        reply.message().starts_with("prompt is too long: 9412 tokens > 8192 maximum"),
        "{}",
        reply.message()
    );
    assert_eq!(b.count(), 0);
}

#[test]
fn a_refusal_by_policy_inside_a_200_is_told_and_never_an_empty_answer() {
    let body = json!({"error": {"code": "content_policy_violation", "message": "not that"}});
    let (a, b) = (Upstream::always(Answer::json(200, &body)), Upstream::always(says("b-1", "no")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    let reply = gw.ask(&ask("x")).expect_error(400, "invalid_request_error");
    assert!(reply.message().contains("not that"), "{}", reply.message());
    assert_eq!((b.count(), reply.chain()), (0, "a;outcome=served"));
    let record = gw.exactly(1).remove(0);
    assert_eq!((&record["outcome"], &record["class"]), (&json!("ok"), &json!("content_policy")));
}

/// The head of an error says what happened: its body, which never came, turned a limit into a timeout of the seat.
#[test]
fn an_error_whose_body_never_comes_is_still_that_error() {
    let mut stalled = Answer::json(429, &error_body("rate_limit_error", "slow down")).end(End::Stall);
    stalled.chunked = true;
    stalled.pieces = vec![b"{\"type\":".to_vec()];
    let (a, b) = (Upstream::always(stalled), Upstream::always(says("b-1", "yes")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=rate_limited, b;outcome=served");
    assert_eq!(gw.exactly(2)[0]["status"], 429);
}

/// curl names its body a form: what was read as JSON is sent on as JSON.
#[test]
fn what_is_sent_on_is_called_what_it_is() {
    let a = Upstream::always(says("a-1", "yes"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::messages(&ask("x")).with("content-type", "application/x-www-form-urlencoded");
    gw.send(&call).expect(200);
    assert_eq!(a.only().header("content-type"), Some("application/json"));
}

/// A seat that is only taken comes before one that never could: the client may come back.
#[test]
fn a_busy_seat_beside_one_that_cannot_is_not_a_missing_capability() {
    let gate = Gate::closed();
    let a = Upstream::always(says("a-1", "slow").held(&gate));
    let b = Upstream::always(says("b-1", "no"));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["providers"]["b"]["wire"] = json!("openai-responses");
    config["seats"]["a"]["max_concurrency"] = json!(1);
    let gw = Gateway::start(&config);
    let first = gw.open(&ask("takes the place"));
    until("the seat is taken", || (a.count() == 1).then_some(()));
    let reply = gw.ask(&ask("x")).expect_error(429, "rate_limit_error");
    assert!(reply.header("retry-after").is_some() && reply.header("x-should-retry").is_none());
    gate.open();
    drop(first);
}
