//! Text as the JSON string that it came in.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// A JSON string as it is written, quotes included. Most text only passes through: keeping its written form
/// costs one copy on the way and no decoding.
#[derive(Clone)]
pub struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    /// The empty string.
    pub const EMPTY: Text<'static> = Text(Cow::Borrowed("\"\""));

    /// Reads a JSON value; `None` when it is no string. Half a surrogate pair, as servers send it that cut a
    /// character in two, is no text to strict readers: it becomes U+FFFD.
    #[must_use]
    pub fn of(json: &'a RawValue) -> Option<Self> {
        let json = json.get();
        let inner = json.strip_prefix('"')?.strip_suffix('"')?;
        if has_surrogate(inner) && serde_json::from_str::<String>(json).is_err() {
            return Some(Self::plain(&decode_loosely(inner)));
        }
        Some(Self(Cow::Borrowed(json)))
    }

    /// Writes `plain` as a JSON string.
    #[must_use]
    pub fn plain(plain: &str) -> Text<'static> {
        // A string always serialises.
        Text(Cow::Owned(serde_json::to_string(plain).unwrap_or_else(|_| "\"\"".to_owned())))
    }

    /// As JSON: quotes included.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// As JSON without the quotes: what can stand next to others between one pair of quotes.
    #[must_use]
    pub fn escaped(&self) -> &str {
        self.0.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default()
    }

    /// Whether there is no character in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len() <= 2
    }

    /// The characters.
    #[must_use]
    pub fn decode(&self) -> Cow<'_, str> {
        let inner = self.escaped();
        if !inner.contains('\\') {
            return Cow::Borrowed(inner);
        }
        // It was read as a string, or written as one.
        Cow::Owned(serde_json::from_str(&self.0).unwrap_or_default())
    }

    /// Text that is escaped already, as [`Text::escaped`] gives it.
    #[must_use]
    pub(crate) fn of_escaped(escaped: &str) -> Text<'static> {
        Text(Cow::Owned(format!("\"{escaped}\"")))
    }

    /// Several texts as one, with `between` between them.
    #[must_use]
    pub fn join<'b>(parts: impl IntoIterator<Item = &'b Text<'b>>, between: &str) -> Text<'static> {
        let between = Self::plain(between);
        let mut out = String::from("\"");
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                out.push_str(between.escaped());
            }
            out.push_str(part.escaped());
        }
        out.push('"');
        Text(Cow::Owned(out))
    }

    /// The same, kept apart from what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }

    /// The same, for as long as this one is.
    #[must_use]
    pub fn by_ref(&self) -> Text<'_> {
        Text(Cow::Borrowed(&self.0))
    }
}

/// Whether an escape of (half) a surrogate pair is in it.
fn has_surrogate(inner: &str) -> bool {
    let mut rest = inner.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let escape = rest.get(at..).unwrap_or_default();
        if matches!(escape, [_, b'u', b'd' | b'D', ..]) {
            return true;
        }
        rest = escape.get(2..).unwrap_or_default();
    }
    false
}

/// Decodes what serde refuses: a lone surrogate escape.
fn decode_loosely(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        let escape = rest.get(at..).unwrap_or_default();
        // A pair first: its halves alone would be two replacements.
        let lengths = [12, 6, 2];
        let decoded = lengths.into_iter().find_map(|length| {
            let one = escape.get(..length)?;
            let text = serde_json::from_str::<String>(&format!("\"{one}\"")).ok()?;
            (text.chars().count() == 1).then_some((length, text))
        });
        let (length, text) = decoded.unwrap_or_else(|| {
            (if escape.starts_with("\\u") { 6 } else { 2 }, char::REPLACEMENT_CHARACTER.to_string())
        });
        out.push_str(&text);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text<'_>) -> bool {
        self.0 == other.0 || self.decode() == other.decode()
    }
}

impl Eq for Text<'_> {}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Text::of(raw).ok_or_else(|| serde::de::Error::custom("is to be a string"))
    }
}
