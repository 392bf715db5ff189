//! The little JSON that is written by hand, where the order of keys and the form of numbers are to survive.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::prompt::Text;

/// `text` as a JSON string, quotes included.
pub(super) fn quoted(text: &str) -> String {
    // A string always serialises.
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// JSON text on one line. Line breaks can only stand between tokens, where a space means the same.
pub(super) fn push_on_one_line(out: &mut String, json: &str) {
    let mut lines = json.split(['\n', '\r']);
    out.push_str(lines.next().unwrap_or_default());
    for line in lines {
        out.push(' ');
        out.push_str(line);
    }
}

/// An object as it is written: its pairs in order, values untouched.
#[derive(Debug)]
pub(super) struct Pairs<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Pairs<'a> {
    /// The value of the last pair with this key, as most readers have it.
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The pairs, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// A value that is a string.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// Writes the object on one line, with other values where `stand_in` has one.
    pub(super) fn write_with<'b>(&self, out: &mut String, stand_in: impl Fn(&str) -> Option<&'b str>) {
        let mut sign = '{';
        for (key, value) in &self.0 {
            out.push(sign);
            sign = ',';
            out.push_str(&quoted(key));
            out.push(':');
            push_on_one_line(out, stand_in(key).unwrap_or(value.get()));
        }
        out.push_str(if self.0.is_empty() { "{}" } else { "}" });
    }
}

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Pairs<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                // A key with escapes cannot be borrowed.
                while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    pairs.push((key.0, value));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// A key, borrowed where it can be.
#[derive(Deserialize)]
pub(super) struct Key<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The fields of an object, when it is one and they are of the right form.
pub(super) fn read<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Option<T> {
    serde_json::from_str(json.get()).ok()
}

/// A value that is there.
pub(super) fn present(json: Option<&RawValue>) -> Option<&RawValue> {
    json.filter(|json| json.get() != "null")
}

/// A string.
pub(super) fn text(json: Option<&RawValue>) -> Option<Text<'_>> {
    json.and_then(Text::of)
}

/// A string, as it is compared with names.
pub(super) fn word(json: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let json = json?.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str::<String>(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// A whole number that is not negative.
pub(super) fn whole(json: Option<&RawValue>) -> Option<u64> {
    read(json?)
}

/// Yes or no.
pub(super) fn flag(json: Option<&RawValue>) -> Option<bool> {
    read(json?)
}
