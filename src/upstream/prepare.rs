//! Request as received + seat -> what is sent. Pure: the one place where an attempt's bytes come from.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::Url;

use crate::prompt::Inexpressible;
use crate::upstream::request::{Credentials, Request};
use crate::upstream::target::Target;
use crate::wire::{AnswerOptions, Wire, anthropic, chat, envelope};

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

/// Makes what is sent to a seat. `id` and `created` (seconds since the epoch) stand in an answer whose upstream
/// gives none.
///
/// # Errors
/// When the seat's wire cannot say the request: the seat is to be passed over.
pub fn prepare(
    request: &Request,
    target: &Target,
    id: &str,
    created: u64,
) -> Result<Outgoing, Inexpressible> {
    let url = target.url(request.endpoint, request.query.as_deref());
    match target.seat.provider.wire {
        Wire::OpenAi => translated(request, target, url, id, created),
        _ => Ok(same(request, target, url)),
    }
}

/// The request as received, but for the model and a limit that the seat cannot give.
fn same(request: &Request, target: &Target, url: Url) -> Outgoing {
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
    let body = envelope::splice_all(&request.frames, edits);
    let mut headers = headers(&request.headers, &request.caller, target);
    // The body was read as JSON, whatever the client called it.
    headers.insert(header::CONTENT_TYPE, JSON);
    Outgoing { url, headers, body, retell: None, dropped: Vec::new() }
}

/// The request told in the seat's own wire.
fn translated(
    request: &Request,
    target: &Target,
    url: Url,
    id: &str,
    created: u64,
) -> Result<Outgoing, Inexpressible> {
    let whole = match request.frames.as_ref() {
        [only] => only.clone(),
        frames => Bytes::from(frames.concat()),
    };
    let prompt = anthropic::decode_request(&whole).map_err(|e| Inexpressible::wire(e.to_string()))?;
    let model = &target.seat.model;
    let encoded = chat::encode_request(&prompt, model, &target.traits)?;
    let retell = AnswerOptions::of(&prompt, &format!("msg_{id}"), model, created, None);
    Ok(Outgoing {
        url,
        headers: chat_headers(&request.headers, &request.caller, target),
        body: vec![encoded.body],
        retell: Some(retell),
        dropped: encoded.dropped,
    })
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The headers for a seat of OpenAI's wires: nothing of Anthropic's, and the credential as a bearer.
fn chat_headers(client: &HeaderMap, caller: &Credentials, target: &Target) -> HeaderMap {
    let mut out = HeaderMap::new();
    out.insert(header::CONTENT_TYPE, JSON);
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
