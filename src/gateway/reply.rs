//! What goes back: heads, the gateway's own refusals, and the words of a spent chain.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

use crate::config::OnExhausted;
use crate::gateway::body::ReplyBody;
use crate::gateway::book::Book;
use crate::gateway::end::{Answer, TurnEnd};
use crate::route::Class;
use crate::wire::{Dialect, reply};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-sanctum-request-id");
const ROUTE: HeaderName = HeaderName::from_static("x-sanctum-route");
const CHAIN: HeaderName = HeaderName::from_static("x-sanctum-route-chain");
const DEGRADED: HeaderName = HeaderName::from_static("x-sanctum-degraded");
const SERVED_MODEL: HeaderName = HeaderName::from_static("x-sanctum-served-model");
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Room for the headers that most answers have, so that the map does not grow one by one.
const HEADERS: usize = 12;

/// A refusal by the gateway itself.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) code: Option<&'static str>,
    pub(crate) param: Option<String>,
    pub(crate) message: String,
    /// Whole seconds.
    pub(crate) retry_after: Option<u64>,
    /// Says `x-should-retry: false`.
    pub(crate) is_final: bool,
}

impl Refused {
    /// A refusal that says no more than its status and words.
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, code: None, param: None, message: message.into(), retry_after: None, is_final: false }
    }

    /// The same, and trying again is of no use.
    pub(crate) fn lasting(self) -> Self {
        Self { is_final: true, ..self }
    }

    /// The same, with a word for programs.
    pub(crate) fn coded(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }
}

/// Something of the gateway's own went wrong.
pub(crate) fn internal() -> Refused {
    Refused::new(500, "the gateway itself failed on this request; its log says where")
}

/// Upstream refused the gateway's own credential or configured model, and the route says to fail.
pub(crate) fn rejected(book: &Book, seat: usize, status: Option<u16>) -> Refused {
    let name = book.route.seats.get(seat).map_or("?", |s| &s.name);
    let status = status.map_or_else(String::new, |s| format!(" with {s}"));
    let told = book.trail().told(&book.route);
    Refused::new(
        502,
        format!(
            "seat {name} was refused by its provider{status}: the gateway's own credential or configured model is \
             at fault, not this request (on_seat_rejected: fail). {told}"
        ),
    )
    .lasting()
}

/// The time before commit is over.
pub(crate) fn out_of_time(book: &Book) -> Refused {
    let secs = book.route.route.deadline.as_secs_f64();
    let told = book.trail().told(&book.route);
    Refused::new(504, format!("the deadline of route {} ({secs} s at most) ran out. {told}", book.route.name))
        .lasting()
}

/// The answer of a spent chain.
pub(crate) fn spent(book: &Book) -> Refused {
    let (trail, name) = (book.trail(), &book.route.name);
    let told = trail.told(&book.route);
    let later = |status, text: String| Refused {
        retry_after: Some(trail.soonest(&book.route, book.shared.now_ms())),
        ..Refused::new(status, text)
    };
    if trail.tried().next().is_none() {
        return untried(book, &told, later);
    }
    if trail.tried().all(|s| s.class == Class::RateLimited) {
        return later(429, format!("every seat of route {name} is rate limited. {told}"));
    }
    let text = format!("no seat of route {name} answered. {told}");
    match book.route.route.on_exhausted {
        OnExhausted::Final => Refused::new(502, text).lasting(),
        OnExhausted::Retry => later(529, text),
    }
}

/// Every seat was passed over. What passes by itself comes before what does not.
fn untried(book: &Book, told: &str, later: impl Fn(u16, String) -> Refused) -> Refused {
    let name = &book.route.name;
    let any = |classes: &[Class]| book.trail().stops().iter().any(|s| classes.contains(&s.class));
    if any(&[Class::Busy, Class::CoolingDown]) {
        return later(
            429,
            format!("every seat of route {name} that could serve is taken or resting. {told}"),
        );
    }
    if any(&[Class::Inexpressible, Class::Capability, Class::NativeTools]) {
        let text = format!("no seat of route {name} can serve this request. {told}");
        return Refused::new(501, text).coded("capability_unavailable").lasting();
    }
    if any(&[Class::ProviderNotAllowed]) {
        return Refused::new(403, format!("no seat of route {name} may see this request. {told}")).lasting();
    }
    Refused::new(502, format!("no seat of route {name} could be tried. {told}")).lasting()
}

