//! An Anthropic client on a seat that speaks chat completions: the turn is finished there, and nothing is lost in silence.

use serde_json::{Value, json};

use crate::support::bodies::{ask, ask_stream, overloaded};
use crate::support::{Answer, Call, End, Gateway, Upstream, chain};

/// A dead Anthropic primary and a chat seat behind it.
fn gateway(b: &Upstream) -> (Upstream, Gateway) {
    let a = Upstream::always(overloaded());
    let mut config = chain(&[("a", &a), ("b", b)]);
    config["providers"]["b"] =
        json!({"wire": "openai", "base_url": format!("{}/v1", b.url()), "key": "env:KEY_B"});
    let gw = Gateway::start(&config);
    (a, gw)
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let chunk = json!({
        "id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "chat-b-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    format!("data: {chunk}\n\n")
}

fn usage() -> String {
    let usage = json!({"prompt_tokens": 50, "completion_tokens": 6, "total_tokens": 56, "prompt_tokens_details": {"cached_tokens": 20}});
    format!("data: {}\n\n", json!({"id": "c-1", "model": "chat-b-1", "choices": [], "usage": usage}))
}

fn call(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]})
}

#[test]
fn a_stream_falls_back_and_is_told_as_messages() {
    let null = Value::Null;
    let events = [
        chunk(&json!({"role": "assistant", "content": ""}), &null),
        chunk(&json!({"content": "from the "}), &null),
        chunk(&json!({"content": "backup"}), &null),
        chunk(&json!({}), &json!("stop")),
        usage(),
        "data: [DONE]\n\n".to_owned(),
    ];
    let b = Upstream::always(Answer::stream(&events));
    let (_a, gw) = gateway(&b);
    let reply = gw.ask(&ask_stream("hello")).expect(200);
    let seen = reply.folded();
    seen.assert_clean();
    assert_eq!((seen.text.as_str(), seen.model.as_deref()), ("from the backup", Some("chat-b-1")));
    assert_eq!(seen.stop_reason.as_deref(), Some("end_turn"));
    assert_eq!(reply.chain(), "a;outcome=overloaded, b;outcome=served");
    let sent = b.only();
    assert!(sent.path.ends_with("/v1/chat/completions"), "{}", sent.path);
    assert!(sent.header("authorization").is_some_and(|v| v.starts_with("Bearer ")));
    assert!(sent.header("anthropic-version").is_none() && sent.header("x-api-key").is_none());
    assert_eq!(sent.json()["stream_options"]["include_usage"], true);
    let record = gw.exactly(2).remove(1);
    let tokens = (&record["input_tokens"], &record["cache_read_tokens"], &record["output_tokens"]);
    assert_eq!(tokens, (&json!(30), &json!(20), &json!(6)));
}

#[test]
fn parallel_calls_are_told_apart_and_an_unfinished_one_never_runs() {
    let null = Value::Null;
    let events = [
        chunk(&call(0, "c_a", "read", "{\"p\":"), &null),
        chunk(&call(1, "c_b", "write", "{\"q\":"), &null),
        chunk(&json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"a\"}"}}]}), &null),
        chunk(&json!({"tool_calls": [{"index": 1, "function": {"arguments": "\"b\"}"}}]}), &null),
        chunk(&json!({}), &json!("tool_calls")),
        usage(),
        "data: [DONE]\n\n".to_owned(),
    ];
    let b = Upstream::new([Answer::stream(&events), Answer::stream(&events[..3]).end(End::Fin)]);
    let (_a, gw) = gateway(&b);
    let seen = gw.ask(&ask_stream("use tools")).expect(200).folded();
    seen.assert_clean();
    let tools: Vec<_> = seen.tools.iter().map(|t| (t.name.as_str(), t.input.clone())).collect();
    assert_eq!(tools, [("read", json!({"p": "a"})), ("write", json!({"q": "b"}))]);
    let seen = gw.ask(&ask_stream("use tools")).expect(200).folded();
    seen.assert_loud();
    assert_eq!(seen.tools.len(), 0, "a tool whose call broke off would run");
}

#[test]
fn what_the_seat_cannot_say_skips_it_and_what_is_dropped_is_named() {
    let whole = json!({
        "id": "c-1", "object": "chat.completion", "created": 1, "model": "chat-b-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
    });
    let b = Upstream::always(Answer::json(200, &whole));
    let (_a, gw) = gateway(&b);
    let mut body = ask("x");
    body["service_tier"] = json!("auto");
    body["metadata"] = json!({"user_id": "u-1"});
    let reply = gw.ask(&body).expect(200);
    assert_eq!(reply.json()["content"][0]["text"], "yes");
    let degraded = reply.header("x-sanctum-degraded").unwrap_or_default();
    assert!(degraded.contains("service_tier"), "{degraded}");
    let mut native = ask("x");
    native["tools"] = json!([{"type": "bash_20250124", "name": "bash"}]);
    let reply = gw.ask(&native).expect(502);
    assert_eq!(reply.chain(), "a;outcome=overloaded, b;outcome=native_tools");
    assert_eq!(b.count(), 1);
}

#[test]
fn an_error_of_another_wire_is_told_in_the_clients_words() {
    let error = json!({"error": {"message": "This model's maximum context length is 8192 tokens. However, you requested 9412 tokens.", "type": "invalid_request_error", "code": "context_length_exceeded"}});
    let b = Upstream::always(Answer::json(400, &error));
    let mut config = chain(&[("b", &b)]);
    config["providers"]["b"]["wire"] = json!("openai");
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask("x")).expect_error(400, "invalid_request_error");
    assert!(
        reply.message().starts_with("prompt is too long: 9412 tokens > 8192 maximum"),
        "{}",
        reply.message()
    );
}

