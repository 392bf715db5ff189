//! What leaves with a request: the vendor's own headers, and nothing that is the gate's or the caller's alone.

use serde_json::json;

use crate::support::bodies::{ask, says};
use crate::support::config::key_of;
use crate::support::{Call, Gateway, Setup, Upstream, chain};

#[test]
fn betas_are_joined_and_said_once() {
    let a = Upstream::always(says("m-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["anthropic_betas"] = json!(["seat-beta-2026", "shared-2025-05-14"]);
    let gw = Gateway::start(&config);
    gw.send(&Call::messages(&ask("x")).with("anthropic-beta", "mine-2025-06-27,shared-2025-05-14"))
        .expect(200);
    gw.send(&Call::messages(&ask("x"))).expect(200);
    let betas = |i: usize| -> Vec<String> {
        let got = a.received()[i].clone();
        let all = got.headers.iter().filter(|(n, _)| n == "anthropic-beta").map(|(_, v)| v.clone());
        let mut list: Vec<String> =
            all.flat_map(|v| v.split(',').map(|b| b.trim().to_owned()).collect::<Vec<_>>()).collect();
        list.sort();
        list
    };
    assert_eq!(betas(0), ["mine-2025-06-27", "seat-beta-2026", "shared-2025-05-14"]);
    assert_eq!(betas(1), ["seat-beta-2026", "shared-2025-05-14"]);
}

#[test]
fn a_clients_betas_and_version_are_unchanged_where_the_seat_adds_none() {
    let a = Upstream::always(says("m-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::messages(&ask("x"))
        .with("anthropic-version", "2026-10-21")
        .with("anthropic-beta", "b-2, a-1,b-2")
        .with("anthropic-dangerous-direct-browser-access", "true")
        .with("anthropic-zz-future", "on");
    gw.send(&call).expect(200);
    let got = a.only();
    assert_eq!(got.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(got.header("anthropic-beta"), Some("b-2, a-1,b-2"));
    assert_eq!(got.header("anthropic-zz-future"), Some("on"));
}

#[test]
fn a_missing_version_is_filled_in() {
    let a = Upstream::always(says("m-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    gw.send(&Call::post("/v1/messages", &ask("x"))).expect(200);
    assert_eq!(a.only().header("anthropic-version"), Some("2023-06-01"));
}

#[test]
fn what_is_not_for_upstream_never_leaves() {
    let a = Upstream::always(says("m-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["auth"] = json!({"tokens": ["env:GATE"]});
    config["seats"]["a"]["extra_headers"] = json!({"x-extra": "from-the-seat"});
    let gw = Setup::new(&config).env("GATE", "gate-token-0815").start();
    let call = Call::messages(&ask("x"))
        .with("authorization", "Bearer gate-token-0815")
        .with("x-api-key", "sk-caller-own")
        .with("cookie", "sid=crumbs")
        .with("x-forwarded-for", "203.0.113.9")
        .with("x-forwarded-host", "outside.example")
        .with("forwarded", "for=203.0.113.9")
        .with("x-real-ip", "203.0.113.9")
        .with("proxy-authorization", "Basic crumbs")
        .with("te", "trailers")
        .with("x-sanctum-probe", "p1")
        .with("accept-encoding", "gzip, br");
    gw.send(&call).expect(200);
    let got = a.only();
    let all = format!("{:?}", got.headers).to_ascii_lowercase();
    for word in [
        "gate-token-0815",
        "sk-caller-own",
        "crumbs",
        "203.0.113.9",
        "outside.example",
        "forwarded",
        "x-sanctum",
        "trailers",
    ] {
        assert!(!all.contains(word), "{word} left: {all}");
    }
    assert_eq!(got.header("x-api-key"), Some(key_of("a").as_str()));
    assert_eq!(got.header("authorization"), None);
    assert_eq!(got.header("accept-encoding"), Some("identity"));
    assert_eq!(got.header("x-extra"), Some("from-the-seat"));
    assert_eq!(got.header("host"), a.url().strip_prefix("http://"));
}
