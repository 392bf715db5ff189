//! Starting, reloading, stopping: nobody in flight pays for it.

use std::net::TcpStream;

use serde_json::json;

use crate::support::bodies::{ask, ask_stream, says, streams};
use crate::support::{Call, Gate, Gateway, Setup, Upstream, chain, until};

/// A stream in flight, held at a gate after its first text.
fn in_flight(gate: &Gate) -> (Upstream, Gateway, crate::support::Live) {
    let a = Upstream::always(streams("a-1", &["first", " last"]).held_at(4, gate));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let mut live = gw.open(&ask_stream("x"));
    live.read_until("first");
    (a, gw, live)
}

#[test]
fn a_stream_in_flight_finishes_before_the_process_ends() {
    let gate = Gate::closed();
    let (_a, mut gw, live) = in_flight(&gate);
    gw.signal("TERM");
    until("the listener to close", || TcpStream::connect(gw.addr()).is_err().then_some(()));
    assert!(gw.is_running());
    gate.open();
    let folded = live.reply().expect(200).folded();
    folded.assert_clean();
    assert_eq!(folded.text, "first last");
    assert_eq!(gw.wait_exit().code(), Some(0));
    assert_eq!(gw.exactly(1)[0]["outcome"], "ok");
}

#[test]
fn whoever_came_before_the_signal_is_served() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut gw = Gateway::start(&chain(&[("a", &a)]));
    // While it is stopped, the system takes connections for it, and it wakes up to find the signal beside them.
    gw.signal("STOP");
    let lives: Vec<_> = (0..20).map(|_| gw.open(&ask("x"))).collect();
    gw.signal("TERM");
    gw.signal("CONT");
    for live in lives {
        live.reply().expect(200);
    }
    assert_eq!(gw.wait_exit().code(), Some(0));
    gw.exactly(20);
}

#[test]
fn an_upload_that_is_cut_is_not_said_to_have_ended() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["server"] = json!({"drain_secs": 1});
    let mut gw = Gateway::start(&config);
    let mut live = Call::messages(&ask("x")).with("content-length", "100000").open(gw.addr());
    until("the request", || (gw.get("/api/status").json()["requests_in_flight"] == 2).then_some(()));
    gw.signal("TERM");
    gw.log.wait_line(&["stopped with requests still running", "requests=1"]);
    gw.wait_exit();
    live.wait_closed();
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let (_a, mut gw, mut live) = in_flight(&Gate::closed());
    gw.signal("TERM");
    until("the listener to close", || TcpStream::connect(gw.addr()).is_err().then_some(()));
    let start = tokio::time::Instant::now();
    gw.signal("INT");
    gw.wait_exit();
    assert!(start.elapsed().as_secs() < 4, "{:?}", start.elapsed());
    live.wait_closed();
}

#[test]
fn a_drain_has_an_end() {
    let gate = Gate::closed();
    let a = Upstream::always(streams("a-1", &["first", " last"]).held_at(4, &gate));
    let mut config = chain(&[("a", &a)]);
    config["server"] = json!({"drain_secs": 1});
    let mut gw = Gateway::start(&config);
    let mut live = gw.open(&ask_stream("x"));
    live.read_until("first");
    gw.signal("TERM");
    gw.wait_exit();
    let reply = live.reply();
    reply.folded().assert_loud();
    assert!(!reply.is_cut, "the error is the end of a whole answer");
    let record = gw.exactly(1).remove(0);
    let told = (&record["outcome"], &record["class"], &record["final"]);
    assert_eq!(told, (&json!("partial"), &json!("truncated_stream"), &json!(true)));
}

#[test]
fn an_idle_connection_does_not_hold_up_the_end() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut gw = Gateway::start(&chain(&[("a", &a)]));
    let mut live = gw.open(&ask("x"));
    live.next_reply().expect(200);
    let start = tokio::time::Instant::now();
    gw.signal("TERM");
    assert_eq!(gw.wait_exit().code(), Some(0));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    live.wait_closed();
}

fn digest(gw: &Gateway) -> serde_json::Value {
    let health = gw.get("/health").json();
    let found = health.as_object().expect("an object").iter().find(|(k, _)| k.contains("digest"));
    found.unwrap_or_else(|| panic!("no config digest in {health}")).1.clone()
}

#[test]
fn health_says_who_it_is() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let health = gw.get("/health").expect(200).json();
    assert_eq!((&health["name"], &health["draining"]), (&json!("sanctum"), &json!(false)));
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert!(digest(&gw).as_str().is_some_and(|d| !d.is_empty()));
    gw.get("/ready").expect(200);
}

