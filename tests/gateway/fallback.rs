//! A failing seat costs the client nothing: the next one answers, and the reply says so.

use serde_json::{Value, json};

use crate::support::bodies::{
    ask, ask_stream, error_event, fails, message, overloaded, ping, says, start, streams, text_stream,
};
use crate::support::{Answer, End, Gateway, Upstream, chain};

/// Every way a first seat can fail before content, and the class that it must be given.
fn failures() -> Vec<(&'static str, Answer, &'static [&'static str])> {
    let stream_error =
        |kind: &str| Answer::stream(&[start("wrong"), ping(), error_event(kind, "inside the stream")]);
    vec![
        ("529", overloaded(), &["overloaded"]),
        ("503", fails(503, "api_error", "down"), &["overloaded"]),
        ("500", fails(500, "api_error", "broke"), &["server_error"]),
        ("502 with HTML", Answer::text(502, "text/html", "<h1>bad gateway</h1>"), &["server_error"]),
        ("504 with nothing", Answer::text(504, "", ""), &["server_error"]),
        ("429 without a hint", fails(429, "rate_limit_error", "slow down"), &["rate_limited"]),
        ("reset before the head", Answer::reset(), &["network"]),
        ("closed before the head", Answer::raw(b""), &["network"]),
        ("not HTTP", Answer::raw(b"SSH-2.0-OpenSSH_9.2\r\n"), &["network", "bad_response"]),
        ("half a head", Answer::raw(b"HTTP/1.1 200 OK\r\ncontent-le"), &["network", "bad_response"]),
        ("200 with HTML", Answer::text(200, "text/html", "<html>login</html>"), &["bad_response"]),
        ("200 with nothing", Answer::text(200, "application/json", ""), &["bad_response"]),
        ("200 with half a JSON", Answer::text(200, "application/json", "{\"id\":\"msg"), &["bad_response"]),
        ("200 with another JSON", Answer::json(200, &json!({"hello": 1})), &["bad_response"]),
        ("200 with null", Answer::json(200, &Value::Null), &["bad_response"]),
        (
            "200 with an error",
            Answer::json(
                200,
                &json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
            ),
            &["overloaded", "bad_response"],
        ),
        (
            "200 with a bare error",
            Answer::json(200, &json!({"error": {"code": 502, "message": "worker busy"}})),
            &["server_error", "bad_response"],
        ),
        (
            "an error first",
            Answer::stream(&[error_event("api_error", "x")]),
            &["server_error", "bad_response"],
        ),
        ("an error before content", stream_error("overloaded_error"), &["overloaded"]),
        ("an error before content, server", stream_error("api_error"), &["server_error", "bad_response"]),
        (
            "a stream with nothing in it",
            Answer::stream::<&str>(&[]),
            &["bad_response", "network", "truncated_stream"],
        ),
        (
            "a stream cut before content",
            Answer::stream(&[start("wrong")]).end(End::Fin),
            &["network", "truncated_stream", "bad_response"],
        ),
        (
            "a stream reset before content",
            Answer::stream(&[start("wrong")]).end(End::Reset),
            &["network", "truncated_stream", "bad_response"],
        ),
        (
            "a stream that ends before content",
            Answer::stream(&[start("wrong"), ping()]),
            &["network", "truncated_stream", "bad_response"],
        ),
        (
            "a stream of garbage",
            Answer::stream(&["\u{1}\u{2}garbage\n\n", "more"]),
            &["bad_response", "network", "truncated_stream"],
        ),
        ("an encoded answer", says("wrong", "x").header("content-encoding", "gzip"), &["bad_response"]),
    ]
}

fn check(name: &str, chain: &str, classes: &[&str]) {
    let wanted: Vec<String> = classes.iter().map(|c| format!("a;outcome={c}, b;outcome=served")).collect();
    assert!(wanted.iter().any(|w| w == chain), "{name}: {chain}, wanted one of {wanted:?}");
}

#[test]
fn whatever_the_first_seat_does_a_stream_comes_whole_from_the_second() {
    for (name, answer, classes) in failures() {
        let (a, b) = (Upstream::always(answer), Upstream::always(streams("b-1", &["from ", "the second"])));
        let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
        let reply = gw.ask(&ask_stream("hi")).expect(200);
        check(name, reply.chain(), classes);
        assert_eq!(reply.text(), text_stream("b-1", &["from ", "the second"]).concat(), "{name}");
        assert_eq!((a.count(), b.count()), (1, 1), "{name}");
        let records = gw.exactly(2);
        assert_eq!(
            (&records[0]["action"], &records[0]["final"]),
            (&json!("fall_back"), &json!(false)),
            "{name}"
        );
        assert_eq!((&records[1]["class"], &records[1]["final"]), (&json!("ok"), &json!(true)), "{name}");
        assert_eq!(
            (&records[0]["path"], &records[1]["path"]),
            (&json!("primary"), &json!("fallback")),
            "{name}"
        );
    }
}

#[test]
fn whatever_the_first_seat_does_a_message_comes_whole_from_the_second() {
    for (name, answer, classes) in failures() {
        let (a, b) = (Upstream::always(answer), Upstream::always(says("b-1", "from the second")));
        let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
        let reply = gw.ask(&ask("hi")).expect(200);
        assert_eq!(reply.json(), message("b-1", "from the second"), "{name}");
        if !name.contains("stream") && !name.contains("error first") && !name.contains("before content") {
            check(name, reply.chain(), classes);
        }
        assert_eq!((a.count(), b.count()), (1, 1), "{name}");
    }
}

#[test]
fn a_refused_connection_falls_back() {
    let (a, b) = (Upstream::refused(), Upstream::always(says("b-1", "ok")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    assert_eq!(gw.ask(&ask("hi")).expect(200).chain(), "a;outcome=network, b;outcome=served");
    let records = gw.exactly(2);
    assert_eq!((&records[0]["status"], &records[0]["outcome"]), (&Value::Null, &json!("error")));
}

#[test]
fn the_third_seat_serves_when_two_have_failed() {
    let a = Upstream::always(overloaded());
    let b = Upstream::always(Answer::stream(&[start("wrong-b"), ping()]).end(End::Fin));
    let c = Upstream::always(streams("c-1", &["third time"]));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b), ("c", &c)]));
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    let folded = reply.folded();
    folded.assert_clean();
    assert_eq!((folded.text.as_str(), folded.model.as_deref()), ("third time", Some("c-1")));
    assert!(!reply.text().contains("wrong-b"));
    assert!(
        reply.chain().starts_with("a;outcome=overloaded, b;outcome=")
            && reply.chain().ends_with("c;outcome=served")
    );
    let attempts: Vec<Value> = gw.exactly(3).iter().map(|r| r["attempt"].clone()).collect();
    assert_eq!(attempts, [json!(1), json!(2), json!(3)]);
}

