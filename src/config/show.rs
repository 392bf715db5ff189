//! The effective configuration: what was written, defaults filled in, never a secret.

use serde_json::{Map, Number, Value};

use super::quote::plain;
use super::schema::{Field, ROOT, Shape, key_ref, redact};
use super::tree::{Entry, Kind, Node, parse};

#[cfg(test)]
mod tests;

/// Stands for a value that may be a secret.
const HIDDEN: &str = "(not shown)";

/// The effective configuration of `text` as YAML: defaults filled in, keys only as references, secrets in
/// URLs and headers left out. `None` where the text is no YAML mapping.
///
/// Where nothing had to be left out, it loads to the same configuration.
#[must_use]
pub fn show(text: &str) -> Option<String> {
    let mut out = String::new();
    write_map(&effective(text)?, 0, &mut out);
    Some(out)
}

/// The same as [`show`], as JSON.
#[must_use]
pub fn show_json(text: &str) -> Option<Value> {
    Some(to_json(Shown::Map(effective(text)?)))
}

/// A value in the table's order of keys.
#[derive(Debug)]
enum Shown {
    Value(Value),
    List(Vec<Shown>),
    Map(Vec<(String, Shown)>),
}

fn effective(text: &str) -> Option<Vec<(String, Shown)>> {
    let tree = parse(text).ok()?;
    matches!(tree.kind, Kind::Map(_)).then(|| object(Some(&tree), ROOT))
}

/// A mapping of the table: each key that was written or has a default.
fn object(node: Option<&Node>, fields: &'static [Field]) -> Vec<(String, Shown)> {
    let shown = |field: &'static Field| {
        let written = node.and_then(|node| node.get(field.name)).filter(|node| !node.is_null());
        let value = match (written, &field.shape, field.default) {
            (Some(node), shape, _) => value(node, shape),
            (None, Shape::Object(fields), _) => Shown::Map(object(None, fields)),
            (None, shape, Some(default)) => default_value(shape, default),
            (None, ..) => return None,
        };
        let empty = matches!(&value, Shown::Map(entries) if entries.is_empty());
        (!empty).then(|| (field.name.to_owned(), value))
    };
    fields.iter().filter_map(shown).collect()
}

fn value(node: &Node, shape: &'static Shape) -> Shown {
    match shape {
        Shape::Object(fields) => Shown::Map(object(Some(node), fields)),
        Shape::List { item, .. } | Shape::OneOrList { item, .. } => match &node.kind {
            Kind::Seq(items) => Shown::List(items.iter().map(|node| value(node, item)).collect()),
            _ => value(node, item),
        },
        Shape::Map { value: shape, .. } => {
            Shown::Map(node.entries().iter().map(|e| (e.key.clone(), value(&e.value, shape))).collect())
        }
        Shape::Text(kind) => Shown::Value(Value::String(text(node, kind.what, kind.secret))),
        Shape::Word(_) => Shown::Value(Value::String(node.text().unwrap_or_default().to_owned())),
        Shape::Bool | Shape::Whole { .. } | Shape::Number { .. } => Shown::Value(scalar(node)),
        Shape::Opaque => opaque(node),
    }
}

fn text(node: &Node, what: &str, secret: bool) -> String {
    let text = node.text().unwrap_or_default();
    if secret {
        // A reference says where a key is kept; anything else under such a key may be the key.
        return if key_ref(text).is_ok() { text.to_owned() } else { HIDDEN.to_owned() };
    }
    if what == "a base URL" { redact(text) } else { text.to_owned() }
}

/// What the table does not know may hold anything: its texts are not shown.
fn opaque(node: &Node) -> Shown {
    match &node.kind {
        Kind::Seq(items) => Shown::List(items.iter().map(opaque).collect()),
        Kind::Map(entries) => {
            Shown::Map(entries.iter().map(|Entry { key, value, .. }| (key.clone(), opaque(value))).collect())
        }
        Kind::Str(_) => Shown::Value(Value::String(HIDDEN.to_owned())),
        _ => Shown::Value(scalar(node)),
    }
}

fn scalar(node: &Node) -> Value {
    match &node.kind {
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Int(value, text) => {
            i64::try_from(*value).map_or_else(|_| Value::String(text.clone()), Value::from)
        }
        Kind::Float(value, text) => {
            Number::from_f64(*value).map_or_else(|| Value::String(text.clone()), Value::Number)
        }
        Kind::Str(_) => Value::String(HIDDEN.to_owned()),
        Kind::Null | Kind::Seq(_) | Kind::Map(_) => Value::Null,
    }
}

fn default_value(shape: &Shape, text: &str) -> Shown {
    let number =
        || text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok();
    match shape {
        Shape::Bool => Shown::Value(Value::Bool(text == "true")),
        Shape::Whole { .. } | Shape::Number { .. } => Shown::Value(number().unwrap_or(Value::Null)),
        _ if text == "[]" => Shown::List(Vec::new()),
        _ => Shown::Value(Value::String(text.to_owned())),
    }
}

fn to_json(shown: Shown) -> Value {
    match shown {
        Shown::Value(value) => value,
        Shown::List(items) => Value::Array(items.into_iter().map(to_json).collect()),
        Shown::Map(entries) => {
            Value::Object(entries.into_iter().map(|(k, v)| (k, to_json(v))).collect::<Map<_, _>>())
        }
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn write_map(entries: &[(String, Shown)], depth: usize, out: &mut String) {
    for (key, value) in entries {
        out.push_str(&indent(depth));
        out.push_str(&plain(key));
        out.push(':');
        write_value(value, depth, out);
    }
}

/// Writes what follows a colon.
fn write_value(value: &Shown, depth: usize, out: &mut String) {
    match value {
        Shown::Map(entries) if !entries.is_empty() => {
            out.push('\n');
            write_map(entries, depth.saturating_add(1), out);
        }
        Shown::List(items) if items.iter().any(|item| !matches!(item, Shown::Value(_))) => {
            out.push('\n');
            for item in items {
                write_item(item, depth.saturating_add(1), out);
            }
        }
        _ => {
            out.push(' ');
            out.push_str(&flow(value));
            out.push('\n');
        }
    }
}

/// Writes an item of a list that stands on lines of its own.
fn write_item(item: &Shown, depth: usize, out: &mut String) {
    let mut inner = String::new();
    match item {
        Shown::Map(entries) if !entries.is_empty() => {
            write_map(entries, depth.saturating_add(1), &mut inner);
            out.push_str(&indent(depth));
            out.push_str("- ");
            out.push_str(inner.trim_start());
        }
        _ => {
            out.push_str(&indent(depth));
            out.push_str("- ");
            out.push_str(&flow(item));
            out.push('\n');
        }
    }
}

/// One line.
fn flow(value: &Shown) -> String {
    match value {
        Shown::Value(Value::String(text)) => plain(text),
        Shown::Value(value) => value.to_string(),
        Shown::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Shown::Map(entries) => {
            let entries: Vec<_> = entries.iter().map(|(k, v)| format!("{}: {}", plain(k), flow(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
