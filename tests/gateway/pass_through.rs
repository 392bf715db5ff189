//! Same wire on both sides: nothing changes on the way but the model id.

use serde_json::json;

use crate::support::bodies::{ask, event, finish, message, ping, says, start, stop, text, text_block};
use crate::support::config::key_of;
use crate::support::{Answer, Call, Gateway, Upstream, chain};

/// A body in no formatting that a serializer would produce.
const ODD: &str = "{ \"max_tokens\" : 1e2,\n\t\"zz_future\":{\"b\":1.0,\"a\":[2,2.50,-0]},\r\n \"temperature\":0.10,\
    \"system\":[{\"type\":\"text\",\"text\":\"caf\\u00e9 é\",\"cache_control\":{\"ttl\":\"1h\",\"type\":\"ephemeral\"}}],\
    \"model\": \"claude-odd-9\" , \"messages\":[{\"content\":\"a\\/b\",\"role\":\"user\"},\
    {\"role\":\"system\",\"content\":\"mid\",\"cache_control\":{\"type\":\"ephemeral\"}}], \"tools\":[ ] } ";

#[test]
fn the_body_arrives_as_sent_but_for_the_model() {
    let a = Upstream::always(says("m-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::bytes("/v1/messages?beta=true&x=%20y", ODD).with("anthropic-version", "2026-10-21");
    gw.send(&call).expect(200);
    let got = a.only();
    assert_eq!(got.text(), ODD.replace("claude-odd-9", "model-a"));
    assert_eq!(got.path, "/v1/messages?beta=true&x=%20y");
    assert_eq!(got.header("content-length"), Some(got.bytes.to_string().as_str()), "framed, not chunked");
}

#[test]
fn an_escaped_model_key_is_the_model_key() {
    let a = Upstream::always(says("m-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let body =
        r#"{"\u006dodel":"claude-\u0078","max_tokens":9,"messages":[{"role":"user","content":"model"}]}"#;
    gw.send(&Call::bytes("/v1/messages", body)).expect(200);
    assert_eq!(a.only().json()["model"], "model-a");
    assert_eq!(gw.exactly(1)[0]["requested_model"], "claude-x");
}

#[test]
fn the_answer_is_relayed_byte_for_byte() {
    let odd = "{\"id\":\"msg_9\" , \"type\":\"message\",\"role\":\"assistant\",\n \"model\":\"served-7\",\
        \"content\":[{\"type\":\"later_block\",\"n\":1.50}],\"stop_reason\":\"some_new_reason\",\
        \"usage\":{\"input_tokens\":3,\"output_tokens\":2,\"zz\":1}}";
    let answer = Answer::text(200, "application/json; charset=utf-8", odd)
        .header("request-id", "req_up_77")
        .header("anthropic-ratelimit-requests-remaining", "900")
        .header("anthropic-future", "x")
        .header("set-cookie", "sid=1")
        .header("server", "cloud")
        .header("keep-alive", "timeout=5");
    let a = Upstream::always(answer);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&ask("hi")).expect(200);
    assert_eq!(reply.text(), odd);
    for (name, value) in [
        ("request-id", Some("req_up_77")),
        ("anthropic-ratelimit-requests-remaining", Some("900")),
        ("anthropic-future", Some("x")),
        ("set-cookie", None),
        ("server", None),
        ("keep-alive", None),
        ("x-sanctum-route", Some("main")),
        ("x-sanctum-served-model", Some("served-7")),
        ("x-sanctum-route-chain", Some("a;outcome=served")),
    ] {
        assert_eq!(reply.header(name), value, "{name}");
    }
    let record = &gw.exactly(1)[0];
    assert_eq!(reply.header("x-sanctum-request-id"), record["request_id"].as_str());
}

#[test]
fn a_stream_is_relayed_byte_for_byte() {
    let mut events = vec![start("served-8"), ping(), text_block(0)];
    events.push(text(0, "one "));
    events.push(": a comment\n\n".into());
    events.push(event(
        &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "odd_delta", "q": 1.50}}),
    ));
    events.push("event: brand_new\ndata: {\"type\":\"brand_new\",  \"n\": 1e3}\n\n".into());
    events.push(text(0, "two"));
    events.push(stop(0));
    events.extend(finish("later_reason"));
    let a = Upstream::always(Answer::stream(&events).header("request-id", "req_up_78"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let mut body = ask("hi");
    body["stream"] = json!(true);
    let reply = gw.ask(&body).expect(200);
    assert_eq!(reply.text(), events.concat());
    assert!(reply.header("content-type").is_some_and(|v| v.starts_with("text/event-stream")));
    assert_eq!(reply.header("request-id"), Some("req_up_78"));
    assert_eq!(reply.header("x-sanctum-served-model"), Some("served-8"));
    let record = &gw.exactly(1)[0];
    assert_eq!((&record["outcome"], &record["served_model"]), (&json!("ok"), &json!("served-8")));
    assert_eq!((&record["input_tokens"], &record["output_tokens"]), (&json!(31), &json!(7)));
}

#[test]
fn an_empty_turn_is_an_answer() {
    let mut empty = message("served-9", "");
    empty["content"] = json!([]);
    let (a, b) = (Upstream::always(Answer::json(200, &empty)), Upstream::always(says("b-1", "no")));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    let mut body = ask("warm the cache");
    body["max_tokens"] = json!(0);
    let reply = gw.ask(&body).expect(200);
    assert_eq!(reply.json(), empty);
    assert_eq!(a.only().json()["max_tokens"], 0);
    assert_eq!(b.count(), 0);
}

#[test]
fn what_is_asked_is_clamped_to_what_the_seat_can_give() {
    let a = Upstream::always(says("m-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["max_output_tokens"] = json!(50);
    let gw = Gateway::start(&config);
    let body = |n: &str| {
        format!(
            "{{\"max_tokens\": {n} ,\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"x\"}}]}}"
        )
    };
    for (asked, sent) in [("64000", "50"), ("50", "50"), ("0", "0")] {
        gw.send(&Call::bytes("/v1/messages", body(asked))).expect(200);
        let got = a.received().pop().unwrap();
        assert_eq!(got.text(), body(sent).replace("\"m\"", "\"model-a\""));
    }
}

#[test]
fn each_seat_gets_the_request_as_it_came() {
    let (a, b) =
        (Upstream::always(Answer::text(503, "text/plain", "no")), Upstream::always(says("b-1", "ok")));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["max_output_tokens"] = json!(5);
    config["seats"]["a"]["anthropic_betas"] = json!(["only-a-2025"]);
    let gw = Gateway::start(&config);
    gw.send(&Call::bytes("/v1/messages", ODD).with("anthropic-beta", "mine-1")).expect(200);
    assert_eq!(b.only().text(), ODD.replace("claude-odd-9", "model-b"));
    assert_eq!(b.only().header("anthropic-beta"), Some("mine-1"));
    assert_eq!(b.only().header("x-api-key"), Some(key_of("b").as_str()));
}

#[test]
fn one_connection_takes_request_after_request() {
    let a = Upstream::always(says("m-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::messages(&ask("hi"));
    let mut live = call.open(gw.addr());
    let first = live.next_reply().expect(200);
    live.send(call.head(gw.addr()).as_bytes());
    live.send(&call.body);
    let second = live.next_reply().expect(200);
    assert_ne!(first.header("x-sanctum-request-id"), second.header("x-sanctum-request-id"));
    assert_eq!(a.count(), 2);
}

#[test]
fn an_idle_connection_that_upstream_closed_costs_nothing() {
    let (a, b) = (Upstream::always(says("m-1", "ok")), Upstream::always(says("b-1", "no")));
    let gw = Gateway::start(&crate::support::config::retrying(&[("a", &a), ("b", &b)]));
    for _ in 0..5 {
        assert_eq!(gw.ask(&ask("hi")).expect(200).chain(), "a;outcome=served");
        a.drop_connections();
    }
    assert_eq!(b.count(), 0);
}
