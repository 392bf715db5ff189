use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::config::{KeyRef, ModelPattern, Severity};

const SMALL: &str = "
providers: {a: {wire: anthropic, base_url: 'http://127.0.0.1:1/', key: file:secrets/a}}
seats: {s: {provider: a, model: m, price: {input: 3, output: 15}}}
routes: [{name: r, chain: [s]}, {name: g, models: ['claude-*-x', gpt], chain: [s]}]
";

fn home() -> &'static Path {
    Path::new("/home/x/.sanctum")
}

fn usable(text: &str) -> Config {
    let loaded = load("config.yaml", text, home());
    let told: Vec<_> = loaded.findings.iter().map(ToString::to_string).collect();
    loaded.config.unwrap_or_else(|| panic!("{text}\n{}", told.join("\n")))
}

fn told(text: &str) -> String {
    let findings = load("config.yaml", text, home()).findings;
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_not_written_is_as_the_contract_says() {
    insta::assert_debug_snapshot!(usable(SMALL));
}

#[test]
fn what_is_written_holds() {
    let config = usable(
        "
server: {listen: ['127.0.0.1:0', '[::1]:0'], max_body_bytes: 10, drain_secs: 0.5, allowed_origins: ['HTTP://Localhost:3000/'], allowed_hosts: [Gate.Example]}
auth: {tokens: [env:T, file:/abs/t], require: always}
providers: {a: {wire: openai, base_url: 'http://127.0.0.1:1/v1', key: caller, connect_timeout_secs: 1}}
seats:
  s: {provider: a, model: m, capability: image, max_prompt_tokens: 9000, max_output_tokens: 10, max_body_bytes: 11, max_concurrency: 2,
      ttfb_timeout_secs: 1.5, response_timeout_secs: 2, idle_timeout_secs: 0, skip: true, anthropic_betas: [b-1, b-2],
      extra_headers: {X-Team: red}, price: {input: 1, output: 2, cache_read: 0.5, cache_write: 0}}
routes:
  - {name: r, models: '*', chain: [s], deadline_secs: 7, allowed_providers: [a], retry: {max_attempts_per_seat: 1, backoff_ms: 0, budget_ratio: 0, budget_floor: 0},
     cooldown: {allowed_fails: 0, window_secs: 1, cooldown_secs: 2}, on_seat_rejected: fall_back, on_exhausted: retry, hold_secs: 1, stream_total_secs: 9}
attempts: {enabled: false, path: /var/a.jsonl, rotate_bytes: 5, keep: 0}
log: {level: trace, format: json, dir: elsewhere}
",
    );
    insta::assert_debug_snapshot!(config);
    assert_eq!(config.seats[0].idle_timeout, None);
    assert_eq!(config.seats[0].ttfb_timeout, Duration::from_millis(1500));
}

#[test]
fn seats_of_one_name_are_one_seat() {
    let config = usable(SMALL);
    assert!(Arc::ptr_eq(&config.routes[0].chain[0], &config.seats[0]));
    assert_eq!(config.routes[0].models, [ModelPattern::Exact("r".into())]);
    assert_eq!(
        config.routes[1].models,
        [ModelPattern::Glob(vec!["claude-".into(), "-x".into()]), ModelPattern::Exact("gpt".into())]
    );
    assert_eq!(config.seats[0].provider.key, KeyRef::File(home().join("secrets/a")));
}

#[test]
fn the_digest_is_of_the_text_as_read() {
    assert_eq!(usable(SMALL).digest.len(), 16);
    assert_ne!(usable(SMALL).digest, usable(&format!("{SMALL}# more\n")).digest);
    assert_eq!(digest(""), "e3b0c44298fc1c14");
}

#[test]
fn json_is_yaml_too() {
    let config = usable(
        r#"{"providers": {"a": {"wire": "anthropic", "base_url": "http://127.0.0.1:1", "key": "env:KEY_A"}},
            "seats": {"a": {"provider": "a", "model": "model-a", "max_prompt_tokens": 1000000000, "ttfb_timeout_secs": 5}},
            "routes": [{"name": "main", "models": ["*"], "chain": ["a"], "deadline_secs": 20, "retry": {"max_attempts_per_seat": 1, "backoff_ms": 10}}],
            "server": {}, "log": {"level": "debug"}}"#,
    );
    assert_eq!(config.routes[0].retry.max_attempts_per_seat, 1);
    assert_eq!(config.routes[0].retry.budget_floor, 10);
}

