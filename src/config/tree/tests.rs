use super::*;

fn sketch(node: &Node) -> String {
    let at = format!("{}:{}", node.place.line, node.place.col);
    match &node.kind {
        Kind::Null => format!("null@{at}"),
        Kind::Bool(value) => format!("{value}@{at}"),
        Kind::Int(value, text) => format!("int {value} `{text}`@{at}"),
        Kind::Float(value, text) => format!("float {value} `{text}`@{at}"),
        Kind::Str(text) => format!("{text:?}@{at}"),
        Kind::Seq(items) => format!("[{}]@{at}", items.iter().map(sketch).collect::<Vec<_>>().join(", ")),
        Kind::Map(entries) => {
            let inner: Vec<_> = entries
                .iter()
                .map(|e| format!("{}@{}:{}: {}", e.key, e.place.line, e.place.col, sketch(&e.value)))
                .collect();
            format!("{{{}}}@{at}", inner.join(", "))
        }
    }
}

fn tree(text: &str) -> String {
    match parse(text) {
        Ok(node) => sketch(&node),
        Err(error) => format!("{}:{} {}", error.place.line, error.place.col, error.message),
    }
}

#[test]
fn every_key_and_value_knows_its_place() {
    insta::assert_snapshot!(tree("a: 1\nb:\n  - x\n  - {k: no, m: 4.60}\n  -\nc: ~\n"),
        @r#"{a@1:1: int 1 `1`@1:4, b@2:1: ["x"@3:5, {k@4:6: "no"@4:9, m@4:13: float 4.6 `4.60`@4:16}@4:5, null@5:4]@3:3, c@6:1: null@6:4}@1:1"#);
}

#[test]
fn only_true_and_false_are_booleans() {
    insta::assert_snapshot!(tree("[true, false, yes, no, on, off, y, 'true']"),
        @r#"[true@1:2, false@1:8, "yes"@1:15, "no"@1:20, "on"@1:24, "off"@1:28, "y"@1:33, "true"@1:36]@1:1"#);
}

#[test]
fn numbers_keep_the_text_they_were_written_with() {
    insta::assert_snapshot!(tree("[0x10, 1e3, 007, +5, -2, .inf, .nan, 99999999999999999999999, 1_000]"),
        @r#"[int 16 `0x10`@1:2, float 1000 `1e3`@1:8, "007"@1:13, int 5 `+5`@1:18, int -2 `-2`@1:22, ".inf"@1:26, ".nan"@1:32, float 100000000000000000000000 `99999999999999999999999`@1:38, int 1000 `1_000`@1:63]@1:1"#);
}

#[test]
fn a_key_that_stands_twice_is_kept_twice() {
    insta::assert_snapshot!(tree("a: 1\na: 2\n"), @"{a@1:1: int 1 `1`@1:4, a@2:1: int 2 `2`@2:4}@1:1");
}

#[test]
fn an_alias_stands_where_it_is_used() {
    insta::assert_snapshot!(tree("a: &x 5\nb: *x\nc: {<<: {k: 1}, l: 2}\n"),
        @"{a@1:1: int 5 `5`@1:7, b@2:1: int 5 `5`@2:4, c@3:1: {l@3:17: int 2 `2`@3:20, k@3:9: int 1 `1`@3:9}@3:4}@1:1");
}

#[test]
fn an_empty_text_is_nothing() {
    for text in ["", "\n", "# only a comment\n", "---\n", "~\n"] {
        assert!(matches!(parse(text), Ok(Node { kind: Kind::Null, .. })), "{text:?}");
    }
}

#[test]
fn broken_yaml_is_one_fault_with_its_place() {
    let texts = [
        "a: [1, 2",
        "a: b: c",
        "\ta: 1",
        "a: 'x",
        "a: 1\n b: 2",
        "*nope",
        "? [a]\n: 1",
        "~: 1",
        "---\na: 1\n---\nb: 2\n",
        "a: \u{1}",
    ];
    let told: Vec<_> = texts.iter().map(|text| format!("{text:?} -> {}", tree(text))).collect();
    insta::assert_snapshot!(told.join("\n"));
}
