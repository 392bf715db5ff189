use super::*;
use crate::config::schema::Shape;
use crate::config::tree::parse;

fn any(text: &str) -> Result<(), String> {
    if text.is_empty() { Err("is empty".into()) } else { Ok(()) }
}

const TEXT: TextKind = TextKind { what: "a text", secret: false, judge: any };
const INNER: &[Field] = &[Field::new("k", Shape::Bool, "k")];

/// One key a shape.
const SHAPES: &[Field] = &[
    Field::new("bool", Shape::Bool, ""),
    Field::new("whole", Shape::Whole { min: 1, max: 9, unit: "bytes" }, ""),
    Field::new("number", Shape::Number { min: 0.5, max: 9.0, unit: "" }, ""),
    Field::new("word", Shape::Word(&["one", "two"]), ""),
    Field::new("text", Shape::Text(&TEXT), ""),
    Field::new("list", Shape::List { item: &Shape::Bool, least: 1 }, ""),
    Field::new("one_or_list", Shape::OneOrList { item: &Shape::Bool, least: 0 }, ""),
    Field::new("map", Shape::Map { key: &TEXT, value: &Shape::Bool }, ""),
    Field::new("object", Shape::Object(INNER), ""),
    Field::new("opaque", Shape::Opaque, ""),
];

const VALUES: &[&str] =
    &["~", "true", "5", "55", "2.5", "one", "x", "''", "[]", "[true, x]", "{}", "{k: true}", "{k: x, l: 1}"];

/// Each shape against each kind of value.
#[test]
fn what_each_shape_says_to_each_value() {
    let mut lines = Vec::new();
    for field in SHAPES {
        for value in VALUES {
            let node = parse(&format!("{}: {value}", field.name)).unwrap();
            let mut report = Report::new("c");
            validate(&node, SHAPES, &mut report);
            let told: Vec<_> =
                report.finish().iter().map(|f| f.to_string().replacen("c:1:", "", 1)).collect();
            lines.push(format!(
                "{}: {value} -> {}",
                field.name,
                if told.is_empty() { "fine".into() } else { told.join(" / ") }
            ));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn nothing_that_may_be_a_key_is_repeated() {
    for secret in [
        "sk-ant-api03-abc",
        "ghp_0123456789",
        "AIzaSyA1",
        "0123456789abcdef0123456789abcdef",
        "https://u:p@h",
    ] {
        assert_eq!(shown(secret), None, "{secret}");
        let text = format!("word: \"{secret}\"\n\"{secret}\": 1\nmap: {{\"{secret}\": 3}}\n");
        let mut report = Report::new("c");
        validate(&parse(&text).unwrap(), SHAPES, &mut report);
        for finding in report.finish() {
            assert!(!finding.to_string().contains(secret), "{finding}");
        }
    }
    for plain in
        ["claude-sonnet-4-5-20250929", "http://localhost:3000", "attempts/attempts.jsonl", "antropic"]
    {
        assert!(shown(plain).is_some(), "{plain}");
    }
}
