//! Whole events, as they came, however they come; and a loud end.

use bytes::Bytes;

use super::Watch;
use crate::wire::chat::checker::check;
use crate::wire::tests::{all_payloads, payload};

fn run(hide_usage: bool, frames: &[&[u8]]) -> (Watch, Vec<u8>) {
    let mut watch = Watch::new(hide_usage);
    let mut out = Vec::new();
    for frame in frames {
        watch.push(Bytes::copy_from_slice(frame)).unwrap();
        while let Some(events) = watch.next_ready() {
            out.extend_from_slice(&events);
        }
    }
    watch.end();
    while let Some(events) = watch.next_ready() {
        out.extend_from_slice(&events);
    }
    assert_eq!(watch.ready_bytes(), 0);
    (watch, out)
}

#[test]
fn every_split_of_every_fixture_passes_the_same_and_ends_soundly() {
    for (name, bytes) in all_payloads("chat", "", ".sse") {
        let (whole, out) = run(false, &[&bytes]);
        for place in 0..=bytes.len() {
            let (_, split) = run(false, &[&bytes[..place], &bytes[place..]]);
            assert_eq!(split, out, "{name} at {place}");
        }
        let body = bytes.strip_prefix(&b"\xEF\xBB\xBF"[..]).unwrap_or(&bytes);
        let sent = out.strip_suffix(b"data: [DONE]\n\n").unwrap_or(&out);
        assert!(
            body.starts_with(sent) || name.ends_with("unended.sse") || name.contains("last-blank"),
            "{name}"
        );
        if whole.committed() {
            let seen = check(&[&out[..], &whole.close("it broke off")].concat());
            assert_eq!(seen.error.is_some(), !whole.finished(), "{name}");
            assert_eq!(seen.terminated, whole.finished(), "{name}");
        }
    }
}

#[test]
fn a_sound_stream_passes_as_the_very_frame() {
    let frame = payload("chat", "text.sse");
    let mut watch = Watch::new(false);
    watch.push(frame.clone()).unwrap();
    let first = watch.next_ready().unwrap();
    assert_eq!((first.as_ptr(), first.len()), (frame.as_ptr(), frame.len()));
    assert!(watch.finished() && watch.next_ready().is_none());
    assert_eq!(watch.usage().all_input(), Some(1000));
}

#[test]
fn usage_that_nobody_asked_for_does_not_pass_and_is_known() {
    for name in ["text.sse", "usage-null.sse"] {
        let (watch, out) = run(true, &[&payload("chat", name)]);
        let seen = check(&out);
        assert!(watch.usage().output.is_some() && seen.usage.is_none() && seen.terminated, "{name}");
        assert_eq!(seen.problems, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn nothing_is_committed_before_content_and_an_error_does_not_pass() {
    for name in ["error-first.sse", "empty.sse", "empty-choices.sse", "error-list.sse"] {
        assert!(!run(false, &[&payload("chat", name)]).0.committed(), "{name}");
    }
    let (watch, out) = run(false, &[&payload("chat", "error-mid-text.sse")]);
    assert_eq!(watch.error().unwrap().message, "boom");
    assert!(!String::from_utf8(out).unwrap().contains("boom"));
}
