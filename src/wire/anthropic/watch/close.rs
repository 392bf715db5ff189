//! The loud end of a stream: error first, then the stop reason. The other order is read as success.

use std::fmt::Write;

use bytes::Bytes;

use super::BlockKind;
use super::facts::Facts;
use crate::wire::json::quoted;

/// The events that end a failed stream; with `own_words` upstream's own error event where it sent one.
pub(super) fn events(facts: &Facts, kind: &str, message: &str, own_words: bool) -> Bytes {
    let mut out = String::new();
    for block in facts.open.iter().rev().filter(|block| block.kind != BlockKind::Other) {
        event(
            &mut out,
            "content_block_stop",
            &format!(r#"{{"type":"content_block_stop","index":{}}}"#, block.index),
        );
    }
    let own = facts.own_error.as_deref().and_then(|data| std::str::from_utf8(data).ok());
    match (own, &facts.error) {
        (Some(own), _) if own_words => event(&mut out, "error", own),
        (None, Some(error)) if own_words => {
            event(&mut out, "error", &error_data(&error.kind, &error.message))
        }
        _ => event(&mut out, "error", &error_data(kind, message)),
    }
    // A message that was never started has no end either.
    if facts.started {
        let usage =
            facts.usage.output.map(|tokens| format!(r#""output_tokens":{tokens}"#)).unwrap_or_default();
        let delta = format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"error","stop_sequence":null}},"usage":{{{usage}}}}}"#
        );
        event(&mut out, "message_delta", &delta);
        event(&mut out, "message_stop", r#"{"type":"message_stop"}"#);
    }
    Bytes::from(out)
}

fn error_data(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":{},"message":{}}}}}"#, quoted(kind), quoted(message))
}

fn event(out: &mut String, name: &str, data: &str) {
    // Writing to a String cannot fail.
    _ = write!(out, "event: {name}\ndata: {data}\n\n");
}
