//! `config` tells all that is wrong with its place, shows what holds, and writes a first one once.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

const GOOD: &str = "\
providers:
  a: {wire: anthropic, base_url: 'http://127.0.0.1:1', key: env:GATE_TEST_KEY}
  b: {wire: anthropic, base_url: 'http://127.0.0.1:2', key: file:secrets/b}
seats:
  a: {provider: a, model: m, capability: text, price: {input: 1, output: 2}}
  b: {provider: b, model: m, capability: text, price: {input: 1, output: 2}}
routes:
  - {name: main, models: ['*'], chain: [a, b]}
";

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(text: &str) -> Self {
        let home = Self::new();
        home.file("config.yaml", text, 0o600);
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
    fn file(&self, name: &str, text: &str, mode: u32) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sanctum"));
        command.args(args).env_clear().env("SANCTUM_HOME", self.path()).envs(env.iter().copied());
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

#[test]
fn a_good_one_is_said_to_be_good() {
    let ran = Home::with(GOOD).run(&["config", "check", "--strict"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert!(ran.err.contains("ok, 0 errors, 0 lints"), "{ran:?}");
}

#[test]
fn each_mistake_has_its_place_and_the_status_says_wrong() {
    let home = Home::with(&GOOD.replace("wire: anthropic", "wire: anthropik").replace("[a, b]", "[a, c]"));
    let ran = home.run(&["config", "check"]);
    assert_eq!(ran.code, 78, "{ran:?}");
    let file = home.path().join("config.yaml").display().to_string();
    for wanted in [
        ":2:13: error: providers.a.wire: ",
        ":3:13: error: providers.b.wire: ",
        ":8:44: error: routes[0].chain[1]: ",
    ] {
        assert!(ran.out.contains(&format!("{file}{wanted}")), "{wanted}\n{ran:?}");
    }
    let ran = home.run(&["config", "check", "--json"]);
    assert_eq!(ran.code, 78);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((json["valid"].as_bool(), json["errors"].as_u64()), (Some(false), Some(3)), "{json}");
    assert_eq!(json["findings"][0]["path"], "providers.a.wire");
    assert_eq!(json["findings"][0]["line"], 2);
    let ran = home.run(&["config", "show"]);
    assert_eq!((ran.code, ran.out.as_str()), (78, ""), "{ran:?}");
}

#[test]
fn a_lint_counts_only_where_strict() {
    let home = Home::with(&GOOD.replace("[a, b]", "[a]"));
    for (args, code) in [(&["config", "check"][..], 0), (&["config", "check", "--strict"], 1)] {
        let ran = home.run(args);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.out.contains("lint: routes[0].chain: is a chain of one"), "{ran:?}");
    }
}

#[test]
fn what_cannot_be_read_names_the_way_out() {
    let home = Home::new();
    for args in [&["config", "check"][..], &["config", "check", "--json"], &["config", "show"]] {
        let ran = home.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (78, ""), "{ran:?}");
        assert!(ran.err.contains("config init") && ran.err.contains("--demo"), "{ran:?}");
    }
    home.file("elsewhere.yaml", "", 0o600);
    let elsewhere = home.path().join("elsewhere.yaml");
    let ran = home.run(&["config", "check", "--config", elsewhere.to_str().unwrap()]);
    assert_eq!(ran.code, 78);
    assert!(ran.out.contains("elsewhere.yaml:1:1: error: the config is empty"), "{ran:?}");
    let ran = home.run_with(&["config", "check"], &[("SANCTUM_CONFIG", elsewhere.to_str().unwrap())]);
    assert!(ran.out.contains("the config is empty"), "{ran:?}");
}

#[test]
fn keys_are_looked_for_only_when_asked_and_never_shown() {
    let home = Home::with(GOOD);
    let ran = home.run(&["config", "check", "--resolve"]);
    assert_eq!(ran.code, 78, "{ran:?}");
    assert!(ran.out.contains("providers.a.key: environment variable GATE_TEST_KEY is not set"), "{ran:?}");
    assert!(ran.out.contains("providers.b.key: cannot read key file"), "{ran:?}");
    home.file("secrets/b", "fake-file-value\n", 0o644);
    let env = [("GATE_TEST_KEY", "fake-env-value")];
    let ran = home.run_with(&["config", "check", "--resolve"], &env);
    assert_eq!(ran.code, 78, "others may read the file: {ran:?}");
    home.file("secrets/b", "fake-file-value\n", 0o600);
    for args in [
        &["config", "check", "--resolve"][..],
        &["config", "check", "--resolve", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
    ] {
        let ran = home.run_with(args, &env);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!format!("{ran:?}").contains("fake-"), "{ran:?}");
    }
}

#[test]
fn what_is_shown_has_the_defaults_and_is_good_itself() {
    let home = Home::with(GOOD);
    let shown = home.run(&["config", "show"]).out;
    assert!(shown.contains("deadline_secs: 600") && shown.contains("key: env:GATE_TEST_KEY"), "{shown}");
    let again = Home::with(&shown);
    assert_eq!(again.run(&["config", "check", "--strict"]).code, 0);
    assert_eq!(again.run(&["config", "show"]).out, shown);
    let json: Value = serde_json::from_str(&home.run(&["config", "show", "--json"]).out).unwrap();
    assert_eq!(json["routes"][0]["deadline_secs"], 600);
}

#[test]
fn a_first_one_is_written_once() {
    let home = Home::new();
    let inner = home.path().join("new/folder/config.yaml");
    let args = ["config", "init", "--config", inner.to_str().unwrap()];
    let ran = home.run_with(&args, &[("ANTHROPIC_API_KEY", "fake-env-value")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("ANTHROPIC_BASE_URL=http://127.0.0.1:4040"), "{ran:?}");
    let text = std::fs::read_to_string(&inner).unwrap();
    assert!(text.contains("key: env:ANTHROPIC_API_KEY") && text.contains("on_seat_rejected: fail"), "{text}");
    assert!(!text.contains("fake-env-value") && !ran.out.contains("fake-env-value"));
    assert_eq!(std::fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(home.run(&["config", "check", "--config", inner.to_str().unwrap()]).code, 0);
    let ran = home.run(&args);
    assert_eq!(ran.code, 73, "{ran:?}");
    assert!(ran.err.contains("never overwritten"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&inner).unwrap(), text);
}

#[test]
fn a_place_where_nothing_can_be_written_is_said() {
    let home = Home::new();
    home.file("file", "", 0o600);
    let inside = home.path().join("file/config.yaml");
    let ran = home.run(&["config", "init", "--config", inside.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (73, ""), "{ran:?}");
    let dangling = home.path().join("link.yaml");
    std::os::unix::fs::symlink(home.path().join("nowhere"), &dangling).unwrap();
    assert_eq!(home.run(&["config", "init", "--config", dangling.to_str().unwrap()]).code, 73);
}
