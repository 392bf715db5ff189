//! Which clock: each one measures its own thing, and a slow generation is not a failure.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::bodies::{
    ask, ask_stream, half_stream, ping, says, start, streams, text_block, text_stream,
};
use crate::support::{Answer, Call, End, Gate, Gateway, Reply, Upstream, chain};

/// Two seats; the first one's clocks are short.
fn gateway(a: &Upstream, b: &Upstream, change: impl FnOnce(&mut Value)) -> Gateway {
    let mut config = chain(&[("a", a), ("b", b)]);
    config["seats"]["a"]["ttfb_timeout_secs"] = json!(1);
    change(&mut config);
    Gateway::start(&config)
}

fn between(reply: &Reply, low: u64, high: u64) {
    let range = Duration::from_millis(low)..Duration::from_millis(high);
    assert!(range.contains(&reply.elapsed), "{:?} is not in {range:?}", reply.elapsed);
}

#[test]
fn a_slow_generation_outlasts_first_byte_and_deadline() {
    let pieces = ["a", "b", "c", "d", "e", "f"];
    let a = Upstream::always(streams("a-1", &pieces).gap_ms(500));
    let b = Upstream::always(streams("b-1", &["no"]));
    let gw = gateway(&a, &b, |c| {
        c["seats"]["a"]["ttfb_timeout_secs"] = json!(2); // the block opens after one second, the stream ends after five
        c["routes"][0]["deadline_secs"] = json!(3);
    });
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    between(&reply, 4500, 20_000);
    reply.folded().assert_clean();
    assert_eq!((reply.folded().text.as_str(), b.count()), ("abcdef", 0));
}

#[test]
fn a_stalled_first_byte_is_cancelled_and_the_next_seat_answers() {
    let a = Upstream::always(streams("a-1", &["late"]).held(&Gate::closed()));
    let b = Upstream::always(streams("b-1", &["in time"]));
    let gw = gateway(&a, &b, |_| {});
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    between(&reply, 900, 6000);
    assert_eq!(reply.chain(), "a;outcome=ttfb_timeout, b;outcome=served");
    a.wait_gone(0);
    let records = gw.exactly(2);
    assert_eq!((&records[0]["outcome"], &records[0]["action"]), (&json!("timeout"), &json!("fall_back")));
    assert_eq!(a.count(), 1, "never the same seat again");
}

#[test]
fn a_head_and_pings_are_no_sign_of_generation() {
    for events in
        [vec![], vec![start("a-1")], vec![start("a-1"), ping(), ping()], vec![": queued\n\n".into()]]
    {
        let a = Upstream::always(Answer::stream(&events).end(End::Stall));
        let b = Upstream::always(streams("b-1", &["in time"]));
        let gw = gateway(&a, &b, |_| {});
        let reply = gw.ask(&ask_stream("hi")).expect(200);
        assert_eq!(reply.chain(), "a;outcome=ttfb_timeout, b;outcome=served", "{events:?}");
        assert_eq!(reply.text(), text_stream("b-1", &["in time"]).concat(), "{events:?}");
    }
}

#[test]
fn pings_do_not_keep_a_silent_seat_alive() {
    let mut events = vec![start("a-1")];
    events.extend((0..40).map(|_| ping()));
    let a = Upstream::always(Answer::stream(&events).gap_ms(200).end(End::Stall));
    let b = Upstream::always(streams("b-1", &["in time"]));
    let gw = gateway(&a, &b, |_| {});
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    between(&reply, 900, 6000);
    assert_eq!(reply.chain(), "a;outcome=ttfb_timeout, b;outcome=served");
}

#[test]
fn a_block_start_is_a_sign_of_generation() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": ""});
    for block in [text_block(0), crate::support::bodies::block(0, &thinking)] {
        let gate = Gate::closed();
        let mut events = vec![start("a-1"), block];
        events.push(crate::support::bodies::stop(0));
        events.extend(crate::support::bodies::finish("end_turn"));
        let a = Upstream::always(Answer::stream(&events).held_at(2, &gate));
        let b = Upstream::always(streams("b-1", &["no"]));
        let gw = gateway(&a, &b, |_| {});
        let mut live = gw.open(&ask_stream("hi"));
        live.read_until("content_block_start");
        live.read_for(Duration::from_millis(1500));
        gate.open();
        live.reply().expect(200).folded().assert_clean();
        assert_eq!(b.count(), 0);
    }
}

#[test]
fn a_whole_answer_has_a_clock_of_its_own() {
    let a =
        Upstream::new([says("a-1", "slow but whole").delay_ms(2200), says("a-1", "x").held(&Gate::closed())]);
    let b = Upstream::always(says("b-1", "in time"));
    let gw = gateway(&a, &b, |c| c["seats"]["a"]["response_timeout_secs"] = json!(3));
    let reply = gw.ask(&ask("hi")).expect(200);
    assert_eq!(reply.chain(), "a;outcome=served", "the first-byte clock is for streams");
    let reply = gw.ask(&ask("hi")).expect(200);
    between(&reply, 2900, 8000);
    assert!(reply.chain().starts_with("a;outcome=") && reply.chain().ends_with("b;outcome=served"));
    a.wait_gone(1);
}

