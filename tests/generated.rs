//! `completions/` and `man/` are what the binary prints. `UPDATE=1` rewrites them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;

const SHELLS: [(&str, &str); 4] =
    [("bash", "sanctum.bash"), ("zsh", "_sanctum"), ("fish", "sanctum.fish"), ("powershell", "_sanctum.ps1")];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries =
        fs::read_dir(folder).map(|entries| entries.map(|entry| entry.unwrap())).into_iter().flatten();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Compares, or with `UPDATE=1` makes it so.
fn check(folder: &Path, printed: &BTreeMap<String, Vec<u8>>) {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(folder).unwrap();
        for name in files(folder).keys().filter(|name| !printed.contains_key(*name)) {
            fs::remove_file(folder.join(name)).unwrap();
        }
        for (name, bytes) in printed {
            fs::File::create(folder.join(name)).unwrap().write_all(bytes).unwrap();
        }
    }
    let there = files(folder);
    assert_eq!(
        there.keys().collect::<Vec<_>>(),
        printed.keys().collect::<Vec<_>>(),
        "{} has other files than are generated: run the tests with UPDATE=1",
        folder.display()
    );
    for (name, bytes) in printed {
        assert!(
            there[name] == *bytes,
            "{} is stale: run the tests with UPDATE=1",
            folder.join(name).display()
        );
    }
}

#[test]
fn completions_are_current() {
    let printed = SHELLS.map(|(shell, file)| {
        let done = cargo_bin_cmd!("sanctum").args(["completions", shell]).assert().success();
        (file.to_owned(), done.get_output().stdout.clone())
    });
    check(&folder("completions"), &printed.into());
}

#[test]
fn man_pages_are_current() {
    let to = tempfile::tempdir().unwrap();
    cargo_bin_cmd!("sanctum").arg("man").arg("--dir").arg(to.path()).assert().success();
    let printed = files(to.path());
    check(&folder("man"), &printed);
    let alone = cargo_bin_cmd!("sanctum").arg("man").assert().success();
    assert_eq!(alone.get_output().stdout, printed["sanctum.1"]);
}

#[test]
fn a_reader_that_goes_away_is_success() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_sanctum"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
}

#[test]
fn wrong_usage_exits_2_and_help_0() {
    cargo_bin_cmd!("sanctum").arg("no-such-command").assert().code(2);
    cargo_bin_cmd!("sanctum").assert().code(2);
    cargo_bin_cmd!("sanctum").args(["serve", "--no-such-flag"]).assert().code(2);
    let help = cargo_bin_cmd!("sanctum").arg("--help").assert().success();
    let text = String::from_utf8(help.get_output().stdout.clone()).unwrap();
    assert!(text.contains("SANCTUM_HOME") && text.contains("Exit status"), "{text}");
}
