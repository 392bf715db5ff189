//! The walk of a tree along the table: unknown keys, wrong types, words, bounds, and what is not built.

use std::collections::HashMap;

use super::report::{Addition, Report, shown, shown_key};
use super::schema::{Field, Shape, Status, TextKind};
use super::spelling::nearest;
use super::tree::{Entry, Kind, Node, Place};

#[cfg(test)]
mod tests;

/// What other programs call a key of ours, or a slip too far from it to be told by its letters.
const MEANT: &[(&str, &str)] = &[
    ("api_key", "key"),
    ("apikey", "key"),
    ("token", "key"),
    ("url", "base_url"),
    ("api_base", "base_url"),
    ("endpoint", "base_url"),
    ("seeds", "seats"),
];

/// Judges a whole configuration against the table.
pub(crate) fn validate(root: &Node, fields: &'static [Field], report: &mut Report<'_>) {
    Walk { report }.object(root, fields, "", root.place);
}

/// `seats.a` and `model` -> `seats.a.model`
pub(crate) fn join(path: &str, key: &str) -> String {
    let key = shown_key(key);
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

struct Walk<'r, 'f> {
    report: &'r mut Report<'f>,
}

impl Walk<'_, '_> {
    /// `at` is the place of the key whose value `node` is.
    fn value(&mut self, node: &Node, shape: &'static Shape, path: &str, at: Place) {
        match shape {
            Shape::Bool => match node.kind {
                Kind::Bool(_) => {}
                _ => self.wrong(node, path, "true or false"),
            },
            Shape::Whole { min, max, unit } => self.whole(node, path, *min, *max, unit),
            Shape::Number { min, max, unit } => self.number(node, path, *min, *max, unit),
            Shape::Word(words) => self.word(node, path, words),
            Shape::Text(kind) => self.text(node, path, kind),
            Shape::List { item, least } => match &node.kind {
                Kind::Seq(items) => self.items(items, item, *least, path, node.place),
                Kind::Null if *least == 0 => {}
                _ => self.wrong(node, path, "a list"),
            },
            Shape::OneOrList { item, least } => match &node.kind {
                Kind::Seq(items) => self.items(items, item, *least, path, node.place),
                _ => self.value(node, item, path, at),
            },
            Shape::Map { key, value } => self.map(node, key, value, path),
            Shape::Object(fields) => self.object(node, fields, path, at),
            Shape::Opaque => {}
        }
    }

    fn items(&mut self, items: &[Node], shape: &'static Shape, least: usize, path: &str, place: Place) {
        if items.len() < least {
            self.report.error(place, path, "is an empty list").hint("name at least one");
        }
        for (i, item) in items.iter().enumerate() {
            self.value(item, shape, &format!("{path}[{i}]"), item.place);
        }
    }

    fn map(&mut self, node: &Node, key: &'static TextKind, value: &'static Shape, path: &str) {
        if !matches!(node.kind, Kind::Map(_) | Kind::Null) {
            return self.wrong(node, path, "a mapping of names to settings");
        }
        self.twice(node.entries(), path);
        for entry in node.entries() {
            let path = join(path, &entry.key);
            if let Err(why) = (key.judge)(&entry.key) {
                self.report.error(entry.place, &path, why);
            }
            self.value(&entry.value, value, &path, entry.place);
        }
    }

    fn object(&mut self, node: &Node, fields: &'static [Field], path: &str, at: Place) {
        if !matches!(node.kind, Kind::Map(_) | Kind::Null) {
            return self.wrong(node, path, "a mapping of settings");
        }
        self.twice(node.entries(), path);
        for entry in node.entries() {
            match fields.iter().find(|field| field.name == entry.key) {
                Some(field) => self.field(entry, field, &join(path, &entry.key)),
                None => self.unknown(entry, fields, path),
            }
        }
        for field in fields.iter().filter(|field| field.required && node.get(field.name).is_none()) {
            self.report.error(at, &join(path, field.name), "is missing").hint(meaning(field));
        }
    }

    fn field(&mut self, entry: &Entry, field: &'static Field, path: &str) {
        if field.required && entry.value.is_null() {
            self.report.error(entry.place, path, "is empty").hint(meaning(field));
        } else {
            self.value(&entry.value, &field.shape, path, entry.place);
        }
        let asks_nothing = |plain: &[&str]| entry.value.text().is_some_and(|text| plain.contains(&text));
        match field.status {
            Status::Built => {}
            Status::NotYet { plain } if asks_nothing(plain) => {}
            Status::NotYet { .. } => {
                self.report
                    .lint(entry.place, path, "is accepted and does nothing: it is not built yet")
                    .hint("remove it, or leave it for a later version");
            }
            Status::Guard { plain } if asks_nothing(plain) => {}
            Status::Guard { .. } => {
                self.report
                    .error(entry.place, path, "is refused: it would guard something and is not built yet")
                    .hint(
                        "remove it, knowing that nothing guards this, or wait for the version that builds it",
                    );
            }
        }
    }

    fn unknown(&mut self, entry: &Entry, fields: &'static [Field], path: &str) {
        let names = || fields.iter().map(|field| field.name);
        let place_of_key = super::reference::homes_of(&entry.key);
        let meant = MEANT.iter().find(|(written, _)| entry.key.eq_ignore_ascii_case(written));
        let meant = meant.map(|(_, name)| *name).filter(|name| names().any(|n| n == *name));
        let hint = match meant.or_else(|| nearest(&entry.key, names())) {
            Some(name) => format!("did you mean `{name}`?"),
            None if !place_of_key.is_empty() => format!("it belongs in {place_of_key}"),
            None => format!("the keys here are {}", list(names())),
        };
        self.report.error(entry.place, &join(path, &entry.key), "unknown key").hint(hint);
    }

    fn twice(&mut self, entries: &[Entry], path: &str) {
        let mut seen: HashMap<&str, Place> = HashMap::new();
        for entry in entries {
            if let Some(first) = seen.get(entry.key.as_str()) {
                self.report
                    .error(entry.place, &join(path, &entry.key), "stands here twice")
                    .hint(format!("the first is at {}:{}", first.line, first.col));
            } else {
                seen.insert(&entry.key, entry.place);
            }
        }
    }

    fn wrong(&mut self, node: &Node, path: &str, wanted: &str) {
        let message = if path.is_empty() {
            format!("the config is {}, and wants {wanted}", node.kind.describe())
        } else if node.is_null() {
            format!("has no value: wants {wanted}")
        } else {
            format!("wants {wanted}, not {}", node.kind.describe())
        };
        self.report.error(node.place, path, message).value(node);
    }

    fn bounds(&mut self, node: &Node, path: &str, unit: &str, min: String, max: String) -> Addition<'_> {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        self.report.error(node.place, path, format!("is out of range: {min} to {max}{unit}")).value(node)
    }

    fn whole(&mut self, node: &Node, path: &str, min: u64, max: u64, unit: &str) {
        match &node.kind {
            Kind::Int(value, _) if u64::try_from(*value).is_ok_and(|v| (min..=max).contains(&v)) => {}
            Kind::Int(..) => {
                self.bounds(node, path, unit, min.to_string(), max.to_string());
            }
            _ => self.wrong(node, path, &of_unit("a whole number", unit)),
        }
    }

    fn number(&mut self, node: &Node, path: &str, min: f64, max: f64, unit: &str) {
        match super::view::number(node) {
            Some(value) if value >= min && value <= max => {}
            Some(_) => {
                self.bounds(node, path, unit, min.to_string(), max.to_string());
            }
            None => self.wrong(node, path, &of_unit("a number", unit)),
        }
    }

    fn word(&mut self, node: &Node, path: &str, words: &'static [&'static str]) {
        let allowed = || list(words.iter().copied());
        let Some(text) = node.text() else {
            return self.wrong(node, path, &format!("one of {}", allowed()));
        };
        if words.contains(&text) {
            return;
        }
        let hint = match nearest(text, words.iter().copied()) {
            Some(word) => format!("did you mean `{word}`? It is one of {}", allowed()),
            None => format!("it is one of {}", allowed()),
        };
        self.report.error(node.place, path, "unknown value").value(node).hint(hint);
    }

    fn text(&mut self, node: &Node, path: &str, kind: &'static TextKind) {
        let Some(text) = node.text() else {
            return self.wrong(node, path, kind.what);
        };
        if let Err(why) = (kind.judge)(text) {
            let addition = self.report.error(node.place, path, why);
            if !kind.secret && shown(text).is_some() {
                addition.value(node);
            }
        }
    }
}

/// What a key is for, as the way out of its absence.
fn meaning(field: &Field) -> String {
    format!("`{}` says: {}", field.name, field.doc)
}

fn of_unit(what: &str, unit: &str) -> String {
    if unit.is_empty() { what.to_owned() } else { format!("{what} of {unit}") }
}

/// `a`, `b`, `c` between backticks.
pub(crate) fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