#[test]
fn a_whole_answer_to_a_streamed_request_is_told_as_events() {
    let a = Upstream::always(Answer::json(
        200,
        &json!({
        "id": "msg_w", "type": "message", "role": "assistant", "model": "whole-1",
        "content": [{"type": "text", "text": "told whole"},
                    {"type": "tool_use", "id": "toolu_w", "name": "look", "input": {"deep": {"x": [1, 2.5]}}}],
        "stop_reason": "tool_use", "stop_sequence": null, "usage": {"input_tokens": 12, "output_tokens": 5}}),
    ));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    assert!(reply.header("content-type").is_some_and(|v| v.starts_with("text/event-stream")));
    let folded = reply.folded();
    folded.assert_clean();
    assert_eq!((folded.text.as_str(), folded.model.as_deref()), ("told whole", Some("whole-1")));
    assert_eq!(folded.tools[0].input, json!({"deep": {"x": [1, 2.5]}}));
    assert_eq!(folded.stop_reason.as_deref(), Some("tool_use"));
    assert_eq!((&folded.usage["input_tokens"], &folded.usage["output_tokens"]), (&json!(12), &json!(5)));
    assert_eq!(gw.exactly(1)[0]["class"], "ok");
}

#[test]
fn events_in_answer_to_a_plain_request_are_no_answer() {
    let (a, b) = (Upstream::always(streams("a-1", &["x"])), Upstream::always(says("b-1", "ok")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    assert_eq!(gw.ask(&ask("hi")).expect(200).chain(), "a;outcome=bad_response, b;outcome=served");
}

#[test]
fn a_refusal_is_an_answer() {
    let mut refused = message("a-1", "I will not.");
    refused["stop_reason"] = json!("refusal");
    let (a, b) = (Upstream::always(Answer::json(200, &refused)), Upstream::always(says("b-1", "sure")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    let reply = gw.ask(&ask("hi")).expect(200);
    assert_eq!((reply.json(), reply.chain()), (refused, "a;outcome=served"));
    assert_eq!(b.count(), 0);
    let record = &gw.exactly(1)[0];
    assert_eq!((&record["outcome"], &record["class"]), (&json!("ok"), &json!("content_policy")));
}
