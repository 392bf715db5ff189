//! Whole events, as they came, however they come; and a loud end.

use bytes::Bytes;
use proptest::prelude::*;

use super::{BlockKind, PING, Watch};
use crate::wire::anthropic::Usage;
use crate::wire::anthropic::checker::check;
use crate::wire::tests::{all_anthropic, anthropic};

/// Feeds `frames` and gives the watch and all that it let through.
fn run(frames: &[&[u8]]) -> (Watch, Vec<u8>) {
    let mut watch = Watch::new();
    let mut out = Vec::new();
    for frame in frames {
        watch.push(Bytes::copy_from_slice(frame)).unwrap();
        while let Some(events) = watch.next_ready() {
            out.extend_from_slice(&events);
            assert!(
                crate::wire::sse::data_of(&events).is_none_or(|_| ends_event(&out)),
                "half an event left"
            );
        }
    }
    watch.end();
    while let Some(events) = watch.next_ready() {
        out.extend_from_slice(&events);
    }
    assert_eq!(watch.ready_bytes(), 0);
    (watch, out)
}

fn ends_event(bytes: &[u8]) -> bool {
    [&b"\n\n"[..], b"\r\n\r\n", b"\r\r"].iter().any(|end| bytes.ends_with(end))
}

/// All that can be known of a watch.
fn facts(watch: &Watch) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        watch.began(),
        watch.served_model(),
        watch.usage(),
        watch.stop_reason(),
        watch.finished(),
        watch.error(),
        watch.open_block()
    )
}

fn body(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&b"\xEF\xBB\xBF"[..]).unwrap_or(bytes)
}

#[test]
fn every_split_of_every_fixture_says_and_gives_the_same() {
    for (name, bytes) in all_anthropic("", ".sse") {
        let (whole, out) = run(&[&bytes]);
        assert!(body(&bytes).starts_with(&out), "{name}");
        for place in 0..=bytes.len() {
            let (watch, split) = run(&[&bytes[..place], &bytes[place..]]);
            assert_eq!(facts(&watch), facts(&whole), "{name} at {place}");
            assert_eq!(split, out, "{name} at {place}");
        }
        for size in [1, 2, 3, 7, 64] {
            let frames: Vec<&[u8]> = bytes.chunks(size).collect();
            let (watch, split) = run(&frames);
            assert_eq!((facts(&watch), split), (facts(&whole), out.clone()), "{name} by {size}");
        }
    }
}

#[test]
fn what_every_fixture_says_and_how_it_is_closed() {
    let mut report = String::new();
    for (name, bytes) in all_anthropic("", ".sse") {
        let (watch, out) = run(&[&bytes]);
        let close = watch.close("api_error", "the stream broke off");
        let percent = if out.len() == body(&bytes).len() { "all" } else { "in part" };
        report.push_str(&format!("## {name}: passed {percent}\n{}\n", facts(&watch)));
        report.push_str(std::str::from_utf8(&close).unwrap());
        let together = [&out[..], &close].concat();
        let seen = check(&together);
        // Events without names are passed on as they are.
        if name != "unnamed.sse" {
            assert_eq!(seen.problems, Vec::<String>::new(), "{name}");
        }
        assert_eq!(seen.error.is_some(), !watch.finished(), "{name}: an end that is no success is told");
        assert!(!close.is_empty() || watch.finished());
    }
    insta::assert_snapshot!(report);
}

#[test]
fn sound_streams_pass_whole_and_as_the_very_frame() {
    for name in ["text.sse", "parallel-tools.sse", "thinking.sse", "server-tool.sse", "odd-but-legal.sse"] {
        let frame = anthropic(name);
        let mut watch = Watch::new();
        watch.push(frame.clone()).unwrap();
        let slices: Vec<Bytes> = std::iter::from_fn(|| watch.next_ready()).collect();
        assert_eq!(slices.len(), 2, "{name}: up to the stop reason, and from there");
        assert_eq!(slices[0].as_ptr(), frame.as_ptr(), "{name}: nothing is copied");
        assert_eq!(slices.concat(), frame, "{name}");
        assert!(watch.finished());
    }
}

#[test]
fn a_stop_reason_waits_for_the_end_of_the_message() {
    let bytes = anthropic("cut-after-stop-reason.sse");
    let (watch, out) = run(&[&bytes]);
    assert!(!watch.finished());
    assert_eq!(watch.stop_reason(), Some("end_turn"));
    assert!(
        !String::from_utf8(out.clone()).unwrap().contains("end_turn"),
        "a client would take it for success"
    );
    let close = watch.close("api_error", "cut");
    assert!(!String::from_utf8(close.to_vec()).unwrap().contains("end_turn"));
    assert_eq!(watch.usage().output, Some(42), "the cost is known all the same");
}

#[test]
fn an_open_tool_block_is_left_open() {
    let (watch, out) = run(&[&anthropic("cut-mid-tool.sse")]);
    assert_eq!(watch.open_block().unwrap().kind, BlockKind::Other);
    let close = watch.close("api_error", "cut");
    assert!(close.starts_with(b"event: error\n"));
    let seen = check(&[&out[..], &close].concat());
    assert_eq!(seen.runnable_tools, [0_u64; 0]);
    assert_eq!(seen.stop_reason(), Some("error"));
}

