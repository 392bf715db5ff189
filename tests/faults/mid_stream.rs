//! After the first content nothing is spliced: a stream that breaks is closed loudly, and says what it had.

use serde_json::{Value, json};

use crate::support::bodies::{
    ask_stream, error_event, event, half_stream, input, start, stop, streams, text, text_block, tool_block,
};
use crate::support::fold::Tool;
use crate::support::{Answer, End, Folded, Gateway, Upstream, chain};

/// Plays a first seat that breaks; checks that nobody else was asked and what was recorded.
fn broken(answer: Answer, class: &str) -> (Folded, Value) {
    let (a, b) = (Upstream::always(answer), Upstream::always(streams("b-1", &["zq-spliced"])));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["idle_timeout_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    assert!(!reply.is_cut, "the reply itself is whole: {:?}", reply.text());
    assert!(!reply.text().contains("zq-spliced") && !reply.text().contains("end_turn"), "{}", reply.text());
    let folded = reply.folded();
    folded.assert_loud();
    assert_eq!((a.count(), b.count()), (1, 0));
    let record = gw.exactly(1).remove(0);
    assert_eq!((&record["outcome"], &record["class"]), (&json!("partial"), &json!(class)), "{record}");
    assert_eq!((&record["final"], &record["action"]), (&json!(true), &json!("fail")), "{record}");
    (folded, record)
}

#[test]
fn a_stream_that_just_ends() {
    let (folded, record) = broken(
        Answer::stream(&half_stream("a-1", &["ha", "lf"])).gap_ms(10).end(End::Fin),
        "truncated_stream",
    );
    assert_eq!(folded.text, "half");
    assert_eq!(record["served_model"], "a-1");
}

#[test]
fn a_stream_that_ends_as_http_should_but_without_its_last_events() {
    let (folded, _) = broken(Answer::stream(&half_stream("a-1", &["half"])), "truncated_stream");
    assert_eq!(folded.text, "half");
}

#[test]
fn a_stream_that_is_reset() {
    let (folded, _) =
        broken(Answer::stream(&half_stream("a-1", &["half"])).end(End::Reset), "truncated_stream");
    assert_eq!(folded.text, "half");
}

#[test]
fn a_stream_that_falls_silent() {
    let (a, b) = (
        Upstream::always(Answer::stream(&half_stream("a-1", &["half"])).end(End::Stall)),
        Upstream::always(streams("b-1", &["zq-spliced"])),
    );
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["a"]["idle_timeout_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    reply.folded().assert_loud();
    assert_eq!(reply.folded().text, "half");
    assert!((900..6000).contains(&reply.elapsed.as_millis()), "{:?}", reply.elapsed);
    a.wait_gone(0);
    assert_eq!(b.count(), 0);
    assert_eq!(gw.exactly(1)[0]["class"], "idle_timeout");
}

#[test]
fn an_error_after_content() {
    let mut events = half_stream("a-1", &["half"]);
    events.push(error_event("overloaded_error", "too late for you"));
    let (folded, _) = broken(Answer::stream(&events).gap_ms(10), "mid_stream_error");
    assert_eq!(folded.text, "half");
    assert_eq!(folded.events.iter().filter(|e| *e == "error").count(), 1, "told once: {:?}", folded.events);
    let error = folded.error.unwrap();
    assert_eq!(error["type"], "overloaded_error");
}

#[test]
fn thinking_is_content() {
    let events = [
        start("a-1"),
        event(&json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""}})),
        event(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "thinking_delta", "thinking": "hm"}})),
    ];
    let (folded, _) = broken(Answer::stream(&events).end(End::Fin), "truncated_stream");
    assert_eq!(folded.thinking, "hm");
}

#[test]
fn half_an_event_is_never_glued_to_what_follows() {
    let whole = text(0, "never said");
    for cut in [1, 7, whole.find("data").unwrap() + 3, whole.len() - 2, whole.len() - 1] {
        let mut events = half_stream("a-1", &["half"]);
        events.push(whole.chars().take(cut).collect());
        let (folded, _) = broken(Answer::stream(&events).end(End::Fin), "truncated_stream");
        assert!(folded.text == "half" || cut == whole.len() - 1, "cut at {cut}: {}", folded.text);
    }
}

#[test]
fn a_cut_inside_a_character_stays_outside_of_the_answer() {
    let mut bytes = half_stream("a-1", &["half"]).concat().into_bytes();
    bytes.extend_from_slice("event: content_block_delta\ndata: {\"x\":\"\u{5317}".as_bytes());
    bytes.pop();
    let mut answer = Answer::stream(&["x"]).end(End::Fin);
    answer.pieces = vec![bytes];
    assert_eq!(broken(answer, "truncated_stream").0.text, "half");
}

#[test]
fn an_unfinished_tool_call_stays_open() {
    let events = [
        start("a-1"),
        tool_block(0, "toolu_1", "Bash"),
        input(0, "{\"command\":\"rm "),
        input(0, "-rf x\"}"),
    ];
    for answer in [
        Answer::stream(&events).end(End::Fin),
        Answer::stream(&events).end(End::Reset),
        Answer::stream(&[events.concat(), error_event("api_error", "gone")]),
    ] {
        let class = if answer.pieces.len() == 2 { "mid_stream_error" } else { "truncated_stream" };
        let (folded, _) = broken(answer, class);
        assert_eq!((folded.tools.len(), folded.open_blocks), (0, 1));
        assert!(!folded.events.iter().any(|e| e == "content_block_stop"), "{:?}", folded.events);
    }
}

#[test]
fn a_finished_tool_call_is_told_as_finished() {
    let events = [
        start("a-1"),
        tool_block(0, "toolu_1", "Bash"),
        input(0, "{\"command\":\"true\"}"),
        stop(0),
        text_block(1),
        text(1, "and"),
    ];
    let (folded, _) = broken(Answer::stream(&events).end(End::Fin), "truncated_stream");
    assert_eq!(
        folded.tools,
        [Tool { id: "toolu_1".into(), name: "Bash".into(), input: json!({"command": "true"}) }]
    );
}
