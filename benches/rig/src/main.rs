//! Compares the gateway with nginx and with no proxy at all, in one run, and holds it to its limits.
//!
//! `benches/run` builds everything and calls this; `benches/README.md` says what the rows mean.

mod load;
mod peers;
mod process;
mod stub;
mod table;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;

use load::{Length, Load, Seen};
use peers::{Peer, Peers, model};
use process::Process;
use table::{Row, Samples, judge, quantile};

const GROUPS: [&str; 6] = ["process", "small", "streams", "big", "failover", "memory"];

struct Run {
    peers: Peers,
    samples: Samples,
    counted: Duration,
    bad: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let sanctum = PathBuf::from(args.next().ok_or("usage: rig SANCTUM [--rounds N] [--secs N] [GROUP…]")?);
    let (mut rounds, mut secs, mut groups) = (3u32, 2.0, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rounds" => rounds = args.next().ok_or("--rounds N")?.parse()?,
            "--secs" => secs = args.next().ok_or("--secs N")?.parse()?,
            group if GROUPS.contains(&group) => groups.push(arg),
            other => return Err(format!("{other}: not one of {}", GROUPS.join(", ")).into()),
        }
    }
    let has = |group: &str| groups.is_empty() || groups.iter().any(|g| g == group);

    let folder = std::env::temp_dir().join(format!("sanctum-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let peers = Peers::new(&folder, &sanctum, stub::start())?;
    if !peers.has_nginx() {
        eprintln!("nginx is not installed: rows that compare with it are left out");
    }
    let mut run = Run { peers, samples: Samples::default(), counted: Duration::from_secs_f64(secs), bad: 0 };
    let result = run.measure(rounds, &has);
    fs::remove_dir_all(&folder).ok();
    result?;
    run.samples.print();
    let size = fs::metadata(&sanctum)?.len() as f64 / 1e6;
    let good = judge(&rows(&run.samples, size));
    if run.bad > 0 {
        println!("\n{} answers were not whole or not right: the figures above are of no use", run.bad);
    }
    if good && run.bad == 0 { Ok(()) } else { Err("a limit is missed".into()) }
}

impl Run {
    fn measure(&mut self, rounds: u32, has: &dyn Fn(&str) -> bool) -> Result<(), Box<dyn Error>> {
        use Peer::{Direct, Nginx, NginxKeeps, Sanctum, SanctumNoLog};
        for round in 1..=rounds {
            eprintln!("round {round} of {rounds}");
            if has("process") {
                self.process()?;
            }
            if has("small") || has("streams") || has("failover") {
                let running = self.start(&[Nginx, Sanctum, SanctumNoLog])?;
                if has("small") {
                    for workers in [1, 16, 64] {
                        for peer in [Direct, Nginx, Sanctum, SanctumNoLog] {
                            self.small(&running, peer, workers);
                        }
                    }
                }
                if has("streams") {
                    for (name, events, workers) in [("short", 20, 1), ("paced", 200, 64), ("whole", 200, 64)]
                    {
                        for peer in [Direct, Nginx, Sanctum] {
                            self.streams(&running, peer, name, events, workers);
                        }
                    }
                }
                if has("failover") {
                    self.failover(&running);
                }
            }
            if has("big") {
                for peer in [Direct, NginxKeeps, Sanctum] {
                    self.two_megabytes(peer)?;
                }
                self.hundred_megabytes()?;
            }
            if has("memory") {
                for peer in [Nginx, Sanctum] {
                    self.slow_streams(peer, 256)?;
                    self.slow_streams(peer, 1000)?;
                }
            }
        }
        Ok(())
    }

    fn start(&self, peers: &[Peer]) -> Result<Vec<(Peer, Process)>, Box<dyn Error>> {
        let mut running = Vec::new();
        for peer in peers {
            if let Some((process, _)) = self.peers.start(*peer)? {
                running.push((*peer, process));
            }
        }
        Ok(running)
    }

    fn load(
        &self,
        peer: Peer,
        name: &'static str,
        events: Option<u32>,
        workers: usize,
        length: Length,
    ) -> Load {
        let body = body(model(peer, name), events.is_some(), 1000);
        Load { port: self.peers.port(peer), header: None, body, events, workers, length }
    }

    fn time(&self) -> Length {
        Length::Time { warm: Duration::from_millis(500), counted: self.counted }
    }

    fn drive(&mut self, load: &Load, process: Option<&Process>) -> Seen {
        let seen = load::run(load, process);
        self.bad += seen.bad;
        seen
    }

    fn add(&mut self, cell: &str, peer: Peer, measures: &[(&'static str, f64)]) {
        for (measure, value) in measures {
            self.samples.add(cell, measure, peer, *value);
        }
    }

    /// From start to healthy, and what an idle process takes.
    fn process(&mut self) -> Result<(), Box<dyn Error>> {
        for peer in [Peer::Nginx, Peer::Sanctum] {
            let Some((process, took)) = self.peers.start(peer)? else { continue };
            std::thread::sleep(Duration::from_secs(1));
            let idle = process.rss_kib();
            self.add(
                "process",
                peer,
                &[("start ms", took.as_secs_f64() * 1e3), ("idle MB", idle * 1.024 / 1e3)],
            );
        }
        Ok(())
    }

    fn small(&mut self, running: &[(Peer, Process)], peer: Peer, workers: usize) {
        let Some(process) = of(running, peer) else { return };
        let load = self.load(peer, "whole", None, workers, self.time());
        let seen = self.drive(&load, process);
        let cell = format!("small c={workers}");
        let done = seen.ok as f64;
        self.add(
            &cell,
            peer,
            &[
                ("p50 us", at(&seen.latency, 0.5)),
                ("p99 us", at(&seen.latency, 0.99)),
                ("requests/s", done / seen.seconds),
            ],
        );
        if process.is_some() {
            self.add(
                &cell,
                peer,
                &[("CPU us/request", seen.cpu / done), ("RSS MB", seen.rss_peak * 1.024 / 1e3)],
            );
        }
    }

    fn streams(
        &mut self,
        running: &[(Peer, Process)],
        peer: Peer,
        name: &'static str,
        events: u32,
        workers: usize,
    ) {
        let Some(process) = of(running, peer) else { return };
        // Counted from the start: a stream of 200 events, 5 ms apart, takes a second.
        let length = Length::Time { warm: Duration::ZERO, counted: self.counted };
        let load = self.load(peer, name, Some(events), workers, length);
        let seen = self.drive(&load, process);
        let cell = format!("stream {name} c={workers}");
        let events = seen.events as f64;
        self.add(
            &cell,
            peer,
            &[
                ("first event us", at(&seen.first_event, 0.5)),
                ("transit p50 us", at(&seen.transit, 0.5)),
                ("transit p99 us", at(&seen.transit, 0.99)),
                ("events/s", events / seen.seconds),
            ],
        );
        if process.is_some() {
            self.add(&cell, peer, &[("CPU us/event", seen.cpu / events)]);
        }
    }

    /// A seat fails, the next one answers.
    fn failover(&mut self, running: &[(Peer, Process)]) {
        const CASES: [(&str, &str, u32); 5] = [
            ("529", "f529", 200),
            ("500", "f500", 200),
            ("429", "f429", 200),
            ("refused", "frefused", 200),
            ("stall", "fstall", 2),
        ];
        for (case, name, requests) in CASES {
            for peer in [Peer::Direct, Peer::Nginx, Peer::Sanctum] {
                let Some(process) = of(running, peer) else { continue };
                let mut load = self.load(peer, name, None, 1, Length::Requests(requests));
                if peer == Peer::Nginx {
                    load.port = self.peers.nginx_fallback_port();
                    load.header = Some(("x-case", case));
                }
                let seen = self.drive(&load, process);
                self.add(&format!("failover {case}"), peer, &[("p50 us", at(&seen.latency, 0.5))]);
            }
        }
    }

    fn two_megabytes(&mut self, peer: Peer) -> Result<(), Box<dyn Error>> {
        // nginx has one process for both of its servers.
        let running = self.peers.start(peer)?;
        if running.is_none() && peer != Peer::Direct {
            return Ok(());
        }
        let mut load = self.load(peer, "whole", None, 1, Length::Requests(20));
        load.body = body(model(peer, "whole"), false, 2_000_000);
        let seen = self.drive(&load, running.as_ref().map(|(p, _)| p));
        self.add("2 MB body", peer, &[("p50 us", at(&seen.latency, 0.5))]);
        Ok(())
    }

    fn hundred_megabytes(&mut self) -> Result<(), Box<dyn Error>> {
        let peer = Peer::Sanctum;
        let Some((process, _)) = self.peers.start(peer)? else { return Ok(()) };
        let mut load = self.load(peer, "whole", None, 1, Length::Requests(2));
        load.body = body(model(peer, "whole"), false, 150_000_000);
        let seen = self.drive(&load, Some(&process));
        self.add(
            "150 MB body",
            peer,
            &[
                ("RSS peak MB", seen.rss_peak * 1.024 / 1e3),
                ("RSS just after MB", seen.rss_after * 1.024 / 1e3),
            ],
        );
        Ok(())
    }

    /// Many streams with an event each 250 ms: what one of them holds, and what is kept after all.
    fn slow_streams(&mut self, peer: Peer, count: u32) -> Result<(), Box<dyn Error>> {
        let Some((process, _)) = self.peers.start(peer)? else { return Ok(()) };
        let warm = self.load(peer, "whole", None, 4, Length::Requests(40));
        self.drive(&warm, Some(&process));
        let load = self.load(peer, "slow", Some(60), count as usize, Length::Requests(count));
        let seen = self.drive(&load, Some(&process));
        std::thread::sleep(Duration::from_secs(5));
        let grown = seen.rss_peak - seen.rss_before;
        self.add(
            &format!("slow streams {count}"),
            peer,
            &[
                ("RSS KB a stream", grown * 1.024 / f64::from(count)),
                ("RSS 5 s after / before", process.rss_kib() / seen.rss_before),
            ],
        );
        Ok(())
    }
}

/// A peer's process: `None` where it is not running, `Some(None)` where it has none.
fn of(running: &[(Peer, Process)], peer: Peer) -> Option<Option<&Process>> {
    match peer {
        Peer::Direct => Some(None),
        _ => running.iter().find(|(p, _)| *p == peer).map(|(_, process)| Some(process)),
    }
}

fn at(values: &[f64], q: f64) -> f64 {
    quantile(values, q).unwrap_or(f64::NAN)
}

/// A request of about `size` bytes: long ones have the many turns of an agent's history.
fn body(model: &str, stream: bool, size: usize) -> Bytes {
    const TEXT: &str = "The gateway passes this on byte for byte, with \\\"quotes\\\" and \\n newlines. ";
    let turns = (size / 4096).clamp(1, 401) | 1;
    let text = TEXT.repeat(size / turns / TEXT.len() + 1);
    let mut out = format!("{{\"model\":\"{model}\",\"stream\":{stream},\"max_tokens\":1024,\"messages\":[");
    for turn in 0..turns {
        let role = if turn % 2 == 0 { "user" } else { "assistant" };
        let comma = if turn == 0 { "" } else { "," };
        out.push_str(&format!("{comma}{{\"role\":\"{role}\",\"content\":\"{text}\"}}"));
    }
    out.push_str("]}");
    out.into()
}

/// The rows that have limits. "Added" is over the driver asking the stub itself.
fn rows(samples: &Samples, size: f64) -> Vec<Row> {
    use Peer::{Direct, Nginx, NginxKeeps, Sanctum, SanctumNoLog};
    let get = |cell: &str, measure, peer| samples.median(cell, measure, peer);
    let ratio = |cell: &str, measure, over| Some(get(cell, measure, Sanctum)? / get(cell, measure, over)?);
    let added = |cell: &str, measure, peer| Some(get(cell, measure, peer)? - get(cell, measure, Direct)?);
    let added_ratio =
        |cell: &str, measure| Some(added(cell, measure, Sanctum)? / added(cell, measure, Nginx)?);
    let failed = |case: &str| Some(added(&format!("failover {case}"), "p50 us", Sanctum)? / 1e3);
    let less = |name, unit, value, must, aim| Row { name, unit, value, must, aim, more_is_better: false };
    let more = |name, unit, value, must, aim| Row { name, unit, value, must, aim, more_is_better: true };
    vec![
        less("small c=16: added p50", "x nginx", added_ratio("small c=16", "p50 us"), 2.0, 1.5),
        less("small c=16: p99", "x nginx", ratio("small c=16", "p99 us", Nginx), 2.25, 1.5),
        less("small c=16: CPU a request", "x nginx", ratio("small c=16", "CPU us/request", Nginx), 2.5, 2.0),
        more("small c=64: requests/s", "x nginx", ratio("small c=64", "requests/s", Nginx), 0.5, 0.65),
        less("small c=64: RSS", "MB", get("small c=64", "RSS MB", Sanctum), 48.0, 30.0),
        less(
            "log on, CPU a request c=16",
            "x off",
            ratio("small c=16", "CPU us/request", SanctumNoLog),
            1.25,
            1.1,
        ),
        less(
            "stream c=1: first event added",
            "x nginx",
            added_ratio("stream short c=1", "first event us"),
            3.0,
            2.0,
        ),
        less(
            "stream c=64: transit p50",
            "x nginx",
            ratio("stream paced c=64", "transit p50 us", Nginx),
            1.75,
            1.3,
        ),
        less(
            "stream c=64: CPU an event",
            "x nginx",
            ratio("stream paced c=64", "CPU us/event", Nginx),
            1.5,
            1.2,
        ),
        more(
            "stream c=64, no gap: events/s",
            "x nginx",
            ratio("stream whole c=64", "events/s", Nginx),
            0.6,
            0.75,
        ),
        less("2 MB body p50", "x nginx-keeps", ratio("2 MB body", "p50 us", NginxKeeps), 2.0, 1.4),
        less("150 MB body: RSS peak", "MB", get("150 MB body", "RSS peak MB", Sanctum), 235.0, 181.0),
        less(
            "150 MB body: RSS just after",
            "MB",
            get("150 MB body", "RSS just after MB", Sanctum),
            48.0,
            20.0,
        ),
        less("failover 529: added p50", "ms", failed("529"), 1.0, 0.5),
        less("failover 500: added p50", "ms", failed("500"), 1.0, 0.5),
        less("failover 429: added p50", "ms", failed("429"), 1.0, 0.5),
        less("failover refused: added p50", "ms", failed("refused"), 1.0, 0.5),
        less("failover stall: over the limit of 1 s", "ms", failed("stall").map(|ms| ms - 1000.0), 10.0, 5.0),
        less(
            "1,000 slow streams: RSS a stream",
            "KB",
            get("slow streams 1000", "RSS KB a stream", Sanctum),
            48.0,
            38.0,
        ),
        less(
            "256 slow streams: RSS after",
            "x before",
            get("slow streams 256", "RSS 5 s after / before", Sanctum),
            1.5,
            1.2,
        ),
        less("start to healthy", "ms", get("process", "start ms", Sanctum), 50.0, 20.0),
        less("idle RSS", "MB", get("process", "idle MB", Sanctum), 20.0, 10.0),
        less("binary", "MB", Some(size), 20.0, 12.0),
    ]
}
