//! Kinds of text, and what is wrong with one that is not.

use std::net::{IpAddr, SocketAddr};

use super::field::TextKind;
use crate::config::KeyRef;
use crate::config::report::{may_be_secret, shown};

/// A name that goes into headers and metric labels.
pub(crate) const NAME: TextKind = TextKind { what: "a name", secret: false, judge: name };
/// A model id.
pub(crate) const MODEL: TextKind = TextKind { what: "a model id", secret: false, judge: model };
/// A requested model, `*` for anything.
pub(crate) const GLOB: TextKind = TextKind { what: "a model id or glob", secret: false, judge: model };
/// A pattern that must match the whole of a text.
pub(crate) const REGEX: TextKind = TextKind { what: "a regular expression", secret: false, judge: regex };
/// A file or folder.
pub(crate) const PATH: TextKind = TextKind { what: "a path", secret: false, judge: path };
/// A program.
pub(crate) const COMMAND: TextKind = TextKind { what: "a program", secret: false, judge: path };
/// Where a provider's key is kept.
pub(crate) const KEY: TextKind = TextKind { what: "a key reference", secret: true, judge: key };
/// Where an accepted token is kept.
pub(crate) const TOKEN: TextKind = TextKind { what: "a key reference", secret: true, judge: token };
/// An address to listen on.
pub(crate) const LISTEN: TextKind = TextKind { what: "an address", secret: false, judge: check_listen };
/// A browser's origin.
pub(crate) const ORIGIN: TextKind = TextKind { what: "an origin", secret: false, judge: origin };
/// A host name.
pub(crate) const HOST: TextKind = TextKind { what: "a host name", secret: false, judge: host };
/// Any text but none.
pub(crate) const ANY: TextKind = TextKind { what: "text", secret: false, judge: any };

fn any(text: &str) -> Result<(), String> {
    if text.is_empty() { Err("is empty".into()) } else { Ok(()) }
}

fn name(text: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=64).contains(&text.len()) && text.chars().all(fits) {
        Ok(())
    } else {
        Err("is not a usable name: 1 to 64 of letters, digits, `.`, `_`, `-`".into())
    }
}

fn model(text: &str) -> Result<(), String> {
    if (1..=256).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(())
    } else {
        Err("is not a model id: 1 to 256 printable ASCII characters, no spaces".into())
    }
}

fn regex(text: &str) -> Result<(), String> {
    let whole = format!("^(?:{text})$");
    match regex::RegexBuilder::new(&whole).size_limit(1 << 20).build() {
        Ok(_) => Ok(()),
        Err(regex::Error::CompiledTooBig(_)) => Err("is too large a pattern".into()),
        Err(_) => Err("is not a valid regular expression".into()),
    }
}

fn path(text: &str) -> Result<(), String> {
    if text.is_empty() || text.contains('\0') {
        return Err("is not a path".into());
    }
    if text == "~" || text.starts_with("~/") {
        return Err(
            "starts with `~`, which is not expanded: write it out, or relative to SANCTUM_HOME".into()
        );
    }
    Ok(())
}

const KEY_FORMS: &str =
    "is no key reference: write `env:NAME`, `file:PATH`, `keychain:SERVICE` or `vault:PATH#FIELD`";

fn token(text: &str) -> Result<(), String> {
    match key_ref(text)? {
        KeyRef::Caller => {
            Err(format!("is `caller`, which as a token would let everybody in: it {KEY_FORMS}"))
        }
        _ => Ok(()),
    }
}

fn key(text: &str) -> Result<(), String> {
    key_ref(text).map(|_| ())
}

