//! Whole answers in the other shape, and what holds for whatever comes in.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{decode_request, encode_request, translate_answer};
use crate::prompt::SeatTraits;
use crate::wire::tests::{all_payloads, payload};
use crate::wire::{AnswerOptions, Dialect, Transcoder, Wire, anthropic, chat};

fn options() -> AnswerOptions {
    AnswerOptions {
        id: "req_1".to_owned(),
        model: "seat-model".to_owned(),
        created: 7,
        input_estimate: Some(42),
        ..AnswerOptions::default()
    }
}

#[test]
fn whole_answers_in_the_other_shape() {
    let mut report = String::new();
    for (folder, seat, client) in
        [("chat", Wire::OpenAi, Dialect::Anthropic), ("anthropic", Wire::Anthropic, Dialect::OpenAi)]
    {
        let answers =
            all_payloads(folder, "", ".json").into_iter().filter(|(name, _)| name.contains("answer-"));
        for (name, bytes) in answers {
            report.push_str(&format!("## {folder}/{name}\n"));
            match translate_answer(seat, client, &bytes, false, &options()) {
                Ok(told) => {
                    assert!(serde_json::from_slice::<Value>(&told.body).is_ok(), "{name}");
                    let body = std::str::from_utf8(&told.body).unwrap();
                    let facts = (told.served_model, told.usage, told.stop_reason, told.refused, told.dropped);
                    report.push_str(&format!("{facts:?}\n{body}\n"));
                }
                Err(no) => {
                    assert!(
                        !no.message.contains("secret") && !no.message.contains("partial"),
                        "{}",
                        no.message
                    );
                    report.push_str(&format!("{:?} {:?} {}\n", no.status_hint, no.kind, no.message));
                }
            }
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_whole_answer_told_as_events_says_the_same() {
    for (name, bytes) in all_payloads("chat", "answer-", ".json") {
        let whole = translate_answer(Wire::OpenAi, Dialect::Anthropic, &bytes, false, &options()).unwrap();
        let told = translate_answer(Wire::OpenAi, Dialect::Anthropic, &bytes, true, &options()).unwrap();
        let whole: Value = serde_json::from_slice(&whole.body).unwrap();
        let seen = anthropic::checker::check(&told.body);
        assert_eq!(seen.problems, Vec::<String>::new(), "{name}");
        for key in ["content", "stop_reason", "model", "id"] {
            // An empty text block is not told.
            if name != "answer-filtered.json" {
                assert_eq!(seen.message[key], whole[key], "{name}: {key}");
            }
        }
        assert!(seen.terminated, "{name}");
    }
    for (name, bytes) in all_payloads("anthropic", "answer-", ".json") {
        let Ok(told) = translate_answer(Wire::Anthropic, Dialect::OpenAi, &bytes, true, &options()) else {
            continue;
        };
        let seen = chat::checker::check(&told.body);
        assert_eq!(seen.problems, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn usage_is_counted_once_in_both_directions() {
    let body = json!({"id": "c", "model": "m", "choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1250, "completion_tokens": 40,
            "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 50}}});
    let told =
        translate_answer(Wire::OpenAi, Dialect::Anthropic, body.to_string().as_bytes(), false, &options())
            .unwrap();
    let message: Value = serde_json::from_slice(&told.body).unwrap();
    let want = json!({"input_tokens": 200, "cache_creation_input_tokens": 50, "cache_read_input_tokens": 1000, "output_tokens": 40});
    assert_eq!(message["usage"], want);
    let back = translate_answer(Wire::Anthropic, Dialect::OpenAi, &told.body, false, &options()).unwrap();
    let answer: Value = serde_json::from_slice(&back.body).unwrap();
    assert_eq!(answer["usage"]["prompt_tokens"], 1250);
    assert_eq!(answer["usage"]["total_tokens"], 1290);
    assert_eq!(answer["usage"]["prompt_tokens_details"]["cached_tokens"], 1000);
}

#[test]
fn stop_reasons_keep_their_meaning_or_fail() {
    let rows = [
        ("end_turn", Some("stop")),
        ("stop_sequence", Some("stop")),
        ("max_tokens", Some("length")),
        ("model_context_window_exceeded", Some("length")),
        ("tool_use", Some("tool_calls")),
        ("refusal", Some("content_filter")),
        ("pause_turn", None),
        ("compaction", None),
        ("zz_new", None),
    ];
    for (reason, want) in rows {
        let body = json!({"type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "x"}],
            "stop_reason": reason, "stop_details": {"type": "refusal", "explanation": "why"}});
        let told = translate_answer(
            Wire::Anthropic,
            Dialect::OpenAi,
            body.to_string().as_bytes(),
            false,
            &options(),
        );
        match (told, want) {
            (Ok(told), Some(want)) => {
                let answer: Value = serde_json::from_slice(&told.body).unwrap();
                assert_eq!(answer["choices"][0]["finish_reason"], want);
                let refusal = answer["choices"][0]["message"]["refusal"].as_str();
                assert_eq!(refusal, (reason == "refusal").then_some("why"));
            }
            (Err(no), None) => assert!(no.message.contains(reason), "{}", no.message),
            (told, _) => panic!("{reason}: {told:?}"),
        }
    }
}

#[test]
fn an_id_that_comes_again_in_a_later_turn_becomes_another() {
    let answer = payload("chat", "calls-bad-ids.sse");
    let ids = |options: &AnswerOptions| {
        let mut transcoder = Transcoder::new(Wire::OpenAi, Dialect::Anthropic, options).unwrap();
        transcoder.push(answer.clone()).unwrap();
        transcoder.end();
        let seen = anthropic::checker::check(&transcoder.next_ready().unwrap());
        let blocks = seen.message["content"].as_array().unwrap().clone();
        blocks.iter().map(|block| block["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = ids(&options());
    assert_eq!(first, ids(&options()), "the same again");
    let history = AnswerOptions { taken_ids: first.iter().cloned().collect(), ..options() };
    let second = ids(&history);
    assert!(second.iter().all(|id| !first.contains(id)), "{first:?} {second:?}");
    assert!(second.iter().all(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')));
}

/// Any JSON, of the keys and words that requests and answers have.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("user"),
        Just("assistant"),
        Just("system"),
        Just("tool"),
        Just("text"),
        Just("tool_use"),
        Just("tool_result"),
        Just("image"),
        Just("base64"),
        Just("function"),
        Just("stop"),
        Just("x"),
        Just(""),
        Just("{\"a\":1}"),
        Just("{"),
        Just("tool_calls"),
        Just("message"),
        Just("end_turn"),
        Just("custom"),
        Just("thinking"),
    ];
    let key = prop_oneof![
        Just("role"),
        Just("content"),
        Just("type"),
        Just("text"),
        Just("id"),
        Just("name"),
        Just("input"),
        Just("tool_use_id"),
        Just("messages"),
        Just("tools"),
        Just("tool_choice"),
        Just("source"),
        Just("data"),
        Just("input_schema"),
        Just("choices"),
        Just("delta"),
        Just("message"),
        Just("finish_reason"),
        Just("index"),
        Just("tool_calls"),
        Just("function"),
        Just("arguments"),
        Just("usage"),
        Just("error"),
        Just("system"),
        Just("model"),
        Just("max_tokens"),
        Just("stop_reason"),
        Just("content_block"),
        Just("refusal"),
    ];
    let leaf = prop_oneof![
        word.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

fn run_all(body: &[u8]) {
    for client in [Dialect::Anthropic, Dialect::OpenAi] {
        let Some(Ok(prompt)) = decode_request(client, body) else { continue };
        for seat in [Wire::Anthropic, Wire::OpenAi] {
            if let Ok(encoded) = encode_request(seat, &prompt, "m", &SeatTraits::default()) {
                assert!(serde_json::from_slice::<Value>(&encoded.body).is_ok());
            }
        }
    }
    for (seat, client) in [(Wire::OpenAi, Dialect::Anthropic), (Wire::Anthropic, Dialect::OpenAi)] {
        if let Ok(told) = translate_answer(seat, client, body, false, &options()) {
            assert!(serde_json::from_slice::<Value>(&told.body).is_ok());
        }
        let mut transcoder = Transcoder::new(seat, client, &options()).unwrap();
        let event = [b"data: ".as_slice(), body, b"\n\n", b"data: ", body, b"\n\n"].concat();
        transcoder.push(event.into()).unwrap();
        transcoder.end();
        let mut out = transcoder.next_ready().unwrap_or_default().to_vec();
        if transcoder.committed() {
            out.extend_from_slice(&transcoder.close("k", "m"));
            let problems = match client {
                Dialect::Anthropic => anthropic::checker::check(&out).problems,
                _ => chat::checker::check(&out).problems,
            };
            assert_eq!(problems, Vec::<String>::new());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_json_panics_or_is_told_unsoundly(value in any_json()) {
        run_all(value.to_string().as_bytes());
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        run_all(&bytes);
    }

    #[test]
    fn no_fixture_with_a_byte_changed_panics(at in any::<proptest::sample::Index>(), which in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let all = [all_payloads("chat", "", ".json"), all_payloads("anthropic", "", ".json")].concat();
        let mut body = which.get(&all).1.to_vec();
        let at = at.index(body.len());
        body[at] = byte;
        run_all(&body);
    }
}
