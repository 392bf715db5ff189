//! When waiting longer would make a client hang up, the head goes out early, with pings; what fails later is told inside.

use serde_json::{Value, json};

use crate::support::bodies::{ask, ask_stream, overloaded, says, streams};
use crate::support::{Answer, Gate, Gateway, Live, Upstream, chain};

/// A first seat that waits at a gate and then does `then`; the client has the head and a ping.
fn held(then: Answer, second: Answer) -> (Gateway, Gate, Live) {
    let gate = Gate::closed();
    let (a, b) = (Upstream::always(then.held(&gate)), Upstream::always(second));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["hold_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let mut live = gw.open(&ask_stream("x"));
    live.read_until("event: ping");
    assert!(live.has("HTTP/1.1 200") && live.has("text/event-stream"));
    (gw, gate, live)
}

#[test]
fn what_comes_late_comes_whole() {
    let (gw, gate, live) = held(streams("a-1", &["late"]), overloaded());
    gate.open();
    let folded = live.reply().expect(200).folded();
    folded.assert_clean();
    assert_eq!((folded.text.as_str(), folded.model.as_deref()), ("late", Some("a-1")));
    assert_eq!(gw.exactly(1)[0]["outcome"], "ok");
}

#[test]
fn a_fallback_is_still_possible() {
    let (gw, gate, live) = held(overloaded(), streams("b-1", &["from b"]));
    gate.open();
    let folded = live.reply().expect(200).folded();
    folded.assert_clean();
    assert_eq!((folded.text.as_str(), folded.model.as_deref()), ("from b", Some("b-1")));
    let classes: Vec<Value> = gw.exactly(2).iter().map(|r| r["class"].clone()).collect();
    assert_eq!(classes, [json!("overloaded"), json!("ok")]);
}

#[test]
fn a_spent_chain_is_told_inside() {
    let (gw, gate, live) = held(overloaded(), overloaded());
    gate.open();
    let reply = live.reply().expect(200);
    assert!(!reply.is_cut);
    let folded = reply.folded();
    folded.assert_loud();
    assert!(!folded.events.iter().any(|e| e == "message_start"), "{:?}", folded.events);
    assert_eq!(gw.exactly(2)[1]["final"], true);
}

#[test]
fn a_whole_answer_is_not_held() {
    let gate = Gate::closed();
    let a = Upstream::always(says("a-1", "late").held(&gate));
    let mut config = chain(&[("a", &a)]);
    config["routes"][0]["hold_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let mut live = gw.open(&ask("x"));
    assert!(!live.read_for(std::time::Duration::from_millis(1800)), "nothing before the answer");
    gate.open();
    assert_eq!(live.reply().expect(200).json()["content"][0]["text"], "late");
}
