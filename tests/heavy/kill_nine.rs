//! `kill -9` under load, again and again: no torn line, no acknowledged record lost, and a restart serves.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::number;
use crate::support::bodies::{ask_stream, streams};
use crate::support::{Call, Gateway, Live, Upstream, chain};

/// A record must be on disk this long after its client had the whole answer.
const ON_DISK: Duration = Duration::from_millis(100);

const CLIENTS: usize = 16;

/// The request ids in one file of the attempt log, every line of which must be whole.
fn ids(path: &Path) -> HashSet<String> {
    let Ok(file) = File::open(path) else { return HashSet::new() };
    let mut text = String::new();
    let read = if path.extension().is_some_and(|e| e == "gz") {
        flate2::bufread::MultiGzDecoder::new(BufReader::new(file)).read_to_string(&mut text)
    } else {
        (&file).read_to_string(&mut text)
    };
    read.unwrap_or_else(|e| panic!("{e}: {path:?}"));
    assert!(text.is_empty() || text.ends_with('\n'), "{path:?} is torn: {:?}", text.lines().last());
    let id = |line: &str| {
        let record: Value =
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {path:?}: {line:?}"));
        record["request_id"].as_str().expect("an id").to_owned()
    };
    text.lines().map(id).collect()
}

/// Those of a load just ended: in the live file, or in the one that was live when it began.
fn recent(folder: &Path) -> HashSet<String> {
    let mut found = ids(&folder.join("attempts.jsonl"));
    found.extend(ids(&folder.join("attempts.jsonl.1")));
    found
}

/// Every one there is, and how many files hold them.
fn all(folder: &Path) -> (HashSet<String>, usize) {
    let names = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path());
    let paths: Vec<_> = names.filter(|p| p.extension().is_none_or(|e| e != "tmp")).collect();
    (paths.iter().flat_map(|p| ids(p)).collect(), paths.len())
}

/// How long this machine lately kept a thread waiting that had asked for two milliseconds. What it does to that thread
/// it does to the gateway's, and 100 ms are promised by the gateway, not by the machine.
#[derive(Clone, Default)]
struct Stalls(Arc<Mutex<Vec<(Instant, Duration)>>>);

impl Stalls {
    fn watch(&self) {
        let mine = self.clone();
        std::thread::spawn(move || {
            loop {
                let asked = Instant::now();
                std::thread::sleep(Duration::from_millis(2));
                let mut seen = mine.0.lock().unwrap();
                seen.push((asked, asked.elapsed()));
                let old = seen.len().saturating_sub(1000);
                seen.drain(..old);
            }
        });
    }

    /// The longest one that touches the time from `from` on.
    fn longest_since(&self, from: Instant) -> Duration {
        let seen = self.0.lock().unwrap();
        seen.iter().filter(|(at, took)| *at + *took >= from).map(|(_, took)| *took).max().unwrap_or_default()
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
    let mut config = chain(&[("a", &a)]);
    config["attempts"] = json!({"rotate_bytes": 2_000_000, "keep": 1000}); // kills fall into rotations too
    let mut gw = Gateway::start(&config);
    let folder = gw.path("attempts");
    let (mut checked, mut slack, stalls) = (0, Duration::ZERO, Stalls::default());
    stalls.watch();
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
        let on_disk = recent(&folder);
        let stall = stalls.longest_since(killed - load);
        let stall = if stall < Duration::from_millis(10) { Duration::ZERO } else { stall * 4 };
        slack = slack.max(stall);
        let acknowledged = acknowledged.lock().unwrap();
        let old = acknowledged.iter().filter(|(_, at)| *at + ON_DISK + stall < killed);
        let lost: Vec<_> = old.clone().filter(|(id, _)| !on_disk.contains(id)).collect();
        let ages: Vec<_> = lost.iter().map(|(id, at)| (id, killed - *at)).collect();
        let of = acknowledged.len();
        assert!(
            lost.is_empty(),
            "kill {kill} (seed {seed}, {load:?} of load, {stall:?} given): lost {ages:?} of {of}"
        );
        checked += old.count() as u64;
        gw.ask(&ask_stream("after")).expect(200);
        if kill % 50 == 0 {
            eprintln!("{kill} kills, {checked} acknowledged records looked up");
        }
    }
    assert!(checked > kills * 10, "only {checked} records were old enough to be looked up");
    let (records, files) = all(&folder);
    assert!(records.len() as u64 >= checked, "{} requests in all files, of {checked}", records.len());
    eprintln!(
        "{kills} kills: {} requests in {files} files, every line whole; {checked} acknowledged ones looked up, none \
         lost ({slack:?} given to a busy machine at most)",
        records.len()
    );
}
