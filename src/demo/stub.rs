//! One stub seat: answers Anthropic Messages with a fixed text, or fails every other time.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;

use crate::process::Tasks;

/// Starts a stub on a free loopback port.
pub(super) fn start(name: &'static str, flaky: bool) -> std::io::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name(format!("demo-{name}")).spawn(move || {
        runtime.block_on(async {
            match TcpListener::from_std(listener) {
                Ok(listener) => serve(listener, name, flaky).await,
                Err(error) => tracing::error!(%error, stub = name, "the demo's stub seat could not start"),
            }
        });
    })?;
    Ok(address)
}

async fn serve(listener: TcpListener, name: &'static str, flaky: bool) {
    let tasks = Tasks::new();
    let asked = Arc::new(AtomicU64::new(0));
    while let Ok((stream, _)) = listener.accept().await {
        let asked = Arc::clone(&asked);
        tasks.spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let number = asked.fetch_add(1, Ordering::Relaxed);
                async move { Ok::<_, Infallible>(answer(request, name, flaky && number.is_multiple_of(2)).await) }
            });
            http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
        });
    }
}

async fn answer(request: Request<Incoming>, name: &str, fails: bool) -> Response<Full<Bytes>> {
    let counts = request.uri().path().ends_with("/count_tokens");
    let body = match request.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    if fails {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "the demo's primary seat fails every other time"}});
        return reply(529, "application/json", error.to_string());
    }
    let tokens = u64::try_from(body.len() / 4).unwrap_or(0).max(1);
    if counts {
        return reply(200, "application/json", json!({"input_tokens": tokens}).to_string());
    }
    let text = format!("Hello from the seat {name}. No model was asked: this is the demo.");
    let message = json!({
        "id": "msg_demo", "type": "message", "role": "assistant", "model": format!("demo-{name}-1"),
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": tokens, "output_tokens": 16},
    })
    .to_string();
    if asked.get("stream").and_then(serde_json::Value::as_bool) != Some(true) {
        return reply(200, "application/json", message);
    }
    match crate::wire::anthropic::reframe::reframe(message.as_bytes()) {
        Ok(events) => reply(200, "text/event-stream", events),
        Err(_) => reply(500, "application/json", "{}"),
    }
}

fn reply(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
