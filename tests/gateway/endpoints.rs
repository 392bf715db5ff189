//! The other paths: counted tokens, models, files and batches, hello, and what there is not.

use serde_json::{Value, json};

use crate::support::bodies::{ask, error_body, fails, says};
use crate::support::{Answer, Call, End, Gateway, Live, Upstream, chain};

const COUNT: &str = "/v1/messages/count_tokens?beta=true";

#[test]
fn counting_tokens_is_relayed() {
    let a = Upstream::always(says("a-1", "ok"))
        .on("POST /v1/messages/count_tokens", [Answer::json(200, &json!({"input_tokens": 30_417, "zz": 1}))]);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let body = json!({"model": "claude-x", "messages": [{"role": "user", "content": "x"}], "tools": []});
    let call = Call::post(COUNT, &body)
        .with("anthropic-version", "2023-06-01")
        .with("anthropic-beta", "token-counting-2024-11-01");
    assert_eq!(gw.send(&call).expect(200).json(), json!({"input_tokens": 30_417, "zz": 1}));
    let got = a.only();
    assert_eq!((got.path.as_str(), got.json()["model"].as_str()), (COUNT, Some("model-a")));
    assert_eq!(got.header("anthropic-beta"), Some("token-counting-2024-11-01"));
    gw.ask(&ask("x")).expect(200);
    gw.exactly(1);
}

#[test]
fn failing_to_count_says_nothing_about_the_seat() {
    let a = Upstream::always(says("a-1", "ok")).on(
        "POST /v1/messages/count_tokens",
        [
            fails(500, "api_error", "x"),
            fails(429, "rate_limit_error", "x"),
            fails(400, "invalid_request_error", "bad count"),
        ],
    );
    let b = Upstream::always(says("b-1", "no"))
        .on("POST /v1/messages/count_tokens", [fails(500, "api_error", "x")]);
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 1, "cooldown_secs": 600});
    let gw = Gateway::start(&config);
    let call = Call::post(COUNT, &ask("x"));
    for _ in 0..2 {
        assert!(gw.send(&call).status >= 400);
    }
    let reply = gw.send(&call).expect(400);
    assert_eq!(reply.json(), error_body("invalid_request_error", "bad count"));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
    gw.exactly(1);
}

#[test]
fn twenty_counts_at_once_are_served() {
    let a = Upstream::always(Answer::json(200, &json!({"input_tokens": 5})).delay_ms(30));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let lives: Vec<_> = (0..20).map(|_| Call::post(COUNT, &ask("x")).open(gw.addr())).collect();
    for live in lives {
        assert_eq!(live.reply().expect(200).json()["input_tokens"], 5);
    }
}

fn model_gateway() -> Gateway {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["model"] = json!("claude-seat-model");
    config["routes"] = json!([
        {"name": "exact-route", "chain": ["a"]},
        {"name": "main", "models": ["claude-*", "alias-one"], "chain": ["a"]},
    ]);
    Gateway::start(&config)
}

fn ids(body: &Value) -> Vec<String> {
    body["data"].as_array().expect("data").iter().map(|m| m["id"].as_str().expect("an id").into()).collect()
}

#[test]
fn models_are_listed_in_the_askers_shape() {
    let gw = model_gateway();
    let anthropic = gw
        .send(&Call::get("/v1/models?limit=1000").with("anthropic-version", "2023-06-01"))
        .expect(200)
        .json();
    let openai = gw.get("/v1/models").expect(200).json();
    for list in [&anthropic, &openai] {
        let ids = ids(list);
        for id in ["exact-route", "alias-one", "claude-seat-model"] {
            assert!(ids.iter().any(|i| i == id), "{id} is not in {ids:?}");
        }
        assert!(!ids.iter().any(|i| i.contains('*')), "{ids:?}");
    }
    let first = &anthropic["data"][0];
    assert_eq!((&first["type"], &anthropic["has_more"]), (&json!("model"), &json!(false)));
    assert!(first["display_name"].is_string() && first["created_at"].is_string(), "{first}");
    assert_eq!(anthropic["first_id"], first["id"]);
    assert_eq!((&openai["object"], &openai["data"][0]["object"]), (&json!("list"), &json!("model")));
    assert!(openai["data"][0]["created"].is_i64() && openai["data"][0]["owned_by"].is_string());
}

