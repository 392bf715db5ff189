//! A stream told to a client of another wire: the same however it is cut, sound, and loud when it fails.

mod random;

use bytes::Bytes;

use super::Transcoder;
use crate::wire::anthropic::checker::check;
use crate::wire::tests::{all_payloads, payload};
use crate::wire::{AnswerOptions, Dialect, Wire, chat};

fn options(show_thinking: bool) -> AnswerOptions {
    AnswerOptions {
        id: "req_1".to_owned(),
        model: "seat-model".to_owned(),
        created: 7,
        input_estimate: Some(42),
        show_thinking,
        stream_usage: true,
        ..AnswerOptions::default()
    }
}

/// Feeds `frames`; gives the transcoder and all that it told.
fn run(seat: Wire, client: Dialect, show_thinking: bool, frames: &[&[u8]]) -> (Transcoder, Vec<u8>) {
    let mut transcoder = Transcoder::new(seat, client, &options(show_thinking)).unwrap();
    let mut out = Vec::new();
    for frame in frames {
        transcoder.push(Bytes::copy_from_slice(frame)).unwrap();
        while let Some(bytes) = transcoder.next_ready() {
            assert!(bytes.ends_with(b"\n\n"), "half an event left");
            out.extend_from_slice(&bytes);
        }
    }
    transcoder.end();
    while let Some(bytes) = transcoder.next_ready() {
        out.extend_from_slice(&bytes);
    }
    assert_eq!(transcoder.ready_bytes(), 0);
    (transcoder, out)
}

fn facts(transcoder: &Transcoder) -> String {
    format!(
        "began {} committed {} finished {} may_end {} model {:?} usage {:?} stop {:?} refused {} dropped {:?} error {:?}",
        transcoder.began(),
        transcoder.committed(),
        transcoder.finished(),
        transcoder.may_end(),
        transcoder.served_model(),
        transcoder.usage(),
        transcoder.stop_reason(),
        transcoder.refused(),
        transcoder.dropped(),
        transcoder.error().map(|error| (&error.kind, &error.message)),
    )
}

