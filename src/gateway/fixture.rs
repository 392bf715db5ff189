//! A gateway's inner state for tests beside the code: built from a configuration text, nothing bound.

use std::collections::VecDeque;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use crate::config;
use crate::gateway::book::{About, Book};
use crate::gateway::live::Live;
use crate::gateway::worker::Shared;
use crate::ledger::Ledger;
use crate::telemetry::metrics::Metrics;
use crate::upstream::request::Credentials;

/// A configuration of one seat with these options, on a route with those.
pub(crate) fn shared(seat: &str, route: &str) -> Arc<Shared> {
    let text = format!(
        "providers: {{p: {{wire: anthropic, base_url: 'http://127.0.0.1:9'}}}}\n\
         seats: {{s: {{provider: p, model: m{seat}}}}}\nroutes: [{{name: r, models: ['*'], chain: [s]{route}}}]\n"
    );
    let loaded = config::load("t.yaml", &text, Path::new("/h"));
    let config = Arc::new(loaded.config.unwrap_or_else(|| panic!("{:?}", loaded.findings)));
    let metrics = Metrics::new();
    let live = Live::build(config, &metrics, None).unwrap();
    Arc::new(Shared {
        live: ArcSwap::from_pointee(live),
        ledger: ArcSwap::from_pointee(Ledger::disabled()),
        metrics,
        epoch: Instant::now(),
        draining: AtomicBool::new(false),
        cut: tokio_util::sync::CancellationToken::new(),
        active: Arc::new(AtomicUsize::new(0)),
        addresses: std::sync::OnceLock::new(),
        reload_note: std::sync::Mutex::default(),
        source: None,
        boot: 0,
        requests: AtomicU64::new(0),
    })
}

/// The book of a streamed request, with an attempt at the only seat begun.
pub(crate) fn book(shared: &Arc<Shared>) -> Book {
    let live = shared.live.load_full();
    let route = Arc::clone(live.routes.first().unwrap());
    let about = About {
        request_id: "req_1".into(),
        requested_model: "any".into(),
        stream: true,
        probe: None,
        client: None,
        caller: Credentials::default(),
        recorded: true,
    };
    let mut book = Book::open(Arc::clone(shared), live, route, about, Instant::now());
    book.begin(0);
    book
}

/// What a scripted upstream does next.
pub(crate) enum Act {
    /// Sends bytes.
    Say(&'static str),
    /// Breaks off.
    Break,
}

/// A body that is fed by the test; it ends when the sender is dropped.
pub(crate) struct Piped {
    acts: UnboundedReceiver<Act>,
    ready: VecDeque<Act>,
}

/// A pipe, as a body that is no client's yet.
pub(crate) fn piped() -> (UnboundedSender<Act>, Piped) {
    let (sender, acts) = unbounded_channel();
    (sender, Piped { acts, ready: VecDeque::new() })
}

/// A pipe: what is sent into the one end is the body at the other.
pub(crate) fn pipe() -> (UnboundedSender<Act>, reqwest::Body) {
    let (sender, body) = piped();
    (sender, reqwest::Body::wrap(body))
}

impl Body for Piped {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        while let Poll::Ready(Some(act)) = self.acts.poll_recv(cx) {
            self.ready.push_back(act);
        }
        match self.ready.pop_front() {
            Some(Act::Say(text)) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(text.as_bytes()))))),
            Some(Act::Break) => Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionReset.into()))),
            None if self.acts.is_closed() && self.acts.is_empty() => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}
