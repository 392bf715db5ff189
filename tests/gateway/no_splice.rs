//! However and wherever the first seat's stream breaks, an answer is one model's alone and a broken one says so; and
//! each attempt gets the request as the client sent it.

use proptest::prelude::*;
use serde_json::json;

use crate::support::bodies::{ask_stream, streams, text_stream};
use crate::support::{Answer, End, Gateway, Upstream, chain};

/// Plays the first `cut` bytes of a stream in writes of `split`, then ends so; the second seat is whole.
fn broken_at(cut: usize, split: usize, end: End) {
    let whole = text_stream("a-1", &["alpha ", "né😀 ", "omega"]).concat();
    let cut = cut.min(whole.len());
    let mut first = Answer::stream::<&str>(&[]).split(split).end(end);
    first.pieces = vec![whole.as_bytes()[..cut].to_vec()];
    let a = Upstream::always(first);
    let b = Upstream::always(streams("b-1", &["second ", "model"]));
    let gw = Gateway::start(&chain(&[("a", &a), ("b", &b)]));
    let mut body = ask_stream("the very same bytes: \u{e9} 1.50");
    body["future_field"] = json!({"x": [1, 2.5], "y": null});
    let reply = gw.ask(&body).expect(200);
    let seen = reply.folded();
    let what = format!("cut {cut} of {} in {split}s: {}", whole.len(), reply.text());
    assert_eq!(seen.protocol_errors, Vec::<String>::new(), "{what}");
    if seen.model.as_deref() == Some("b-1") {
        assert_eq!((seen.text.as_str(), b.count()), ("second model", 1), "{what}");
        assert!(!reply.text().contains("a-1") && seen.error.is_none() && seen.terminated, "{what}");
        let (sent_a, sent_b) = (a.only().json(), b.only().json());
        let but_model = |mut v: serde_json::Value| {
            v["model"] = json!("m");
            v
        };
        assert_eq!(but_model(sent_a), but_model(body.clone()), "{what}");
        assert_eq!(but_model(sent_b), but_model(body), "{what}");
    } else {
        assert_eq!((seen.model.as_deref(), b.count()), (Some("a-1"), 0), "{what}");
        assert!("alpha né😀 omega".starts_with(&seen.text), "{what}");
        let is_whole = seen.error.is_none();
        assert_eq!(is_whole, seen.stop_reason.as_deref() == Some("end_turn"), "{what}");
        assert!(!is_whole || (cut >= whole.trim_end().len() && seen.text == "alpha né😀 omega"), "{what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_answer_is_one_models_alone(
        cut in 0usize..1200,
        split in prop_oneof![Just(1usize), Just(7), Just(100_000)],
        end in prop_oneof![Just(End::Clean), Just(End::Fin), Just(End::Reset)],
    ) {
        broken_at(cut, split, end);
    }
}

#[test]
fn the_whole_stream_and_all_but_its_last_byte() {
    let len = text_stream("a-1", &["alpha ", "né😀 ", "omega"]).concat().len();
    for cut in [len, len - 1, len - 2, len - 3] {
        broken_at(cut, 100_000, End::Clean);
    }
}
