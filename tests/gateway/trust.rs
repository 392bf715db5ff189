//! Who may come in. Loopback is not a person: a web page can reach it, and a tunnel makes a stranger local.

use serde_json::{Value, json};

use crate::support::bodies::{ask, says};
use crate::support::{Call, Gateway, Setup, Upstream, chain};

const TOKEN: &str = "gate-token-1138";

fn gateway(a: &Upstream, change: impl FnOnce(&mut Value)) -> Gateway {
    let mut config = chain(&[("a", a)]);
    config["auth"] = json!({"tokens": ["env:GATE"]});
    change(&mut config);
    Setup::new(&config).env("GATE", TOKEN).start()
}

#[test]
fn a_strangers_web_page_is_refused() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |c| c["server"] = json!({"allowed_origins": ["https://mine.example"]}));
    for origin in [
        "http://evil.example",
        "null",
        "https://mine.example.evil",
        "http://mine.example",
        "http://localhost:9",
    ] {
        gw.send(&Call::messages(&ask("x")).with("origin", origin)).expect_error(403, "permission_error");
    }
    assert_eq!(a.count(), 0);
    gw.send(&Call::messages(&ask("x")).with("origin", "https://mine.example")).expect(200);
    gw.send(&Call::messages(&ask("x"))).expect(200);
}

#[test]
fn a_name_that_is_not_ours_is_refused() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |c| c["server"] = json!({"allowed_hosts": ["box.lan"]}));
    let port = gw.addr().port();
    for host in
        ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "box.lan.evil", "192.0.2.1"]
    {
        gw.send(&Call::messages(&ask("x")).with("host", host)).expect_error(403, "permission_error");
    }
    assert_eq!(a.count(), 0);
    for host in ["localhost", "127.0.0.1", "[::1]:8080", "LOCALHOST:1", "box.lan", "Box.Lan:443"] {
        gw.send(&Call::messages(&ask("x")).with("host", host)).expect(200);
    }
    gw.send(&Call::messages(&ask("x")).with("host", &format!("127.0.0.1:{port}"))).expect(200);
}

#[test]
fn what_came_through_a_proxy_needs_a_token() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |_| {});
    let far = Call::messages(&ask("x")).without("x-api-key").with("x-forwarded-for", "127.0.0.1");
    gw.send(&far).expect_error(401, "authentication_error");
    for wrong in ["gate-token-113", "gate-token-11380", "GATE-TOKEN-1138", "", " "] {
        gw.send(&far.clone().with("x-api-key", wrong)).expect(401);
        gw.send(&far.clone().with("authorization", &format!("Bearer {wrong}"))).expect(401);
    }
    gw.send(&far.clone().with("authorization", &format!("Basic {TOKEN}"))).expect(401);
    assert_eq!(a.count(), 0);
    gw.send(&far.clone().with("x-api-key", TOKEN)).expect(200);
    gw.send(&far.clone().with("authorization", &format!("Bearer {TOKEN}"))).expect(200);
    gw.send(&far.clone().with("authorization", &format!("bearer {TOKEN}")).with("x-api-key", "other"))
        .expect(200);
    gw.send(&far.with("authorization", "Bearer other").with("x-api-key", TOKEN)).expect(200);
}

#[test]
fn without_tokens_nobody_comes_through_a_proxy() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let far = Call::messages(&ask("x")).with("x-forwarded-for", "203.0.113.7");
    gw.send(&far).expect(401);
    gw.send(&far.clone().with("x-api-key", "")).expect(401);
    gw.send(&far.with("authorization", "Bearer ")).expect(401);
    assert_eq!(a.count(), 0);
}

#[test]
fn a_token_may_be_required_of_everybody() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |c| c["auth"]["require"] = json!("always"));
    gw.ask(&ask("x")).expect_error(401, "authentication_error");
    gw.get("/health").expect(200);
    gw.get("/ready").expect(200);
    for path in ["/metrics", "/api/status", "/api/seats", "/v1/models"] {
        let status = gw.get(path).status;
        assert!(matches!(status, 401 | 403), "{path}: {status}");
        gw.send(&Call::get(path).with("x-api-key", TOKEN)).expect(200);
    }
    gw.send(&Call::messages(&ask("x")).with("x-api-key", TOKEN)).expect(200);
}

#[test]
fn operators_pages_need_trust_and_health_does_not() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |_| {});
    for path in ["/metrics", "/api/status", "/api/seats"] {
        gw.get(path).expect(200);
        for (name, value) in
            [("x-forwarded-for", "203.0.113.7"), ("origin", "http://evil.example"), ("host", "evil.example")]
        {
            let status = gw.send(&Call::get(path).with(name, value)).status;
            assert!(matches!(status, 401 | 403), "{path} with {name}: {status}");
        }
        gw.send(&Call::get(path).with("x-forwarded-for", "203.0.113.7").with("x-api-key", TOKEN)).expect(200);
    }
    for path in ["/health", "/ready"] {
        gw.send(&Call::get(path).with("x-forwarded-for", "203.0.113.7")).expect(200);
    }
}

#[test]
fn operators_headers_are_refused_without_trust_and_never_ignored() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |_| {});
    for (name, value) in
        [("x-sanctum-skip", "primary"), ("x-sanctum-probe", "p"), ("x-sanctum-route", "main")]
    {
        let far = Call::messages(&ask("x")).with("x-forwarded-for", "203.0.113.7").with(name, value);
        let status = gw.send(&far).status;
        assert!(matches!(status, 401 | 403), "{name}: {status}");
    }
    assert_eq!(a.count(), 0);
}

#[test]
fn every_refusal_says_which_request_it_was() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = gateway(&a, |_| {});
    for call in [
        Call::messages(&ask("x")).with("origin", "http://evil.example"),
        Call::messages(&ask("x")).with("x-forwarded-for", "203.0.113.7").without("x-api-key"),
        Call::bytes("/v1/messages", "{"),
        Call::get("/nowhere"),
    ] {
        let reply = gw.send(&call);
        assert!(reply.status >= 400);
        assert!(reply.header("x-sanctum-request-id").is_some_and(|id| !id.is_empty()), "{:?}", reply.headers);
    }
    assert_eq!(gw.attempts_now().len(), 0, "what was refused at the door leaves no record");
}
