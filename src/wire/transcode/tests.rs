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
