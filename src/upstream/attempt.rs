//! One attempt, up to commit: send, keep the clocks, read until there is an answer or a failure.
//!
//! A streamed answer is handed on when there is something for the client, with everything read so far held
//! back in its flow; until then nothing of it has reached anybody.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, header};
use http_body_util::BodyExt;
use reqwest::Body;
use tokio::time::{Instant, sleep_until, timeout};

use crate::route::table::Source;
use crate::upstream::failed::Failed;
use crate::upstream::judge::{broken_judge, judge};
use crate::upstream::prepare::Outgoing;
use crate::upstream::upload::{Upload, Uploaded};
use crate::wire::anthropic::answer::Answer;
use crate::wire::{AnswerOptions, Dialect, Flow, Wire};

/// Largest whole answer that is kept, in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// An answer above this size, in bytes, is judged off the core's own thread.
const LARGE: usize = 256 * 1024;

/// How long the body of an error may take once its head is there.
const ERROR_BODY_TIME: Duration = Duration::from_secs(2);

/// Most of an error's body that is kept and relayed, in bytes.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// Most that a stream may say before its first sign of generation, in bytes.
const MAX_PRELUDE_BYTES: usize = 4 * 1024 * 1024;

/// What kind of answer is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// A stream of a message.
    Stream,
    /// A whole message.
    Message,
    /// A count of tokens.
    Count,
    /// A list of embeddings or pictures.
    Data,
}

/// The clocks of one attempt.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// When the request's time before commit is over.
    pub deadline: Instant,
    /// From the end of the upload: to the first sign of generation, or to the whole answer.
    pub after_upload: Duration,
}

/// What came back.
#[derive(Debug)]
pub enum Arrival {
    /// A whole answer, judged to be one.
    Whole(Box<Whole>),
    /// A stream that has begun to generate.
    Stream(Box<Stream>),
}

impl Arrival {
    /// Upstream's headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        match self {
            Self::Whole(whole) => &whole.headers,
            Self::Stream(stream) => &stream.headers,
        }
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Whole {
    /// Upstream's status.
    pub status: u16,
    /// Upstream's headers.
    pub headers: HeaderMap,
    /// What goes to the client: the very bytes, or the same told as events.
    pub body: Bytes,
    /// Whether `body` is an event stream.
    pub as_events: bool,
    /// What the answer says of itself.
    pub answer: Answer,
}

/// A stream at its first sign of generation.
#[derive(Debug)]
pub struct Stream {
    /// Upstream's status.
    pub status: u16,
    /// Upstream's headers.
    pub headers: HeaderMap,
    /// What was seen, and what is ready to be sent on.
    pub flow: Flow,
    /// The rest of the answer.
    pub body: Body,
}

/// Makes one attempt.
///
/// # Errors
/// Every way in which an attempt can fail before commit, described for the table.
pub async fn attempt(
    client: &reqwest::Client,
    outgoing: Outgoing,
    want: Want,
    sides: Sides,
    clocks: Clocks,
) -> Result<Arrival, Box<Failed>> {
    let (upload, uploaded) = Upload::new(outgoing.body);
    let mut request = reqwest::Request::new(Method::POST, outgoing.url);
    *request.headers_mut() = outgoing.headers;
    *request.body_mut() = Some(Body::wrap(upload));
    let progress = Progress::default();
    let asked = Asked { want, sides, retell: outgoing.retell, progress: &progress };
    tokio::select! {
        biased;
        result = exchange(client, request, asked) => result,
        source = clock(clocks, uploaded, &progress) => Err(Failed::clock(source, progress.status())),
    }
}

/// How far an exchange has come, for whoever ends it from outside.
#[derive(Default)]
struct Progress {
    /// The first sign of generation was seen, be it one that the client does not see.
    began: AtomicBool,
    /// Upstream's status; 0 = none yet.
    status: AtomicU16,
}

/// Who speaks what.
#[derive(Debug, Clone, Copy)]
pub struct Sides {
    /// The seat's wire.
    pub seat: Wire,
    /// The client's shape.
    pub client: Dialect,
}

impl Progress {
    fn status(&self) -> Option<u16> {
        Some(self.status.load(Ordering::Relaxed)).filter(|s| *s > 0)
    }
}

/// What an exchange needs to know beside the request itself.
struct Asked<'a> {
    want: Want,
    sides: Sides,
    retell: Option<AnswerOptions>,
    progress: &'a Progress,
}

/// Runs out at the first limit that is reached, and says which.
async fn clock(clocks: Clocks, uploaded: Uploaded, progress: &Progress) -> Source {
    let rest = tokio::select! {
        rest = uploaded.wait() => rest,
        () = sleep_until(clocks.deadline) => return Source::Deadline,
    };
    let budget = clocks.after_upload.saturating_add(rest);
    let own = Instant::now().checked_add(budget).unwrap_or(clocks.deadline);
    sleep_until(own.min(clocks.deadline)).await;
    if clocks.deadline <= own {
        return Source::Deadline;
    }
    if !progress.began.load(Ordering::Relaxed) {
        return Source::FirstByte;
    }
    sleep_until(clocks.deadline).await;
    Source::Deadline
}

