//! What a scripted upstream answers: a head, pieces, and how it ends.

use std::time::Duration;

use serde_json::Value;

use super::gate::Gate;

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As HTTP says it should.
    Clean,
    /// The connection closes without the terminating chunk.
    Fin,
    /// The connection is reset after the last piece.
    Reset,
    /// Nothing more comes, and the connection stays.
    Stall,
}

/// One scripted answer. Built by chaining.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) chunked: bool,
    pub(crate) bare: bool,
    pub(crate) reset_before_head: bool,
    pub(crate) delay: Duration,
    pub(crate) gap: Duration,
    pub(crate) split: Option<usize>,
    pub(crate) gates: Vec<(usize, Gate)>,
    pub(crate) end: End,
}

impl Answer {
    fn whole(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), content_type.into())],
            pieces: vec![body],
            chunked: false,
            bare: false,
            reset_before_head: false,
            delay: Duration::ZERO,
            gap: Duration::ZERO,
            split: None,
            gates: Vec::new(),
            end: End::Clean,
        }
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    /// A body as it stands.
    pub(crate) fn text(status: u16, content_type: &str, body: &str) -> Self {
        Self::whole(status, content_type, body.as_bytes().to_vec())
    }

    /// A stream: one write an event.
    pub(crate) fn stream<S: AsRef<str>>(events: &[S]) -> Self {
        let mut answer = Self::whole(200, "text/event-stream", Vec::new());
        answer.pieces = events.iter().map(|e| e.as_ref().as_bytes().to_vec()).collect();
        answer.chunked = true;
        answer
    }

    /// These bytes instead of an HTTP answer, then the end of the connection.
    pub(crate) fn raw(bytes: &[u8]) -> Self {
        let mut answer = Self::whole(200, "", bytes.to_vec());
        answer.bare = true;
        answer.end = End::Fin;
        answer
    }

    /// The connection is reset when the request has been read.
    pub(crate) fn reset() -> Self {
        let mut answer = Self::whole(200, "", Vec::new());
        answer.reset_before_head = true;
        answer
    }

    /// Sets a header; one of the same name is replaced.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Waits before the head.
    pub(crate) fn delay_ms(mut self, ms: u64) -> Self {
        self.delay = Duration::from_millis(ms);
        self
    }

    /// Waits between pieces.
    pub(crate) fn gap_ms(mut self, ms: u64) -> Self {
        self.gap = Duration::from_millis(ms);
        self
    }

    /// Cuts the body into writes of `bytes`.
    pub(crate) fn split(mut self, bytes: usize) -> Self {
        self.split = Some(bytes);
        self
    }

    /// Waits at `gate` before the head.
    pub(crate) fn held(mut self, gate: &Gate) -> Self {
        self.gates.push((usize::MAX, gate.clone()));
        self
    }

    /// Waits at `gate` before piece `index`; an index past the last one waits before the end.
    pub(crate) fn held_at(mut self, index: usize, gate: &Gate) -> Self {
        self.gates.push((index, gate.clone()));
        self
    }

    /// How it ends; anything but [`End::Clean`] is sent in chunks.
    pub(crate) fn end(mut self, end: End) -> Self {
        self.end = end;
        self.chunked |= end != End::Clean;
        self
    }
}
