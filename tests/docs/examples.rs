//! Every example in the documents is one that works: configurations load, commands exist, links lead somewhere.

use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin_cmd;
use sanctum::config::{self, Severity};

use super::markdown::{anchors, blocks, documents, links, read, root, shown, words};

#[test]
fn configurations_load_without_an_error() {
    let mut seen = 0;
    for block in documents().iter().flat_map(|name| blocks(name)).filter(|b| b.lang == "yaml") {
        let loaded = config::load(&block.place, &block.text, Path::new("/home/you/.sanctum"));
        let errors: Vec<_> = loaded.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(
            errors.is_empty(),
            "{}",
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        );
        seen += 1;
    }
    assert!(seen >= 2);
}

#[test]
fn the_first_configuration_is_one_that_strict_accepts() {
    for block in blocks("README.md").iter().filter(|b| b.lang == "yaml") {
        let loaded = config::load(&block.place, &block.text, Path::new("/home/you/.sanctum"));
        let told: Vec<_> = loaded.findings.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "{}", told.join("\n"));
    }
}

/// A language that is not here would be an example that nobody checks. `text` is for drawings.
#[test]
fn every_block_is_of_a_kind_that_is_checked() {
    for block in documents().iter().flat_map(|name| blocks(name)) {
        let kinds = ["yaml", "json", "console", "python", "rust", "text"];
        assert!(kinds.contains(&&*block.lang), "{}: a block of {:?}", block.place, block.lang);
        if block.lang == "json" {
            for line in block.text.lines() {
                serde_json::from_str::<serde_json::Value>(line)
                    .unwrap_or_else(|e| panic!("{}: {e}", block.place));
            }
        }
    }
}

#[test]
fn commands_are_ones_that_exist() {
    for block in documents().iter().flat_map(|name| blocks(name)).filter(|b| b.lang == "console") {
        for shown in shown(&block) {
            exists(&block.place, &shown.command);
        }
    }
}

/// How each kind of command is known to be one; another kind needs its line here.
fn exists(place: &str, command: &str) {
    let all = words(command);
    let words: Vec<&str> = all.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["sanctum", args @ ..] => {
            let args = args.split(|arg| *arg == ">").next().unwrap_or_default();
            // Arguments before `--help` are parsed, and a wrong one is an error.
            let done = cargo_bin_cmd!("sanctum").args(args).arg("--help").ok();
            assert!(done.is_ok(), "{place}: {command}: {done:?}");
        }
        ["curl", ..] => assert!(super::transcript::call(command).is_some(), "{place}: {command}"),
        ["tail", "-n", _, _] | ["export", _] | ["(umask", "077;", "mkdir", ..] => {}
        ["tests/run", gates @ ..] | ["INSTA_UPDATE=always", "tests/run", gates @ ..] => {
            for gate in gates {
                assert!(read("tests/run").contains(&format!("\ngate_{gate}() ")), "{place}: no gate {gate}");
            }
        }
        ["cargo", "install", "--path", ".", "--locked"] => assert!(root().join("Cargo.lock").exists()),
        ["UPDATE=1", "cargo", "test", rest @ ..] | ["cargo", "test" | "clippy" | "build", rest @ ..] => {
            let known = |arg: &&&str| {
                !matches!(**arg, "--lib" | "--test" | "main" | "--all-targets" | "--locked" | "--bin")
            };
            for filter in rest.iter().filter(known) {
                let path = filter.replace("::", "/");
                let there = ["src", "tests"].iter().any(|folder| {
                    let path = root().join(folder).join(&path);
                    path.is_dir() || path.with_extension("rs").is_file()
                });
                assert!(there, "{place}: nothing is named {filter}");
            }
        }
        [env, "claude"] => {
            let lines = config::client_lines("http://127.0.0.1:4040");
            assert!(
                lines.contains(&format!("{env} claude")),
                "{place}: not what the gateway itself says: {command}"
            );
        }
        _ => panic!("{place}: nothing checks this command: {command}"),
    }
}

/// `src/…` and the like in backticks; `NAME` stands for something else each time.
#[test]
fn paths_that_are_named_are_there() {
    let mut bad = Vec::new();
    for name in documents() {
        for word in read(&name).split('`').skip(1).step_by(2).filter(|w| !w.contains(char::is_whitespace)) {
            let is_path =
                ["src/", "tests/", "commands/", "docs/", "probes/"].iter().any(|f| word.starts_with(f));
            if is_path && !word.contains("NAME") && !root().join(word).exists() {
                bad.push(format!("{name}: {word} is not there"));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Where there is a Python.
#[test]
fn python_is_python() {
    for block in documents().iter().flat_map(|name| blocks(name)).filter(|b| b.lang == "python") {
        let mut python = Command::new("python3");
        python.args(["-c", "import ast, sys; ast.parse(sys.argv[1])", &block.text]).stderr(Stdio::piped());
        if let Ok(done) = python.output() {
            assert!(done.status.success(), "{}: {:?}", block.place, String::from_utf8(done.stderr));
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let mut bad = Vec::new();
    for name in documents() {
        for (file, anchor) in links(&name) {
            let Some(anchor) = anchor else {
                if !file.exists() {
                    bad.push(format!("{name}: {} is not there", file.display()));
                }
                continue;
            };
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if !anchors(&text).contains(&anchor) {
                bad.push(format!("{name}: {} has no heading #{anchor}", file.display()));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
