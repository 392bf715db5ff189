//! One request at the door: where it goes, whether it may, and who answers.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header, request::Parts};
use hyper::body::Incoming;
use tokio::time::{Instant, sleep};

use crate::gateway::body::ReplyBody;
use crate::gateway::book::{About, Book};
use crate::gateway::hold::{Held, Turn};
use crate::gateway::live::{Live, LiveRoute};
use crate::gateway::reply::{Heading, Refused};
use crate::gateway::trust::{Caller, Link, Refusal};
use crate::gateway::worker::{Shared, Worker};
use crate::gateway::{admin, intake, models, side, turn};
use crate::ledger;
use crate::route::plan::Skip;
use crate::upstream::request::{self, Request};
use crate::wire::{Dialect, Endpoint};

const SKIP: HeaderName = HeaderName::from_static("x-sanctum-skip");
const PROBE: HeaderName = HeaderName::from_static("x-sanctum-probe");
const ROUTE: HeaderName = HeaderName::from_static("x-sanctum-route");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const STAINLESS_TIMEOUT: HeaderName = HeaderName::from_static("x-stainless-timeout");

/// Headers that only a trusted caller may send.
static OPERATOR: [HeaderName; 3] = [SKIP, PROBE, ROUTE];

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A generating endpoint, or `count_tokens`.
    Generate(Endpoint),
    /// Paths of Anthropic's that pass through to a native seat.
    Side,
    /// The list of models, or one of them.
    Models(Option<String>),
    /// What the gateway says of itself.
    Admin(admin::Page),
    /// A websocket where there is none.
    Upgrade,
    /// A known path asked with another method; the one it takes.
    Method(&'static str),
    /// Nothing here.
    Nowhere,
}

/// Finds where a request goes. Pure.
pub(crate) fn locate(method: &Method, path: &str, upgrade: bool) -> Place {
    const POSTS: [Endpoint; 6] = [
        Endpoint::Messages,
        Endpoint::CountTokens,
        Endpoint::ChatCompletions,
        Endpoint::Responses,
        Endpoint::Embeddings,
        Endpoint::Images,
    ];
    let reads = matches!(*method, Method::GET | Method::HEAD);
    if let Some(endpoint) = POSTS.into_iter().find(|e| e.path() == path) {
        return match endpoint {
            Endpoint::Responses if upgrade => Place::Upgrade,
            _ if method == Method::POST => Place::Generate(endpoint),
            _ => Place::Method("POST"),
        };
    }
    if let Some(page) = admin::Page::at(path) {
        return if reads { Place::Admin(page) } else { Place::Method("GET, HEAD") };
    }
    if path == "/v1/models" {
        return if reads { Place::Models(None) } else { Place::Method("GET, HEAD") };
    }
    if let Some(id) = path.strip_prefix("/v1/models/").filter(|id| !id.is_empty()) {
        return if reads { Place::Models(Some(id.to_owned())) } else { Place::Method("GET, HEAD") };
    }
    let below =
        |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if ["/v1/messages/batches", "/v1/files", "/v1/skills"].into_iter().any(below) {
        return Place::Side;
    }
    Place::Nowhere
}

/// Who is answered, and in which shape, as far as a request's head tells.
pub(crate) fn heading<B>(request: &http::Request<B>, shared: &Shared) -> Heading {
    let headers = request.headers();
    Heading {
        dialect: dialect(request.uri().path(), headers),
        request_id: request_id(headers).unwrap_or_else(|| shared.next_id()),
        route: None,
    }
}

