//! The checker says what is wrong, and nothing about what is right.

use super::check;
use crate::wire::tests as fixtures;

const START: &str =
    r#"{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1}}}"#;
const TEXT: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const TOOL: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#;
const HI: &str = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}"#;
const STOP: &str = r#"{"type":"content_block_stop","index":0}"#;
const ENDED: &str =
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#;
const FAILED: &str = r#"{"type":"message_delta","delta":{"stop_reason":"error"},"usage":{}}"#;
const ERROR: &str = r#"{"type":"error","error":{"type":"api_error","message":"m"}}"#;
const OVER: &str = r#"{"type":"message_stop"}"#;

fn stream(events: &[&str]) -> Vec<u8> {
    let mut out = String::new();
    for data in events {
        let value: serde_json::Value = serde_json::from_str(data).unwrap();
        out.push_str(&format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap()));
    }
    out.into_bytes()
}

fn problems(events: &[&str]) -> String {
    check(&stream(events)).problems.join("\n")
}

#[test]
fn sound_streams_have_no_problems() {
    for (name, bytes) in fixtures::all_anthropic("", ".sse") {
        let is_sound = !["cut-", "error-", "unnamed", "after-"].iter().any(|start| name.starts_with(start));
        let seen = check(&bytes);
        assert_eq!(
            seen.problems.is_empty(),
            is_sound || name.starts_with("error-before") || name.starts_with("error-mid-tool"),
            "{name}: {:?}",
            seen.problems
        );
    }
    assert_eq!(problems(&[START, TEXT, HI, STOP, ERROR, FAILED, OVER]), "");
    assert_eq!(problems(&[ERROR]), "");
}

#[test]
fn folds_the_message() {
    let seen = check(&stream(&[START, TEXT, HI, HI, STOP, ENDED, OVER]));
    assert_eq!(seen.text(), "hihi");
    assert_eq!(seen.stop_reason(), Some("end_turn"));
    assert_eq!(seen.message["usage"], serde_json::json!({"input_tokens": 1, "output_tokens": 1}));
    assert!(seen.terminated);
    let seen = check(&fixtures::anthropic("parallel-tools.sse"));
    assert_eq!(seen.runnable_tools, [1, 2]);
    assert_eq!(seen.message["content"][2]["input"], serde_json::json!({"command": "ls -la", "timeout": 1e3}));
}

#[test]
fn broken_rules_are_named() {
    for (events, want) in [
        (vec![START, START, ENDED, OVER], "second message_start"),
        (vec![TEXT, STOP], "before message_start"),
        (vec![START, TEXT, TEXT], "while block 0 is open"),
        (vec![START, HI], "which is not open"),
        (vec![START, STOP], "which is not open"),
        (vec![START, TEXT, ENDED], "a stop reason while a block is open"),
        (vec![START, TEXT, OVER], "message_stop while block 0 is open"),
        (vec![START, OVER], "without a stop reason"),
        (vec![START, FAILED, ERROR, OVER], "before the error event"),
        (vec![START, ENDED, ERROR], "took that for success"),
        (vec![START, ERROR, ENDED], "a clean stop reason after the error"),
        (vec![START, TEXT, ERROR, HI], "content after the error"),
        (vec![START, TOOL, ERROR, STOP], "a tool call is stopped after the error"),
        (vec![START, TOOL, HI], "`text_delta` in a block of type `tool_use`"),
        (vec![START, ENDED, OVER, HI], "after message_stop"),
        (vec![START, TEXT, HI], "ends without message_stop"),
        (vec![], "ends without message_stop"),
    ] {
        let got = problems(&events);
        assert!(got.contains(want), "wanted {want:?} in {got:?}");
    }
    assert!(check(b"data: {\"type\":\"ping\"}\n\n").problems[0].contains("no `event:` line"));
    assert!(check(b"event: ping\ndata: {\"type\":\"pong\"}\n\n").problems[0].contains("not its type"));
    assert!(check(b"event: ping\ndata: {\n\n").problems[0].contains("not JSON"));
    assert!(check(b"event: ping\ndata: {}").problems[0].contains("inside an event"));
}
