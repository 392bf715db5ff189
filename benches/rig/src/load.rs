//! Closed-loop load: each worker has one connection and sends its next request when the last answer is whole.

use std::cell::Cell;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::process::Process;
use crate::stub::now_ns;

/// Longest time for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is sent.
#[derive(Clone)]
pub struct Load {
    pub port: u16,
    /// Besides those that every request has.
    pub header: Option<(&'static str, &'static str)>,
    pub body: Bytes,
    /// Events that a stream must have; `None` where a whole answer is expected.
    pub events: Option<u32>,
    pub workers: usize,
    pub length: Length,
}

/// How long it goes on.
#[derive(Clone, Copy)]
pub enum Length {
    /// Requests in all.
    Requests(u32),
    /// Time, after some that is not counted.
    Time { warm: Duration, counted: Duration },
}

/// What was seen. Times in microseconds.
#[derive(Default)]
pub struct Seen {
    pub ok: u64,
    pub bad: u64,
    pub latency: Vec<f64>,
    pub first_event: Vec<f64>,
    pub transit: Vec<f64>,
    pub events: u64,
    pub seconds: f64,
    /// CPU time of the peer, microseconds.
    pub cpu: f64,
    /// Resident memory of the peer, KiB.
    pub rss_before: f64,
    pub rss_peak: f64,
    pub rss_after: f64,
}

/// Sends the load on a thread of its own and watches the peer meanwhile.
pub fn run(load: &Load, peer: Option<&Process>) -> Seen {
    let rss_before = peer.map_or(0.0, Process::rss_kib);
    let sampler = peer.map(Process::sample);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut seen = LocalSet::new().block_on(&runtime, drive(load, peer));
    seen.rss_before = rss_before;
    if let (Some(peer), Some(sampler)) = (peer, sampler) {
        seen.rss_peak = sampler.peak_kib();
        seen.rss_after = peer.rss_kib();
    }
    seen
}

async fn drive(load: &Load, peer: Option<&Process>) -> Seen {
    let cpu = || peer.map_or(0.0, Process::cpu_us);
    let begin = Instant::now();
    let (counted_from, until, left) = match load.length {
        Length::Requests(n) => (begin, begin + Duration::from_secs(600), n),
        Length::Time { warm, counted } => (begin + warm, begin + warm + counted, u32::MAX),
    };
    let left = Rc::new(Cell::new(left));
    let workers: Vec<_> = (0..load.workers)
        .map(|_| tokio::task::spawn_local(work(load.clone(), Rc::clone(&left), counted_from, until)))
        .collect();
    tokio::time::sleep_until(counted_from.into()).await;
    let (cpu_before, from) = (cpu(), Instant::now());
    let mut all = Seen::default();
    for worker in workers {
        let seen = worker.await.expect("a worker ends");
        all.ok += seen.ok;
        all.bad += seen.bad;
        all.events += seen.events;
        all.latency.extend(seen.latency);
        all.first_event.extend(seen.first_event);
        all.transit.extend(seen.transit);
    }
    all.seconds = from.elapsed().as_secs_f64();
    all.cpu = cpu() - cpu_before;
    all
}

async fn work(load: Load, left: Rc<Cell<u32>>, counted_from: Instant, until: Instant) -> Seen {
    let (mut seen, mut uncounted) = (Seen::default(), Seen::default());
    let mut connection = None;
    while Instant::now() < until && left.get() > 0 {
        left.set(left.get() - 1);
        let began = Instant::now();
        let into = if began >= counted_from { &mut seen } else { &mut uncounted };
        match timeout(PATIENCE, one(&load, &mut connection, began, into)).await {
            Ok(Ok(true)) => {
                into.ok += 1;
                into.latency.push(micros(began.elapsed()));
            }
            _ => {
                into.bad += 1;
                connection = None;
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }
    seen.bad += uncounted.bad;
    seen
}

type Connection = SendRequest<Full<Bytes>>;

/// Sends one request. Whether its answer was whole and right.
async fn one(
    load: &Load,
    connection: &mut Option<Connection>,
    began: Instant,
    seen: &mut Seen,
) -> Result<bool, Box<dyn Error>> {
    let is_open = match connection.as_mut() {
        Some(open) => open.ready().await.is_ok(),
        None => false,
    };
    if !is_open {
        *connection = Some(connect(load.port).await?);
    }
    let Some(open) = connection else { return Ok(false) };
    let mut request = Request::post("/v1/messages")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("anthropic-version", "2023-06-01")
        .header("x-api-key", crate::peers::TOKEN);
    if let Some((name, value)) = load.header {
        request = request.header(name, value);
    }
    let response = open.send_request(request.body(Full::new(load.body.clone()))?).await?;
    let status = response.status();
    let mut body = response.into_body();
    let mut marks = Marks::default();
    let mut text = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if load.events.is_none() {
            text.extend_from_slice(&data);
            continue;
        }
        let now = now_ns();
        let transit = &mut seen.transit;
        if marks.take(&data, |sent| transit.push(now.saturating_sub(sent) as f64 / 1000.0))
            && marks.is_first()
        {
            seen.first_event.push(micros(began.elapsed()));
        }
    }
    seen.events += u64::from(marks.count);
    Ok(status == 200
        && match load.events {
            Some(events) => marks.count == events && marks.ended(),
            None => crate::stub::find(&text, b"\"stop_reason\"").is_some(),
        })
}

async fn connect(port: u16) -> Result<Connection, Box<dyn Error>> {
    let stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::task::spawn_local(connection);
    Ok(sender)
}

/// Finds the times that the stub wrote into its events: `~<20 digits>~`.
#[derive(Default)]
struct Marks {
    carried: Vec<u8>,
    count: u32,
    /// Found in the last frame.
    new: u32,
    tail: Vec<u8>,
}

impl Marks {
    /// Whether there was one in this frame.
    fn take(&mut self, data: &[u8], mut each: impl FnMut(u64)) -> bool {
        const DIGITS: usize = 20;
        self.carried.extend_from_slice(data);
        self.tail.extend_from_slice(&data[data.len().saturating_sub(64)..]);
        self.tail.drain(..self.tail.len().saturating_sub(64));
        let before = self.count;
        let mut at = 0;
        while let Some(found) = self.carried[at..].iter().position(|b| *b == b'~') {
            at += found;
            let Some(mark) = self.carried.get(at + 1..at + 2 + DIGITS) else { break };
            match std::str::from_utf8(&mark[..DIGITS]).ok().and_then(|d| d.parse().ok()) {
                Some(sent) if mark[DIGITS] == b'~' => {
                    self.count += 1;
                    each(sent);
                    at += DIGITS + 2;
                }
                _ => at += 1,
            }
        }
        if self.carried[at..].first() != Some(&b'~') {
            at = self.carried.len();
        }
        self.carried.drain(..at);
        self.new = self.count - before;
        self.new > 0
    }

    /// Whether the last frame was the first that had any.
    fn is_first(&self) -> bool {
        self.count == self.new
    }

    fn ended(&self) -> bool {
        crate::stub::find(&self.tail, b"message_stop").is_some()
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
