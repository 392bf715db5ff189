//! A JSON value as it is written.

use std::borrow::Cow;

use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// A JSON value as it is written: the order of its keys and the form of its numbers are the sender's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<'a>(Cow<'a, str>);

impl<'a> Json<'a> {
    /// An empty object.
    pub const EMPTY_OBJECT: Json<'static> = Json(Cow::Borrowed("{}"));

    /// A value as it was read.
    #[must_use]
    pub fn of(json: &'a RawValue) -> Self {
        Self(Cow::Borrowed(json.get()))
    }

    /// Reads text that is to be one JSON value.
    ///
    /// # Errors
    /// When it is none; the text of the error has no word of the input.
    pub fn parse(text: impl Into<Cow<'a, str>>) -> Result<Self, serde_json::Error> {
        let text = text.into();
        serde_json::from_str::<serde::de::IgnoredAny>(&text)?;
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
        Ok(Self(if trimmed.len() == text.len() { text } else { Cow::Owned(trimmed.to_owned()) }))
    }

    /// A value made of others.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Json<'static> {
        Json(Cow::Owned(value.to_string()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }

    /// The text without white space between its tokens.
    #[must_use]
    pub fn compact(&self) -> Cow<'_, str> {
        compact(&self.0)
    }

    /// The same, kept apart from what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Json<'static> {
        Json(Cow::Owned(self.0.into_owned()))
    }

    /// The same, for as long as this one is.
    #[must_use]
    pub fn by_ref(&self) -> Json<'_> {
        Json(Cow::Borrowed(&self.0))
    }
}

/// `json` without white space between its tokens; what is inside strings stays.
fn compact(json: &str) -> Cow<'_, str> {
    let mut tokens = Tokens::default();
    if json.chars().all(|c| tokens.keep(c)) {
        return Cow::Borrowed(json);
    }
    let mut tokens = Tokens::default();
    Cow::Owned(json.chars().filter(|c| tokens.keep(*c)).collect())
}

/// Tells what is inside strings from what is between tokens.
#[derive(Default)]
struct Tokens {
    in_string: bool,
    escaped: bool,
}

impl Tokens {
    /// Whether `c` is more than white space between tokens.
    fn keep(&mut self, c: char) -> bool {
        if !self.in_string {
            self.in_string = c == '"';
            return !matches!(c, ' ' | '\n' | '\r' | '\t');
        }
        if self.escaped {
            self.escaped = false;
        } else if c == '\\' {
            self.escaped = true;
        } else if c == '"' {
            self.in_string = false;
        }
        true
    }
}
