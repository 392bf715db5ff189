//! A scripted upstream: plays answers in order, the last one again and again, and keeps what it received.

use std::io::BufReader;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::answer::Answer;
use super::play::{Left, play};
use super::reader::{Received, request};
use super::until;

struct Script {
    /// What the path starts with, the method before it: `POST /v1/messages`.
    prefix: String,
    answers: Vec<Answer>,
    played: usize,
}

/// So many requests are kept; a soak sends more.
const KEPT: usize = 20_000;

#[derive(Default)]
struct Shared {
    scripts: Mutex<Vec<Script>>,
    received: Mutex<Vec<Received>>,
    open: AtomicUsize,
    bytes_per_s: Option<usize>,
    connections: Mutex<Vec<TcpStream>>,
}

/// A listener on loopback with a script a path.
pub(crate) struct Upstream {
    addr: SocketAddr,
    shared: Arc<Shared>,
    /// Held, not listening: nobody else gets the port, and nobody answers on it.
    _closed: Option<socket2::Socket>,
}

impl Upstream {
    /// Answers every request with these, in order, the last one repeated.
    pub(crate) fn new(answers: impl Into<Vec<Answer>>) -> Self {
        Self::start(None).on("", answers)
    }

    /// As [`Upstream::new`] with one answer.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::new([answer])
    }

    /// Reads its requests no faster than this.
    pub(crate) fn slow_reader(bytes_per_s: usize, answers: impl Into<Vec<Answer>>) -> Self {
        Self::start(Some(bytes_per_s)).on("", answers)
    }

    /// A port on which connections are refused.
    pub(crate) fn refused() -> Self {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        let addr = socket.local_addr().unwrap().as_socket().unwrap();
        Self { addr, shared: Arc::default(), _closed: Some(socket) }
    }

    fn start(bytes_per_s: Option<usize>) -> Self {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        if bytes_per_s.is_some() {
            socket.set_recv_buffer_size(64 << 10).unwrap();
        }
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        socket.listen(1024).unwrap();
        let listener = TcpListener::from(socket);
        let addr = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { bytes_per_s, ..Shared::default() });
        let mine = Arc::clone(&shared);
        std::thread::spawn(move || {
            while let Ok((conn, _)) = listener.accept() {
                let shared = Arc::clone(&mine);
                std::thread::spawn(move || shared.serve(conn));
            }
        });
        Self { addr, shared, _closed: None }
    }

    /// Requests that start with `prefix` (`"GET /v1/models"`) have a script of their own; a later one wins.
    pub(crate) fn on(self, prefix: &str, answers: impl Into<Vec<Answer>>) -> Self {
        self.shared.scripts.lock().unwrap().push(Script {
            prefix: prefix.into(),
            answers: answers.into(),
            played: 0,
        });
        self
    }

    /// Its base URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Everything received so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.received().clone()
    }

    /// How many requests were received so far.
    pub(crate) fn count(&self) -> usize {
        self.shared.received().len()
    }

    /// The only request that was received.
    pub(crate) fn only(&self) -> Received {
        let all = self.received();
        assert_eq!(all.len(), 1, "requests received");
        all.into_iter().next().expect("one")
    }

    /// Waits until `n` requests were read to their end.
    pub(crate) fn wait_for(&self, n: usize) {
        until(&format!("request {n} at the upstream"), || (self.count() >= n).then_some(()));
    }

    /// Waits until the caller of request `index` was seen to have gone away; when that was.
    pub(crate) fn wait_gone(&self, index: usize) -> Instant {
        until(&format!("the caller of request {index} to go away"), || {
            self.shared.received().get(index).and_then(|r| r.gone)
        })
    }

    /// Connections that are open right now.
    pub(crate) fn open_connections(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }

    /// Closes every connection, as a server does that lets idle ones go.
    pub(crate) fn drop_connections(&self) {
        for conn in self.shared.connections.lock().unwrap().drain(..) {
            conn.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Shared {
    fn received(&self) -> MutexGuard<'_, Vec<Received>> {
        self.received.lock().unwrap()
    }

    fn serve(&self, conn: TcpStream) {
        self.open.fetch_add(1, Ordering::SeqCst);
        conn.set_nodelay(true).ok();
        conn.set_write_timeout(Some(Duration::from_secs(60))).ok();
        if let Ok(copy) = conn.try_clone() {
            self.connections.lock().unwrap().push(copy);
        }
        if let Ok(copy) = conn.try_clone() {
            let mut rd = BufReader::with_capacity(64 << 10, copy);
            while let Ok(Some(got)) = request(&mut rd, self.bytes_per_s) {
                if !self.answer(&conn, got) {
                    break;
                }
            }
        }
        let peer = conn.peer_addr().ok();
        self.connections.lock().unwrap().retain(|c| c.peer_addr().ok() != peer);
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// The next answer of the script that matches.
    fn next(&self, what: &str) -> Answer {
        let mut scripts = self.scripts.lock().unwrap();
        let Some(script) = scripts.iter_mut().rev().find(|s| what.starts_with(&s.prefix)) else {
            return Answer::text(404, "text/plain", "no script for this path");
        };
        let at = script.played.min(script.answers.len() - 1);
        script.played += 1;
        script.answers[at].clone()
    }

    /// Plays the next answer; whether the connection goes on.
    fn answer(&self, conn: &TcpStream, got: Received) -> bool {
        let answer = self.next(&format!("{} {}", got.method, got.path));
        let index = {
            let mut received = self.received();
            received.push(got);
            received.truncate(KEPT);
            received.len() - 1
        };
        match play(conn, &answer) {
            Left::Open => true,
            Left::Closed => false,
            Left::Gone => {
                self.received()[index].gone = Some(Instant::now());
                false
            }
        }
    }
}
