//! How long a peer may keep a connection waiting: for the rest of a request head, or for reading an answer.
//!
//! The server library's own head timer also runs while a kept connection is idle, so it cannot be short.
//! This one starts at the first byte of a head and stops when the head is whole; and it sees a peer that
//! has stopped reading, which nothing else would end: while an answer is not asked for its next frame, none
//! of its own clocks runs either.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::{Instant, sleep};

use crate::gateway::body::{Broken, ReplyBody};

/// How long a request head may take from its first byte.
pub(crate) const HEAD: Duration = Duration::from_secs(10);

/// How long a peer may leave an answer where it is.
const UNREAD: Duration = Duration::from_secs(300);

/// How often the clocks are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Streams that one connection may have open at a time (HTTP/2).
pub(crate) const STREAMS: u32 = 256;

/// What an answer's clock says when it is nobody's,
const FREE: u64 = 0;

/// when its answer is being asked for a frame or still made,
const MOVING: u64 = 1;

/// and else when it was last moved on. 0 in the other clocks means that they do not run.
const FIRST: u64 = 2;

/// The clocks of one connection. Times are milliseconds since `opened`, plus [`FIRST`].
#[derive(Debug)]
pub(crate) struct Patience {
    opened: Instant,
    head: AtomicU64,
    /// Since when the socket has not taken all that there is, or the end of the last answer after that.
    unsent: AtomicU64,
    /// One for each answer that may be going on.
    answers: Box<[AtomicU64]>,
    /// A request is being served: what is read now belongs to it.
    busy: AtomicBool,
    is_h2: bool,
    /// Requests being served by all connections.
    active: Arc<AtomicUsize>,
}

impl Patience {
    /// Starts with a head that is awaited from now on. In HTTP/2 only the first one is waited for: later ones come
    /// in frames of their own. `active` counts the requests that are being served.
    pub(crate) fn new(is_h2: bool, active: Arc<AtomicUsize>) -> Arc<Self> {
        let streams = if is_h2 { STREAMS } else { 1 };
        Arc::new(Self {
            opened: Instant::now(),
            head: AtomicU64::new(FIRST),
            unsent: AtomicU64::new(0),
            answers: (0..streams).map(|_| AtomicU64::new(FREE)).collect(),
            busy: AtomicBool::new(false),
            is_h2,
            active,
        })
    }

    /// A whole head arrived. Dropping the guard says that its answer is sent or given up.
    pub(crate) fn serve(self: &Arc<Self>) -> Serving {
        self.head.store(0, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
        self.active.fetch_add(1, Ordering::Relaxed);
        let take =
            |c: &AtomicU64| c.compare_exchange(FREE, MOVING, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        Serving { clock: self.answers.iter().position(take), patience: Arc::clone(self) }
    }

    /// Resolves when the peer has kept us waiting for too long.
    pub(crate) async fn over(&self) {
        loop {
            sleep(LOOK).await;
            if self.is_over() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        let late =
            |since: u64, limit: Duration| since >= FIRST && self.now().saturating_sub(since) >= millis(limit);
        if late(self.head.load(Ordering::Relaxed), HEAD) {
            return true;
        }
        let mut going_on = false;
        for answer in &self.answers {
            let since = answer.load(Ordering::Relaxed);
            if late(since, UNREAD) {
                return true;
            }
            going_on |= since != FREE;
        }
        // An answer that goes on has a clock of its own; what is left of those that ended has this one.
        !going_on && late(self.unsent.load(Ordering::Relaxed), UNREAD)
    }

    fn now(&self) -> u64 {
        millis(self.opened.elapsed()).saturating_add(FIRST)
    }

    fn read(&self) {
        if !self.is_h2 && !self.busy.load(Ordering::Relaxed) && self.head.load(Ordering::Relaxed) == 0 {
            self.head.store(self.now(), Ordering::Relaxed);
        }
    }

    /// The socket takes no more for now.
    fn blocked(&self) {
        if self.unsent.load(Ordering::Relaxed) == 0 {
            self.unsent.store(self.now(), Ordering::Relaxed);
        }
    }

    /// The socket has taken all that there was.
    fn flushed(&self) {
        self.unsent.store(0, Ordering::Relaxed);
    }
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

/// A request is being served until this is dropped.
pub(crate) struct Serving {
    patience: Arc<Patience>,
    /// Which of the clocks is its own; none when there are more answers than streams may be open.
    clock: Option<usize>,
}

impl Serving {
    fn set(&self, time: u64) {
        if let Some(clock) = self.clock.and_then(|at| self.patience.answers.get(at)) {
            clock.store(time, Ordering::Relaxed);
        }
    }

    /// The peer has something to take.
    fn wait(&self) {
        self.set(self.patience.now());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let patience = &self.patience;
        if patience.unsent.load(Ordering::Relaxed) > 0 {
            patience.unsent.store(patience.now(), Ordering::Relaxed);
        }
        self.set(FREE);
        patience.busy.store(false, Ordering::Relaxed);
        patience.active.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer's body that says when it is asked for more, and when it is sent or given up.
pub(crate) struct Answering {
    body: ReplyBody,
    serving: Option<Serving>,
}

impl Answering {
    /// An answer whose head is sent now.
    pub(crate) fn new(body: ReplyBody, serving: Serving) -> Self {
        serving.wait();
        Self { body, serving: Some(serving) }
    }
}

impl Body for Answering {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let this = &mut *self;
        if let Some(serving) = &this.serving {
            serving.set(MOVING);
        }
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        if let Some(serving) = &this.serving {
            serving.wait();
        }
        let is_last = this.body.is_end_stream() && this.serving.as_ref().is_some_and(|s| s.patience.is_h2);
        Poll::Ready(match frame {
            // A stream's window may be shut before it, and the library does not come back after it.
            Some(Ok(frame)) if is_last => Some(Ok(frame.map_data(|bytes| match this.serving.take() {
                Some(serving) => Bytes::from_owner(Last { bytes, _serving: serving }),
                None => bytes,
            }))),
            other => other,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The last bytes of an answer: it is being served until they are written.
struct Last {
    bytes: Bytes,
    _serving: Serving,
}

impl AsRef<[u8]> for Last {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A socket whose reads and writes move the clocks.
pub(crate) struct Watched<T> {
    pub(crate) io: T,
    pub(crate) patience: Arc<Patience>,
}

impl<T: Read + Unpin> Read for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.io).poll_read(cx, buf));
        self.patience.read();
        Poll::Ready(read)
    }
}

impl<T: Write + Unpin> Write for Watched<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.io).poll_write(cx, buf);
        if wrote.is_pending() {
            self.patience.blocked();
        }
        wrote
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Asked for once everything has been written.
        self.patience.flushed();
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        if wrote.is_pending() {
            self.patience.blocked();
        }
        wrote
    }
}

#[cfg(test)]
mod tests;
