//! Reads one HTTP/1.1 request off a socket, at a chosen speed, without keeping what is too big to keep.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// So much of a body is kept; the rest is counted.
const KEPT: usize = 8 << 20;

/// What an upstream received.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    pub(crate) path: String,
    /// In order, names as they came.
    pub(crate) headers: Vec<(String, String)>,
    /// The first [`KEPT`] bytes.
    pub(crate) body: Vec<u8>,
    /// All of them, counted.
    pub(crate) bytes: u64,
    /// When the request had been read to its end.
    pub(crate) at: Instant,
    /// When the caller was seen to have gone away.
    pub(crate) gone: Option<Instant>,
}

impl Received {
    /// The value of a header; the first one, if it came twice.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a UTF-8 body")
    }
}

/// Reads a request; `None` at the end of the connection.
pub(crate) fn request(
    rd: &mut BufReader<TcpStream>,
    bytes_per_s: Option<usize>,
) -> std::io::Result<Option<Received>> {
    let Some(first) = line(rd)?.filter(|l| !l.is_empty()) else { return Ok(None) };
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut got = Received {
        method: method.into(),
        path: path.into(),
        headers: Vec::new(),
        body: Vec::new(),
        bytes: 0,
        at: Instant::now(),
        gone: None,
    };
    while let Some(l) = line(rd)?.filter(|l| !l.is_empty()) {
        let (name, value) = l.split_once(':').unwrap_or((&l, ""));
        got.headers.push((name.into(), value.trim().into()));
    }
    if got.header("expect").is_some() {
        rd.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if got.header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked")) {
        loop {
            let size = line(rd)?.ok_or(ErrorKind::UnexpectedEof)?;
            let n = u64::from_str_radix(size.trim(), 16).map_err(|_| ErrorKind::InvalidData)?;
            take(rd, n, bytes_per_s, &mut got)?;
            line(rd)?;
            if n == 0 {
                break;
            }
        }
    } else if let Some(n) = got.header("content-length").and_then(|v| v.parse().ok()) {
        take(rd, n, bytes_per_s, &mut got)?;
    }
    got.at = Instant::now();
    Ok(Some(got))
}

fn line(rd: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut text = String::new();
    if rd.read_line(&mut text)? == 0 {
        return Ok(None);
    }
    Ok(Some(text.trim_end_matches(['\r', '\n']).into()))
}

fn take(
    rd: &mut impl Read,
    mut left: u64,
    bytes_per_s: Option<usize>,
    got: &mut Received,
) -> std::io::Result<()> {
    let mut buf = vec![0; bytes_per_s.map_or(64 << 10, |n| (n / 20).max(1))];
    while left > 0 {
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = rd.read(&mut buf[..most])?;
        if n == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let room = KEPT.saturating_sub(got.body.len()).min(n);
        got.body.extend_from_slice(&buf[..room]);
        got.bytes += n as u64;
        left -= n as u64;
        if let Some(speed) = bytes_per_s {
            std::thread::sleep(Duration::from_secs_f64(n as f64 / speed as f64));
        }
    }
    Ok(())
}
