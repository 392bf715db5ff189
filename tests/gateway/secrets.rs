//! Keys, tokens and callers' credentials reach no log, record, error, metric or page.

use std::path::Path;

use serde_json::json;

use crate::support::bodies::{ask, ask_stream, error_body, fails, half_stream, says};
use crate::support::call::Reply;
use crate::support::config::key_of;
use crate::support::{Answer, Call, Gateway, Setup, Upstream, chain};

const HIDDEN: [&str; 5] = ["sk-test-", "sk-client-", "gate-token-", "userinfo-pw", "cookie-crumb"];

fn clean(what: &str, text: &str) {
    for word in HIDDEN {
        assert!(!text.contains(word), "{what} holds {word}:\n{text}");
    }
}

fn clean_folder(dir: &Path) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            clean_folder(&path);
        } else if !path.ends_with("config.yaml") {
            let bytes = std::fs::read(&path).expect("a file");
            let text: String = bytes.iter().map(|b| char::from(*b)).collect();
            clean(&path.display().to_string(), &text);
        }
    }
}

#[test]
fn no_secret_is_anywhere() {
    let dead = Upstream::refused();
    let echo = Upstream::always(fails(
        401,
        "authentication_error",
        "no: Bearer sk-test-b-0123456789abcdef, x sk-test-b-0123456789abcdef",
    ));
    let broken = Upstream::always(fails(
        500,
        "api_error",
        "for sk-test-c-0123456789abcdef and gate-token-99-abcdef sk-client-222-abcdef",
    ));
    let fine = Upstream::always(says("d-1", "ok"));
    let mut config = chain(&[("a", &dead), ("b", &echo), ("c", &broken), ("d", &fine)]);
    config["auth"] = json!({"tokens": ["env:GATE"]});
    config["log"] = json!({"level": "trace"});
    config["routes"][0]["on_seat_rejected"] = json!("fall_back");
    let seats = ["b", "c"];
    config["routes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "spent", "models": ["never-*"], "chain": seats}));
    config["routes"].as_array_mut().unwrap().reverse();
    let gw = Setup::new(&config).env("GATE", "gate-token-99-abcdef").start();
    let dress = |call: Call| {
        call.with("x-api-key", "sk-client-222-abcdef")
            .with("authorization", "Bearer gate-token-99-abcdef")
            .with("cookie", "s=cookie-crumb")
    };
    let mut spent = ask("x");
    spent["model"] = json!("never-1");
    for body in [ask("x"), ask_stream("x"), spent] {
        let reply = gw.send(&dress(Call::messages(&body)));
        clean("a reply", reply.text());
        clean("a reply's head", &format!("{:?}", reply.headers));
    }
    clean(
        "the refusal of a body",
        gw.send(&dress(Call::bytes("/v1/messages", "{\"x\":\"sk-client-222-abcdef\""))).text(),
    );
    let wrong = dress(Call::messages(&ask("x")))
        .with("x-forwarded-for", "1.2.3.4")
        .with("authorization", "Bearer sk-client-333");
    clean("a refusal", gw.send(&wrong).text());
    for page in ["/metrics", "/api/status", "/api/seats", "/health", "/ready", "/v1/models"] {
        clean(page, gw.get(page).text());
    }
    gw.attempts(8);
    clean("the log on stderr", &gw.log.text());
    clean_folder(gw.path("").as_path());
}

#[test]
fn a_key_in_a_url_is_not_told_either() {
    for url in ["http://127.0.0.1:1/v1?key=sk-test-000", "http://me:userinfo-pw@127.0.0.1:1"] {
        let b = Upstream::always(says("b-1", "ok"));
        let mut config = chain(&[("a", &Upstream::refused()), ("b", &b)]);
        config["providers"]["a"]["base_url"] = json!(url);
        config["log"] = json!({"level": "trace"});
        match Setup::new(&config).start_or_exit() {
            Ok(gw) => {
                let reply = gw.ask(&ask("x"));
                clean("a reply", reply.text());
                clean("status", gw.get("/api/status").text());
                gw.attempts(2);
                clean("the log", &gw.log.text());
                clean_folder(gw.path("").as_path());
            }
            Err(exit) => {
                assert_eq!(exit.code, Some(78), "{}", exit.log);
                clean("the refusal", &exit.log);
                clean_folder(exit.home.path());
            }
        }
    }
}

#[test]
fn a_key_file_that_others_can_read_is_refused() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["providers"]["a"]["key"] = json!("file:secrets/a.key");
    let mode = |setup: &Setup, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(setup.home().join("secrets/a.key"), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    let setup = Setup::new(&config).file("secrets/a.key", "sk-test-in-a-file\n");
    mode(&setup, 0o644);
    let exit = setup.exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    assert!(exit.log.contains("secrets/a.key") && exit.log.contains("600"), "{}", exit.log);
    let setup = Setup::new(&config).file("secrets/a.key", "sk-test-in-a-file\n");
    mode(&setup, 0o600);
    let gw = setup.start();
    gw.ask(&ask("x")).expect(200);
    assert_eq!(a.only().header("x-api-key"), Some("sk-test-in-a-file"));
}

#[test]
fn no_command_tells_a_key() {
    let mut config = chain(&[("a", &Upstream::refused())]);
    config["providers"]["a"]["base_url"] = json!("http://127.0.0.1:1/sk-test-in-the-path?key=sk-test-000");
    config["providers"]["a"]["key"] = json!("sk-test-pasted-where-a-place-belongs");
    config["auth"] = json!({"tokens": ["gate-token-pasted"]});
    let setup = Setup::new(&config).file("config.yaml", &config.to_string());
    for args in [
        &["config", "check"][..],
        &["config", "check", "--strict"],
        &["config", "show"],
        &["config", "show", "--json"],
    ] {
        let output =
            setup.command().args(args).stdout(std::process::Stdio::piped()).output().expect("it runs");
        assert_ne!(output.status.code(), None, "{args:?}");
        for (what, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            clean(&format!("{what} of {args:?}"), &String::from_utf8(bytes).expect("UTF-8"));
        }
    }
    let exit = setup.exits();
    assert_eq!(exit.code, Some(78), "{}", exit.log);
    clean("the refusal", &exit.log);
}

/// Seen: an upstream that quotes the key it was sent, in places where nobody looked.
#[test]
fn a_key_that_upstream_quotes_anywhere_goes_no_further() {
    let key = key_of("a");
    let named = says(&key, "x").header("request-id", &format!("req-{key}")).header("anthropic-note", &key);
    let event = json!({"type": "error", "error": {"type": "api_error", "message": "plain", "param": key}, "request_id": key});
    let broken = [half_stream("a-1", &["half "]).concat(), format!("event: error\ndata: {event}\n\n")];
    let refusal = Answer::json(400, &error_body("invalid_request_error", &format!("bad key {key}")));
    let a = Upstream::new([named, Answer::stream(&broken), refusal]);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let seen = |reply: &Reply| format!("{:?} {}", reply.headers, reply.text());
    let first = gw.ask(&ask("1")).expect(200);
    assert!(first.header("request-id").is_none() && first.header("x-sanctum-served-model").is_none());
    let second = gw.ask(&ask_stream("2")).expect(200);
    assert!(!seen(&second).contains(&key), "{}", seen(&second));
    second.folded().assert_loud();
    let third = gw.ask(&ask("3")).expect(400);
    assert!(!seen(&third).contains(&key), "{}", seen(&third));
    gw.attempts(3);
    let log = std::fs::read_to_string(gw.path("attempts/attempts.jsonl")).unwrap();
    assert!(!log.contains(&key), "{log}");
}
