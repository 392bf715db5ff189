//! `serve` that cannot serve: a reason in words, and the right exit status.

use serde_json::json;

use crate::support::bodies::says;
use crate::support::{Setup, Upstream, chain};

#[test]
fn no_configuration_names_the_ways_on() {
    let exit = Setup::bare().exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    for word in ["config.yaml", "serve --demo", "config init"] {
        assert!(exit.log.contains(word), "{word} is not in {}", exit.log);
    }
}

#[test]
fn an_empty_or_senseless_file_is_a_reason_and_no_panic() {
    for text in [
        "",
        "\n\n",
        "# only words\n",
        "null",
        "[]",
        "3",
        "{",
        "\t",
        "a: b: c",
        "providers: [",
        "\u{0}",
        "&a [*a]",
    ] {
        let exit = Setup::text(text).exits();
        assert_eq!(exit.code, Some(78), "{text:?}: {}", exit.log);
        assert!(exit.log.contains("config") && !exit.log.contains("panicked"), "{text:?}: {}", exit.log);
    }
}

#[test]
fn every_fault_is_told_at_once_with_its_place_and_the_nearest_spelling() {
    let text = "providers:\n  one: {wire: anthropc, base_url: http://127.0.0.1:1}\n\
        seats:\n  s1: {provider: won, model: m, idle_timeout_sec: 4}\n  s2: {provider: one, model: 5, max_prompt_tokens: -3}\n\
        routes:\n  - {name: r1, models: ['*'], chain: [s1, s9], deadline_secs: soon}\nservre: {}\n";
    let exit = Setup::text(text).exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    for word in [
        "anthropc",
        "anthropic",
        "won",
        "idle_timeout_sec",
        "idle_timeout_secs",
        "max_prompt_tokens",
        "s9",
        "deadline_secs",
        "soon",
        "servre",
        "server",
    ] {
        assert!(exit.log.contains(word), "{word} is not in\n{}", exit.log);
    }
    for place in ["yaml:2:", "yaml:4:", "yaml:5:", "yaml:7:", "yaml:8:"] {
        assert!(exit.log.contains(place), "{place} is not in\n{}", exit.log);
    }
}

#[test]
fn a_key_that_is_not_there_is_named() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["providers"]["a"]["key"] = json!("env:NOT_SET_ANYWHERE");
    let exit = Setup::new(&config).exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    assert!(exit.log.contains("NOT_SET_ANYWHERE"), "{}", exit.log);
}

#[test]
fn every_key_that_is_not_there_is_told_and_told_once() {
    let (a, b) = (Upstream::always(says("a-1", "ok")), Upstream::always(says("b-1", "ok")));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["providers"]["a"]["key"] = json!("env:NOT_SET_ANYWHERE");
    config["providers"]["b"]["key"] = json!("file:secrets/none");
    config["auth"]["tokens"] = json!(["env:NO_TOKEN"]);
    let exit = Setup::new(&config).exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    for told in [
        "auth.tokens[0]: environment variable NO_TOKEN",
        "providers.a.key: env",
        "providers.b.key: cannot read",
    ] {
        assert_eq!(exit.log.matches(told).count(), 1, "{told}: {}", exit.log);
    }
    assert_eq!(exit.log.matches("use the config").count(), 1, "{}", exit.log);
}

#[test]
fn an_address_that_is_not_ours_is_named() {
    let a = Upstream::always(says("a-1", "ok"));
    let addr = "192.0.2.1:4040";
    let exit = Setup::new(&chain(&[("a", &a)])).listen(Some(addr)).exits();
    assert_eq!(exit.code, Some(69), "{}", exit.log);
    let told = format!("listen on {addr}: ");
    assert_eq!(exit.log.matches(&told).count(), 1, "{}", exit.log);
    assert_eq!(exit.log.matches("os error").count(), 1, "{}", exit.log);
}

#[test]
fn an_address_that_is_none_is_wrong_usage() {
    for addr in ["4040", "127.0.0.1", ":4040", "127.0.0.1:99999", "nonsense:port", ""] {
        let exit = Setup::bare().listen(Some(addr)).exits();
        assert_eq!(exit.code, Some(2), "{addr}: {}", exit.log);
        assert!(exit.log.contains("write HOST:PORT, e.g. `127.0.0.1:4040`"), "{addr}: {}", exit.log);
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let setup = Setup::bare();
    for args in [
        &["serve", "--bogus"][..],
        &["no-such-command"],
        &["--color", "mauve", "serve"],
        &["serve", "--listen"],
    ] {
        let output = setup.command().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}
