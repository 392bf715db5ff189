//! One connection: HTTP/1.1 or h2c by its first bytes, timeouts, and an end that lets requests finish.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::Response;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::gateway::body::ReplyBody;
use crate::gateway::handler;
use crate::gateway::patience::{Answering, Patience, STREAMS, Watched};
use crate::gateway::reply::{self, Heading};
use crate::gateway::trust::Link;
use crate::gateway::worker::Worker;
use crate::wire::Dialect;

/// How long a new connection may say nothing, or less than tells its protocol.
const FIRST_BYTES: Duration = Duration::from_secs(10);

/// How long it may say nothing once the gateway is to end: a socket that has just come is not known to be readable
/// before the reactor was asked.
const LAST_LOOK: Duration = Duration::from_millis(100);

/// How long a kept connection may be idle.
const IDLE: Duration = Duration::from_secs(75);

/// Serves a connection until its end, or until `stop` and the end of what it is doing.
pub(crate) async fn serve(stream: TcpStream, worker: Arc<Worker>, stop: CancellationToken) {
    // Without it chunks of a stream wait for the peer's acknowledgement of the one before.
    stream.set_nodelay(true).ok();
    let (Ok(peer), Ok(local)) = (stream.peer_addr(), stream.local_addr()) else { return };
    let link = Link { peer: peer.ip(), local: local.ip() };
    let Some(is_h2) = protocol(&stream, &stop).await else { return };
    let patience = Patience::new(is_h2, Arc::clone(&worker.shared.active));
    let clocks = Arc::clone(&patience);
    let service = service_fn(move |request| {
        let (worker, serving) = (Arc::clone(&worker), clocks.serve());
        async move {
            let heading = handler::heading(&request, &worker.shared);
            let asked = (heading.dialect, Arc::clone(&heading.request_id));
            // Boxed: the server keeps the room of this future as long as the connection, streams included.
            let answer = guarded(asked, Box::pin(handler::handle(worker, link, heading, request))).await;
            Ok::<_, Infallible>(answer.map(|body| Answering::new(body, serving)))
        }
    });
    let io = Watched { io: TokioIo::new(stream), patience: Arc::clone(&patience) };
    if is_h2 {
        // Boxed: it is twice as large as the other one, and every connection's task has room for either.
        let mut conn = Box::pin(
            http2::Builder::new(TokioExecutor::new())
                .timer(TokioTimer::new())
                .keep_alive_interval(Some(Duration::from_secs(30)))
                .max_concurrent_streams(STREAMS)
                .serve_connection(io, service),
        );
        tokio::select! {
            // The connection first: one that never ran would be closed with a request in its socket.
            biased;
            _ = conn.as_mut() => return,
            () = patience.over() => return,
            () = stop.cancelled() => conn.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            _ = conn => {}
            () = patience.over() => {}
        }
    } else {
        // Pinned where it is made: a name in between would have room of its own.
        let mut conn = std::pin::pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(IDLE)
                .serve_connection(io, service)
        );
        tokio::select! {
            // The connection first: one that never ran would be closed with a request in its socket.
            biased;
            _ = conn.as_mut() => return,
            () = patience.over() => return,
            () = stop.cancelled() => conn.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            _ = conn => {}
            () = patience.over() => {}
        }
    }
}

/// A request that panics costs that request alone; the panic hook has logged where.
async fn guarded(
    (dialect, request_id): (Dialect, Arc<str>),
    request: impl Future<Output = Response<ReplyBody>>,
) -> Response<ReplyBody> {
    AssertUnwindSafe(request).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(%request_id, "this request ended in a panic");
        Heading { dialect, request_id, route: None }.refuse(&reply::internal(), "")
    })
}

/// Whether the connection speaks HTTP/2 with prior knowledge; `None` when it says nothing in time.
async fn protocol(stream: &TcpStream, stop: &CancellationToken) -> Option<bool> {
    const PREFACE: &[u8] = b"PRI";
    let until = Instant::now() + FIRST_BYTES;
    let mut seen = [0u8; PREFACE.len()];
    let mut stopped = std::pin::pin!(async {
        stop.cancelled().await;
        sleep(LAST_LOOK).await;
    });
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let peek = timeout(left, stream.peek(&mut seen));
        let got = tokio::select! {
            // What is there already is served.
            biased;
            got = peek => got.ok()?.ok()?,
            () = stopped.as_mut() => return None,
        };
        let first = seen.get(..got).unwrap_or_default();
        match first {
            [] => return None,
            _ if first == PREFACE => return Some(true),
            _ if !PREFACE.starts_with(first) => return Some(false),
            // `P` or `PR`: a POST, a PUT or the preface, in pieces. What is there already wakes at once, so wait.
            _ => sleep(Duration::from_millis(5)).await,
        }
        if Instant::now() >= until {
            return None;
        }
    }
}

#[cfg(test)]
mod tests;