#[test]
fn names_that_look_like_other_things_stay_names() {
    let config = usable(
        "
providers: {no: {wire: anthropic, base_url: 'http://127.0.0.1:1'}, 007: {wire: anthropic, base_url: 'http://127.0.0.1:2'}}
seats: {1: {provider: no, model: 4.60}, on: {provider: 007, model: true}}
routes: [{name: 1.0, chain: [1, on], models: [2]}]
",
    );
    let names: Vec<_> = config.seats.iter().map(|s| (&*s.name, &*s.provider.name, &*s.model)).collect();
    assert_eq!(names, [("1", "no", "4.60"), ("on", "007", "true")]);
    assert_eq!(config.routes[0].name, "1.0");
}

/// Every mistake of a file is told at once, with its place and the way out.
#[test]
fn all_mistakes_are_told_at_once() {
    let told = told(
        "providers:\n  p: {wire: antrhopic, base_url: http://127.0.0.1:1}\nseats:\n  q: {provider: pp, model: m, idle_timeout_sec: 3}\nroutes:\n  - {name: r, models: ['*'], chain: [q, spectre]}\n",
    );
    for wanted in [
        "config.yaml:2:13: error: providers.p.wire: unknown value (is `antrhopic`); did you mean `anthropic`?",
        "seats.q.provider: names the provider `pp`, which does not exist; did you mean `p`?",
        "seats.q.idle_timeout_sec: unknown key; did you mean `idle_timeout_secs`?",
        "routes[0].chain[1]: names the seat `spectre`, which does not exist",
    ] {
        assert!(told.contains(wanted), "{wanted}\n---\n{told}");
    }
}

#[test]
fn a_file_that_cannot_be_read_says_why_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("config.yaml");
    let error = read(&missing, home()).unwrap_err();
    assert!(matches!(error, ReadError::Missing { .. }));
    let said = error.to_string();
    for wanted in [missing.to_str().unwrap(), "--demo", "config init"] {
        assert!(said.contains(wanted), "{said}");
    }
    let error = read(folder.path(), home()).unwrap_err();
    assert!(matches!(error, ReadError::Unreadable { .. }), "{error}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
fn a_file_is_capped_and_must_be_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    std::fs::write(&path, [b'a', 0xff]).unwrap();
    assert!(matches!(read(&path, home()), Err(ReadError::NotUtf8 { valid_up_to: 1, .. })));
    std::fs::File::create(&path).unwrap().set_len(MAX_CONFIG_BYTES + 1).unwrap();
    assert!(matches!(read(&path, home()), Err(ReadError::TooLarge { .. })));
    std::fs::write(&path, SMALL).unwrap();
    let loaded = read(&path, home()).unwrap();
    assert!(loaded.config.is_some());
    assert!(loaded.findings.iter().all(|f| f.file == path.to_str().unwrap() && f.severity == Severity::Lint));
}

/// Aliases that multiply are cut off by the parser's budget, not by memory.
#[test]
fn a_bomb_of_aliases_is_a_finding() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..9 {
        let item = format!("*a{}", i - 1);
        text.push_str(&format!("a{i}: &a{i} [{}]\n", [item.as_str(); 10].join(", ")));
    }
    assert!(load("config.yaml", &text, home()).config.is_none());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(load("config.yaml", &deep, home()).config.is_none());
    assert!(load("config.yaml", &"- ".repeat(100_000), home()).config.is_none());
}

/// A piece of the small configuration put somewhere else, or a piece of anything.
fn mutated() -> impl Strategy<Value = String> {
    let junk = prop_oneof![
        Just("~".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("-1".to_owned()),
        Just("1e999".to_owned()),
        Just(": ".to_owned()),
        Just("\n".to_owned()),
        Just("&a *a ".to_owned()),
        Just("!!binary x".to_owned()),
        Just("99999999999999999999".to_owned()),
        "\\PC{0,6}",
    ];
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), junk).prop_map(|(from, to, junk)| {
        let chars: Vec<char> = SMALL.chars().collect();
        let (from, to) = (from.index(chars.len()), to.index(chars.len()));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 12));
        chars[..from]
            .iter()
            .chain(junk.chars().collect::<Vec<_>>().iter())
            .chain(chars[to..].iter())
            .collect()
    })
}

/// No text panics, and a configuration comes out exactly where no error does.
fn holds(text: &str) {
    let loaded = load("config.yaml", text, home());
    let errors = loaded.findings.iter().filter(|f| f.severity == Severity::Error).count();
    assert_eq!(loaded.config.is_some(), errors == 0, "{text}\n{:#?}", loaded.findings);
    assert!(!loaded.findings.iter().any(|f| f.message.contains("a fault of sanctum")), "{text}");
    let shown = crate::config::show(text);
    if loaded.config.is_some() {
        let again = load("shown.yaml", &shown.unwrap_or_default(), home());
        assert!(again.config.is_some(), "{text}\n{:#?}", again.findings);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        holds(&text);
    }

    #[test]
    fn no_damaged_configuration_panics(text in mutated()) {
        holds(&text);
    }
}