/// Who is answered, and in which shape.
#[derive(Clone)]
pub(crate) struct Heading {
    pub(crate) dialect: Dialect,
    pub(crate) request_id: Arc<str>,
    pub(crate) route: Option<Arc<str>>,
}

impl Heading {
    fn put(&self, headers: &mut HeaderMap, chain: &str, served_model: Option<&str>) {
        insert(headers, REQUEST_ID, &self.request_id);
        if let Some(route) = &self.route {
            insert(headers, ROUTE, route);
        }
        if !chain.is_empty() {
            insert(headers, CHAIN, chain);
        }
        if let Some(model) = served_model {
            insert(headers, SERVED_MODEL, model);
        }
    }

    /// The gateway's own refusal as an answer.
    pub(crate) fn refuse(&self, refused: &Refused, chain: &str) -> Response<ReplyBody> {
        // Anthropic's shape has no place for a code, and a client must be able to tell this one.
        let kind = refused.code.filter(|_| refused.status == 501 && self.dialect == Dialect::Anthropic);
        let body = reply::error_body(
            self.dialect,
            refused.status,
            kind,
            refused.code,
            refused.param.as_deref(),
            &refused.message,
            &self.request_id,
        );
        let mut response = json(refused.status, body);
        self.put(response.headers_mut(), chain, None);
        if let Some(secs) = refused.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(secs));
        } else if refused.is_final {
            response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        response
    }

    /// The end of a turn as an answer.
    pub(crate) fn answer(&self, end: TurnEnd) -> Response<ReplyBody> {
        let TurnEnd { chain, degraded, answer } = end;
        let mut response = match answer {
            Answer::Stream { headers, served_model, relay } => {
                let mut response = events(ReplyBody::Relay(relay));
                keep(&headers, response.headers_mut());
                self.put(response.headers_mut(), &chain, served_model.as_deref());
                response
            }
            Answer::Whole { status, headers, served_model, body, as_events } => {
                let mut response = if as_events {
                    events(ReplyBody::whole(body))
                } else {
                    let mut response = json(status, body);
                    if let Some(kind) = headers.get(header::CONTENT_TYPE) {
                        response.headers_mut().insert(header::CONTENT_TYPE, kind.clone());
                    }
                    response
                };
                keep(&headers, response.headers_mut());
                self.put(response.headers_mut(), &chain, served_model.as_deref());
                response
            }
            Answer::Refused(refused) => self.refuse(&refused, &chain),
        };
        if !degraded.is_empty() {
            insert(response.headers_mut(), DEGRADED, &degraded);
        }
        response
    }

    /// The head of an answer that is still being decided.
    pub(crate) fn held(&self, body: ReplyBody) -> Response<ReplyBody> {
        let mut response = events(body);
        self.put(response.headers_mut(), "", None);
        response
    }

    /// Any other answer, with the headers that every answer has.
    pub(crate) fn plain(&self, mut response: Response<ReplyBody>) -> Response<ReplyBody> {
        self.put(response.headers_mut(), "", None);
        response
    }
}

/// A JSON answer.
pub(crate) fn json(status: u16, body: impl Into<Bytes>) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::whole(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    response.headers_mut().reserve(HEADERS);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn events(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Copies those of upstream's headers that a client may see.
pub(crate) fn keep(from: &HeaderMap, to: &mut HeaderMap) {
    for (name, value) in from {
        let n = name.as_str();
        let passes = matches!(n, "request-id" | "x-request-id" | "retry-after")
            || ["anthropic-", "x-ratelimit-", "openai-"].iter().any(|p| n.starts_with(p));
        if passes {
            to.append(name.clone(), value.clone());
        }
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