#[test]
fn generation_begins_with_a_block_only() {
    let mut watch = Watch::new();
    watch
        .push(Bytes::from_static(b": hi\n\nevent: message_start\ndata: {\"message\":{\"model\":\"m\"}}\n\n"))
        .unwrap();
    watch.push(Bytes::from_static(PING)).unwrap();
    assert!(!watch.began());
    assert_eq!(watch.served_model(), Some("m"));
    assert!(watch.ready_bytes() > 0);
    watch.push(Bytes::from_static(b"event: content_block_start\r\ndata: {}\r\n\r\n")).unwrap();
    assert!(watch.began());
}

#[test]
fn counts_are_cumulative_and_late_ones_are_taken() {
    let (watch, _) = run(&[&anthropic("late-usage.sse")]);
    let want = Usage {
        input: Some(310),
        output: Some(5),
        cache_read: Some(90),
        cache_write: Some(0),
        thinking: None,
    };
    assert_eq!(watch.usage(), want);
    let (watch, _) =
        run(&[b"event: message_delta\ndata: {\"usage\":{\"output_tokens\":-3,\"input_tokens\":\"x\"}}\n\n"]);
    assert_eq!(watch.usage(), Usage::default());
}

#[test]
fn upstreams_own_error_is_what_the_client_reads() {
    let (watch, out) = run(&[&anthropic("error-mid-text.sse")]);
    let error = watch.error().unwrap();
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("overloaded_error", "Overloaded"));
    let close = watch.close("api_error", "ours");
    let text = std::str::from_utf8(&close).unwrap();
    assert!(text.contains(
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"#
    ));
    assert!(!text.contains("ours"));
    assert!(text.starts_with("event: content_block_stop\n"));
    assert!(!String::from_utf8(out).unwrap().contains("overloaded_error"), "told once, by the close");

    let (watch, _) = run(&[&anthropic("error-bare-object.sse")]);
    assert_eq!(watch.error().unwrap().body.code.as_deref(), Some("502"));
    let close = watch.close("api_error", "ours");
    assert!(
        std::str::from_utf8(&close)
            .unwrap()
            .contains(r#""type":"error","error":{"type":"api_error","message":"worker gone"}"#)
    );
}

#[test]
fn an_event_that_is_not_json_is_an_error() {
    let (watch, out) = run(&[b"event: message_start\ndata: <html>\n\n"]);
    assert!(watch.error().is_some());
    assert!(out.is_empty());
    let (watch, _) = run(&[b"event: error\ndata: plain words\n\n"]);
    assert_eq!(watch.error().unwrap().message, "plain words");
    let (watch, out) = run(&[b"data: [DONE]\n\ndata\n\n"]);
    assert!(watch.error().is_none());
    assert_eq!(out, b"data: [DONE]\n\ndata\n\n");
}

#[test]
fn a_last_event_may_lack_its_blank_line() {
    let bytes = anthropic("text.sse");
    let (watch, out) = run(&[&bytes[..bytes.len() - 2]]);
    assert!(watch.finished());
    assert_eq!(out, bytes);
    let (watch, _) = run(&[&bytes[..bytes.len() - 4]]);
    assert!(!watch.finished(), "cut inside its data");
}

#[test]
fn an_endless_event_is_given_up_and_what_came_before_is_kept() {
    let mut watch = Watch::new();
    let frame = Bytes::from(vec![b'x'; 1 << 20]);
    watch.push(Bytes::from_static(b": first\n\n")).unwrap();
    assert!((0..20).any(|_| watch.push(frame.clone()).is_err()));
    assert_eq!(watch.next_ready().unwrap(), &b": first\n\n"[..]);
}

#[test]
fn what_follows_a_stop_reason_is_capped() {
    let mut watch = Watch::new();
    watch
        .push(Bytes::from_static(
            b"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
        ))
        .unwrap();
    let comment = Bytes::from([&b":"[..], &[b'x'; 1 << 20], b"\n\n"].concat());
    assert!((0..20).any(|_| watch.push(comment.clone()).is_err()));
}

proptest! {
    #[test]
    fn any_cuts_of_mixed_up_events_say_and_give_the_same(
        picks in proptest::collection::vec(any::<proptest::sample::Index>(), 1..14),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let pool = [
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\n",
            "event: ping\ndata: {\"type\": \"ping\"}\n\n",
            "event: content_block_start\r\ndata: {\"index\":0,\"content_block\":{\"type\":\"text\"}}\r\n\r\n",
            "event: content_block_delta\ndata: {}\n\n",
            "event: content_block_stop\rdata: {\"index\":0}\r\r",
            "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n",
            "event: message_delta\ndata: {\"delta\":{\"stop_reason\":null}}\n\n",
            "event: message_stop\ndata: {}\n\n",
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"m\"}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"x\"}}\n\n",
            ": 北京\n\n", "\n", "data: \u{feff}{\n\n", "event: content_block_stop\ndata: ",
        ];
        let text: String = picks.iter().map(|pick| *pick.get(&pool)).collect();
        let bytes = text.as_bytes();
        let (whole, out) = run(&[bytes]);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let frames: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let (watch, split) = run(&frames);
        prop_assert_eq!(facts(&watch), facts(&whole));
        prop_assert_eq!(&split, &out);
        prop_assert!(bytes.starts_with(&out) || watch.finished());
        prop_assert_eq!(watch.close("k", "m").is_empty(), watch.finished());
    }
}
