//! The rig tried on itself: what the scripted upstream plays is what the client reads.

use serde_json::json;

use super::bodies::{ask, half_stream, says, streams};
use super::*;

fn addr(upstream: &Upstream) -> std::net::SocketAddr {
    upstream.url().strip_prefix("http://").unwrap().parse().unwrap()
}

#[test]
fn answers_are_played_in_order_and_the_last_one_repeats() {
    let up = Upstream::new([says("m", "one"), says("m", "two")]);
    let texts: Vec<String> = (0..3)
        .map(|_| {
            Call::messages(&ask("x")).send(addr(&up)).json()["content"][0]["text"].as_str().unwrap().into()
        })
        .collect();
    assert_eq!(texts, ["one", "two", "two"]);
    assert_eq!(up.received()[2].json()["messages"][0]["content"], "x");
}

#[test]
fn one_connection_takes_several_requests() {
    let up = Upstream::always(streams("m", &["a", "b"]).split(5));
    let mut live = Call::messages(&ask("x")).open(addr(&up));
    assert_eq!(live.next_reply().folded().text, "ab");
    live.send(Call::messages(&ask("y")).head(addr(&up)).as_bytes());
    live.send(&Call::messages(&ask("y")).body);
    assert_eq!(live.next_reply().folded().text, "ab");
    assert_eq!(up.open_connections(), 1);
    up.drop_connections();
    live.wait_closed();
}

#[test]
fn a_path_has_a_script_of_its_own() {
    let up = Upstream::always(says("m", "x")).on("POST /v1/other", [Answer::json(418, &json!({}))]);
    assert_eq!(Call::post("/v1/other?q=1", &json!({})).send(addr(&up)).status, 418);
    assert_eq!(Call::post("/v1/messages", &json!({})).send(addr(&up)).status, 200);
}

#[test]
fn every_end_is_seen_for_what_it_is() {
    let events = half_stream("m", &["half"]);
    let fin = Upstream::always(Answer::stream(&events).end(End::Fin));
    let reply = Call::messages(&ask("x")).send(addr(&fin));
    assert!(reply.is_cut);
    assert_eq!((reply.folded().text.as_str(), reply.folded().open_blocks), ("half", 1));

    let reset = Upstream::always(Answer::stream(&events).end(End::Reset));
    let reply = Call::messages(&ask("x")).send(addr(&reset));
    assert!(reply.is_cut);
    assert_eq!(reply.folded().text, "half");

    let early = Upstream::always(Answer::reset());
    Call::messages(&ask("x")).open(addr(&early)).wait_closed();
    early.wait_for(1);
    assert!(std::net::TcpStream::connect(addr(&Upstream::refused())).is_err());
}

#[test]
fn a_caller_that_leaves_is_seen_while_waiting_at_a_gate_and_while_stalled() {
    let gate = Gate::closed();
    let up = Upstream::new([
        says("m", "x").held(&gate),
        Answer::stream(&half_stream("m", &["half"])).end(End::Stall),
    ]);
    let live = Call::messages(&ask("x")).open(addr(&up));
    up.wait_for(1);
    live.hang_up();
    up.wait_gone(0);
    let mut live = Call::messages(&ask("x")).open(addr(&up));
    live.read_until("half");
    live.hang_up();
    up.wait_gone(1);
}

#[test]
fn a_gate_holds_the_head_and_the_pieces() {
    let (head, piece) = (Gate::closed(), Gate::closed());
    let up = Upstream::always(streams("m", &["a", "b"]).held(&head).held_at(4, &piece));
    let mut live = Call::messages(&ask("x")).open(addr(&up));
    assert!(!live.read_for(Duration::from_millis(60)));
    head.open();
    live.read_until(r#""text":"a""#);
    assert!(!live.read_for(Duration::from_millis(60)));
    assert!(!live.has(r#""text":"b""#));
    piece.open();
    live.reply().folded().assert_clean();
}

#[test]
fn a_slow_reader_takes_its_time() {
    let up = Upstream::slow_reader(1_000_000, [says("m", "x")]);
    let body = vec![b'x'; 500_000];
    let reply = Call::bytes("/", body).send(addr(&up));
    assert!(reply.elapsed > Duration::from_millis(450), "{:?}", reply.elapsed);
    assert_eq!(up.only().bytes, 500_000);
}

#[test]
fn the_fold_holds_a_stream_to_the_protocol() {
    let bad = "event: ping\ndata: {\"type\":\"error\",\"error\":{}}\n\nevent: x";
    assert_eq!(fold(bad.as_bytes()).protocol_errors.len(), 2);
}
