//! Mixed traffic for minutes, failures and deserters included: memory and open files stay flat, and answers stay right.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::number;
use crate::support::bodies::{ask_stream, fails, half_stream, overloaded, says, streams};
use crate::support::{Answer, Call, End, Gateway, Upstream, chain, until};

/// A first seat of every mood, in a fixed order.
fn moods() -> Vec<Answer> {
    let mut moods = Vec::new();
    for i in 0..4000 {
        moods.push(match i % 20 {
            0 => overloaded(),
            1 => fails(500, "api_error", "x"),
            2 => Answer::reset(),
            3 => Answer::stream(&half_stream("a-1", &["half"])).end(End::Fin),
            4 => fails(400, "invalid_request_error", "messages.0: bad"),
            5 => Answer::text(200, "text/html", "<html>"),
            6 => says("a-1", "whole"),
            7 => streams("a-1", &["slow", "ly"]).gap_ms(80),
            _ => streams("a-1", &["one ", "two ", "three"]).gap_ms(5),
        });
    }
    moods
}

#[derive(Default)]
struct Tally {
    right: AtomicUsize,
    failed: AtomicUsize,
    left: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

/// What a client may see: a clean answer, a loud end, an error in its own shape.
fn turn(n: usize, gw: std::net::SocketAddr, tally: &Tally) {
    let call = Call::messages(&ask_stream(&"y".repeat(n % 7 * 900)));
    let mut live = call.open(gw);
    if n.is_multiple_of(17) {
        live.read_for(Duration::from_millis((n % 40) as u64));
        live.hang_up();
        tally.left.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let reply = live.reply();
    let is_right = match reply.status {
        200 => {
            let folded = reply.folded();
            folded.protocol_errors.is_empty() && (folded.error.is_some() || folded.terminated)
        }
        _ => reply.json()["error"]["message"].is_string(),
    };
    if !is_right || reply.is_cut {
        tally.wrong.lock().unwrap().push(format!("{} {}", reply.status, reply.chain()));
    }
    let counter = if reply.status == 200 { &tally.right } else { &tally.failed };
    counter.fetch_add(1, Ordering::Relaxed);
}

#[test]
#[ignore = "minutes; tests/heavy/run soak"]
fn memory_and_files_stay_flat() {
    let time = Duration::from_secs(number("SANCTUM_SOAK_SECS", 600));
    let clients = usize::try_from(number("SANCTUM_SOAK_CLIENTS", 1000)).unwrap();
    let (a, b) = (Upstream::new(moods()), Upstream::always(streams("b-1", &["from ", "b"]).gap_ms(3)));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["routes"][0]["retry"] = json!({"max_attempts_per_seat": 2, "backoff_ms": 20});
    config["routes"][0]["cooldown"] = json!({"allowed_fails": 30, "window_secs": 5, "cooldown_secs": 2});
    config["attempts"] = json!({"rotate_bytes": 5_000_000, "keep": 3});
    let mut gw = Gateway::start(&config);
    let (stop, tally) = (Arc::new(AtomicBool::new(false)), Arc::new(Tally::default()));
    let (addr, start) = (gw.addr(), Instant::now());
    let threads: Vec<_> = (0..clients)
        .map(|n| {
            let (stop, tally) = (Arc::clone(&stop), Arc::clone(&tally));
            let run = move || {
                let mut i = n;
                while !stop.load(Ordering::Relaxed) {
                    turn(i, addr, &tally);
                    i += 1009;
                    std::thread::sleep(Duration::from_millis(300 + (i % 500) as u64)); // a client thinks
                }
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread")
        })
        .collect();
    let mut samples = Vec::new();
    while start.elapsed() < time {
        std::thread::sleep(Duration::from_secs(1)); // a sample a second
        samples.push((gw.rss_kb(), gw.open_files()));
        if samples.len() % 30 == 0 {
            let (rss, files) = samples[samples.len() - 1];
            eprintln!(
                "{:4} s: {rss} kB, {files} files, {} answered",
                samples.len(),
                tally.right.load(Ordering::Relaxed)
            );
        }
    }
    stop.store(true, Ordering::Relaxed);
    let whole = threads.into_iter().map(std::thread::JoinHandle::join).filter(Result::is_ok).count();
    let wrong = tally.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "{} wrong answers: {:?}", wrong.len(), &wrong[..wrong.len().min(10)]);
    assert_eq!(whole, clients, "clients whose connection broke");
    assert!(gw.is_running());
    let fifth = (samples.len() / 5).max(1);
    let most = |part: &[(u64, usize)]| {
        (part.iter().map(|s| s.0).max().unwrap_or(0), part.iter().map(|s| s.1).max().unwrap_or(0))
    };
    let (early, late) = (most(&samples[fifth..fifth * 2]), most(&samples[samples.len() - fifth..]));
    eprintln!(
        "{} answered, {} refused, {} left; memory {} -> {} kB, files {} -> {}",
        tally.right.load(Ordering::Relaxed),
        tally.failed.load(Ordering::Relaxed),
        tally.left.load(Ordering::Relaxed),
        early.0,
        late.0,
        early.1,
        late.1
    );
    assert!(late.0 <= early.0 + early.0 / 10 + 4096, "memory grew: {early:?} -> {late:?}");
    assert!(late.1 <= early.1 + early.1 / 10 + 20, "open files grew: {early:?} -> {late:?}");
    until("a clean answer after it all", || {
        let reply = gw.ask(&ask_stream("after it all"));
        (reply.status == 200 && reply.folded().terminated).then_some(())
    });
}
