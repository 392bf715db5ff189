//! Bad input gets a clean answer in the client's shape, big input is streamed, and the gateway lives on.

use serde_json::{Value, json};

use crate::support::bodies::{ask, says};
use crate::support::{Call, Gateway, Live, Upstream, chain};

fn alive(gw: &Gateway) {
    gw.ask(&ask("still there?")).expect(200);
}

#[test]
fn what_is_no_request_is_a_400() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let deep = format!("{{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{}", "[".repeat(200_000));
    let closed = format!(
        "{{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{}{}]}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let bad: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[]",
        "null",
        "true",
        "17",
        "\"x\"",
        "{}",
        "nul",
        "{\"model\":\"m\"}",
        "{\"model\":7,\"messages\":[]}",
        "{\"model\":null,\"messages\":[]}",
        "{\"model\":[\"m\"],\"messages\":[]}",
        "{\"messages\":[]}",
        "{\"model\":\"m\",\"messages\":{}}",
        "{\"model\":\"m\",\"messages\":\"hi\"}",
        "{\"model\":\"m\",\"messages\":[1]}",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"},null]}",
        "{\"model\":\"m\",\"messages\":[\"x\"]}",
        "{\"model\":\"m\",\"messages\":[[]]}",
        "{\"model\":\"m\",\"messages\":[]} trailing",
        "{\"model\":\"m\",\"messages\":[],}",
        "{'model':'m'}",
        "{\"model\":\"m\",\"model\":\"n\",\"messages\":[]}",
        "{\"model\":\"m\",\"messages\":[],\"x\":\"\\ud800\"",
        &deep,
        &closed,
    ]
    .iter()
    .map(|s| s.as_bytes().to_vec())
    .chain([b"\xff\xfe{}".to_vec(), b"{\"model\":\"\xc3\x28\",\"messages\":[]}".to_vec(), vec![0; 64]])
    .collect();
    for body in bad {
        let shown: String = body.iter().take(60).map(|b| char::from(*b)).collect();
        let reply = gw.send(&Call::bytes("/v1/messages", body));
        assert_eq!(reply.status, 400, "{shown}: {}", reply.text());
        reply.expect_error(400, "invalid_request_error");
    }
    alive(&gw);
    assert_eq!(a.count(), 1);
}

#[test]
fn depth_inside_a_message_harms_nobody() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let nest = "[".repeat(100_000) + &"]".repeat(100_000);
    let body = format!(
        "{{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{{\"role\":\"user\",\"content\":{nest}}}]}}"
    );
    let reply = gw.send(&Call::bytes("/v1/messages", body));
    assert!(matches!(reply.status, 200 | 400), "{}", reply.status);
    alive(&gw);
}

#[test]
fn a_model_id_is_printable_ascii_of_at_most_256_bytes() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let with = |id: &str| {
        let mut body = ask("x");
        body["model"] = json!(id);
        body
    };
    for id in ["", "m\n", "m\u{0}", "\u{7f}", "ｍodel", "mod\u{e9}l", &"m".repeat(257)] {
        gw.ask(&with(id)).expect_error(400, "invalid_request_error");
    }
    for id in ["~", "a/b:c@d[1m]", &"m".repeat(256)] {
        gw.ask(&with(id)).expect(200);
    }
    let asked: Vec<Value> = gw.exactly(3).iter().map(|r| r["requested_model"].clone()).collect();
    assert_eq!(asked, [json!("invalid"), json!("invalid"), json!("invalid")], "sanitised in the record");
    let ok = with("claude-3.5:x/y_z-9");
    gw.ask(&ok).expect(200);
    assert_eq!(gw.exactly(4)[3]["requested_model"], "claude-3.5:x/y_z-9");
}