/// The other way round: a chat client on an Anthropic seat, and on its own wire.
#[test]
fn a_chat_client_is_served_by_either_wire() {
    let message = crate::support::bodies::says("claude-a-1", "from messages");
    let a = Upstream::new([message, overloaded()]);
    let whole = json!({
        "id": "c-1", "object": "chat.completion", "created": 1, "model": "chat-b-1", "x_future": 1.50,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "from chat"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    });
    let b = Upstream::always(Answer::json(200, &whole));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["providers"]["b"] =
        json!({"wire": "openai", "base_url": format!("{}/v1", b.url()), "key": "env:KEY_B"});
    let gw = Gateway::start(&config);
    let body = json!({"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}], "seed": 7});
    let first = gw.send(&Call::post("/v1/chat/completions", &body)).expect(200);
    assert_eq!(first.json()["choices"][0]["message"]["content"], "from messages");
    assert_eq!(first.json()["model"], "claude-a-1");
    let second = gw.send(&Call::post("/v1/chat/completions", &body)).expect(200);
    assert_eq!(second.json(), whole, "on its own wire an answer passes as it came");
    assert_eq!(second.chain(), "a;outcome=overloaded, b;outcome=served");
    let refused = json!({"model": "gpt-x", "n": 2, "messages": [{"role": "user", "content": "hi"}]});
    config["routes"][0]["chain"] = json!(["a"]);
    let alone = Gateway::start(&config);
    let reply = alone.send(&Call::post("/v1/chat/completions", &refused)).expect(400);
    assert_eq!(reply.json()["error"]["param"], "n");
}

#[test]
fn embeddings_and_pictures_go_to_seats_that_declare_them_and_to_no_other() {
    let vectors = json!({"object": "list", "model": "embed-b-1", "data": [{"object": "embedding", "index": 0, "embedding": [0.1, -2.50]}], "usage": {"prompt_tokens": 4, "total_tokens": 4}});
    let empty = json!({"object": "list", "data": []});
    let text = Upstream::always(Answer::json(200, &vectors));
    let (a, b) = (Upstream::always(Answer::json(200, &empty)), Upstream::always(Answer::json(200, &vectors)));
    let mut config = chain(&[("t", &text), ("a", &a), ("b", &b)]);
    for (name, up) in [("t", &text), ("a", &a), ("b", &b)] {
        let key = format!("env:KEY_{}", name.to_uppercase());
        config["providers"][name] =
            json!({"wire": "openai", "base_url": format!("{}/v1", up.url()), "key": key});
    }
    config["seats"]["a"]["capability"] = json!("embedding");
    config["seats"]["b"]["capability"] = json!("embedding");
    let gw = Gateway::start(&config);
    let ask = json!({"model": "text-embedding-x", "input": "hello"});
    let reply = gw.send(&Call::post("/v1/embeddings", &ask)).expect(200);
    assert_eq!(reply.json(), vectors);
    assert_eq!(reply.chain(), "t;outcome=capability, a;outcome=bad_response, b;outcome=served");
    assert!(b.only().path.ends_with("/v1/embeddings"));
    let record = gw.exactly(3).remove(2);
    assert_eq!((&record["input_tokens"], &record["served_model"]), (&json!(4), &json!("embed-b-1")));
    let picture = json!({"model": "any", "prompt": "a cat"});
    let reply = gw.send(&Call::post("/v1/images/generations", &picture)).expect(501);
    assert!(reply.text().contains("capability_unavailable") && text.count() == 0);
}

#[test]
fn an_answer_that_is_whole_stays_whole_when_its_connection_breaks() {
    let events =
        [chunk(&json!({"content": "all of it"}), &Value::Null), chunk(&json!({}), &json!("stop")), usage()];
    for end in [End::Reset, End::Fin] {
        let b = Upstream::always(Answer::stream(&events).end(end));
        let (_a, gw) = gateway(&b);
        let seen = gw.ask(&ask_stream("hello")).expect(200).folded();
        seen.assert_clean();
        assert_eq!((seen.text.as_str(), seen.stop_reason.as_deref()), ("all of it", Some("end_turn")));
        assert_eq!(gw.exactly(2).remove(1)["outcome"], "ok");
    }
}

#[test]
fn an_error_that_is_compressed_is_told_in_plain_words() {
    let b = Upstream::always(
        Answer::text(400, "application/json", "\u{1f}\u{8b}\u{8}").header("content-encoding", "gzip"),
    );
    let (_a, gw) = gateway(&b);
    let reply = gw.ask(&ask("hello")).expect(400);
    let message = reply.json()["error"]["message"].to_string();
    assert!(message.contains("compressed"), "{message}");
}

#[test]
fn a_key_that_upstream_names_as_its_model_is_told_nobody() {
    let whole = json!({
        "id": "c-1", "object": "chat.completion", "created": 1, "model": "callers-very-own-key",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
    });
    let b = Upstream::always(Answer::json(200, &whole));
    let (_a, gw) = gateway(&b);
    let reply = gw.send(&Call::messages(&ask("x")).with("x-api-key", "callers-very-own-key")).expect(200);
    assert!(reply.headers.iter().all(|(_, value)| !value.contains("very-own")), "{:?}", reply.headers);
    assert!(!gw.exactly(2).iter().any(|record| record.to_string().contains("very-own")));
}
