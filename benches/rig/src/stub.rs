//! A provider that answers at once, in Anthropic's shape. Only on loopback, on a thread of its own.
//!
//! The model's name sets the pace: `stub-c200-g5` is a stream of 200 events, 5 ms apart. Each event carries
//! the time at which it was written, so that the reader knows how long it was on the way.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::mpsc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::{Sleep, sleep_until};

/// What a stub does with every request.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Answers,
    Refuses(u16),
    Stalls,
}

/// Where the stubs listen.
#[derive(Debug, Clone)]
pub struct Stubs {
    /// Answers.
    pub primary: u16,
    /// Answers too.
    pub spare: u16,
    /// Fails, by the name of its failure.
    pub failing: Vec<(&'static str, u16)>,
}

/// Failures that are measured.
pub const FAILURES: [&str; 5] = ["529", "500", "429", "refused", "stall"];

/// Nanoseconds since the first call.
pub fn now_ns() -> u64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    EPOCH.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Starts the stubs; they end with the process.
pub fn start() -> Stubs {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            // Bound and not listening: a connection is refused, and nobody else takes the port.
            let refusing = TcpSocket::new_v4().expect("a socket");
            refusing.bind(([127, 0, 0, 1], 0).into()).expect("a port");
            let failing = FAILURES.map(|name| {
                let port = match name {
                    "refused" => refusing.local_addr().expect("an address").port(),
                    "stall" => listen(Manner::Stalls),
                    status => listen(Manner::Refuses(status.parse().expect("a status"))),
                };
                (name, port)
            });
            let stubs = Stubs {
                primary: listen(Manner::Answers),
                spare: listen(Manner::Answers),
                failing: failing.to_vec(),
            };
            tell.send(stubs).expect("somebody waits");
            std::future::pending::<()>().await;
        });
    });
    told.recv().expect("the stubs start")
}

fn listen(manner: Manner) -> u16 {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let listener = socket.listen(4096).expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(accept(listener, manner));
    port
}

async fn accept(listener: TcpListener, manner: Manner) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true).ok();
        let service = service_fn(move |request| answer(request, manner));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

type Answer = Response<Either<Full<Bytes>, Events>>;

async fn answer(request: Request<Incoming>, manner: Manner) -> Result<Answer, Infallible> {
    let mut body = request.into_body();
    let mut head = Bytes::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data()
            && head.is_empty()
        {
            head = Bytes::copy_from_slice(data.get(..1024).unwrap_or(&data));
        }
    }
    match manner {
        Manner::Stalls => std::future::pending().await,
        Manner::Refuses(status) => {
            Ok(whole(status, r#"{"type":"error","error":{"type":"api_error","message":"no"}}"#))
        }
        Manner::Answers if find(&head, b"\"stream\":true").is_some() => {
            let mut response = Response::new(Either::Right(Events::of(&head)));
            response.headers_mut().insert("content-type", "text/event-stream".parse().expect("a value"));
            Ok(response)
        }
        Manner::Answers => Ok(whole(200, WHOLE)),
    }
}

const WHOLE: &str = r#"{"id":"msg_stub","type":"message","role":"assistant","model":"stub","content":[{"type":"text","text":"A short and always equal answer."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":24}}"#;

fn whole(status: u16, text: &'static str) -> Answer {
    let mut response = Response::new(Either::Left(Full::from(text)));
    *response.status_mut() = status.try_into().expect("a status");
    response.headers_mut().insert("content-type", "application/json".parse().expect("a value"));
    response
}

/// Where `what` begins in `text`.
pub fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
}

/// A paced stream. Without a gap there still is one write an event, as a provider would have it.
struct Events {
    count: u32,
    sent: u32,
    gap: Duration,
    began: tokio::time::Instant,
    timer: Pin<Box<Sleep>>,
    yielded: bool,
}

impl Events {
    fn of(head: &[u8]) -> Self {
        let name = find(head, b"stub-").map(|at| &head[at..]).unwrap_or_default();
        let name = name.split(|b| *b == b'"').next().unwrap_or_default();
        let number = |letter: u8| {
            let part = name.split(|b| *b == b'-').find(|p| p.first() == Some(&letter) && p.len() > 1)?;
            std::str::from_utf8(&part[1..]).ok()?.parse::<u32>().ok()
        };
        let began = tokio::time::Instant::now();
        Self {
            count: number(b'c').unwrap_or(1),
            sent: 0,
            gap: Duration::from_millis(number(b'g').unwrap_or(0).into()),
            began,
            timer: Box::pin(sleep_until(began)),
            yielded: true,
        }
    }

    fn next(&mut self) -> String {
        let mut out = String::with_capacity(1024);
        if self.sent == 0 {
            out.push_str(concat!(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_stub\",\"type\":\"message\",",
                "\"role\":\"assistant\",\"model\":\"stub\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,",
                "\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            ));
        }
        out.push_str("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"~");
        out.push_str(&format!("{:020}", now_ns()));
        out.push_str("~lorem ipsum dolor \"}}\n\n");
        self.sent += 1;
        if self.sent == self.count {
            out.push_str(concat!(
                "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},",
                "\"usage\":{\"output_tokens\":24}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
            ));
        }
        out
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let me = &mut *self;
        if me.sent >= me.count {
            return Poll::Ready(None);
        }
        if !me.gap.is_zero() && me.sent > 0 {
            ready!(me.timer.as_mut().poll(cx));
        } else if !std::mem::replace(&mut me.yielded, true) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        me.yielded = false;
        let event = me.next();
        let next = me.began + me.gap * me.sent;
        me.timer.as_mut().reset(next);
        Poll::Ready(Some(Ok(Frame::data(event.into()))))
    }
}
