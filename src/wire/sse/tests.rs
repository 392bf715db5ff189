//! Every way of cutting a stream gives the same events.

use bytes::Bytes;
use proptest::prelude::*;

use super::{Event, MAX_EVENT_BYTES, Oversized, Splitter};

/// All events of `frames`, with what [`Splitter::finish`] adds.
fn events(frames: &[&[u8]]) -> Vec<Event> {
    let mut splitter = Splitter::new();
    let mut all = Vec::new();
    for frame in frames {
        splitter.push(Bytes::copy_from_slice(frame));
        while let Some(event) = splitter.next_event().unwrap() {
            all.push(event);
        }
    }
    all.extend(splitter.finish());
    all
}

fn pairs(frames: &[&[u8]]) -> Vec<(Option<String>, Option<String>)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    events(frames)
        .iter()
        .map(|event| (event.name().map(text), event.data().map(|data| text(&data))))
        .collect()
}

fn pair(name: Option<&str>, data: Option<&str>) -> (Option<String>, Option<String>) {
    (name.map(str::to_owned), data.map(str::to_owned))
}

#[test]
fn reads_names_and_data() {
    let got = pairs(&[b"event: a\ndata: {\"x\":1}\n\nevent:b\ndata:y\ndata:  z\ndata\n\n"]);
    assert_eq!(got, [pair(Some("a"), Some("{\"x\":1}")), pair(Some("b"), Some("y\n z\n"))]);
}

#[test]
fn the_three_line_ends_mean_the_same() {
    let want = [pair(Some("a"), Some("1\n2")), pair(None, Some("3"))];
    for end in ["\n", "\r\n", "\r"] {
        let stream = "event: a|data: 1|data: 2||data: 3||".replace('|', end);
        assert_eq!(pairs(&[stream.as_bytes()]), want, "{end:?}");
    }
    assert_eq!(pairs(&[b"event: a\rdata: 1\r\ndata: 2\n\r\ndata: 3\r\r\n"]), want);
}

#[test]
fn a_lone_cr_stream_is_not_kept_waiting() {
    let mut splitter = Splitter::new();
    splitter.push(Bytes::from_static(b"data: 1\r\r"));
    assert!(splitter.next_event().unwrap().is_some());
}

#[test]
fn a_crlf_cut_in_half_stays_with_its_event() {
    let got = events(&[b"data: 1\r\n\r", b"\ndata: 2\r\n\r\n"]);
    assert_eq!(
        got.iter().map(|event| &event.raw[..]).collect::<Vec<_>>(),
        [b"data: 1\r\n\r\n", b"data: 2\r\n\r\n"]
    );
}

#[test]
fn comments_and_blank_lines_are_events_without_data() {
    let got = pairs(&[b": waiting\n\n\ndata: 1\n: inside\n\n"]);
    assert_eq!(got, [pair(None, None), pair(None, None), pair(None, Some("1"))]);
}

#[test]
fn a_byte_order_mark_is_dropped_once_and_only_whole() {
    assert_eq!(pairs(&[b"\xEF", b"\xBB", b"\xBFdata: 1\n\n"]), [pair(None, Some("1"))]);
    assert_eq!(events(&[b"\xEF\xBB\xBFdata: 1\n\n"])[0].raw, &b"data: 1\n\n"[..]);
    assert_eq!(events(&[b"\xEF", b"\xBBx\n\n"])[0].raw, &b"\xEF\xBBx\n\n"[..]);
    let late = events(&[b"data: 1\n\n\xEF\xBB\xBFdata: 2\n\n"]);
    assert_eq!(late[1].data(), None, "a mark later on is part of a field name");
}

#[test]
fn an_event_within_a_frame_is_the_frame_itself() {
    let frame = Bytes::from(b"data: 1\n\ndata: 2\n\n".to_vec());
    let mut splitter = Splitter::new();
    splitter.push(frame.clone());
    let first = splitter.next_event().unwrap().unwrap();
    let second = splitter.next_event().unwrap().unwrap();
    assert_eq!(first.raw.as_ptr(), frame.as_ptr());
    assert_eq!(second.raw.as_ptr(), frame[9..].as_ptr());
}

#[test]
fn what_was_not_ended_is_no_event() {
    assert!(events(&[b"data: 1\n"]).is_empty());
    assert!(events(&[b"data: 1"]).is_empty());
    assert_eq!(events(&[b"data: 1\n\r"]).len(), 1, "the end of the stream settles a last CR");
}

#[test]
fn a_frame_pushed_too_early_is_not_lost() {
    let mut splitter = Splitter::new();
    splitter.push(Bytes::from_static(b"data: 1\n\ndata: 2\n\nda"));
    assert!(splitter.next_event().unwrap().is_some());
    splitter.push(Bytes::from_static(b"ta: 3\n\n"));
    let rest: Vec<_> = std::iter::from_fn(|| splitter.next_event().unwrap()).collect();
    assert_eq!(rest.iter().map(|event| event.data().unwrap().into_owned()).collect::<Vec<_>>(), [b"2", b"3"]);
}

#[test]
fn an_event_past_the_cap_is_refused_whether_it_ends_or_not() {
    let line = vec![b'x'; MAX_EVENT_BYTES / 4];
    let mut splitter = Splitter::new();
    let mut refused = false;
    for _ in 0..5 {
        splitter.push(Bytes::copy_from_slice(&line));
        refused |= splitter.next_event() == Err(Oversized);
    }
    assert!(refused);

    let mut whole = vec![b'x'; MAX_EVENT_BYTES];
    whole.extend_from_slice(b"\n\n");
    let mut splitter = Splitter::new();
    splitter.push(Bytes::from(whole));
    assert_eq!(splitter.next_event(), Err(Oversized));
}

proptest! {
    #[test]
    fn any_cut_of_any_bytes_gives_the_same_events(
        text in "(\u{feff})?[\n\r:ade t\u{5317}]{0,40}",
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
    ) {
        let bytes = text.as_bytes();
        let whole = events(&[bytes]);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.sort_unstable();
        let mut frames = Vec::new();
        let mut from = 0;
        for place in places {
            frames.push(&bytes[from..place]);
            from = place;
        }
        frames.push(&bytes[from..]);
        prop_assert_eq!(events(&frames), whole.clone());
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(events(&single), whole.clone());
        let joined: Vec<u8> = whole.iter().flat_map(|event| event.raw.to_vec()).collect();
        let body = bytes.strip_prefix(&b"\xEF\xBB\xBF"[..]).unwrap_or(bytes);
        prop_assert!(body.starts_with(&joined), "nothing is lost or added");
    }
}
