//! An open connection: bytes are sent and read when the test says so.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tokio::time::Instant;

use super::PATIENCE;
use super::call::Reply;

/// A connection of a client.
pub(crate) struct Live {
    conn: TcpStream,
    raw: Vec<u8>,
    opened: Instant,
    is_eof: bool,
    pub(crate) is_head: bool,
}

impl Live {
    /// Opens a connection.
    pub(crate) fn connect(addr: SocketAddr) -> Self {
        let conn = TcpStream::connect(addr).expect("the gateway accepts");
        conn.set_nodelay(true).expect("nodelay");
        conn.set_read_timeout(Some(PATIENCE * 3)).expect("timeout");
        Self { conn, raw: Vec::new(), opened: Instant::now(), is_eof: false, is_head: false }
    }

    /// Sends bytes; a peer that has closed is noticed when reading.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.conn.write_all(bytes).ok();
    }

    /// Sends bytes; whether they went out.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.conn.write_all(bytes).is_ok()
    }

    /// Reads what is there; false at the end.
    fn more(&mut self) -> bool {
        let mut buf = [0; 64 << 10];
        match self.conn.read(&mut buf) {
            Ok(n) if n > 0 => self.raw.extend_from_slice(&buf[..n]),
            Ok(_) => self.is_eof = true,
            Err(e) => {
                assert!(!timed_out(&e), "silence, after {:?}", String::from_utf8(self.raw.clone()));
                self.is_eof = true;
            }
        }
        !self.is_eof
    }

    /// Reads until `text` has come; fails at the end of the connection.
    pub(crate) fn read_until(&mut self, text: &str) {
        while !contains(&self.raw, text.as_bytes()) {
            assert!(self.more(), "the end before {text:?}: {:?}", String::from_utf8(self.raw.clone()));
        }
    }

    /// What has been read so far holds this.
    pub(crate) fn has(&self, text: &str) -> bool {
        contains(&self.raw, text.as_bytes())
    }

    /// Reads for `time`, or to the end; whether anything came.
    pub(crate) fn read_for(&mut self, time: Duration) -> bool {
        let before = self.raw.len();
        let end = Instant::now() + time;
        while !self.is_eof {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.conn.set_read_timeout(Some(left)).expect("timeout");
            let mut buf = [0; 16 << 10];
            match self.conn.read(&mut buf) {
                Ok(0) => self.is_eof = true,
                Ok(n) => self.raw.extend_from_slice(&buf[..n]),
                Err(e) if timed_out(&e) => {}
                Err(_) => self.is_eof = true,
            }
        }
        self.conn.set_read_timeout(Some(PATIENCE * 3)).expect("timeout");
        self.raw.len() > before
    }

    /// Waits until the other side closes; when that was, from the opening.
    pub(crate) fn wait_closed(&mut self) -> Duration {
        while self.more() {}
        self.opened.elapsed()
    }

    /// Closes the connection, whatever is in flight.
    pub(crate) fn hang_up(self) {
        self.conn.shutdown(std::net::Shutdown::Both).ok();
    }

    /// Reads the rest of the reply; the connection is closed after it.
    pub(crate) fn reply(mut self) -> Reply {
        self.next_reply()
    }

    /// Reads one reply and keeps the connection.
    pub(crate) fn next_reply(&mut self) -> Reply {
        loop {
            while find(&self.raw, b"\r\n\r\n").is_none() {
                assert!(self.more(), "no head of a reply: {:?}", String::from_utf8(self.raw.clone()));
            }
            let at = find(&self.raw, b"\r\n\r\n").expect("a head");
            let rest = self.raw.split_off(at + 4);
            let head = String::from_utf8(std::mem::replace(&mut self.raw, rest)).expect("an ASCII head");
            let mut lines = head.lines();
            let status = lines.next().and_then(|l| l.split(' ').nth(1)).and_then(|s| s.parse().ok());
            let status: u16 = status.unwrap_or_else(|| panic!("not HTTP: {head:?}"));
            if status == 100 {
                continue;
            }
            let headers: Vec<(String, String)> = lines
                .filter_map(|l| l.split_once(':'))
                .map(|(n, v)| (n.to_ascii_lowercase(), v.trim().to_owned()))
                .collect();
            let (body, is_cut) = self.body(status, &headers);
            return Reply { status, headers, body, is_cut, elapsed: self.opened.elapsed() };
        }
    }

    fn body(&mut self, status: u16, headers: &[(String, String)]) -> (Vec<u8>, bool) {
        let get = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        if self.is_head || status == 204 || status == 304 {
            return (Vec::new(), false);
        }
        if get("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
            return self.chunks();
        }
        if let Some(n) = get("content-length").and_then(|v| v.parse::<usize>().ok()) {
            while self.raw.len() < n && self.more() {}
            let rest = self.raw.split_off(n.min(self.raw.len()));
            let body = std::mem::replace(&mut self.raw, rest);
            let is_cut = body.len() < n;
            return (body, is_cut);
        }
        while self.more() {}
        (std::mem::take(&mut self.raw), false)
    }

    fn chunks(&mut self) -> (Vec<u8>, bool) {
        let (mut body, mut at) = (Vec::new(), 0);
        loop {
            let Some(end) = self.raw.get(at..).and_then(|r| find(r, b"\r\n")) else {
                if self.more() {
                    continue;
                }
                return (body, true);
            };
            let line = std::str::from_utf8(&self.raw[at..at + end]).expect("a chunk size");
            let size = usize::from_str_radix(line.trim(), 16).expect("a hex chunk size");
            let from = at + end + 2;
            while self.raw.len() < from + size + 2 && self.more() {}
            if self.raw.len() < from + size + 2 {
                body.extend_from_slice(self.raw.get(from..).unwrap_or_default());
                return (body, true);
            }
            body.extend_from_slice(&self.raw[from..from + size]);
            at = from + size + 2;
            if size == 0 {
                self.raw.drain(..at);
                return (body, false);
            }
        }
    }
}

fn timed_out(e: &std::io::Error) -> bool {
    matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

fn contains(all: &[u8], part: &[u8]) -> bool {
    find(all, part).is_some()
}

fn find(all: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(all, part)
}
