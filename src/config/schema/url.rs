//! Base URLs, and how one is shown without what it may hide.

use super::field::TextKind;

/// Where a provider is.
pub(crate) const BASE_URL: TextKind = TextKind { what: "a base URL", secret: false, judge: base_url };

/// The pieces of a base URL that rules look at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UrlParts {
    /// Whether it is `https`.
    pub(crate) tls: bool,
    /// Host without brackets, lower case.
    pub(crate) host: String,
    /// Path without a trailing slash; empty at the root.
    pub(crate) path: String,
}

/// Splits an `http` or `https` URL that has no fragment. A query stays with the URL: some servers want a key there.
pub(crate) fn split_url(text: &str) -> Option<UrlParts> {
    if text.contains('#') {
        return None;
    }
    let uri = text.parse::<http::Uri>().ok()?;
    let tls = match uri.scheme_str()? {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let host = uri.host()?.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    (!host.is_empty()).then_some(())?;
    if uri.authority()?.as_str().ends_with(':') {
        return None;
    }
    Some(UrlParts { tls, host, path: uri.path().trim_end_matches('/').to_owned() })
}

/// Whether a URL carries what may be a credential: a user, a password or a query.
pub(crate) fn may_hide_key(text: &str) -> bool {
    text.parse::<http::Uri>()
        .is_ok_and(|uri| uri.query().is_some() || uri.authority().is_some_and(|a| a.as_str().contains('@')))
}

/// The URL without user, password, query and fragment; something unreadable becomes a dash.
pub(crate) fn redact(text: &str) -> String {
    let Ok(uri) = text.parse::<http::Uri>() else { return "-".into() };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return "-".into() };
    let host = authority.as_str().rsplit('@').next().unwrap_or_default();
    let path = uri.path().trim_end_matches('/');
    format!("{scheme}://{host}{path}")
}

fn base_url(text: &str) -> Result<(), String> {
    if text.contains('#') {
        return Err("has a fragment, which is never sent".into());
    }
    match split_url(text) {
        Some(_) => Ok(()),
        None => {
            Err("is not a base URL: write http:// or https://, a host, and perhaps a port and a path".into())
        }
    }
}
