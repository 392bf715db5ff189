//! The checker says what is wrong, and nothing about what is right.

use super::check;

const HI: &str = r#"{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}"#;
const STOP: &str = r#"{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const USAGE: &str =
    r#"{"id":"c","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":1}}"#;
const ERROR: &str = r#"{"error":{"message":"gone"}}"#;

fn problems(events: &[&str]) -> Vec<String> {
    let stream: String = events.iter().map(|data| format!("data: {data}\n\n")).collect();
    check(stream.as_bytes()).problems
}

#[test]
fn sound_streams_have_no_problems() {
    for events in [&[HI, STOP, "[DONE]"][..], &[HI, STOP, USAGE, "[DONE]"], &[HI, ERROR], &[ERROR]] {
        assert_eq!(problems(events), Vec::<String>::new());
    }
}

#[test]
fn what_breaks_a_rule_is_named() {
    for events in [
        &[HI, STOP][..],
        &[HI, "[DONE]"],
        &[HI, ERROR, "[DONE]"],
        &[HI, STOP, HI, "[DONE]"],
        &[USAGE, HI, STOP, "[DONE]"],
        &["{}", HI, STOP, "[DONE]"],
        &["nonsense", STOP, "[DONE]"],
    ] {
        assert!(!problems(events).is_empty(), "{events:?}");
    }
}
