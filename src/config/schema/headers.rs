//! Headers that a seat adds.

use http::{HeaderName, HeaderValue};

use super::field::TextKind;

/// The name of a header.
pub(crate) const HEADER_NAME: TextKind =
    TextKind { what: "a header name", secret: false, judge: header_name };
/// The value of a header; never shown, since people put credentials there.
pub(crate) const HEADER_VALUE: TextKind =
    TextKind { what: "a header value", secret: true, judge: header_value };
/// A value of `anthropic-beta`.
pub(crate) const BETA: TextKind = TextKind { what: "a beta's name", secret: false, judge: beta };

/// Headers that are the gateway's own business, and where to say it instead.
const OURS: &[(&str, &str)] = &[
    ("host", "it follows from `base_url`"),
    ("content-length", "it follows from the body"),
    ("transfer-encoding", "it follows from the body"),
    ("content-type", "it follows from the body"),
    ("accept-encoding", "upstream always gets `identity`"),
    ("connection", "it belongs to one connection"),
    ("keep-alive", "it belongs to one connection"),
    ("te", "it belongs to one connection"),
    ("trailer", "it belongs to one connection"),
    ("upgrade", "it belongs to one connection"),
    ("proxy-authorization", "it belongs to one connection"),
    ("proxy-connection", "it belongs to one connection"),
    ("authorization", "a credential's place is the provider's `key`"),
    ("x-api-key", "a credential's place is the provider's `key`"),
    ("anthropic-beta", "the place is `anthropic_betas`"),
];

/// Reads a header.
pub(crate) fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

fn header_name(text: &str) -> Result<(), String> {
    let Ok(name) = HeaderName::from_bytes(text.as_bytes()) else {
        return Err("is not a header name".into());
    };
    match OURS.iter().find(|(ours, _)| name == *ours) {
        Some((_, why)) => Err(format!("is a header that cannot be added: {why}")),
        None => Ok(()),
    }
}

fn header_value(text: &str) -> Result<(), String> {
    HeaderValue::from_str(text)
        .map(|_| ())
        .map_err(|_| "is not a header value: one line of visible text".into())
}

fn beta(text: &str) -> Result<(), String> {
    let fits = |b: u8| b.is_ascii_graphic() && b != b',';
    if (1..=128).contains(&text.len()) && text.bytes().all(fits) {
        Ok(())
    } else {
        Err("is not one beta's name: no spaces, no commas; several are a list".into())
    }
}
