//! What an operator can say: skip this seat, go that route, this is a probe.

use serde_json::{Value, json};

use crate::support::bodies::{ask, overloaded, says};
use crate::support::{Call, Gate, Gateway, Upstream, chain};

fn three() -> [Upstream; 3] {
    ["a-1", "b-1", "c-1"].map(|m| Upstream::always(says(m, "ok")))
}

fn gateway(ups: &[Upstream; 3], change: impl FnOnce(&mut Value)) -> Gateway {
    let mut config = chain(&[("a", &ups[0]), ("b", &ups[1]), ("c", &ups[2])]);
    change(&mut config);
    Gateway::start(&config)
}

#[test]
fn the_primary_can_be_skipped_for_a_request() {
    let ups = three();
    let gw = gateway(&ups, |_| {});
    let call =
        Call::messages(&ask("x")).with("x-sanctum-skip", "primary").with("x-sanctum-probe", "nightly-3");
    assert_eq!(gw.send(&call).expect(200).chain(), "a;outcome=operator_skip, b;outcome=served");
    let records = gw.exactly(2);
    let first = &records[0];
    assert_eq!((&first["outcome"], &first["action"]), (&json!("skipped"), &json!("skip")));
    assert_eq!(
        (&first["attempt"], &first["status"], &first["final"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
    assert_eq!((&records[1]["attempt"], &records[1]["path"]), (&json!(1), &json!("fallback")));
    assert!(records.iter().all(|r| r["probe"] == "nightly-3"));
    assert_eq!(ups[0].count(), 0);
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served", "for that request alone");
}

#[test]
fn named_seats_can_be_skipped() {
    let ups = three();
    let gw = gateway(&ups, |_| {});
    let call = Call::messages(&ask("x")).with("x-sanctum-skip", "a, b");
    assert_eq!(
        gw.send(&call).expect(200).chain(),
        "a;outcome=operator_skip, b;outcome=operator_skip, c;outcome=served"
    );
    let all = Call::messages(&ask("x")).with("x-sanctum-skip", "a,b,c");
    let reply = gw.send(&all);
    assert!(reply.status >= 500, "{}", reply.status);
    assert!(reply.json().get("content").is_none());
}

#[test]
fn a_seat_can_be_out_by_configuration() {
    let ups = three();
    let gw = gateway(&ups, |c| c["seats"]["a"]["skip"] = json!(true));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=operator_skip, b;outcome=served");
}

#[test]
fn a_provider_that_is_not_allowed_is_passed_over() {
    let ups = three();
    let gw = gateway(&ups, |c| c["routes"][0]["allowed_providers"] = json!(["b", "c"]));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=provider_not_allowed, b;outcome=served");
    assert_eq!(ups[0].count(), 0);
}

#[test]
fn a_seat_with_no_free_place_is_passed_over() {
    let gate = Gate::closed();
    let (a, b) = (Upstream::always(says("a-1", "ok").held(&gate)), Upstream::always(says("b-1", "ok")));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["max_concurrency"] = json!(1);
    let gw = Gateway::start(&config);
    let first = gw.open(&ask("x"));
    a.wait_for(1);
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=busy, b;outcome=served");
    gate.open();
    first.reply().expect(200);
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
}

#[test]
fn a_place_is_free_again_when_its_client_has_left() {
    let gate = Gate::closed();
    let (a, b) = (
        Upstream::new([says("a-1", "x").held(&gate), says("a-1", "x")]),
        Upstream::always(says("b-1", "ok")),
    );
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["max_concurrency"] = json!(1);
    let gw = Gateway::start(&config);
    let first = gw.open(&ask("x"));
    a.wait_for(1);
    first.hang_up();
    gw.attempts(1);
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
}

#[test]
fn a_route_can_be_named() {
    let ups = three();
    let gw = gateway(&ups, |c| {
        c["routes"] = json!([{"name": "main", "models": ["*"], "chain": ["a"]}, {"name": "other", "models": ["x"], "chain": ["b"]}]);
    });
    let reply = gw.send(&Call::messages(&ask("x")).with("x-sanctum-route", "other")).expect(200);
    assert_eq!((reply.header("x-sanctum-route"), reply.chain()), (Some("other"), "b;outcome=served"));
    let status = gw.send(&Call::messages(&ask("x")).with("x-sanctum-route", "nowhere")).status;
    assert!((400..500).contains(&status), "{status}");
}

#[test]
fn pages_say_how_it_goes() {
    let [a, b, c] = three();
    drop(a);
    let ups = [Upstream::always(overloaded()), b, c];
    let gw = gateway(&ups, |_| {});
    gw.ask(&ask("x")).expect(200);
    let metrics = gw.metrics();
    for word in [
        "sanctum_requests_total",
        "sanctum_attempts_total",
        "class=\"overloaded\"",
        "path=\"fallback\"",
        "sanctum_request_duration_seconds",
    ] {
        assert!(metrics.contains(word), "{word} is not in the metrics:\n{metrics}");
    }
    assert!(!metrics.contains("claude-sonnet-4-5"), "no label value comes from a caller");
    let seats = gw.get("/api/seats").expect(200);
    assert!(["\"a\"", "\"b\"", "\"c\""].iter().all(|s| seats.text().contains(s)), "{}", seats.text());
    assert!(gw.get("/api/status").expect(200).json().is_object());
}

/// A header that cannot be read was taken for one that was not sent: the probe ran on the primary, as a user.
#[test]
fn a_header_that_cannot_be_read_is_refused_and_not_ignored() {
    let ups = three();
    let gw = gateway(&ups, |_| {});
    for name in ["x-sanctum-skip", "x-sanctum-probe", "x-sanctum-route"] {
        gw.send(&Call::messages(&ask("x")).with(name, "prim\u{e4}r")).expect(400);
    }
    let two = Call::messages(&ask("x")).with("x-sanctum-skip", "a, b");
    assert!(gw.send(&two).expect(200).chain().ends_with("c;outcome=served"));
    assert_eq!(ups[0].count() + ups[1].count(), 0);
}