async fn exchange(
    client: &reqwest::Client,
    request: reqwest::Request,
    asked: Asked<'_>,
) -> Result<Arrival, Box<Failed>> {
    let response = client.execute(request).await.map_err(|e| Failed::transport(&e, Source::Transport))?;
    let (parts, mut body) = http::Response::<Body>::from(response).into_parts();
    let headers = parts.headers;
    let status = parts.status.as_u16();
    asked.progress.status.store(status, Ordering::Relaxed);
    let encoded = headers.get_all(header::CONTENT_ENCODING).iter().any(|v| v != "identity");
    if !parts.status.is_success() {
        if encoded {
            // Words that nobody can read are not waited for.
            let text = Bytes::from_static(b"upstream's words are compressed, though identity was asked for");
            return Err(Failed::status(status, headers, text, false));
        }
        // The head says what happened; a body that does not come does not turn it into a timeout.
        let mut raw = BytesMut::new();
        let read = timeout(ERROR_BODY_TIME, read_up_to(&mut body, &mut raw, MAX_ERROR_BYTES)).await;
        // Another wire's error is told in the client's words.
        let is_whole = read.unwrap_or(false) && asked.retell.is_none();
        return Err(Failed::status(status, headers, raw.freeze(), is_whole));
    }
    if encoded {
        let text = "the answer is compressed, though identity was asked for";
        return Err(Failed::in_band(status, headers, None, text));
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/event-stream" if asked.want == Want::Stream => begin(status, headers, body, asked).await,
        "application/json" => whole(status, headers, body, asked).await,
        "" => Err(Failed::in_band(status, headers, None, "the answer has no content type")),
        other => {
            let text = format!("the answer is of type {}, not {}", bounded(other, 80), expected(asked.want));
            Err(Failed::in_band(status, headers, None, &text))
        }
    }
}

const fn expected(want: Want) -> &'static str {
    match want {
        Want::Stream => "an event stream",
        Want::Message | Want::Count | Want::Data => "JSON",
    }
}

/// Reads a stream until there is something for the client.
async fn begin(
    status: u16,
    headers: HeaderMap,
    mut body: Body,
    asked: Asked<'_>,
) -> Result<Arrival, Box<Failed>> {
    let mut flow = Flow::new(asked.sides.seat, asked.sides.client, asked.retell.as_ref());
    let mut read = 0usize;
    loop {
        let ended = match body.frame().await {
            None => {
                flow.end();
                Some(Failed::ended(status, &flow, "the stream ended before any content"))
            }
            Some(Err(e)) => {
                let failed = *Failed::transport(&e, Source::Ended);
                Some(Failed { served_model: model_of(&flow), status: Some(status), ..failed })
            }
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                read = read.saturating_add(data.len());
                let oversized = flow.push(data).is_err();
                let too_much = oversized || (read > MAX_PRELUDE_BYTES && !flow.began());
                let text = "the stream says too much before any content";
                too_much.then(|| *Failed::in_band(status, HeaderMap::new(), None, text))
            }
        };
        if flow.began() {
            asked.progress.began.store(true, Ordering::Relaxed);
        }
        // Whatever came with the content, an error included, is told in the stream.
        if flow.commits() {
            return Ok(Arrival::Stream(Box::new(Stream { status, headers, flow, body })));
        }
        if let Some(error) = flow.error() {
            let mut failed = Failed::stream_error(status, headers, error.body.clone());
            failed.served_model = model_of(&flow);
            return Err(Box::new(failed));
        }
        if let Some(mut failed) = ended {
            failed.headers = headers;
            return Err(Box::new(failed));
        }
    }
}

fn model_of(flow: &Flow) -> Option<String> {
    flow.served_model().map(str::to_owned)
}

/// Reads a whole answer and judges it.
async fn whole(
    status: u16,
    headers: HeaderMap,
    mut body: Body,
    asked: Asked<'_>,
) -> Result<Arrival, Box<Failed>> {
    let Asked { want, sides, retell, .. } = asked;
    let raw = match read_whole(&mut body, MAX_ANSWER_BYTES).await {
        Ok(raw) => raw,
        Err(ReadError::TooLarge) => {
            return Err(Failed::in_band(status, headers, None, "the answer is larger than 64 MiB"));
        }
        Err(ReadError::Broken(e)) => {
            let failed = *Failed::transport(&e, Source::Transport);
            return Err(Box::new(Failed { headers, status: Some(status), ..failed }));
        }
    };
    // A core is not kept from its other requests by one large answer.
    let judged = if raw.len() > LARGE {
        let raw = raw.clone();
        tokio::task::spawn_blocking(move || judge(raw, want, sides, retell.as_ref()))
            .await
            .unwrap_or_else(|_| Err(broken_judge()))
    } else {
        judge(raw, want, sides, retell.as_ref())
    };
    match judged {
        Ok((body, as_events, answer)) => {
            Ok(Arrival::Whole(Box::new(Whole { status, headers, body, as_events, answer })))
        }
        Err(no) => Err(Failed::in_band(status, headers, no.1, &no.0)),
    }
}

enum ReadError {
    TooLarge,
    Broken(reqwest::Error),
}

async fn read_whole(body: &mut Body, most: usize) -> Result<Bytes, ReadError> {
    let mut first = Bytes::new();
    let mut rest: Option<BytesMut> = None;
    let mut size = 0usize;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(ReadError::Broken)?.into_data() else { continue };
        size = size.saturating_add(data.len());
        if size > most {
            return Err(ReadError::TooLarge);
        }
        match &mut rest {
            Some(rest) => rest.extend_from_slice(&data),
            None if first.is_empty() => first = data,
            None => {
                let mut both = BytesMut::with_capacity(size.saturating_mul(2));
                both.extend_from_slice(&first);
                both.extend_from_slice(&data);
                rest = Some(both);
            }
        }
    }
    Ok(rest.map_or(first, BytesMut::freeze))
}

/// Reads the first `most` bytes of an error's body; whether that is all of it.
async fn read_up_to(body: &mut Body, kept: &mut BytesMut, most: usize) -> bool {
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        let Ok(data) = frame.into_data() else { continue };
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(data.get(..room.min(data.len())).unwrap_or_default());
        if data.len() > room {
            return false;
        }
    }
    true
}

fn bounded(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}