/// Reads a key reference; a `file:` path stays as it was written.
///
/// # Errors
/// Says what is wrong, never repeating the text: it may be a key.
pub(crate) fn key_ref(text: &str) -> Result<KeyRef, String> {
    if text == "caller" {
        return Ok(KeyRef::Caller);
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(no_reference(text));
    };
    match scheme {
        "env" => {
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let starts_well = !rest.starts_with(|c: char| c.is_ascii_digit());
            if !rest.is_empty() && starts_well && rest.chars().all(fits) {
                Ok(KeyRef::Env(rest.to_owned()))
            } else if let Some(name) = meant_variable(rest) {
                Err(format!("nothing is expanded here: did you mean `env:{name}`?"))
            } else {
                Err("`env:` is not followed by the name of an environment variable".into())
            }
        }
        "file" => path(rest)
            .map(|()| KeyRef::File(rest.into()))
            .map_err(|why| format!("the path after `file:` {why}")),
        "keychain" if !rest.is_empty() => Ok(KeyRef::Keychain(rest.to_owned())),
        "keychain" => Err("`keychain:` is not followed by a service".into()),
        "vault" => match rest.rsplit_once('#') {
            Some((path, field)) if !path.is_empty() && !field.is_empty() => {
                Ok(KeyRef::Vault { path: path.to_owned(), field: field.to_owned() })
            }
            _ => Err("`vault:` is not followed by PATH#FIELD".into()),
        },
        _ => Err(no_reference(text)),
    }
}

/// What is wrong with a text that is no reference, and what was probably meant.
fn no_reference(text: &str) -> String {
    if may_be_secret(text) {
        "looks like a key itself: keep it in a file or the environment, and write `file:PATH` or `env:NAME` here"
            .into()
    } else if let Some(name) = meant_variable(text) {
        format!("is no key reference: did you mean `env:{name}`?")
    } else {
        format!("{KEY_FORMS}, or `caller`")
    }
}

/// The variable that `$NAME`, `${NAME}` or `LIKE_THIS` means; only what is surely a name and no key is repeated.
fn meant_variable(text: &str) -> Option<&str> {
    let named = text.strip_prefix('$');
    let name = named.unwrap_or(text);
    let name = name.strip_prefix('{').and_then(|n| n.strip_suffix('}')).unwrap_or(name);
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let is_name = name.bytes().all(fits) && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    (is_name && (named.is_some() || name.contains('_')) && shown(name).is_some()).then_some(name)
}

/// Host (without brackets) and port of an address to listen on.
pub(crate) fn listen_parts(text: &str) -> Option<(String, u16)> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some((address.ip().to_string(), address.port()));
    }
    let (name, port) = text.rsplit_once(':')?;
    let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    (is_host_name(name) && digits).then_some(())?;
    Some((name.to_ascii_lowercase(), port.parse().ok()?))
}

/// A DNS name: not all digits and dots, which would be a mistyped address.
fn is_host_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    (1..=253).contains(&text.len()) && text.bytes().all(fits) && text.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether a host (no brackets, no port) is this machine's loopback.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(ip) => ip.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Judges an address to listen on, as `server.listen` and `--listen` take it: `HOST:PORT`.
///
/// # Errors
/// Says what would be one.
pub fn check_listen(text: &str) -> Result<(), String> {
    match listen_parts(text) {
        Some(_) => Ok(()),
        None => Err("is not an address: write HOST:PORT, e.g. `127.0.0.1:4040` or `[::1]:4040`".into()),
    }
}

/// An origin as browsers send it: lower case, no trailing slash.
pub(crate) fn origin_of(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let origin = lower.strip_suffix('/').unwrap_or(&lower);
    let (scheme, authority) = origin.split_once("://")?;
    let scheme_fits =
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let fits = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
    let authority_fits = !authority.is_empty() && authority.bytes().all(fits);
    (scheme_fits && authority_fits).then(|| origin.to_owned())
}

fn origin(text: &str) -> Result<(), String> {
    match origin_of(text) {
        Some(_) => Ok(()),
        None => Err("is not an origin: write SCHEME://HOST[:PORT], e.g. `http://localhost:3000`; there is no wildcard".into()),
    }
}

fn host(text: &str) -> Result<(), String> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    if is_host_name(text) || bare.parse::<IpAddr>().is_ok() {
        Ok(())
    } else {
        Err("is not a host name: no scheme, no port, no wildcard, e.g. `gateway.example.net`".into())
    }
}