#[test]
fn attempts_share_one_deadline() {
    let a = Upstream::always(streams("a-1", &["late"]).held(&Gate::closed()));
    let b = Upstream::always(streams("b-1", &["late too"]).held(&Gate::closed()));
    let gw = gateway(&a, &b, |c| c["routes"][0]["deadline_secs"] = json!(2));
    let reply = gw.ask(&ask_stream("hi")).expect(504);
    between(&reply, 1900, 4500);
    assert_eq!(reply.json()["type"], "error");
    assert_eq!(reply.header("x-should-retry"), Some("false"));
    assert_eq!(reply.header("retry-after"), None);
    assert!(reply.message().contains('a') && reply.message().contains("ttfb_timeout"), "{}", reply.message());
    let records = gw.exactly(2);
    assert_eq!((&records[1]["class"], &records[1]["outcome"]), (&json!("deadline"), &json!("timeout")));
    b.wait_gone(0);
}

#[test]
fn a_connection_that_does_not_open_has_three_seconds_or_what_is_configured() {
    // A listener whose queue is full never completes a handshake.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let addr = socket.local_addr().unwrap().as_socket().unwrap();
    let _full: Vec<_> = (0..4)
        .filter_map(|_| std::net::TcpStream::connect_timeout(&addr, Duration::from_millis(200)).ok())
        .collect();
    let b = Upstream::always(says("b-1", "in time"));
    let mut config = chain(&[("a", &b), ("b", &b)]);
    config["providers"]["a"]["base_url"] = json!(format!("http://{addr}"));
    config["providers"]["a"]["connect_timeout_secs"] = json!(1);
    let gw = Gateway::start(&config);
    let reply = gw.ask(&ask("hi")).expect(200);
    between(&reply, 900, 4000);
    assert_eq!(reply.chain(), "a;outcome=network, b;outcome=served");
}

#[test]
fn a_slow_upload_is_not_first_byte() {
    let a = Upstream::slow_reader(6_000_000, [streams("a-1", &["after the upload"])]);
    let b = Upstream::always(streams("b-1", &["no"]));
    let gw = gateway(&a, &b, |c| {
        c["seats"]["a"]["max_prompt_tokens"] = json!(100_000_000);
        c["seats"]["a"]["ttfb_timeout_secs"] = json!(2); // what sits in the kernel's buffers takes most of one
    });
    let body = ask_stream(&"y".repeat(24_000_000));
    let reply = gw.ask(&body).expect(200);
    between(&reply, 3500, 20_000);
    assert_eq!((reply.chain(), b.count()), ("a;outcome=served", 0));
    assert_eq!(a.only().bytes, body.to_string().len() as u64 - "claude-sonnet-4-5".len() as u64 + 7);
}

#[test]
fn a_clients_own_timeout_caps_the_wait() {
    let a = Upstream::always(says("a-1", "late").held(&Gate::closed()));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::messages(&ask("hi")).with("x-stainless-timeout", "1");
    let reply = gw.send(&call).expect(504);
    between(&reply, 900, 5000);
}

#[test]
fn a_timeout_that_is_no_number_is_ignored() {
    for value in ["NOT_GIVEN", "NaN", "-1", "", "1e999", "0x1"] {
        let a = Upstream::always(says("a-1", "ok").delay_ms(150));
        let gw = Gateway::start(&chain(&[("a", &a)]));
        gw.send(&Call::messages(&ask("hi")).with("x-stainless-timeout", value)).expect(200);
    }
}

#[test]
fn pings_fill_a_silence_inside_a_stream() {
    let gate = Gate::closed();
    let mut events = half_stream("a-1", &["half"]);
    events.retain(|e| !e.contains("ping"));
    let count = events.len();
    events.push(crate::support::bodies::text(0, " and half"));
    events.push(crate::support::bodies::stop(0));
    events.extend(crate::support::bodies::finish("end_turn"));
    let a = Upstream::always(Answer::stream(&events).held_at(count, &gate));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let mut live = gw.open(&ask_stream("hi"));
    live.read_until("event: ping");
    gate.open();
    let folded = live.reply().expect(200).folded();
    folded.assert_clean();
    assert_eq!(folded.text, "half and half");
}

#[test]
fn a_stream_may_have_a_total() {
    let a = Upstream::always(streams("a-1", &["x"; 100]).gap_ms(100));
    let b = Upstream::always(streams("b-1", &["no"]));
    let gw = gateway(&a, &b, |c| c["routes"][0]["stream_total_secs"] = json!(2));
    let reply = gw.ask(&ask_stream("hi")).expect(200);
    between(&reply, 1500, 6000);
    reply.folded().assert_loud();
    assert_eq!(gw.exactly(1)[0]["outcome"], "partial");
}
