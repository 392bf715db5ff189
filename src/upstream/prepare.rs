//! Request as received + seat -> what is sent. Pure: the one place where an attempt's bytes come from.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::Url;

use crate::upstream::request::{Credentials, Request};
use crate::upstream::target::Target;
use crate::wire::envelope;

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
    /// Its body: slices of the request as received, but for the model id.
    pub body: Vec<Bytes>,
}

/// Makes what is sent to a seat of the client's own wire.
#[must_use]
pub fn prepare(request: &Request, target: &Target) -> Outgoing {
    let seat = &target.seat;
    let facts = &request.facts;
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
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Outgoing { url: target.url(request.endpoint, request.query.as_deref()), headers, body }
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
