//! Request as received + seat -> what is sent. Pure: the one place where an attempt's bytes come from.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::Url;

use crate::prompt::{BadRequest, Inexpressible};
use crate::upstream::request::{Credentials, Request};
use crate::upstream::target::Target;
use crate::wire::{AnswerOptions, Dialect, Wire, envelope, translate};

const BETA: HeaderName = HeaderName::from_static("anthropic-beta");
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// One upstream request, ready to be sent.
#[derive(Debug)]
pub struct Outgoing {
    /// Where it goes.
    pub url: Url,
    /// Its headers; the length and the host are the client's business.
    pub headers: HeaderMap,
    /// Its body: on the client's own wire slices of the request as received, but for what must differ.
    pub body: Vec<Bytes>,
    /// How its answer is told to the client; `None` on the client's own wire.
    pub retell: Option<AnswerOptions>,
    /// The client's fields that are not in it.
    pub dropped: Vec<String>,
}

/// Why nothing can be sent to a seat.
#[derive(Debug, thiserror::Error)]
pub enum Unsaid {
    /// Its wire cannot say the request: the seat is to be passed over.
    #[error(transparent)]
    Seat(#[from] Inexpressible),
    /// No wire but the client's own can: the client is told where no seat of that wire is left.
    #[error(transparent)]
    Request(#[from] BadRequest),
}

/// Makes what is sent to a seat. `id` and `created` (seconds since the epoch) stand in an answer whose upstream
/// gives none.
///
/// # Errors
/// When the seat's wire cannot say the request.
pub fn prepare(request: &Request, target: &Target, id: &str, created: u64) -> Result<Outgoing, Unsaid> {
    if is_same_wire(request, target) {
        Ok(same(request, target))
    } else {
        translated(request, target, request.endpoint.dialect(), id, created)
    }
}

/// Whether the seat speaks the client's own wire: then the bytes pass.
#[must_use]
pub fn is_same_wire(request: &Request, target: &Target) -> bool {
    matches!(
        (target.seat.provider.wire, request.endpoint.dialect()),
        (Wire::Anthropic, Dialect::Anthropic) | (Wire::OpenAi, Dialect::OpenAi)
    )
}

/// The request as received, but for the model and a limit that the seat cannot give.
fn same(request: &Request, target: &Target) -> Outgoing {
    let (seat, facts) = (&target.seat, &request.facts);
    let mut edits = Vec::new();
    if facts.model != seat.model {
        edits.push((facts.model_span.clone(), envelope::json_string(&seat.model)));
    }
    if let (Some(most), Some(asked), Some(span)) =
        (seat.max_output_tokens, facts.max_tokens, &facts.max_tokens_span)
        && asked > most
    {
        edits.push((span.clone(), Bytes::from(most.to_string())));
    }
    Outgoing {
        url: target.url(request.endpoint, request.query.as_deref()),
        headers: wire_headers(request, target),
        body: envelope::splice_all(&request.frames, edits),
        retell: None,
        dropped: Vec::new(),
    }
}

/// The request told in the seat's own wire.
fn translated(
    request: &Request,
    target: &Target,
    client: Dialect,
    id: &str,
    created: u64,
) -> Result<Outgoing, Unsaid> {
    let whole = match request.frames.as_ref() {
        [only] => only.clone(),
        frames => Bytes::from(frames.concat()),
    };
    let (wire, model) = (target.seat.provider.wire, &target.seat.model);
    let prompt = translate::decode_request(client, &whole)
        .ok_or_else(|| Inexpressible::wire("this endpoint is not translated yet"))??;
    let encoded = translate::encode_request(wire, &prompt, model, &target.traits)?;
    let own = if client == Dialect::Anthropic { "msg_" } else { "chatcmpl-" };
    Ok(Outgoing {
        url: target.url(request.endpoint, None),
        headers: wire_headers(request, target),
        body: vec![encoded.body],
        retell: Some(AnswerOptions::of(&prompt, &format!("{own}{id}"), model, created, None)),
        dropped: encoded.dropped,
    })
}

/// The headers that the seat's wire wants.
fn wire_headers(request: &Request, target: &Target) -> HeaderMap {
    let mut headers = match target.seat.provider.wire {
        Wire::Anthropic => headers(&request.headers, &request.caller, target),
        _ => chat_headers(&request.headers, &request.caller, target),
    };
    // The body was read as JSON, whatever the client called it.
    headers.insert(header::CONTENT_TYPE, JSON);
    headers
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The headers for a seat of OpenAI's wires: nothing of Anthropic's, and the credential as a bearer.
fn chat_headers(client: &HeaderMap, caller: &Credentials, target: &Target) -> HeaderMap {
    let mut out = HeaderMap::new();
    out.insert(header::ACCEPT_ENCODING, IDENTITY);
    if let Some(agent) = client.get(header::USER_AGENT) {
        out.insert(header::USER_AGENT, agent.clone());
    }
    let bearer = match &target.key {
        Some(key) => as_bearer(key),
        None if target.is_callers() => {
            caller.authorization.clone().or_else(|| caller.api_key.as_ref().and_then(as_bearer))
        }
        None => None,
    };
    if let Some(bearer) = bearer {
        out.insert(header::AUTHORIZATION, bearer);
    }
    for (name, value) in &target.seat.extra_headers {
        out.insert(name.clone(), value.clone());
    }
    out
}

const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

fn as_bearer(key: &HeaderValue) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_bytes(&[b"Bearer ", key.as_bytes()].concat()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The headers for a seat: the client's that may travel, the seat's own, and the seat's credential.
#[must_use]
pub fn headers(client: &HeaderMap, caller: &Credentials, target: &Target) -> HeaderMap {
    let mut out = client.clone();
    // Those below, and those that the client library adds.
    out.reserve(target.seat.extra_headers.len().saturating_add(8));
    out.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    out.entry(VERSION).or_insert(HeaderValue::from_static("2023-06-01"));
    if let Some(betas) = joined_betas(client, &target.seat.anthropic_betas) {
        out.insert(BETA, betas);
    }
    if let Some(key) = &target.key {
        out.insert(API_KEY, key.clone());
    } else if target.is_callers() {
        if let Some(key) = &caller.api_key {
            out.insert(API_KEY, key.clone());
        }
        if let Some(bearer) = &caller.authorization {
            out.insert(header::AUTHORIZATION, bearer.clone());
        }
    }
    for (name, value) in &target.seat.extra_headers {
        out.insert(name.clone(), value.clone());
    }
    out
}

/// The union of the client's betas and the seat's, without doubles; `None` where the client's pass as they are.
fn joined_betas(client: &HeaderMap, seat: &[String]) -> Option<HeaderValue> {
    if seat.is_empty() {
        return None;
    }
    let sent: Vec<&str> = client.get_all(BETA).iter().filter_map(|v| v.to_str().ok()).collect();
    let mut all: Vec<&str> = Vec::new();
    for beta in sent.iter().flat_map(|v| v.split(',')).chain(seat.iter().map(String::as_str)) {
        let beta = beta.trim();
        if !beta.is_empty() && !all.contains(&beta) {
            all.push(beta);
        }
    }
    HeaderValue::from_str(&all.join(",")).ok()
}

#[cfg(test)]
mod tests;
