//! Paths of Anthropic's beside generation (batches, files, skills): passed through to the route's first
//! native seat, body and answer frame by frame. Nothing here touches a seat's standing.

use http::request::Parts;
use http::{Response, header};
use http_body_util::Limited;
use hyper::body::Incoming;
use reqwest::Body;

use crate::gateway::body::ReplyBody;
use crate::gateway::live::{Live, LiveSeat};
use crate::gateway::reply::{self, Heading, Refused};
use crate::gateway::trust::Caller;
use crate::gateway::worker::Worker;
use crate::outbound;
use crate::upstream::prepare;
use crate::upstream::request::travelling;

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
    let response = match forward(worker, live, caller, parts, body).await {
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
    let seat = native_seat(live, &parts)?;
    let target = seat.target.as_ref().ok_or_else(none_native)?;
    let cap = live.config.server.max_body_bytes;
    let length = parts.headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|n| n > cap) {
        let text = format!("the request body is larger than server.max_body_bytes ({cap} bytes)");
        return Err(Refused::new(413, text));
    }
    let url = target
        .side_url(parts.uri.path(), parts.uri.query())
        .ok_or_else(|| Refused::new(400, "this path cannot be passed on"))?;
    let client = worker.client(seat.seat.provider.connect_timeout).map_err(|_| reply::internal())?;
    let mut request = reqwest::Request::new(parts.method, url);
    *request.headers_mut() = prepare::headers(&travelling(&parts.headers), &caller.own, target);
    let limit = usize::try_from(cap).unwrap_or(usize::MAX);
    *request.body_mut() = Some(Body::wrap(Limited::new(body, limit)));
    let answer = tokio::time::timeout(seat.seat.response_timeout, client.execute(request)).await;
    let answer = match answer {
        Ok(Ok(answer)) => answer,
        Ok(Err(e)) => {
            let text = live.redact(&outbound::describe(&e).text, &caller.own);
            return Err(Refused::new(502, format!("seat {} gave no answer: {text}", seat.name)).lasting());
        }
        Err(_) => {
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
    let mut response = Response::new(ReplyBody::Pass(body));
    *response.status_mut() = head.status;
    for name in DESCRIBING {
        if let Some(value) = head.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    reply::keep(&head.headers, response.headers_mut());
    Ok(response)
}

/// The first seat that speaks the path's wire, in the named route or in any.
fn native_seat<'a>(live: &'a Live, parts: &Parts) -> Result<&'a LiveSeat, Refused> {
    let native = |s: &&LiveSeat| s.target.is_some() && !s.seat.skip;
    let named = parts.headers.get("x-sanctum-route").and_then(|v| v.to_str().ok());
    let found = match named {
        Some(name) => {
            let text = "x-sanctum-route names no route of this gateway";
            let route = live.route_named(name.trim()).ok_or_else(|| Refused::new(404, text))?;
            route.seats.iter().find(native)
        }
        None => live.routes.iter().flat_map(|r| &r.seats).find(native),
    };
    found.ok_or_else(none_native)
}

fn none_native() -> Refused {
    Refused::new(501, "this path needs a seat that speaks Anthropic's own API, and there is none")
        .coded("capability_unavailable")
        .lasting()
}
