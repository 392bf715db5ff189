//! YAML text -> a tree in which every key and value knows its place.
//!
//! The tree is untyped on purpose: a typed parse stops at its first error, and all of them are wanted.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Location, MessageFormatter, Spanned, UserMessageFormatter};

#[cfg(test)]
mod tests;

/// A place in the text; both from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) col: u64,
}

impl Place {
    /// The first character.
    pub(crate) const START: Self = Self { line: 1, col: 1 };
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) value: Node,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    /// A whole number, and the text it was written as.
    Int(i128, String),
    /// A number with a fraction or exponent, and the text it was written as.
    Float(f64, String),
    Str(String),
    Seq(Vec<Node>),
    /// Keys in the file's order; one may stand there twice.
    Map(Vec<Entry>),
}

impl Kind {
    /// What a person calls it.
    pub(crate) const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Int(..) => "a whole number",
            Self::Float(..) => "a number",
            Self::Str(_) => "text",
            Self::Seq(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }
}

impl Node {
    /// The value under `key`, the first where it stands twice.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of `key`, the first where it stands twice.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entries of a mapping; none of anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::Seq(items) => items,
            _ => &[],
        }
    }

    /// A scalar as the text that was written: `4.60` stays `4.60`. `None` for anything else.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Bool(true) => Some("true"),
            Kind::Bool(false) => Some("false"),
            Kind::Int(_, text) | Kind::Float(_, text) | Kind::Str(text) => Some(text),
            Kind::Null | Kind::Seq(_) | Kind::Map(_) => None,
        }
    }

    /// Whether nothing was written.
    pub(crate) const fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }
}

/// Why a text is no tree.
#[derive(Debug, Clone)]
pub(crate) struct SyntaxError {
    pub(crate) place: Place,
    pub(crate) message: String,
}

/// Parses one YAML document; an empty one is [`Kind::Null`].
///
/// # Errors
/// Where the text is no YAML, or expands beyond its budget: the first fault and its place.
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        // `no`, `on` and `y` are names and words here; only true and false are booleans.
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: 24, max_documents: 2, max_events: 200_000, max_nodes: 100_000 },
    };
    match serde_saphyr::from_str_with_options::<Option<Spanned<Raw>>>(text, options) {
        Ok(Some(raw)) => Ok(place_nodes(raw, text)),
        Ok(None) => Ok(Node { place: Place::START, kind: Kind::Null }),
        Err(error) => {
            let place = error.location().map_or(Place::START, place_of);
            let message = UserMessageFormatter.format_message(error.without_snippet()).into_owned();
            Err(SyntaxError { place, message: tidy(&message) })
        }
    }
}

/// One line, lower-case start, no final stop.
fn tidy(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim().trim_end_matches('.');
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn place_of(location: Location) -> Place {
    Place { line: location.line().max(1), col: location.column().max(1) }
}

/// The tree as serde hands it over, before numbers are given their text back.
enum Raw {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(String),
    Seq(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

fn place_nodes(raw: Spanned<Raw>, text: &str) -> Node {
    let place = place_of(raw.referenced);
    let kind = match raw.value {
        Raw::Null => Kind::Null,
        Raw::Bool(value) => Kind::Bool(value),
        Raw::Int(value) => Kind::Int(value, written(raw.defined, text, || value.to_string())),
        Raw::Float(value) => Kind::Float(value, written(raw.defined, text, || value.to_string())),
        Raw::Str(value) => Kind::Str(value),
        Raw::Seq(items) => Kind::Seq(items.into_iter().map(|item| place_nodes(item, text)).collect()),
        Raw::Map(entries) => Kind::Map(
            entries
                .into_iter()
                .map(|(key, value)| Entry {
                    place: place_of(key.referenced),
                    key: key.value,
                    value: place_nodes(value, text),
                })
                .collect(),
        ),
    };
    Node { place, kind }
}

/// The characters a number was written with.
fn written(location: Location, text: &str, otherwise: impl FnOnce() -> String) -> String {
    let span = location.span();
    let piece = || {
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
        let piece = text.get(start..end)?.trim();
        // A span that also covers a tag or an anchor is not the number's own text.
        let numeric = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
        (!piece.is_empty() && piece.chars().all(numeric)).then(|| piece.to_owned())
    };
    piece().unwrap_or_else(otherwise)
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Int(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Str(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
