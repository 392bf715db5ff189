use std::path::Path;

use super::*;
use crate::config::load;

const TEXT: &str = r#"
providers:
  one:
    wire: anthropic
    base_url: https://me:hunter2@one.example/x/
    key: env:KEY_ONE
  two: {wire: anthropic, base_url: "http://127.0.0.1:9", key: sk-ant-THIS-IS-A-KEY}
  "123": {wire: openai, base_url: "https://x.example/v1"}
seats:
  a: {provider: one, model: "4.60", extra_headers: {x-gate: hunter2}, price: {input: 3, output: 15.5}}
  "no": {provider: "123", model: "true", anthropic_betas: [context-1m-2025-08-07]}
routes:
  - name: main
    models: ["*", "claude-*"]
    chain: [a, "no"]
    retry: {max_attempts_per_seat: 1}
callbacks: [{url: "https://hunter2.example", enrich: true, tries: 3}]
"#;

#[test]
fn defaults_are_filled_in_and_no_secret_is_shown() {
    let yaml = show(TEXT).unwrap();
    assert!(!yaml.contains("hunter2") && !yaml.contains("THIS-IS"), "{yaml}");
    insta::assert_snapshot!(yaml);
}

#[test]
fn json_says_the_same() {
    let json = show_json(TEXT).unwrap();
    let from_yaml = show_json(&show(TEXT).unwrap()).unwrap();
    assert_eq!(json, from_yaml);
    assert_eq!(json["routes"][0]["retry"]["backoff_ms"], 250);
    assert_eq!(json["seats"]["a"]["model"], "4.60");
    assert!(!json.to_string().contains("hunter2"));
}

#[test]
fn what_is_shown_loads_to_the_same() {
    let text = TEXT
        .replace("me:hunter2@", "")
        .replace("sk-ant-THIS-IS-A-KEY", "caller")
        .replace("extra_headers: {x-gate: hunter2}, ", "");
    let home = Path::new("/home/x/.sanctum");
    let told = |text: &str| {
        let loaded = load("config.yaml", text, home);
        let errors: Vec<_> = loaded.findings.iter().map(ToString::to_string).collect();
        let mut config = loaded.config.unwrap_or_else(|| panic!("{errors:?}"));
        config.digest = String::new();
        format!("{config:?}")
    };
    assert_eq!(told(&text), told(&show(&text).unwrap()));
}

#[test]
fn a_text_that_is_no_mapping_has_nothing_to_show() {
    for text in ["", "[]", "a", "a: [", "\u{0}"] {
        assert_eq!(show(text), None, "{text:?}");
        assert_eq!(show_json(text), None, "{text:?}");
    }
}