#[test]
fn a_model_that_no_route_takes_is_a_404() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["routes"][0]["models"] = json!(["claude-*", "exact-1"]);
    let gw = Gateway::start(&config);
    for (id, status) in [
        ("exact-1", 200),
        ("exact-12", 404),
        ("Exact-1", 404),
        ("claude-", 200),
        ("claude-a/b", 200),
        ("xclaude-1", 404),
    ] {
        let mut body = ask("x");
        body["model"] = json!(id);
        assert_eq!(gw.ask(&body).status, status, "{id}");
    }
    let mut body = ask("x");
    body["model"] = json!("nobody");
    let reply = gw.ask(&body).expect_error(404, "not_found_error");
    assert!(reply.message().contains("nobody"), "{}", reply.message());
}

fn small(a: &Upstream) -> Gateway {
    let mut config = chain(&[("a", a)]);
    config["server"] = json!({"max_body_bytes": 1_000_000});
    Gateway::start(&config)
}

#[test]
fn a_body_that_says_it_is_too_big_is_refused_before_it_comes() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = small(&a);
    for size in ["1000001", "99999999999", "9223372036854775807"] {
        let call = Call::messages(&ask("x")).with("content-length", size);
        let mut live = Live::connect(gw.addr());
        live.send(call.head(gw.addr()).as_bytes());
        let reply = live.next_reply().expect(413);
        assert_eq!(reply.json()["error"]["type"], "request_too_large");
    }
    alive(&gw);
    assert_eq!(a.count(), 1);
}

#[test]
fn a_body_that_grows_too_big_is_refused_where_it_does() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = small(&a);
    let call = Call::messages(&ask("x")).with("transfer-encoding", "chunked");
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    live.send(b"a\r\n{\"model\":\"\r\n");
    let chunk = format!("{:x}\r\n{}\r\n", 50_000, "x".repeat(50_000));
    let sent = (0..400).take_while(|_| live.try_send(chunk.as_bytes())).count();
    if !live.has("HTTP/1.1 413") {
        live.read_for(std::time::Duration::from_secs(2));
    }
    assert!(live.has(" 413 ") || sent < 400, "20 MB went in");
    alive(&gw);
    assert_eq!(a.count(), 1);
}

#[test]
fn chunks_and_hesitation_are_fine() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = small(&a);
    let body = ask("in pieces").to_string();
    let call = Call::messages(&Value::Null).with("transfer-encoding", "chunked");
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    for piece in body.as_bytes().chunks(9) {
        live.send(format!("{:x};ext=1\r\n", piece.len()).as_bytes());
        live.send(piece);
        live.send(b"\r\n");
    }
    live.send(b"0\r\ntrailer: x\r\n\r\n");
    live.reply().expect(200);
    assert_eq!(a.only().json()["messages"][0]["content"], "in pieces");

    let call = Call::messages(&ask("x")).with("expect", "100-continue");
    let mut live = Live::connect(gw.addr());
    live.send(call.head(gw.addr()).as_bytes());
    live.read_until("100 Continue");
    live.send(&call.body);
    live.reply().expect(200);
}

#[test]
fn an_encoded_request_is_a_415() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = small(&a);
    for encoding in ["gzip", "br", "zstd", "deflate, gzip"] {
        let reply = gw.send(&Call::messages(&ask("x")).with("content-encoding", encoding)).expect(415);
        assert_eq!(reply.json()["type"], "error");
    }
    gw.send(&Call::messages(&ask("x")).with("content-encoding", "identity")).expect(200);
    assert_eq!(a.count(), 1);
}

#[test]
fn a_hundred_megabytes_pass_in_about_one_copy() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["max_prompt_tokens"] = json!(1_000_000_000);
    let gw = Gateway::start(&config);
    let mut body = ask("").to_string();
    let at = body.find("\"\"").expect("an empty content") + 1;
    body.insert_str(at, &"w".repeat(100_000_000));
    let bytes = body.len() as u64;
    gw.send(&Call::bytes("/v1/messages", body)).expect(200);
    assert_eq!(a.only().bytes, bytes - "claude-sonnet-4-5".len() as u64 + "model-a".len() as u64);
    let peak = gw.peak_rss_kb();
    assert!(peak < 200_000, "{peak} kB for a body of 100,000 kB");
}