#[test]
fn a_reload_swaps_whole_and_keeps_what_is_in_flight() {
    let gate = Gate::closed();
    let (a, gw, live) = in_flight(&gate);
    let b = Upstream::always(says("b-1", "from the new one"));
    let before = digest(&gw);
    let mut config = chain(&[("b", &b)]);
    config["providers"]["b"]["key"] = json!("env:KEY_A");
    gw.reload(&config.to_string());
    until("the new digest", || (digest(&gw) != before).then_some(()));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "b;outcome=served");
    gate.open();
    live.reply().expect(200).folded().assert_clean();
    assert_eq!(a.count(), 1);
}

#[test]
fn a_bad_file_leaves_the_old_configuration_live_and_says_why() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let before = digest(&gw);
    let mut config = chain(&[("a", &a)]);
    config["routes"][0]["chain"] = json!(["a", "ghost-seat"]);
    for (text, word) in [(config.to_string(), "ghost-seat"), ("{ not: [yaml".into(), "config.yaml")] {
        gw.reload(&text);
        gw.log.wait_line(&[word]);
        assert_eq!(digest(&gw), before);
        assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=served");
    }
}

#[test]
fn a_reload_keeps_how_seats_stand() {
    let a = Upstream::new([crate::support::bodies::overloaded(), says("a-1", "no")]);
    let b = Upstream::always(says("b-1", "ok"));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 1, "cooldown_secs": 300});
    let gw = Gateway::start(&config);
    gw.ask(&ask("x")).expect(200);
    let before = digest(&gw);
    config["routes"][0]["deadline_secs"] = json!(19);
    gw.reload(&config.to_string());
    until("the new digest", || (digest(&gw) != before).then_some(()));
    assert_eq!(gw.ask(&ask("x")).expect(200).chain(), "a;outcome=cooling_down, b;outcome=served");
}

#[test]
fn a_second_one_leaves_the_first_alone() {
    let a = Upstream::always(says("a-1", "ok"));
    let config = chain(&[("a", &a)]);
    let mut gw = Gateway::start(&config);
    let addr = gw.addr().to_string();
    let exit = Setup::new(&config).listen(Some(&addr)).exits();
    assert_eq!(exit.code, Some(0), "{}", exit.log);
    assert!(exit.log.contains(&addr), "a logged reason: {}", exit.log);
    assert!(gw.is_running());
    gw.ask(&ask("x")).expect(200);
}

#[test]
fn a_draining_one_is_waited_for() {
    let gate = Gate::closed();
    let (_a, mut gw, live) = in_flight(&gate);
    let addr = gw.addr().to_string();
    gw.signal("TERM");
    until("the listener to close", || TcpStream::connect(gw.addr()).is_err().then_some(()));
    let b = Upstream::always(says("b-1", "the next one"));
    let next = Setup::new(&chain(&[("b", &b)])).listen(Some(&addr)).start();
    next.ask(&ask("x")).expect(200);
    gate.open();
    live.reply().expect(200).folded().assert_clean();
    assert_eq!(gw.wait_exit().code(), Some(0));
}

#[test]
fn another_program_on_the_port_is_said_so() {
    let holder = Upstream::always(says("x", "not a gateway"));
    let addr = holder.url().replace("http://", "");
    let exit = Setup::new(&chain(&[("a", &holder)])).listen(Some(&addr)).exits();
    assert_eq!(exit.code, Some(69), "{}", exit.log);
    assert!(exit.log.contains(&addr), "{}", exit.log);
}

#[test]
fn a_log_folder_that_cannot_be_written_does_not_stop_it() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["log"] = json!({"dir": "a-file/logs"});
    let gw = Setup::new(&config).file("a-file", "not a folder").start();
    gw.ask(&ask("x")).expect(200);
    gw.log.wait_line(&["a-file/logs"]);
    let stdout = std::fs::read_to_string(gw.path("stdout.txt")).unwrap();
    assert!(stdout.contains("listening"), "stdout has the log: {stdout:?}");
}

#[test]
fn the_log_is_in_its_folder_too() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["log"] = json!({"format": "json"});
    let mut gw = Gateway::start(&config);
    gw.ask(&ask("x")).expect(200);
    gw.signal("TERM");
    gw.wait_exit();
    let logs = std::fs::read_dir(gw.path("logs")).expect("a log folder");
    let text: String = logs.map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap()).collect();
    assert!(text.contains("listening"), "{text}");
    for line in text.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|e| panic!("{e} in {line}"));
    }
}

#[test]
fn many_at_once_are_all_served() {
    let a = Upstream::always(streams("a-1", &["x"; 20]).gap_ms(2));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let lives: Vec<_> = (0..200).map(|_| gw.open(&ask_stream("x"))).collect();
    for live in lives {
        live.reply().expect(200).folded().assert_clean();
    }
    gw.exactly(200);
    assert_eq!(Call::get("/health").send(gw.addr()).status, 200);
}