/// Answers one request.
pub(crate) async fn handle(
    worker: Arc<Worker>,
    link: Link,
    heading: Heading,
    request: http::Request<Incoming>,
) -> Response<ReplyBody> {
    let arrived = Instant::now();
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let upgrade = parts.headers.contains_key(header::UPGRADE);
    let place = locate(&parts.method, path, upgrade);
    let live = worker.shared.live.load_full();
    let open = matches!(&place, Place::Admin(page) if page.is_open());
    let authority = parts.uri.authority().map(http::uri::Authority::as_str);
    let operator = OPERATOR.iter().any(|h| parts.headers.contains_key(h));
    let judged = match live.gate.judge(&parts.headers, authority, link, open) {
        Ok(caller) if operator && !caller.trusted => Err(Refusal::Operator),
        Err(Refusal::Token) if operator => Err(Refusal::Operator),
        judged => judged,
    };
    let caller = match judged {
        Ok(caller) => caller,
        Err(refusal) => {
            let (status, word, text) = refusal.told();
            worker.shared.metrics.door_refusal(word);
            return heading.refuse(&Refused::new(status, text), "");
        }
    };
    if OPERATOR.iter().any(|h| headers_of(&parts, h).any(|v| v.to_str().is_err())) {
        let text = "an x-sanctum-* request header is not printable ASCII; it would have been ignored";
        return heading.refuse(&Refused::new(400, text), "");
    }
    match place {
        Place::Generate(endpoint) => {
            let asked = Asked { worker, live, heading, caller, parts, arrived };
            asked.generate(endpoint, body).await
        }
        Place::Side => side::pass(&worker, &live, &heading, &caller, parts, body).await,
        Place::Models(id) => models::answer(&live, &heading, id.as_deref()),
        Place::Admin(page) => heading.plain(admin::answer(&worker.shared, &live, page, caller.trusted)),
        Place::Upgrade => {
            let mut response = heading.refuse(&Refused::new(426, "no websocket here; POST the request"), "");
            response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("HTTP/1.1"));
            response
        }
        Place::Method(allowed) => {
            let mut response = heading.refuse(&Refused::new(405, format!("this path takes {allowed}")), "");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
            response
        }
        Place::Nowhere => heading.refuse(&Refused::new(404, "there is nothing at this path"), ""),
    }
}

/// A generating request on its way to a turn.
struct Asked {
    worker: Arc<Worker>,
    live: Arc<Live>,
    heading: Heading,
    caller: Caller,
    parts: Parts,
    arrived: Instant,
}

impl Asked {
    async fn generate(mut self, endpoint: Endpoint, body: Incoming) -> Response<ReplyBody> {
        let cap = self.live.config.server.max_body_bytes;
        let intake = match intake::read(body, &self.parts.headers, endpoint, cap).await {
            Ok(intake) => intake,
            Err(refused) => return self.refuse(&refused, "body"),
        };
        let facts = intake.facts;
        let route = match self.route(&facts.model) {
            Ok(route) => route,
            Err(refused) => return self.refuse(&refused, "route"),
        };
        self.heading.route = Some(Arc::clone(&route.name));
        let skip = match skip(&self.parts.headers, &route) {
            Ok(skip) => skip,
            Err(refused) => return self.refuse(&refused, "skip"),
        };
        // The route's time begins when the request is whole, the client's own when it began to ask.
        let now = Instant::now();
        let routes = now.checked_add(route.route.deadline).unwrap_or(now);
        let clients = stainless_timeout(&self.parts.headers).and_then(|time| self.arrived.checked_add(time));
        let deadline = clients.map_or(routes, |own| own.min(routes));
        let recorded = endpoint != Endpoint::CountTokens;
        let about = About {
            request_id: Arc::clone(&self.heading.request_id),
            requested_model: ledger::requested_model(&facts.model).into(),
            stream: facts.stream,
            probe: header_text(&self.parts.headers, &PROBE).map(|p| ledger::requested_model(p).into()),
            client: header_text(&self.parts.headers, &header::USER_AGENT)
                .and_then(ledger::client_product)
                .map(Into::into),
            caller: self.caller.own.clone(),
            recorded,
        };
        let hold = (facts.stream && recorded && self.heading.dialect == Dialect::Anthropic)
            .then_some(route.route.hold);
        let request = Arc::new(Request {
            endpoint,
            query: self.parts.uri.query().map(str::to_owned),
            headers: request::travelling(&self.parts.headers),
            caller: self.caller.own,
            frames: intake.frames,
            facts,
        });
        let shared = Arc::clone(&self.worker.shared);
        let book = Book::open(Arc::clone(&shared), self.live, route, about, self.arrived);
        let worker = Arc::clone(&self.worker);
        // Nothing of the request's head is needed any more: a stream may be open for long.
        drop(self.parts);
        let mut turn: Turn = Box::pin(turn::run(worker, request, skip, deadline, book));
        let end = match hold {
            None => turn.await,
            Some(hold) => tokio::select! {
                biased;
                end = &mut turn => end,
                () = sleep(hold) => {
                    let held = Held::new(turn, Arc::clone(&self.heading.request_id));
                    return self.heading.held(ReplyBody::Held(Box::new(held)));
                }
            },
        };
        let response = self.heading.answer(end);
        if !recorded {
            shared.metrics.side_request("count_tokens", response.status().as_u16());
        }
        response
    }

