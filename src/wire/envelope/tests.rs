//! Accepts what `serde_json` accepts, finds the same values, and does not care how the body was cut.

use std::fmt;

use bytes::Bytes;
use proptest::prelude::*;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Facts, Malformed, Scanner, json_string, splice, splice_all};
use crate::wire::{Endpoint, tests as fixtures};

fn scan(endpoint: Endpoint, frames: &[&[u8]]) -> Result<Facts, Malformed> {
    let mut scanner = Scanner::new(endpoint);
    for frame in frames {
        scanner.feed(frame)?;
    }
    scanner.finish()
}

fn messages(body: &str) -> Result<Facts, Malformed> {
    scan(Endpoint::Messages, &[body.as_bytes()])
}

fn refusal(endpoint: Endpoint, body: &str) -> String {
    scan(endpoint, &[body.as_bytes()]).unwrap_err().message
}

/// The top level of an object, in order, doubles included.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Pairs;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// The model, whether it streams, and the limit; or a refusal.
type Told = Result<(String, bool, Option<u64>), ()>;

/// The rules for `/v1/messages` told once more, on a parsed tree. `None` where the two may differ: a number
/// that no float holds.
fn oracle(body: &[u8]) -> Option<Told> {
    let pairs = match serde_json::from_slice::<Pairs>(body) {
        Ok(Pairs(pairs)) => pairs,
        Err(error) if error.to_string().starts_with("number out of range") => return None,
        Err(_) => return Some(Err(())),
    };
    let all =
        |key: &str| pairs.iter().filter(|(name, _)| name == key).map(|(_, value)| value).collect::<Vec<_>>();
    let twice = ["model", "stream", "messages", "max_tokens", "tools"].iter().any(|key| all(key).len() > 1);
    let model = all("model").first().and_then(|model| model.as_str()).filter(|model| {
        (1..=256).contains(&model.len()) && model.bytes().all(|byte| (0x20..0x7F).contains(&byte))
    });
    let stream = match all("stream").first() {
        None | Some(Value::Null) => Some(false),
        Some(value) => value.as_bool(),
    };
    let has_messages = all("messages")
        .first()
        .and_then(|list| list.as_array())
        .is_some_and(|list| list.iter().all(Value::is_object));
    let tokens = all("max_tokens").first().and_then(|limit| {
        limit.as_u64().or_else(|| {
            limit.as_f64().filter(|f| *f >= 0.0 && f.fract() == 0.0 && *f <= 9e15).map(|f| f as u64)
        })
    });
    Some(match (model, stream) {
        (Some(model), Some(stream)) if has_messages && !twice => Ok((model.to_owned(), stream, tokens)),
        _ => Err(()),
    })
}

fn compare(body: &[u8]) {
    let got = scan(Endpoint::Messages, &[body]);
    if let Some(want) = oracle(body) {
        let text = body.escape_ascii();
        match (&got, want) {
            (Ok(facts), Ok(want)) => {
                assert_eq!((facts.model.clone(), facts.stream, facts.max_tokens), want, "{text}");
                let span = usize::try_from(facts.model_span.start).unwrap()
                    ..usize::try_from(facts.model_span.end).unwrap();
                assert_eq!(serde_json::from_slice::<String>(&body[span]).unwrap(), facts.model, "{text}");
            }
            (Err(_), Err(())) => {}
            (got, want) => panic!("scanner {got:?}, serde_json {want:?}: {text}"),
        }
    }
    // However it is cut, the answer is the same; which of two faults in a string is named first may differ.
    let got = got.map_err(|_| ());
    let again = |frames: &[&[u8]]| scan(Endpoint::Messages, frames).map_err(|_| ());
    let single: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(again(&single), got);
    let step = (body.len() / 40).max(1);
    for place in (0..=body.len()).step_by(step) {
        assert_eq!(again(&[&body[..place], &body[place..]]), got);
    }
}

#[test]
fn every_split_of_every_request_reads_the_same() {
    let mut report = String::new();
    for (name, body) in fixtures::all_anthropic("request-", ".json") {
        let whole = scan(Endpoint::Messages, &[&body]).unwrap();
        compare(&body);
        for place in 0..=body.len() {
            let split = scan(Endpoint::Messages, &[&body[..place], &body[place..]]);
            assert_eq!(split.as_ref(), Ok(&whole), "{name} at {place}");
        }
        report.push_str(&format!("{name}: {whole:?}\n"));
    }
    insta::assert_snapshot!(report);
}

