//! How long a peer may keep a connection waiting: for the rest of a request head, or for reading an answer.
//!
//! The server library's own head timer also runs while a kept connection is idle, so it cannot be short.
//! This one starts at the first byte of a head and stops when the head is whole; and it sees a peer that
//! has stopped reading, which nothing else would end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::{Instant, sleep};

use crate::gateway::body::{Broken, ReplyBody};

/// How long a request head may take from its first byte.
pub(crate) const HEAD: Duration = Duration::from_secs(10);

/// How long a peer may refuse to take bytes of an answer.
const UNREAD: Duration = Duration::from_secs(300);

/// How often the clocks are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The clocks of one connection. Times are milliseconds since `opened`, plus one; 0 = not running.
#[derive(Debug)]
pub(crate) struct Patience {
    opened: Instant,
    head: AtomicU64,
    unread: AtomicU64,
    /// A request is being served: what is read now belongs to it.
    busy: AtomicBool,
    /// Only the first head is waited for: later ones come in frames of their own (HTTP/2).
    once: bool,
}

impl Patience {
    /// Starts with a head that is awaited from now on.
    pub(crate) fn new(once: bool) -> Arc<Self> {
        let (head, unread) = (AtomicU64::new(1), AtomicU64::new(0));
        Arc::new(Self { opened: Instant::now(), head, unread, busy: AtomicBool::new(false), once })
    }

    /// A whole head arrived. Dropping the guard says that its answer is sent.
    pub(crate) fn serve(self: &Arc<Self>) -> Serving {
        self.head.store(0, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
        Serving(Arc::clone(self))
    }

    /// Resolves when the peer has kept us waiting for too long.
    pub(crate) async fn over(&self) {
        loop {
            sleep(LOOK).await;
            let late = |since: &AtomicU64, limit: Duration| {
                let since = since.load(Ordering::Relaxed);
                since > 0 && self.now().saturating_sub(since) >= millis(limit)
            };
            if late(&self.head, HEAD) || late(&self.unread, UNREAD) {
                return;
            }
        }
    }

    fn now(&self) -> u64 {
        millis(self.opened.elapsed()).saturating_add(1)
    }

    fn read(&self) {
        if !self.once && !self.busy.load(Ordering::Relaxed) && self.head.load(Ordering::Relaxed) == 0 {
            self.head.store(self.now(), Ordering::Relaxed);
        }
    }

    fn wrote(&self, blocked: bool) {
        if !blocked {
            self.unread.store(0, Ordering::Relaxed);
        } else if self.unread.load(Ordering::Relaxed) == 0 {
            self.unread.store(self.now(), Ordering::Relaxed);
        }
    }
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

/// A request is being served until this is dropped.
pub(crate) struct Serving(Arc<Patience>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Relaxed);
    }
}

/// An answer's body that says when it is sent or given up.
pub(crate) struct Answering {
    pub(crate) body: ReplyBody,
    pub(crate) _serving: Serving,
}

impl Body for Answering {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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
        self.patience.wrote(wrote.is_pending());
        wrote
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
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
        self.patience.wrote(wrote.is_pending());
        wrote
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_an_idle_connection_does_not_run_out_of_it() {
        let began = Instant::now();
        let p = Patience::new(false);
        p.over().await;
        assert_eq!(began.elapsed().as_secs(), HEAD.as_secs());

        let p = Patience::new(false);
        let serving = p.serve();
        p.read(); // its body
        let idle = tokio::time::timeout(Duration::from_secs(60), p.over()).await;
        assert!(idle.is_err(), "a request that is being served is not a head");
        drop(serving);
        assert!(tokio::time::timeout(Duration::from_secs(60), p.over()).await.is_err(), "idle is allowed");
        p.read();
        p.read();
        let began = Instant::now();
        p.over().await;
        assert_eq!(began.elapsed().as_secs(), HEAD.as_secs(), "the next head has its own time");
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_stops_reading_is_given_up_in_the_end() {
        let p = Patience::new(true);
        let _serving = p.serve();
        p.wrote(true);
        p.wrote(false);
        assert!(tokio::time::timeout(UNREAD * 2, p.over()).await.is_err());
        p.wrote(true);
        let began = Instant::now();
        p.over().await;
        assert_eq!(began.elapsed().as_secs(), UNREAD.as_secs());
    }
}
