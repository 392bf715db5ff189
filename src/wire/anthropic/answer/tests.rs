//! What is an answer, and what only came with status 200.

use proptest::prelude::*;

use super::read;
use crate::wire::anthropic::Usage;
use crate::wire::tests::{all_anthropic, anthropic};

#[test]
fn reads_what_it_says_of_itself() {
    let answer = read(&anthropic("answer-every-block.json")).unwrap();
    assert_eq!(answer.served_model.as_deref(), Some("claude-sonnet-4-5-20250929"));
    assert_eq!(answer.stop_reason.as_deref(), Some("tool_use"));
    assert_eq!(
        answer.usage,
        Usage {
            input: Some(12),
            output: Some(50),
            cache_read: Some(4),
            cache_write: Some(3),
            thinking: None
        }
    );
    assert!(!answer.refused);
    assert!(read(&anthropic("answer-refusal.json")).unwrap().refused);
    assert!(read(&anthropic("answer-empty.json")).is_ok(), "a turn may end without a word");
    let bare = read(br#"{"role":"assistant","content":[],"usage":null}"#).unwrap();
    assert_eq!((bare.served_model, bare.usage), (None, Usage::default()));
}

#[test]
fn what_is_no_answer_says_what_came() {
    let mut report = String::new();
    for body in [
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"error":{"code":502,"message":"worker busy"}}"#,
        r#"{"error":"no slot"}"#,
        r#"{"error":{"type":"rate_limit_error","message":"slow"},"type":"message","content":"x"}"#,
        r#"{"type":"message","content":[{"type":"text","text":"half"}],"error":{"code":502,"message":"gone"}}"#,
        r#"[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]"#,
        r#"{"object":"error","message":"no","type":"InternalServerError","code":500}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":9}}"#,
        "{}",
        "null",
        "[]",
        "",
        " ",
        "<html><title>Welcome</title></html>",
        r#"{"type":"message","role":"assistant","content":[{"type":"te"#,
        r#"{"type":"message","content":null}"#,
        r#"{"type":"completion","content":[]}"#,
        r#"{"content":[]}"#,
        "upstream timed out",
    ] {
        let refused = read(body.as_bytes()).unwrap_err();
        report.push_str(&format!(
            "{body}\n  {:?} {:?} {}\n",
            refused.kind, refused.status_hint, refused.message
        ));
    }
    insta::assert_snapshot!(report);
    assert!(read(b"\xFF\xFE").is_err());
}

#[test]
fn a_cut_answer_is_never_an_answer() {
    for (name, body) in all_anthropic("answer-", ".json") {
        let body = body.trim_ascii_end();
        for place in 0..body.len() {
            assert!(read(&body[..place]).is_err(), "{name} at {place}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics(body in proptest::collection::vec(any::<u8>(), 0..120)) {
        prop_assert!(read(&body).is_err());
    }
}