#[test]
fn one_model_can_be_asked_for() {
    let gw = model_gateway();
    let one = gw
        .send(&Call::get("/v1/models/alias-one").with("anthropic-version", "2023-06-01"))
        .expect(200)
        .json();
    assert_eq!((&one["id"], &one["type"]), (&json!("alias-one"), &json!("model")));
    assert_eq!(gw.get("/v1/models/alias-one").expect(200).json()["object"], "model");
    gw.get("/v1/models/nobody").expect(404);
    gw.send(&Call::get("/v1/models/nobody").with("anthropic-version", "2023-06-01"))
        .expect_error(404, "not_found_error");
}

#[test]
fn side_paths_go_to_the_first_native_seat() {
    let batch = Answer::json(200, &json!({"id": "msgbatch_1", "type": "message_batch"}))
        .header("request-id", "req_side");
    let a = Upstream::always(says("a-1", "ok"))
        .on("POST /v1/messages/batches", [batch])
        .on("GET /v1/files", [Answer::text(200, "application/octet-stream", "raw bytes \u{0} é")])
        .on("DELETE /v1/files", [fails(404, "not_found_error", "no such file")]);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let body = json!({"requests": [{"custom_id": "1", "params": {"model": "claude-x", "max_tokens": 5, "messages": []}}]});
    let call = Call::post("/v1/messages/batches?beta=1", &body)
        .with("anthropic-beta", "files-1")
        .with("cookie", "crumb");
    let reply = gw.send(&call).expect(200);
    assert_eq!((&reply.json()["id"], reply.header("request-id")), (&json!("msgbatch_1"), Some("req_side")));
    let got = a.received()[0].clone();
    assert_eq!((got.path.as_str(), got.json()), ("/v1/messages/batches?beta=1", body));
    assert_eq!((got.header("anthropic-beta"), got.header("cookie")), (Some("files-1"), None));
    assert_eq!(gw.get("/v1/files/file_1/content").expect(200).text(), "raw bytes \u{0} é");
    gw.send(&Call::get("/v1/files/file_2").method("DELETE")).expect(404);
    assert_eq!(gw.attempts_now().len(), 0, "side paths leave no record");
    gw.ask(&ask("x")).expect(200);
}

#[test]
fn a_side_body_that_fails_is_the_clients_fault() {
    let a = Upstream::always(says("a-1", "no"));
    let mut config = chain(&[("a", &a)]);
    config["server"] = json!({"max_body_bytes": 1_000_000});
    let gw = Gateway::start(&config);
    let call = Call::post("/v1/files", &Value::Null).with("transfer-encoding", "chunked");
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    let chunk = format!("{:x}\r\n{}\r\n", 50_000, "x".repeat(50_000));
    for _ in 0..30 {
        live.send(chunk.as_bytes());
    }
    live.next_reply().expect_error(413, "request_too_large");

    // A chunk that is none breaks the body off.
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    live.send(b"5\r\nhello\r\nzz\r\n");
    live.next_reply().expect_error(400, "invalid_request_error");
    gw.send(&Call::post("/v1/files", &json!({}))).expect(200);
}

