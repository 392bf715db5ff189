//! Bytes, not strings: however a stream is cut on its way, the client gets the same bytes and the record the same words.

use serde_json::{Value, json};

use crate::support::bodies::{ask_stream, text_stream};
use crate::support::{Answer, Gateway, Upstream, chain};

/// Plays these bytes in writes of `split`; the client must get them unchanged, and the observer must have understood.
fn same(name: &str, bytes: &str, split: usize) {
    let a = Upstream::always(Answer::stream(&[bytes]).split(split));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&ask_stream("x")).expect(200);
    let sent = bytes.trim_start_matches('\u{feff}');
    assert_eq!(reply.text().trim_start_matches('\u{feff}'), sent, "{name} split at {split}");
    assert_eq!(reply.header("x-sanctum-served-model"), Some("a-1"), "{name} split at {split}");
    let record = gw.exactly(1).remove(0);
    assert_eq!(
        (&record["outcome"], &record["class"]),
        (&json!("ok"), &json!("ok")),
        "{name} split at {split}"
    );
    assert_eq!(
        (&record["input_tokens"], &record["output_tokens"]),
        (&json!(31), &json!(7)),
        "{name} split at {split}"
    );
}

fn stream() -> String {
    text_stream("a-1", &["né😀", "\u{5317}\u{4eac}", "usage message_stop error"]).concat()
}

#[test]
fn any_split_gives_the_same_bytes() {
    for split in [1, 2, 3, 7, 64, 1000, 100_000] {
        same("LF", &stream(), split);
    }
}

#[test]
fn carriage_returns_are_line_ends() {
    for split in [1, 5, 100_000] {
        same("CRLF", &stream().replace('\n', "\r\n"), split);
    }
}

#[test]
fn a_byte_order_mark_is_not_an_event() {
    for split in [1, 100_000] {
        same("BOM", &format!("\u{feff}{}", stream()), split);
    }
}

#[test]
fn data_may_be_on_several_lines_without_a_space_and_between_comments() {
    let odd = stream()
        .replace("data: {", "data:{")
        .replace(",\"index\"", ",\ndata:\"index\"")
        .replace("event: ping", ": busy\n\nevent: ping");
    assert!(odd.contains("\ndata:\"index\""));
    for split in [1, 100_000] {
        same("odd", &odd, split);
    }
}

#[test]
fn an_event_that_never_ends_does_not_fill_the_memory() {
    let mut answer = Answer::stream(&["event: content_block_delta\ndata: {\"x\":\""]);
    answer.pieces.extend((0..1500).map(|_| vec![b'y'; 64 << 10]));
    let a = Upstream::always(answer);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&ask_stream("x"));
    assert!(reply.status >= 500, "{}", reply.status);
    let peak = gw.peak_rss_kb();
    assert!(peak < 120_000, "{peak} kB for an event of 96,000 kB");
}

#[test]
fn an_answer_that_never_ends_does_not_fill_the_memory() {
    let mut answer = Answer::json(200, &Value::Null);
    answer.chunked = true;
    answer.pieces = vec![b"{\"id\":\"".to_vec()];
    answer.pieces.extend((0..6000).map(|_| vec![b'y'; 64 << 10]));
    let a = Upstream::always(answer);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let reply = gw.ask(&crate::support::bodies::ask("x"));
    assert!(reply.status >= 500 || reply.is_cut, "{}", reply.status);
    let peak = gw.peak_rss_kb();
    assert!(peak < 300_000, "{peak} kB for an answer of 384,000 kB");
}

#[test]
fn a_long_stream_is_not_kept() {
    let piece = "z".repeat(40_000);
    let pieces: Vec<&str> = (0..2000).map(|_| piece.as_str()).collect();
    let a = Upstream::always(Answer::stream(&text_stream("a-1", &pieces)));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let before = gw.rss_kb();
    let folded = gw.ask(&ask_stream("x")).expect(200).folded();
    folded.assert_clean();
    assert_eq!(folded.text.len(), 80_000_000);
    let grown = gw.peak_rss_kb().saturating_sub(before);
    assert!(grown < 40_000, "grew by {grown} kB over a stream of 80,000 kB");
}
