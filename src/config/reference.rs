//! `docs/config.md`: the table, for people.

use std::fmt::Write as _;

use super::schema::{Field, ROOT, Shape, Status};

#[cfg(test)]
mod tests;

/// A mapping of the table and its path, e.g. `seats.NAME.price`.
type Table = (String, &'static [Field]);

/// Every mapping of the table, outer ones first.
fn tables() -> Vec<Table> {
    let mut tables = vec![(String::new(), ROOT)];
    gather(ROOT, "", &mut tables);
    tables
}

fn gather(fields: &'static [Field], path: &str, tables: &mut Vec<Table>) {
    for field in fields {
        let path = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        if let Some((path, fields)) = inner(&field.shape, path) {
            tables.push((path.clone(), fields));
            gather(fields, &path, tables);
        }
    }
}

/// The mapping that a shape comes down to.
fn inner(shape: &'static Shape, path: String) -> Option<Table> {
    match shape {
        Shape::Object(fields) => Some((path, fields)),
        Shape::List { item, .. } | Shape::OneOrList { item, .. } => inner(item, format!("{path}[]")),
        Shape::Map { value, .. } => inner(value, format!("{path}.NAME")),
        _ => None,
    }
}

/// Where else a key has its place, e.g. `seats.NAME`; empty where nowhere.
pub(crate) fn homes_of(key: &str) -> String {
    let homes = tables()
        .into_iter()
        .filter(|(path, fields)| !path.is_empty() && fields.iter().any(|f| f.name == key));
    homes.map(|(path, _)| format!("`{path}`")).collect::<Vec<_>>().join(" or ")
}

/// The whole reference, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut out = String::from(INTRODUCTION);
    for (path, fields) in tables() {
        let title = if path.is_empty() { "Sections".to_owned() } else { format!("`{path}`") };
        let _infallible =
            writeln!(out, "\n## {title}\n\n| key | value | default | |\n| --- | --- | --- | --- |");
        for field in fields {
            let default = match (field.required, field.default) {
                (true, _) => "required".to_owned(),
                (false, Some(text)) => format!("`{text}`"),
                (false, None) => String::new(),
            };
            let _infallible = writeln!(
                out,
                "| `{}` | {} | {default} | {}{} |",
                field.name,
                shape(&field.shape),
                field.doc.replace('|', "\\|"),
                status(field.status)
            );
        }
    }
    out
}

fn status(status: Status) -> String {
    let unless = |plain: &[&str]| match plain {
        [] => String::new(),
        words => format!(" (but `{}` is fine)", words.join("`, `")),
    };
    match status {
        Status::Built => String::new(),
        Status::NotYet { plain } => format!(". *Not built yet: accepted with a lint{}.*", unless(plain)),
        Status::Guard { plain } => {
            format!(". *Not built yet: refused, since it would guard{}.*", unless(plain))
        }
    }
}

fn shape(shape: &Shape) -> String {
    let of_unit = |unit: &str| if unit.is_empty() { String::new() } else { format!(" {unit}") };
    match shape {
        Shape::Bool => "`true` or `false`".into(),
        Shape::Whole { min, max, unit } => format!("whole number, {min} to {max}{}", of_unit(unit)),
        Shape::Number { min, max, unit } => format!("number, {min} to {max}{}", of_unit(unit)),
        Shape::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Shape::Text(kind) => kind.what.into(),
        Shape::List { item, .. } => format!("list of: {}", self::shape(item)),
        Shape::OneOrList { item, .. } => format!("{}, or a list", self::shape(item)),
        Shape::Map { key, value } => format!("mapping of {} to: {}", key.what, self::shape(value)),
        Shape::Object(_) => "mapping, below".into(),
        Shape::Opaque => "anything".into(),
    }
}

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from the table in src/config/schema/. `UPDATE=1 cargo test --lib config::reference` rewrites it. -->

One YAML file (JSON is YAML too): `--config FILE`, else `SANCTUM_CONFIG`, else `config.yaml` in `SANCTUM_HOME`
(default `~/.sanctum`). Nothing in it is expanded: no `${}`, no `~`. Relative paths are relative to `SANCTUM_HOME`.
Durations end in `_secs` (fractions allowed) or `_ms`, sizes in `_bytes`; prices are USD per million tokens.
`true` and `false` alone are booleans; `yes`, `no`, `on` and `off` are text.

`sanctum config check` tells everything that is wrong, all of it at once, as `FILE:LINE:COL: error: KEY.PATH: ...`, and what
is merely unwise as lints; `sanctum config show` prints what holds with the defaults filled in.
Keys are references to where a key is kept, never the key itself. Names are 1 to 64 of letters, digits, `.`, `_`, `-`.

```yaml
providers:
  anthropic:
    wire: anthropic
    base_url: https://api.anthropic.com
    key: env:ANTHROPIC_API_KEY
  backup:
    wire: anthropic
    base_url: https://anthropic.example.net
    key: file:secrets/backup          # 0600, in SANCTUM_HOME
seats:
  sonnet:
    provider: anthropic
    model: claude-sonnet-5-5
    capability: vision
    max_prompt_tokens: 200000
    price: {input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75}
  sonnet-backup:
    provider: backup
    model: claude-sonnet-5-5
    capability: vision
    max_prompt_tokens: 200000
    price: {input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75}
routes:
  - name: coding
    models: [\"claude-*\"]
    chain: [sonnet, sonnet-backup]    # primary first
    on_seat_rejected: fail
```
";