#[test]
fn reads_what_is_asked_for() {
    let facts = messages(r#" {"messages":[{},{"model":"inner","stream":1}],"max_tokens":1e3,"model":"m 1","stream":null,"tools":[{}]} "#).unwrap();
    assert_eq!((facts.model.as_str(), facts.stream, facts.max_tokens), ("m 1", false, Some(1000)));
    assert_eq!((facts.has_tools, facts.message_count), (true, 2));
    let facts =
        messages(r#"{"\u006dodel":"a\u002db","messages":[],"str\u0065am":true,"max_tokens":-1,"tools":[]}"#)
            .unwrap();
    assert_eq!(
        (facts.model.as_str(), facts.stream, facts.max_tokens, facts.has_tools),
        ("a-b", true, None, false)
    );
    assert_eq!(facts.model_span, 14..24);
    let chat = scan(
        Endpoint::ChatCompletions,
        &[br#"{"model":"m","messages":[{}],"max_completion_tokens":7,"max_tokens":9}"#],
    )
    .unwrap();
    assert_eq!((chat.max_tokens, chat.max_tokens_span), (Some(7), Some(53..54)));
}

#[test]
fn endpoints_differ_in_what_they_need() {
    let ok = |endpoint, body: &str| scan(endpoint, &[body.as_bytes()]).is_ok();
    assert!(ok(Endpoint::Responses, r#"{"model":"m"}"#));
    assert!(ok(Endpoint::Responses, r#"{"model":"m","input":"x","max_output_tokens":5}"#));
    assert!(ok(Endpoint::Responses, r#"{"model":"m","input":[1,{}]}"#));
    assert!(!ok(Endpoint::Responses, r#"{"model":"m","input":{}}"#));
    assert!(ok(Endpoint::Embeddings, r#"{"model":"m","input":[1,2]}"#));
    assert!(!ok(Endpoint::Embeddings, r#"{"model":"m"}"#));
    assert!(!ok(Endpoint::Embeddings, r#"{"model":"m","input":null}"#));
    assert!(ok(Endpoint::Images, r#"{"model":"m"}"#));
    assert!(!ok(Endpoint::CountTokens, r#"{"model":"m"}"#));
    assert!(!ok(Endpoint::ChatCompletions, r#"{"model":"m","messages":"x"}"#));
    assert!(ok(Endpoint::Images, r#"{"model":"m","messages":3}"#), "not a field of this endpoint");
}

#[test]
fn refusals_name_the_field_and_the_way_out() {
    let long = format!(r#"{{"model":"{}","messages":[]}}"#, "m".repeat(257));
    let deep = format!(r#"{{"model":"m","messages":[],"x":{}"#, "[".repeat(200));
    let cases = [
        "",
        " ",
        "{",
        "[]",
        "null",
        "\"x\"",
        "3",
        "\u{feff}{}",
        "<html>",
        r#"{"model": 5}"#,
        r#"{"model":null,"messages":[]}"#,
        r#"{"messages":[]}"#,
        r#"{"model":"m"}"#,
        r#"{"model":"m","messages":"x"}"#,
        r#"{"model":"m","messages":[{},3]}"#,
        r#"{"model":"m","messages":[null]}"#,
        r#"{"model":"m","messages":[],"stream":"yes"}"#,
        r#"{"model":"a","messages":[],"model":"b"}"#,
        r#"{"stream":true,"str\u0065am":false}"#,
        r#"{"model":""}"#,
        "{\"model\":\"é\"}",
        r#"{"model":"a\nb"}"#,
        &long,
        &deep,
        r#"{"model":x}"#,
        r#"{"model":"m",}"#,
        "{'model':1}",
        r#"{"model" "m"}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":[1}"#,
        r#"{"a":01}"#,
        r#"{"a":1.}"#,
        r#"{"a":-}"#,
        r#"{"a":1e}"#,
        r#"{"a":tru3}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12G4"}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00"}"#,
        "{\"a\":\"\n\"}",
        "{\"a\":\"\u{0}\"}",
        r#"{"model":"m","messages":[]}}"#,
        "{\"a\": \u{7}}",
        r#"{"a":"open"#,
    ];
    let mut report = String::new();
    for body in cases {
        let refused = messages(body).unwrap_err();
        report.push_str(&format!(
            "{:<44} {} {:?}\n",
            body.chars().take(40).collect::<String>().escape_debug().to_string(),
            refused.message,
            refused.param
        ));
        assert!(refused.message.len() < 160);
    }
    insta::assert_snapshot!(report);
    let bad_utf8 = scan(Endpoint::Messages, &[b"{\"a\":\"\xC3\"}"]).unwrap_err();
    assert!(bad_utf8.message.contains("not UTF-8"), "{bad_utf8}");
    assert!(refusal(Endpoint::Embeddings, r#"{"model":"m"}"#).starts_with("input: "));
}

#[test]
fn nesting_is_accepted_as_far_as_serde_json_does() {
    for depth in 120..135 {
        let body = format!(r#"{{"model":"m","messages":[],"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        compare(body.as_bytes());
    }
}

#[test]
fn characters_are_whole_at_every_cut_and_window() {
    for text in ["é", "北京", "😀", "\u{10FFFF}"] {
        for lead in [0, 1, 23, 24, 25, 16_381, 16_382, 16_383, 16_384, 16_385] {
            let body =
                format!(r#"{{"model":"m","messages":[],"x":"{}{}"}}"#, "a".repeat(lead), text.repeat(3));
            let bytes = body.as_bytes();
            assert!(messages(&body).is_ok());
            let middle = bytes.len() - 2 - text.len() * 3;
            for place in middle..bytes.len() {
                assert!(scan(Endpoint::Messages, &[&bytes[..place], &bytes[place..]]).is_ok());
                // A byte short is no character.
                let short = [&bytes[..place], &bytes[place + 1..]].concat();
                assert_eq!(
                    scan(Endpoint::Messages, &[&short]).is_ok(),
                    serde_json::from_slice::<Value>(&short).is_ok()
                );
                assert_eq!(
                    scan(Endpoint::Messages, &[&short[..place], &short[place..]]).is_ok(),
                    serde_json::from_slice::<Value>(&short).is_ok()
                );
            }
        }
    }
}

#[test]
fn splices_share_the_rest() {
    let body = fixtures::anthropic("request-coding-agent.json");
    let facts = scan(Endpoint::Messages, &[&body]).unwrap();
    let mut want: Value = serde_json::from_slice(&body).unwrap();
    want["model"] = "other \"id\"".into();
    for size in [1, 5, 64, body.len()] {
        let frames: Vec<Bytes> =
            (0..body.len()).step_by(size).map(|at| body.slice(at..(at + size).min(body.len()))).collect();
        let spliced = splice(&frames, &facts.model_span, json_string("other \"id\""));
        assert_eq!(serde_json::from_slice::<Value>(&spliced.concat()).unwrap(), want);
        let both = splice_all(
            &frames,
            vec![
                (facts.model_span.clone(), json_string("x")),
                (facts.max_tokens_span.clone().unwrap(), Bytes::from_static(b"8")),
            ],
        );
        let both =
            scan(Endpoint::Messages, &both.iter().map(|frame| &frame[..]).collect::<Vec<_>>()).unwrap();
        assert_eq!((both.model.as_str(), both.max_tokens), ("x", Some(8)));
    }
    let spliced = splice(std::slice::from_ref(&body), &facts.model_span, json_string("x"));
    assert_eq!(spliced[0].as_ptr(), body.as_ptr(), "nothing is copied");
}

proptest! {
    #[test]
    fn splice_is_what_it_says(frames in proptest::collection::vec("[a-z]{0,4}", 0..6), start in 0_u64..24, length in 0_u64..8, with in "[A-Z]{0,3}") {
        let all = frames.concat();
        let frames: Vec<Bytes> = frames.into_iter().map(Bytes::from).collect();
        let got = splice(&frames, &(start..start + length), Bytes::from(with.clone())).concat();
        let (from, to) = ((start as usize).min(all.len()), ((start + length) as usize).min(all.len()));
        let all = all.as_bytes();
        prop_assert_eq!(got, [&all[..from], with.as_bytes(), &all[to..]].concat());
    }

    #[test]
    fn mutated_requests_are_judged_as_serde_json_judges(
        at in any::<proptest::sample::Index>(), cut in 0_usize..3, put in "[\\[\\]{}\":,\\\\ a-fu0-9\u{e9}.eE+-]{0,3}",
        which in 0_usize..4,
    ) {
        let name = ["request-create.json", "request-escaped-keys.json", "request-prewarm.json", "request-count-tokens.json"][which];
        let mut body = fixtures::anthropic(name).to_vec();
        let at = at.index(body.len());
        let to = (at + cut).min(body.len());
        body.splice(at..to, put.bytes());
        compare(&body);
    }

    #[test]
    fn text_that_is_nearly_json_is_judged_as_serde_json_judges(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "{", "}", "[", "]", ":", ",", " ", "\"model\"", "\"messages\"", "\"stream\"", "\"\\u006dodel\"", "\"m\"", "[]", "[{}]", "true", "false",
            "null", "1", "-0.5e+3", "1e999", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"a\\", "\"\u{e9}\"", "\"max_tokens\"", "\"tools\"", "2.0", "\"x",
        ]), 0..16),
        wrap in any::<bool>(),
    ) {
        let mut body = parts.concat();
        if wrap {
            body = format!("{{\"model\":\"m\",\"messages\":[],{body}}}");
        }
        compare(body.as_bytes());
    }

    #[test]
    fn any_bytes_are_judged_as_serde_json_judges(bytes in proptest::collection::vec(any::<u8>(), 0..60), inside in any::<bool>()) {
        if inside {
            compare(&[&b"{\"model\":\"m\",\"messages\":[],\"x\":\""[..], &bytes, b"\"}"].concat());
        } else {
            compare(&bytes);
        }
    }

    #[test]
    fn pairs_of_any_order_are_judged_as_serde_json_judges(
        pairs in proptest::collection::vec((proptest::sample::select(vec!["model", "stream", "messages", "max_tokens", "tools", "x", "modelx"]),
            proptest::sample::select(vec!["\"m\"", "\"\"", "true", "false", "null", "3", "[{}]", "[3]", "{}", "\"\u{e9}\"", "1.5", "4e2", "99999999999999999999"])), 0..6),
    ) {
        let body = pairs.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect::<Vec<_>>().join(" , ");
        compare(format!("{{{body}}}").as_bytes());
    }
}