#[test]
fn a_slow_upload_is_not_charged_to_the_seat_and_its_silence_is() {
    let quiet = Answer::text(200, "text/plain", "x").delay_ms(3_000);
    let stalls = Answer::stream(&["event: x\n\n"]).end(End::Stall);
    let a = Upstream::always(says("a-1", "ok"))
        .on("GET /v1/files/slow", [quiet])
        .on("GET /v1/files/stalls", [stalls]);
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["response_timeout_secs"] = json!(1);
    config["seats"]["a"]["idle_timeout_secs"] = json!(1);
    config["seats"]["a"]["ttfb_timeout_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let call = Call::bytes("/v1/files", "x".repeat(40));
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    for byte in call.body.chunks(10) {
        std::thread::sleep(std::time::Duration::from_millis(600));
        live.send(byte);
    }
    live.reply().expect(200);
    gw.get("/v1/files/slow").expect(504);
    assert!(gw.get("/v1/files/stalls").expect(200).is_cut, "an answer that falls silent is cut off");
}

#[test]
fn side_paths_without_a_native_seat_are_a_501() {
    let a = Upstream::always(says("a-1", "no"));
    let mut config = chain(&[("a", &a)]);
    config["providers"]["a"] =
        json!({"wire": "openai", "base_url": format!("{}/v1", a.url()), "key": "env:KEY_A"});
    let gw = Gateway::start(&config);
    gw.send(&Call::post("/v1/messages/batches", &json!({}))).expect(501);
    gw.get("/v1/files").expect(501);
    assert_eq!(a.count(), 0);
}

#[test]
fn a_side_path_does_not_leave_its_folder() {
    let a = Upstream::always(says("a-1", "no"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    for path in [
        "/v1/files/../organizations/api_keys",
        "/v1/files/%2e%2e/organizations/api_keys",
        "/v1/files/%2E./organizations/api_keys",
        "/v1/skills/..%2forganizations",
        "/v1/messages/batches/./x",
    ] {
        gw.get(path).expect_error(400, "invalid_request_error");
    }
    assert_eq!(a.count(), 0);
}

#[test]
fn side_paths_obey_the_routes_rules() {
    let (a, b) = (Upstream::always(says("a-1", "a")), Upstream::always(says("b-1", "b")));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["allowed_providers"] = json!(["b"]);
    config["routes"][0]["chain"] = json!(["a", "b"]);
    let gw = Gateway::start(&config);
    gw.get("/v1/files").expect(200);
    assert_eq!((a.count(), b.count()), (0, 1), "a is not allowed");
    gw.send(&Call::get("/v1/files").with("x-sanctum-skip", "b")).expect(502);
    gw.send(&Call::get("/v1/files").with("x-sanctum-skip", "nobody")).expect(400);
    gw.send(&Call::get("/v1/files").with("x-sanctum-route", "nowhere")).expect(404);
    assert_eq!((a.count(), b.count()), (0, 1));

    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    gw.send(&Call::get("/v1/files").with("x-sanctum-skip", "primary")).expect(200);
    gw.send(&Call::get("/v1/files").with("x-sanctum-skip", "a").with("x-sanctum-route", "main")).expect(200);
    assert_eq!((a.count(), b.count()), (0, 3));
}

#[test]
fn hello_is_answered_here() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    gw.get("/api/hello").expect(200);
    let reply = gw.send(&Call::get("/api/hello").method("HEAD")).expect(200);
    assert!(reply.body.is_empty());
    assert_eq!(a.count(), 0);
}

#[test]
fn what_there_is_not_is_a_404_and_a_wrong_method_is_said() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    for path in [
        "/",
        "/v1",
        "/v2/messages",
        "/v1/messages/",
        "/v1/messagesx",
        "//v1/messages",
        "/v1/messages/../messages",
    ] {
        assert_eq!(gw.send(&Call::post(path, &ask("x"))).status, 404, "{path}");
    }
    gw.get("/v1/messages").expect(405);
    assert_eq!(gw.send(&Call::messages(&ask("x")).method("PUT")).status, 405);
    assert_eq!(a.count(), 0);
}

#[test]
fn a_websocket_is_told_to_upgrade_elsewhere() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::get("/v1/responses").with("connection", "upgrade").with("upgrade", "websocket");
    gw.send(&call).expect(426);
}
