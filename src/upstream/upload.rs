//! A request body that is sent in small frames and tells when its last one was taken.
//!
//! A large body handed over in one piece would be "sent" at once, and the upload charged to the first
//! byte: a large prompt on a slow link would look like a dead seat.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Largest frame; a body up to this size goes out in one piece.
const FRAME: usize = 64 * 1024;

/// What the kernel may hold of an upload that is "sent": Linux lets a socket's send buffer grow to this.
const IN_THE_KERNEL: u64 = 4 * 1024 * 1024;

/// The body of one attempt.
#[derive(Debug)]
pub struct Upload {
    parts: std::vec::IntoIter<Bytes>,
    current: Bytes,
    total: u64,
    left: u64,
    began: Option<Instant>,
    done: Option<oneshot::Sender<Duration>>,
}

/// Resolves when the last frame of an [`Upload`] was taken to be sent.
#[derive(Debug)]
pub struct Uploaded(oneshot::Receiver<Duration>);

impl Uploaded {
    /// Waits for the end of the upload; never resolves for one that is given up. Gives the time that its
    /// last bytes, which are still in the kernel, may need at the pace of those before them.
    pub async fn wait(self) -> Duration {
        match self.0.await {
            Ok(rest) => rest,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Upload {
    /// A body of these parts, and the signal of its end.
    #[must_use]
    pub fn new(parts: Vec<Bytes>) -> (Self, Uploaded) {
        let total = parts.iter().map(|p| u64::try_from(p.len()).unwrap_or(u64::MAX)).sum();
        let parts = if parts.len() > 1 && total <= FRAME as u64 { vec![one(&parts)] } else { parts };
        let (done, uploaded) = oneshot::channel();
        let mut upload = Self {
            parts: parts.into_iter(),
            current: Bytes::new(),
            total,
            left: total,
            began: None,
            done: Some(done),
        };
        upload.tell_if_done();
        (upload, Uploaded(uploaded))
    }

    fn tell_if_done(&mut self) {
        if self.left > 0 {
            return;
        }
        if let Some(done) = self.done.take() {
            let took = self.began.map_or(Duration::ZERO, |began| began.elapsed());
            done.send(rest(took, self.total)).ok();
        }
    }
}

/// The kernel's share of an upload that took so long. A short one fits the kernel whole and tells nothing.
pub(crate) fn rest(took: Duration, total: u64) -> Duration {
    if total <= IN_THE_KERNEL {
        return Duration::ZERO;
    }
    took.mul_f64(IN_THE_KERNEL as f64 / total as f64)
}

fn one(parts: &[Bytes]) -> Bytes {
    let mut whole = BytesMut::with_capacity(parts.iter().map(Bytes::len).sum());
    for part in parts {
        whole.extend_from_slice(part);
    }
    whole.freeze()
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        while self.current.is_empty() {
            match self.parts.next() {
                Some(part) => self.current = part,
                None => return Poll::Ready(None),
            }
        }
        self.began.get_or_insert_with(Instant::now);
        let len = self.current.len().min(FRAME);
        let piece = self.current.split_to(len);
        self.left = self.left.saturating_sub(u64::try_from(len).unwrap_or(u64::MAX));
        self.tell_if_done();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests;
