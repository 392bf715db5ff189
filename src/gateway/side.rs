//! Paths of Anthropic's beside generation (batches, files, skills): passed through to the route's first
//! native seat that its rules allow, body and answer frame by frame. Nothing here touches a seat's standing.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Response, header};
use hyper::body::Incoming;
use reqwest::Body;

use crate::gateway::body::ReplyBody;
use crate::gateway::intake;
use crate::gateway::live::{Live, LiveRoute, LiveSeat};
use crate::gateway::passing::{self, Fault, Passing};
use crate::gateway::reply::{self, Heading, Refused};
use crate::gateway::trust::Caller;
use crate::gateway::worker::Worker;
use crate::ledger;
use crate::outbound;
use crate::route::Class;
use crate::route::plan::{self, Ask, Skip};
use crate::upstream::prepare;
use crate::upstream::request::travelling;
use crate::wire::{Endpoint, Wire};

/// Headers of a side answer that describe its body.
const DESCRIBING: [header::HeaderName; 3] =
    [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::CONTENT_DISPOSITION];

/// Passes a request through.
pub(crate) async fn pass(
    worker: &Worker,
    live: &Live,
    heading: &Heading,
    caller: &Caller,
    parts: Parts,
    body: Incoming,
) -> Response<ReplyBody> {
    let response = match Box::pin(forward(worker, live, caller, parts, body)).await {
        Ok(response) => heading.plain(response),
        Err(refused) => heading.refuse(&refused, ""),
    };
    worker.shared.metrics.side_request("pass_through", response.status().as_u16());
    response
}

async fn forward(
    worker: &Worker,
    live: &Live,
    caller: &Caller,
    parts: Parts,
    body: Incoming,
) -> Result<Response<ReplyBody>, Refused> {
    let seat = native_seat(live, &parts.headers)?;
    let target = seat.target.as_ref().ok_or_else(none_native)?;
    let cap = live.config.server.max_body_bytes;
    if intake::says_too_large(&parts.headers, cap) {
        return intake::refuse(body, &parts.headers, intake::too_large(cap)).await;
    }
    let headers = parts.headers;
    let url = target
        .side_url(parts.uri.path(), parts.uri.query())
        .ok_or_else(|| Refused::new(400, "this path cannot be passed on"))?;
    let client = worker.client(seat.seat.provider.connect_timeout).map_err(|_| reply::internal())?;
    let mut request = reqwest::Request::new(parts.method, url);
    *request.headers_mut() = prepare::headers(&travelling(&headers), &caller.own, target);
    let (body, sent) = passing::sending(body, cap);
    *request.body_mut() = Some(Body::wrap(body));
    let answer = tokio::select! {
        biased;
        answer = client.execute(request) => Some(answer),
        () = sent.seat_is_late(seat.seat.response_timeout) => None,
    };
    let answer = match answer {
        Some(Ok(answer)) => answer,
        Some(Err(e)) => {
            // A client's own body that failed fails the exchange too, and is no fault of the seat's.
            if let Some(fault) = sent.fault() {
                return blame_client(fault, sent.rest(), &headers, cap).await;
            }
            let text = live.redact(&outbound::describe(&e).text, &caller.own);
            return Err(Refused::new(502, format!("seat {} gave no answer: {text}", seat.name)).lasting());
        }
        None => {
            return Err(Refused::new(504, format!("seat {} did not answer in time", seat.name)).lasting());
        }
    };
    let (head, body) = http::Response::<Body>::from(answer).into_parts();
    // Whose credential was refused is told apart here as everywhere: the gateway's own is not the caller's fault.
    if matches!(head.status.as_u16(), 401 | 403) && !target.is_callers() {
        let text = format!(
            "seat {} was refused by its provider: the gateway's own credential is at fault",
            seat.name
        );
        return Err(Refused::new(502, text).lasting());
    }
    let mut response = Response::new(ReplyBody::Pass(Box::new(Passing::new(body, seat.seat.idle_timeout))));
    *response.status_mut() = head.status;
    for name in DESCRIBING {
        if let Some(value) = head.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    reply::keep(&head.headers, response.headers_mut());
    Ok(response)
}

/// What a client is told of its own body.
async fn blame_client<T>(
    fault: Fault,
    rest: Option<Incoming>,
    headers: &HeaderMap,
    cap: u64,
) -> Result<T, Refused> {
    match (fault, rest) {
        (Fault::TooLarge, Some(rest)) => intake::refuse(rest, headers, intake::too_large(cap)).await,
        (Fault::TooLarge, None) => Err(intake::too_large(cap)),
        (Fault::Broke, _) => Err(intake::broke_off()),
        (Fault::Silent, _) => Err(intake::silent()),
        (Fault::Slow, _) => Err(intake::too_slow()),
    }
}

/// The first seat that speaks the path's wire and that the rules of its route let see this request: in the
/// named route, or in any.
fn native_seat<'a>(live: &'a Live, headers: &HeaderMap) -> Result<&'a LiveSeat, Refused> {
    let routes: Vec<&Arc<LiveRoute>> = match live.named(headers) {
        Some(route) => vec![route?],
        None => live.routes.iter().collect(),
    };
    let skip = skip(headers, &routes)?;
    // The limits of a seat on bodies and prompts are those of its model, which none of these paths asks.
    let ask = Ask { endpoint: Endpoint::Messages, body_bytes: 0, skip: &skip };
    let mut bars = Vec::new();
    for route in &routes {
        for (position, seat) in route.seats.iter().enumerate() {
            // Another wire has no such paths, though it may serve messages.
            let unusable = seat.target.is_none() || seat.seat.provider.wire != Wire::Anthropic;
            match plan::bar(&route.route, &ask, position, unusable) {
                None => return Ok(seat),
                Some(class) => bars.push(class),
            }
        }
    }
    if bars.is_empty() || bars.contains(&Class::Inexpressible) {
        return Err(none_native());
    }
    if bars.iter().all(|class| *class == Class::ProviderNotAllowed) {
        return Err(Refused::new(403, "no seat may see this request (allowed_providers)").lasting());
    }
    Err(Refused::new(502, "every seat that could be asked is left out (skip, allowed_providers)").lasting())
}

/// What the caller left out; each name must be a seat of one of these routes.
fn skip(headers: &HeaderMap, routes: &[&Arc<LiveRoute>]) -> Result<Skip, Refused> {
    let Some(text) = headers.get("x-sanctum-skip").and_then(|v| v.to_str().ok()) else {
        return Ok(Skip::None);
    };
    let skip = Skip::parse(text);
    if let Skip::Seats(names) = &skip {
        let is_seat = |name: &str| routes.iter().flat_map(|r| &r.seats).any(|s| *s.name == *name);
        if let Some(name) = names.iter().find(|name| !is_seat(name)) {
            let name = ledger::requested_model(name);
            return Err(Refused::new(400, format!("x-sanctum-skip: {name} is no seat of a route asked")));
        }
    }
    Ok(skip)
}

fn none_native() -> Refused {
    Refused::new(501, "this path needs a seat that speaks Anthropic's own API, and there is none")
        .coded("capability_unavailable")
        .lasting()
}
