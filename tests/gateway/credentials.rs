//! Whose key it was: the gateway's own refusal is the operator's trouble, the caller's own is the caller's.

use serde_json::json;

use crate::support::bodies::{ask, error_body, fails, says};
use crate::support::config::{key_of, retrying};
use crate::support::{Answer, Call, Gateway, Setup, Upstream};

fn refused() -> [Answer; 4] {
    let key = key_of("a");
    [
        fails(401, "authentication_error", &format!("invalid x-api-key {key}")),
        fails(403, "permission_error", &format!("{key} may not")),
        fails(404, "not_found_error", "model: model-a"),
        fails(401, "authentication_error", "OAuth token has expired"),
    ]
}

#[test]
fn a_refusal_of_the_gateways_own_key_ends_the_request_and_is_not_told_as_the_callers() {
    for answer in refused() {
        let (a, b) = (Upstream::always(answer), Upstream::always(says("b-1", "no")));
        let gw = Gateway::start(&retrying(&[("a", &a), ("b", &b)]));
        let reply = gw.ask(&ask("x")).expect_error(502, "api_error");
        assert_eq!(reply.chain(), "a;outcome=auth");
        assert!(!reply.text().contains(&key_of("a")), "{}", reply.text());
        assert_eq!((a.count(), b.count()), (1, 0));
        let record = gw.exactly(1).remove(0);
        assert_eq!((&record["class"], &record["action"]), (&json!("auth"), &json!("fail")), "{record}");
        assert!(!record.to_string().contains(&key_of("a")));
    }
}

#[test]
fn a_route_may_fall_back_from_it() {
    for answer in refused() {
        let (a, b) = (Upstream::always(answer), Upstream::always(says("b-1", "ok")));
        let mut config = retrying(&[("a", &a), ("b", &b)]);
        config["routes"][0]["on_seat_rejected"] = json!("fall_back");
        let gw = Gateway::start(&config);
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=auth, b;outcome=served");
        assert_eq!(a.count(), 1, "it never loops");
    }
}

fn callers(a: &Upstream) -> Setup {
    let b = Upstream::always(says("b-1", "no"));
    let mut config = retrying(&[("a", a), ("b", &b)]);
    config["providers"]["a"]["key"] = json!("caller");
    config["auth"] = json!({"tokens": ["env:GATE"]});
    Setup::new(&config).env("GATE", "gate-token-4711")
}

#[test]
fn a_refusal_of_the_callers_own_key_is_the_callers() {
    for status in [401, 403] {
        let body = error_body("authentication_error", "invalid x-api-key");
        let a = Upstream::always(Answer::json(status, &body).header("request-id", "req_up_3"));
        let gw = callers(&a).start();
        let reply = gw.send(&Call::messages(&ask("x")).with("x-api-key", "sk-mine")).expect(status);
        assert_eq!((reply.json(), reply.header("request-id")), (body, Some("req_up_3")));
        assert_eq!(a.only().header("x-api-key"), Some("sk-mine"));
        assert_eq!(gw.ask(&ask("x")).status, status, "the seat is not blamed");
        assert_eq!(a.count(), 2);
    }
}

#[test]
fn the_callers_key_goes_on_as_it_came_and_the_gates_never_does() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = callers(&a).start();
    let cases = [
        (Some("Bearer gate-token-4711"), Some("sk-mine"), None, Some("sk-mine")),
        (Some("Bearer sk-mine"), Some("gate-token-4711"), Some("Bearer sk-mine"), None),
        (Some("Bearer sk-mine"), None, Some("Bearer sk-mine"), None),
        (None, Some("sk-mine"), None, Some("sk-mine")),
    ];
    for (i, (bearer, key, sent_bearer, sent_key)) in cases.into_iter().enumerate() {
        let mut call = Call::messages(&ask("x")).without("x-api-key").with("x-forwarded-for", "203.0.113.1");
        let gate = bearer.is_some_and(|b| b.contains("gate")) || key == Some("gate-token-4711");
        if !gate {
            call = call.without("x-forwarded-for");
        }
        if let Some(v) = bearer {
            call = call.with("authorization", v);
        }
        if let Some(v) = key {
            call = call.with("x-api-key", v);
        }
        gw.send(&call).expect(200);
        let got = a.received()[i].clone();
        assert_eq!(
            (got.header("authorization"), got.header("x-api-key")),
            (sent_bearer, sent_key),
            "case {i}"
        );
        assert!(!format!("{:?}", got.headers).contains("gate-token"), "case {i}");
    }
}

#[test]
fn a_caller_with_the_gates_key_alone_has_none_for_upstream() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = callers(&a).start();
    let call = Call::messages(&ask("x")).without("x-api-key").with("authorization", "Bearer gate-token-4711");
    gw.send(&call);
    for got in a.received() {
        assert!(!format!("{:?}", got.headers).contains("gate-token"));
    }
}
