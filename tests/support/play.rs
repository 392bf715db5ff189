//! Writes one scripted answer, watching for the caller going away meanwhile.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::Duration;

use tokio::time::Instant;

use super::answer::{Answer, End};
use super::gate::Gate;

/// How a played answer left its connection.
pub(crate) enum Left {
    /// It can take another request.
    Open,
    /// It is to be closed.
    Closed,
    /// The caller went away before the answer was complete.
    Gone,
}

/// A stalled answer ends after this, so that no thread outlives its test for long.
const STALL: Duration = Duration::from_secs(60);

/// Plays `answer` on `conn`.
pub(crate) fn play(conn: &TcpStream, answer: &Answer) -> Left {
    if answer.reset_before_head {
        reset(conn);
        return Left::Closed;
    }
    if pass(conn, answer, usize::MAX) || pause(conn, answer.delay) {
        return Left::Gone;
    }
    let pieces = answer.split.map_or_else(
        || answer.pieces.clone(),
        |n| answer.pieces.concat().chunks(n).map(<[u8]>::to_vec).collect(),
    );
    let mut out = conn;
    if !answer.bare && out.write_all(head(answer, &pieces).as_bytes()).is_err() {
        return Left::Gone;
    }
    for (i, piece) in pieces.iter().enumerate() {
        if pass(conn, answer, i) || (i > 0 && pause(conn, answer.gap)) {
            return Left::Gone;
        }
        if write_piece(conn, piece, answer.chunked && !answer.bare).is_err() {
            return Left::Gone;
        }
    }
    if answer.gates.iter().any(|(at, _)| *at != usize::MAX && *at >= pieces.len()) {
        let late = answer.gates.iter().map(|(at, _)| *at).filter(|at| *at != usize::MAX).max();
        if late.is_some_and(|at| pass(conn, answer, at)) {
            return Left::Gone;
        }
    }
    match answer.end {
        End::Clean if answer.chunked => match out.write_all(b"0\r\n\r\n") {
            Ok(()) => Left::Open,
            Err(_) => Left::Gone,
        },
        End::Clean => Left::Open,
        End::Fin => Left::Closed,
        End::Reset => {
            std::thread::sleep(Duration::from_millis(200)); // what was written is read before the reset overtakes it
            reset(conn);
            Left::Closed
        }
        End::Stall => {
            if pause(conn, STALL) {
                Left::Gone
            } else {
                Left::Closed
            }
        }
    }
}

fn head(answer: &Answer, pieces: &[Vec<u8>]) -> String {
    use std::fmt::Write as _;
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
    for (name, value) in answer.headers.iter().filter(|(_, v)| !v.is_empty()) {
        write!(head, "{name}: {value}\r\n").expect("a string takes it");
    }
    if answer.chunked {
        head.push_str("transfer-encoding: chunked\r\n\r\n");
    } else {
        let bytes: usize = pieces.iter().map(Vec::len).sum();
        write!(head, "content-length: {bytes}\r\n\r\n").expect("a string takes it");
    }
    head
}

fn write_piece(mut out: &TcpStream, piece: &[u8], chunked: bool) -> std::io::Result<()> {
    if !chunked {
        return out.write_all(piece);
    }
    if piece.is_empty() {
        return Ok(());
    }
    let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
    framed.extend_from_slice(piece);
    framed.extend_from_slice(b"\r\n");
    out.write_all(&framed)
}

/// Waits at the gates before piece `at`; true when the caller went away.
fn pass(conn: &TcpStream, answer: &Answer, at: usize) -> bool {
    let gates: Vec<&Gate> = answer.gates.iter().filter(|(i, _)| *i == at).map(|(_, g)| g).collect();
    gates.iter().any(|gate| watch(conn, STALL, |step| gate.wait(step)))
}

/// Waits `time`; true when the caller went away.
fn pause(conn: &TcpStream, time: Duration) -> bool {
    watch(conn, time, |step| {
        std::thread::sleep(step);
        false
    })
}

fn watch(conn: &TcpStream, time: Duration, done: impl Fn(Duration) -> bool) -> bool {
    let end = Instant::now() + time;
    conn.set_nonblocking(true).ok();
    let mut gone = false;
    while !gone {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || done(left.min(Duration::from_millis(10))) {
            break;
        }
        gone = match conn.peek(&mut [0]) {
            Ok(n) => n == 0,
            Err(e) => e.kind() != ErrorKind::WouldBlock,
        };
    }
    conn.set_nonblocking(false).ok();
    gone
}

fn reset(conn: &TcpStream) {
    socket2::SockRef::from(conn).set_linger(Some(Duration::ZERO)).ok();
}