fn told(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Every pair of ends, with the folder of its fixtures.
const PAIRS: [(&str, Wire, Dialect); 2] =
    [("chat", Wire::OpenAi, Dialect::Anthropic), ("anthropic", Wire::Anthropic, Dialect::OpenAi)];

#[test]
fn every_split_of_every_fixture_tells_the_same() {
    for (folder, seat, client) in PAIRS {
        for (name, bytes) in all_payloads(folder, "", ".sse") {
            let (whole, out) = run(seat, client, true, &[&bytes]);
            for place in 0..=bytes.len() {
                let (split, told) = run(seat, client, true, &[&bytes[..place], &bytes[place..]]);
                assert_eq!(facts(&split), facts(&whole), "{name} at {place}");
                assert_eq!(told, out, "{name} at {place}");
            }
            for size in [1, 2, 3, 7, 64] {
                let frames: Vec<&[u8]> = bytes.chunks(size).collect();
                let (split, told) = run(seat, client, true, &frames);
                assert_eq!((facts(&split), told), (facts(&whole), out.clone()), "{name} by {size}");
            }
        }
    }
}

#[test]
fn what_an_anthropic_client_sees_of_chat_streams() {
    let mut report = String::new();
    for (name, bytes) in all_payloads("chat", "", ".sse") {
        for show_thinking in [false, true] {
            let (transcoder, mut out) = run(Wire::OpenAi, Dialect::Anthropic, show_thinking, &[&bytes]);
            if !transcoder.committed() {
                assert!(out.is_empty(), "{name}: nothing is said before there is content");
            }
            if show_thinking && !name.starts_with("reasoning") {
                continue;
            }
            report
                .push_str(&format!("## {name}{}\n", if show_thinking { " with thought shown" } else { "" }));
            report.push_str(&format!("{}\n", facts(&transcoder)));
            if transcoder.committed() {
                out.extend_from_slice(&transcoder.close("api_error", "it broke off"));
                let seen = check(&out);
                assert_eq!(seen.problems, Vec::<String>::new(), "{name}: {}", told(&out));
                assert_eq!(seen.error.is_some(), !transcoder.finished(), "{name}");
            }
            // The names of events are their types: the data says it all.
            for line in told(&out).lines().filter(|line| line.starts_with("data")) {
                report.push_str(line);
                report.push('\n');
            }
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn what_a_chat_client_sees_of_anthropic_streams() {
    let mut report = String::new();
    for (name, bytes) in all_payloads("anthropic", "", ".sse") {
        let (transcoder, mut out) = run(Wire::Anthropic, Dialect::OpenAi, false, &[&bytes]);
        report.push_str(&format!("## {name}\n{}\n", facts(&transcoder)));
        if transcoder.committed() {
            out.extend_from_slice(&transcoder.close("api_error", "it broke off"));
            let seen = chat::checker::check(&out);
            assert_eq!(seen.problems, Vec::<String>::new(), "{name}: {}", told(&out));
            assert_eq!(seen.error.is_some(), !transcoder.finished(), "{name}");
            for (_, _, arguments) in seen.calls.iter().filter(|_| transcoder.finished()) {
                assert!(serde_json::from_str::<serde_json::Value>(arguments).unwrap().is_object(), "{name}");
            }
        } else {
            assert!(out.is_empty(), "{name}: nothing is said before there is content");
        }
        report.push_str(told(&out).trim_end());
        report.push('\n');
    }
    insta::assert_snapshot!(report);
}

#[test]
fn calls_that_are_mixed_never_mix() {
    let (_, out) = run(Wire::OpenAi, Dialect::Anthropic, false, &[&payload("chat", "calls-interleaved.sse")]);
    let seen = check(&out);
    let inputs: Vec<_> =
        seen.message["content"].as_array().unwrap().iter().map(|b| b["input"].to_string()).collect();
    assert_eq!(inputs, [r#"{"p":"a"}"#, r#"{"q":"b"}"#]);
    assert_eq!(seen.runnable_tools, [0, 1]);
}

/// The type of an event and its other fields.
type Fields<'a> = (&'a str, &'a str);

/// A Messages stream with these events between its start and its `message_stop`.
fn messages(events: &[Fields<'_>], stop_reason: &str) -> String {
    let mut out = String::new();
    let mut event = |kind: &str, fields: &str| {
        out.push_str(&format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{fields}}}\n\n"));
    };
    event("message_start", r#","message":{"id":"m","model":"one","usage":{"input_tokens":1}}"#);
    for (kind, fields) in events {
        event(kind, fields);
    }
    event(
        "message_delta",
        &format!(r#","delta":{{"stop_reason":"{stop_reason}"}},"usage":{{"output_tokens":1}}"#),
    );
    event("message_stop", "");
    out
}

#[test]
fn no_call_that_is_not_whole_ends_well_for_a_chat_client() {
    const START: Fields<'_> = (
        "content_block_start",
        r#","index":0,"content_block":{"type":"tool_use","id":"t","name":"run","input":{}}"#,
    );
    const STOP: Fields<'_> = ("content_block_stop", r#","index":0"#);
    let delta = |index: u64, json: &str| {
        format!(
            r#","index":{index},"delta":{{"type":"input_json_delta","partial_json":{}}}"#,
            serde_json::Value::from(json)
        )
    };
    let [whole, half, list, other] =
        [delta(0, "{\"p\":1}"), delta(0, "{\"p\":"), delta(0, "[1]"), delta(3, "{}")];
    let [whole, half, list, other] =
        [&whole, &half, &list, &other].map(|fields| ("content_block_delta", fields.as_str()));
    let second = ("message_start", r#","message":{"id":"n","model":"two"}"#);
    let cases: [(&str, Vec<Fields<'_>>, &str, Option<&str>); 9] = [
        ("whole", vec![START, whole, STOP], "tool_use", None),
        ("without an input", vec![START, STOP], "tool_use", None),
        ("half, at the limit", vec![START, half, STOP], "max_tokens", None),
        ("half", vec![START, half, STOP], "tool_use", Some("no JSON object")),
        ("a list", vec![START, list, STOP], "tool_use", Some("no JSON object")),
        ("not stopped", vec![START, whole], "tool_use", Some("inside a tool call")),
        ("not begun", vec![START, other, STOP], "tool_use", Some("not open")),
        ("none", vec![], "tool_use", Some("made none")),
        ("two messages", vec![START, second, whole, STOP], "tool_use", Some("second message")),
    ];
    for (name, events, stop, problem) in cases {
        let stream = messages(&events, stop);
        let (transcoder, out) = run(Wire::Anthropic, Dialect::OpenAi, false, &[stream.as_bytes()]);
        let error = transcoder.error().map(|e| e.message.as_str()).unwrap_or_default();
        assert_eq!(transcoder.finished(), problem.is_none(), "{name}: {error}");
        assert!(error.contains(problem.unwrap_or_default()), "{name}: {error}");
        assert_eq!(told(&out).contains("[DONE]"), problem.is_none(), "{name}");
    }
}

#[test]
fn no_call_that_is_not_whole_can_run_for_an_anthropic_client() {
    // Arguments in pieces, the finish reason, whether it ends well, and how many calls could run.
    let cases: [(&str, &[&str], &str, bool, usize); 8] = [
        ("whole", &["{\"p\":", "1}"], "tool_calls", true, 1),
        ("none", &[], "tool_calls", true, 1),
        ("white space", &["\n", " "], "tool_calls", true, 1),
        ("white space before", &["\n", "{}"], "tool_calls", true, 1),
        ("half", &["{\"p\":"], "tool_calls", false, 0),
        ("half, refused", &["{\"p\":"], "content_filter", false, 0),
        ("whole, refused", &["{}"], "content_filter", false, 0),
        ("nothing before the limit", &[], "length", false, 0),
    ];
    for (name, pieces, finish, ends_well, runnable) in cases {
        let mut stream = String::new();
        let mut delta = |delta: serde_json::Value, finish: Option<&str>| {
            let chunk = serde_json::json!({"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
            stream.push_str(&format!("data: {chunk}\n\n"));
        };
        let call = serde_json::json!({"index": 0, "id": "t", "function": {"name": "run", "arguments": ""}});
        delta(serde_json::json!({"tool_calls": [call]}), None);
        for piece in pieces {
            let call = serde_json::json!({"index": 0, "function": {"arguments": piece}});
            delta(serde_json::json!({"tool_calls": [call]}), None);
        }
        delta(serde_json::json!({}), Some(finish));
        stream.push_str("data: [DONE]\n\n");
        let (transcoder, mut out) = run(Wire::OpenAi, Dialect::Anthropic, false, &[stream.as_bytes()]);
        out.extend_from_slice(&transcoder.close("api_error", "it broke off"));
        let seen = check(&out);
        assert_eq!(seen.problems, Vec::<String>::new(), "{name}: {}", told(&out));
        assert_eq!((transcoder.finished(), seen.runnable_tools.len()), (ends_well, runnable), "{name}");
    }
}
