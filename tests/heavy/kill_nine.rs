//! `kill -9` under load, again and again: no torn line, no acknowledged record lost, and a restart serves.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::number;
use crate::support::bodies::{ask_stream, streams};
use crate::support::{Call, Gateway, Live, Upstream, chain};

/// A record must be on disk this long after its client had the whole answer.
const ON_DISK: Duration = Duration::from_millis(100);

const CLIENTS: usize = 16;

/// Reads what was added to the attempt log, and holds every line of it to be whole.
struct Tail {
    path: PathBuf,
    at: u64,
    ids: HashSet<String>,
}

impl Tail {
    fn read(&mut self) {
        let mut file = std::fs::File::open(&self.path).expect("the attempt log");
        file.seek(SeekFrom::Start(self.at)).expect("a place in it");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'), "torn: {:?}", text.lines().last());
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line:?}"));
            self.ids.insert(record["request_id"].as_str().expect("an id").into());
        }
        self.at += text.len() as u64;
    }
}

type Acknowledged = Arc<Mutex<Vec<(String, Instant)>>>;

/// Asks until told to stop or the gateway is gone; notes each whole answer.
fn client(addr: SocketAddr, stop: &AtomicBool, acknowledged: &Acknowledged) {
    let call = Call::messages(&ask_stream("x"));
    while !stop.load(Ordering::Relaxed) {
        let answered = std::panic::catch_unwind(|| {
            let mut live: Live = call.open(addr);
            let reply = live.next_reply();
            (!reply.is_cut && reply.status == 200)
                .then(|| reply.header("x-sanctum-request-id").expect("an id").to_owned())
        });
        match answered {
            Ok(Some(id)) => acknowledged.lock().unwrap().push((id, Instant::now())),
            Ok(None) => {}
            Err(_) => return,
        }
    }
}

#[test]
#[ignore = "minutes; tests/heavy/run kills"]
fn a_thousand_kills_lose_nothing_that_was_acknowledged() {
    let kills = number("SANCTUM_KILLS", 1000);
    let seed = number("SANCTUM_SEED", 7);
    let random = Mutex::new(fastrand::Rng::with_seed(seed));
    // Clients whose gateway is killed panic by design; their words would drown the result.
    std::panic::set_hook(Box::new(|info| {
        if std::thread::current().name().is_some() {
            eprintln!("{info}");
        }
    }));
    let a = Upstream::always(streams("a-1", &["x", "y"]));
    let mut gw = Gateway::start(&chain(&[("a", &a)]));
    let mut tail = Tail { path: gw.path("attempts/attempts.jsonl"), at: 0, ids: HashSet::new() };
    let mut checked = 0;
    for kill in 1..=kills {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Acknowledged::default());
        let addr = gw.addr();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (stop, acknowledged) = (Arc::clone(&stop), Arc::clone(&acknowledged));
                std::thread::spawn(move || client(addr, &stop, &acknowledged))
            })
            .collect();
        let load = Duration::from_millis(random.lock().unwrap().u64(120..350));
        std::thread::sleep(load); // the moment of the kill is the experiment, not a synchronisation
        let killed = Instant::now();
        gw.kill_and_restart();
        stop.store(true, Ordering::Relaxed);
        clients.into_iter().for_each(|c| c.join().expect("a client"));
        tail.read();
        for (id, at) in acknowledged.lock().unwrap().iter().filter(|(_, at)| *at + ON_DISK < killed) {
            assert!(
                tail.ids.contains(id),
                "kill {kill} (seed {seed}): {id}, {:?} before it, is lost",
                killed - *at
            );
            checked += 1;
        }
        gw.ask(&ask_stream("after")).expect(200);
        if kill % 50 == 0 {
            eprintln!("{kill} kills, {} records, {checked} acknowledged ones looked up", tail.ids.len());
        }
    }
    assert!(checked > kills * 10, "only {checked} records were old enough to be looked up");
    eprintln!(
        "{kills} kills: {} records whole, {checked} acknowledged ones looked up, none lost",
        tail.ids.len()
    );
}