    fn refuse(&self, refused: &Refused, reason: &'static str) -> Response<ReplyBody> {
        self.worker.shared.metrics.door_refusal(reason);
        self.heading.refuse(refused, "")
    }

    /// The route by `x-sanctum-route`, else by the requested model.
    fn route(&self, model: &str) -> Result<Arc<LiveRoute>, Refused> {
        if let Some(named) = self.live.named(&self.parts.headers) {
            return named.cloned();
        }
        self.live.route_for(model).cloned().ok_or_else(|| {
            let model = ledger::requested_model(model);
            let text = format!(
                "model: {model}: no route takes this model; routes are by exact name or pattern, and GET /v1/models lists the exact names"
            );
            Refused::new(404, text).coded("model_not_found")
        })
    }
}

fn headers_of<'a>(parts: &'a Parts, name: &HeaderName) -> impl Iterator<Item = &'a HeaderValue> {
    parts.headers.get_all(name).iter()
}

/// The shape in which a path answers.
fn dialect(path: &str, headers: &HeaderMap) -> Dialect {
    match path {
        "/v1/responses" => Dialect::Responses,
        "/v1/chat/completions" | "/v1/embeddings" | "/v1/images/generations" => Dialect::OpenAi,
        p if p.starts_with("/v1/models") && !headers.contains_key("anthropic-version") => Dialect::OpenAi,
        _ => Dialect::Anthropic,
    }
}

/// A caller's own `x-request-id`, where it is fit to be written everywhere.
fn request_id(headers: &HeaderMap) -> Option<Arc<str>> {
    let id = header_text(headers, &REQUEST_ID)?;
    let fit = (1..=128).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'));
    fit.then(|| id.into())
}

fn skip(headers: &HeaderMap, route: &LiveRoute) -> Result<Skip, Refused> {
    let lines: Vec<&str> = headers.get_all(&SKIP).iter().filter_map(|v| v.to_str().ok()).collect();
    if lines.is_empty() {
        return Ok(Skip::None);
    }
    let skip = Skip::parse(&lines.join(","));
    let Skip::Seats(names) = &skip else { return Ok(skip) };
    match names.iter().find(|n| !route.seats.iter().any(|s| *s.name == **n)) {
        Some(name) => {
            let name = ledger::requested_model(name);
            let text = format!("x-sanctum-skip: {name} is no seat of route {}", route.name);
            Err(Refused::new(400, text))
        }
        None => Ok(skip),
    }
}

/// `x-stainless-timeout`: seconds that the client waits; SDKs also send words, which say nothing.
fn stainless_timeout(headers: &HeaderMap) -> Option<Duration> {
    let secs: f64 = header_text(headers, &STAINLESS_TIMEOUT)?.parse().ok()?;
    (secs.is_finite() && secs > 0.0).then(|| Duration::try_from_secs_f64(secs).ok()).flatten()
}

fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim)
}

#[cfg(test)]
mod tests;
