//! Takes secrets out of text before it reaches a log, a record or an error body.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
use regex::{Captures, Regex};
use secrecy::{ExposeSecret, SecretString};

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// Longest text that [`Redactor::redact`] returns, in bytes.
pub const MAX_TEXT: usize = 1024;

/// Most of a text that is looked at, in bytes; what is behind it is left out.
const MAX_INPUT: usize = 16 * 1024;

/// A secret shorter than this is no secret, and replacing it would garble every text.
const MIN_SECRET: usize = 4;

/// Knows every secret of the configuration, and what keys look like in general.
#[derive(Default)]
pub struct Redactor {
    /// Longest first, so that a secret that contains another goes whole.
    secrets: Vec<SecretString>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("secrets", &self.secrets.len()).finish()
    }
}

impl Redactor {
    /// A redactor that knows `secrets`. Those of less than four bytes are ignored.
    #[must_use]
    pub fn new(mut secrets: Vec<SecretString>) -> Self {
        secrets.retain(|s| s.expose_secret().len() >= MIN_SECRET);
        secrets.sort_by_key(|s| std::cmp::Reverse(s.expose_secret().len()));
        Self { secrets }
    }

    /// The text on one line without secrets, at most [`MAX_TEXT`] bytes: known secrets, and what looks
    /// like one (`sk-…`, bearer tokens, key headers, URL userinfo, key-like query values, JWTs), become
    /// [`REDACTED`]; control characters become spaces.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let seen = bounded(text, MAX_INPUT);
        let mut out = one_line(seen);
        for secret in &self.secrets {
            if let Some(replaced) = replace_all(&out, secret.expose_secret()) {
                out = Cow::Owned(replaced);
            }
        }
        if seen.len() < text.len() {
            // The cut may have left the head of a secret at the end, where no comparison finds it.
            let longest = self.secrets.first().map_or(0, |s| s.expose_secret().len());
            out = Cow::Owned(bounded(&out, out.len().saturating_sub(longest)).to_owned());
        }
        for pattern in PATTERNS.iter() {
            if let Cow::Owned(replaced) = pattern.replace_all(&out, keep_name) {
                out = Cow::Owned(replaced);
            }
        }
        if out.len() <= MAX_TEXT {
            return out;
        }
        let head = bounded(&out, MAX_TEXT - '…'.len_utf8());
        Cow::Owned(format!("{head}…"))
    }
}

impl Redactor {
    /// Whether bytes hold a known secret.
    #[must_use]
    pub fn knows(&self, bytes: &[u8]) -> bool {
        self.secrets.iter().any(|s| memchr::memmem::find(bytes, s.expose_secret().as_bytes()).is_some())
    }

    /// Whether a text of any length holds a known secret or what looks like one.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.secrets.iter().any(|s| text.contains(s.expose_secret()))
            || PATTERNS.iter().any(|p| p.is_match(text))
    }
}

/// What looks like a secret anywhere. A first group is kept: the name before the value.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // Header or field with a value: the name stays.
        r#"(?i)((?:x-api-key|api-key|api_key|apikey|x-goog-api-key|(?:proxy-)?authorization|(?:set-)?cookie)["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|digest|token)\s+)?[^\s"',;]+"#,
        r"(?i)(\bbearer\s+)[a-z0-9._~+/=-]{8,}",
        // userinfo of a URL
        r"(://)[^/\s@?#]+(?:@)",
        // query values
        r#"(?i)([?&](?:key|api[_-]?key|[a-z_]*token|[a-z_]*secret|password|signature|sig|code)=)[^&\s"'#]+"#,
        // vendors' key prefixes
        r"()\b(?:sk|pk|rk|xai|gsk|hf|ghp|sess|key|fw|tgp|nvapi|r8|AIza)[-_][A-Za-z0-9_-]{6,}",
        r"()\bAIza[A-Za-z0-9_-]{20,}",
        // JSON web tokens
        r"()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?",
    ]
    .into_iter()
    // A test compiles every one; none can fail at run time.
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

fn keep_name(found: &Captures<'_>) -> String {
    let name = found.get(1).map_or("", |m| m.as_str());
    let tail = if name == "://" { "@" } else { "" };
    format!("{name}{REDACTED}{tail}")
}

/// The longest head of `text` of at most `max` bytes that ends between characters.
#[must_use]
pub fn bounded(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        Cow::Owned(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// `None` when `needle` is not in `text`.
fn replace_all(text: &str, needle: &str) -> Option<String> {
    memmem::find(text.as_bytes(), needle.as_bytes())?;
    Some(text.replace(needle, REDACTED))
}

#[cfg(test)]
mod tests;
