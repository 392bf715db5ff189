//! A re-framed answer folds back to the very answer.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::reframe;
use crate::wire::anthropic::checker::check;
use crate::wire::tests::all_anthropic;

/// Checks the stream of `body` and folds it back.
fn there_and_back(body: &[u8]) -> (String, Value) {
    let stream = reframe(body).unwrap();
    let seen = check(&stream);
    assert_eq!(seen.problems, Vec::<String>::new());
    assert!(seen.terminated);
    (String::from_utf8(stream.to_vec()).unwrap(), seen.message)
}

#[test]
fn every_answer_comes_back() {
    for (name, body) in all_anthropic("answer-", ".json") {
        let (stream, message) = there_and_back(&body);
        assert_eq!(message, serde_json::from_slice::<Value>(&body).unwrap(), "{name}");
        insta::assert_snapshot!(name, stream);
    }
}

#[test]
fn numbers_and_unknown_fields_are_carried_as_written() {
    let (stream, _) = there_and_back(
        b"{\"zz\":1.50,\n \"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"input\":{\"big\":123456789012345678901,\n\"n\":1e2},\"x\":0.10}],\"stop_reason\":\"tool_use\"}",
    );
    for kept in ["\"zz\":1.50", "123456789012345678901", "1e2", "\"x\":0.10"] {
        assert!(stream.contains(kept), "{kept} in {stream}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    for body in ["", "{}", "null", "<html>", r#"{"type":"error","error":{"type":"api_error","message":"m"}}"#]
    {
        assert!(reframe(body.as_bytes()).is_err(), "{body}");
    }
    assert!(reframe(br#"{"type":"message","content":[3]}"#).is_err(), "a block that is no object");
}

fn text() -> impl Strategy<Value = String> {
    "[a-z \n\r\t\"\\\\\u{0}\u{e9}\u{1F600}:{}]{0,20}"
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        (text(), proptest::collection::vec(text(), 0..3))
            .prop_map(|(text, cites)| json!({"type": "text", "text": text, "citations": cites.iter().map(|cite| json!({"cited_text": cite})).collect::<Vec<_>>()})),
        (text(), text()).prop_map(|(thinking, signature)| json!({"type": "thinking", "thinking": thinking, "signature": signature})),
        (text(), text(), any::<i64>()).prop_map(|(key, value, n)| json!({"type": "tool_use", "id": "t", "name": "f", "input": {key: value, "n": n}})),
        text().prop_map(|query| json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": query}})),
        text().prop_map(|data| json!({"type": "redacted_thinking", "data": data})),
        text().prop_map(|data| json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": data}]})),
        (text(), text()).prop_map(|(key, value)| json!({"type": "future_block", key: value})),
    ]
}

proptest! {
    #[test]
    fn any_answer_comes_back(blocks in proptest::collection::vec(block(), 0..6), reason in text(), key in "[a-z]{1,3}", pretty in any::<bool>()) {
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks, "stop_reason": reason,
            "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 2}, format!("x_{key}"): {"k": [reason]},
        });
        let body = if pretty { serde_json::to_vec_pretty(&message) } else { serde_json::to_vec(&message) }.unwrap();
        let (_, back) = there_and_back(&body);
        prop_assert_eq!(back, message);
    }
}
