//! The rooms: who may import whom, how long a file may be, and bans that clippy cannot say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What each room may import, by `crate::`; a room imports only rooms above it here, so there is no way round in a
/// circle. `config` holds resolved types and knows nothing of what is decided by them; `route` decides by them.
/// `telemetry` takes its label values from the closed sets of `route`, and how to log from `config`.
pub(crate) const MAY_IMPORT: [(&str, &[&str]); 12] = [
    ("process", &[]),
    ("prompt", &[]),
    ("wire", &["prompt"]),
    ("config", &["wire"]),
    ("route", &["wire", "config"]),
    ("telemetry", &["config", "route"]),
    ("secret", &["config"]),
    ("ledger", &["config", "route", "telemetry"]),
    ("outbound", &[]),
    ("upstream", &["config", "outbound", "prompt", "route", "wire"]),
    ("demo", &["config", "process", "wire"]),
    (
        "gateway",
        &[
            "config",
            "ledger",
            "outbound",
            "process",
            "prompt",
            "route",
            "secret",
            "telemetry",
            "upstream",
            "wire",
        ],
    ),
];

/// Rooms, or parts of them, that are functions of their arguments alone.
const PURE: [&str; 4] = ["src/prompt/", "src/wire/", "src/route/", "src/config/check/"];

/// What a pure room never says.
const IMPURE: [&str; 9] = [
    "tokio::",
    "reqwest::",
    "hyper::",
    "std::env",
    "std::fs",
    "std::net::Tcp",
    "std::time::Instant",
    "SystemTime",
    "Timestamp::now",
];

/// Where a secret may be taken out of its wrapping.
const EXPOSES: [&str; 4] = ["src/secret/", "src/upstream/", "src/gateway/", "src/telemetry/redact.rs"];

/// Who may write to stdout or stderr: the printer, and the log, whose place they are.
const PRINTS: [&str; 2] = ["commands/printer.rs", "src/telemetry/logs/"];

/// Most lines of a file that are not tests.
const LONGEST: usize = 600;

struct Source {
    name: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn sources(dirs: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    dirs.iter().for_each(|d| walk(&root().join(d), &mut found));
    found.sort();
    let read = |p: PathBuf| Source {
        name: p.strip_prefix(root()).expect("inside").to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&p).expect("a source file"),
    };
    found.into_iter().map(read).collect()
}

impl Source {
    fn is_tests(&self) -> bool {
        self.name.ends_with("/tests.rs")
            || self.name.contains("/tests/")
            || self.name.starts_with("tests/")
            || self.is_declared_for_tests()
    }

    /// Its folder's `mod.rs` declares it under `cfg(test)`.
    fn is_declared_for_tests(&self) -> bool {
        let path = Path::new(&self.name);
        let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|s| s.to_str())) else {
            return false;
        };
        let list = std::fs::read_to_string(root().join(folder).join("mod.rs")).unwrap_or_default();
        list.contains(&format!("#[cfg(test)]\nmod {stem};"))
    }

    /// Lines of code: comments left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines.filter(|(_, l)| !l.trim_start().starts_with("//")).map(|(n, l)| (n + 1, l))
    }

    /// Which room it stands in: `wire` for `src/wire/sse/mod.rs`.
    fn room(&self) -> Option<&str> {
        let rest = self.name.strip_prefix("src/")?;
        rest.split_once('/').map(|(room, _)| room)
    }

    /// Rooms it imports: what stands after `crate::`, in braces too.
    fn imports(&self) -> BTreeSet<String> {
        let mut rooms = BTreeSet::new();
        for (_, line) in self.code() {
            for after in line.split("crate::").skip(1) {
                let list = after.strip_prefix('{').map_or_else(|| vec![after], |l| l.split(',').collect());
                for item in list {
                    let word = item.trim().split(|c: char| !c.is_ascii_lowercase() && c != '_').next();
                    rooms.extend(word.filter(|w| !w.is_empty()).map(ToOwned::to_owned));
                }
            }
        }
        rooms
    }
}

fn none(found: &[String]) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn rooms_import_only_what_they_may() {
    let mut bad = Vec::new();
    let mut used = BTreeSet::new();
    let names: BTreeSet<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    for source in sources(&["src"]).iter().filter(|s| !s.is_tests()) {
        let Some(room) = source.room() else { continue };
        let Some((_, may)) = MAY_IMPORT.iter().find(|(name, _)| *name == room) else {
            bad.push(format!("{}: the room {room} is not in the table of tests/rooms.rs", source.name));
            continue;
        };
        for import in source.imports() {
            used.insert((room.to_owned(), import.clone()));
            if names.contains(import.as_str()) && import != room && !may.contains(&import.as_str()) {
                bad.push(format!("{}: {room} may not import {import}", source.name));
            }
        }
    }
    let allowed = MAY_IMPORT.iter().flat_map(|(room, may)| may.iter().map(move |import| (*room, *import)));
    for (room, import) in allowed.filter(|(r, i)| !used.contains(&((*r).to_owned(), (*i).to_owned()))) {
        bad.push(format!("{room} may import {import} and does not: take it out of the table"));
    }
    none(&bad);
}

#[test]
fn the_table_of_rooms_has_no_circle() {
    for (at, (room, may)) in MAY_IMPORT.iter().enumerate() {
        for import in *may {
            let place = MAY_IMPORT.iter().position(|(name, _)| name == import);
            assert!(place.is_some_and(|p| p < at), "{room} imports {import}, which does not stand above it");
        }
    }
}

#[test]
fn the_binary_uses_the_engine_and_the_engine_never_the_binary() {
    let mut bad = Vec::new();
    for source in sources(&["src"]).iter().filter(|s| !s.is_tests()) {
        for (n, line) in source.code() {
            if line.contains("clap::") || line.contains("anyhow::") || line.contains("comfy_table::") {
                bad.push(format!("{}:{n}: belongs in commands/: {}", source.name, line.trim()));
            }
        }
    }
    none(&bad);
}

#[test]
fn pure_rooms_are_pure() {
    let mut bad = Vec::new();
    for source in sources(&["src"]).iter().filter(|s| !s.is_tests()) {
        if !PURE.iter().any(|p| source.name.starts_with(p)) {
            continue;
        }
        for (n, line) in source.code() {
            for word in IMPURE.iter().filter(|w| line.contains(**w)) {
                bad.push(format!("{}:{n}: {word} in a pure room", source.name));
            }
        }
    }
    none(&bad);
}

#[test]
fn files_stay_small() {
    let sources = sources(&["src", "commands", "tests"]);
    let bad = sources.iter().filter(|s| !s.is_tests() && s.text.lines().count() > LONGEST);
    none(&bad.map(|s| format!("{}: over {LONGEST} lines; where is the seam?", s.name)).collect::<Vec<_>>());
    let mut lengths: Vec<usize> = sources.iter().map(|s| s.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median < 150, "the median file has {median} lines");
}

#[test]
fn unit_tests_have_a_file_of_their_own() {
    let sources = sources(&["src", "commands"]);
    let bad = sources.iter().filter(|s| s.text.lines().any(|l| l.trim() == "mod tests {"));
    none(&bad.map(|s| format!("{}: its tests belong in a tests.rs beside it", s.name)).collect::<Vec<_>>());
}

#[test]
fn mod_files_only_declare_and_document() {
    let mut bad = Vec::new();
    for source in sources(&["src", "commands"]).iter().filter(|s| s.name.ends_with("/mod.rs")) {
        let mut is_use = false;
        for (n, line) in source.code() {
            let line = line.trim();
            let starts = ["mod ", "pub mod ", "pub(crate) mod ", "use ", "pub use ", "pub(crate) use "];
            if is_use || starts.iter().any(|s| line.starts_with(s)) {
                is_use = !line.ends_with(';');
            } else if !line.is_empty() && !line.starts_with("#[") && !line.starts_with("#![") {
                bad.push(format!("{}:{n}: not a declaration: {line}", source.name));
            }
        }
    }
    none(&bad);
}

#[test]
fn every_test_file_is_listed() {
    let main = std::fs::read_to_string(root().join("tests/main.rs")).expect("tests/main.rs");
    let mut bad = Vec::new();
    for source in sources(&["tests"]) {
        let path = source.name.strip_prefix("tests/").expect("inside").trim_end_matches(".rs");
        if path == "main" || path.ends_with("/mod") {
            continue;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let list = match folder {
            "" => main.clone(),
            f if root().join(format!("tests/{f}/mod.rs")).exists() => {
                std::fs::read_to_string(root().join(format!("tests/{f}/mod.rs"))).expect("a mod.rs")
            }
            f => {
                let inside = main.split_once(&format!("mod {f} {{")).map_or("", |(_, rest)| rest);
                inside.split_once('}').map_or("", |(inside, _)| inside).into()
            }
        };
        if !list.contains(&format!("mod {name};")) {
            bad.push(format!("{}: not listed, so it never runs", source.name));
        }
    }
    none(&bad);
}

#[test]
fn secrets_are_exposed_in_few_places() {
    let sources = sources(&["src", "commands"]);
    let bad = sources
        .iter()
        .filter(|s| !s.is_tests() && s.code().any(|(_, l)| l.contains("expose_secret")))
        .filter(|s| !EXPOSES.iter().any(|allowed| s.name.starts_with(allowed)));
    none(&bad.map(|s| format!("{}: may not take a secret out of its wrapping", s.name)).collect::<Vec<_>>());
}

#[test]
fn only_the_printer_prints() {
    let mut bad = Vec::new();
    for source in sources(&["src", "commands"]) {
        if source.is_tests() || PRINTS.iter().any(|p| source.name.starts_with(p)) {
            continue;
        }
        for (n, line) in source.code() {
            for word in ["println!", "print!(", "eprint", "io::stdout", "dbg!"] {
                if line.contains(word) {
                    bad.push(format!("{}:{n}: {word} outside of commands/printer.rs", source.name));
                }
            }
        }
    }
    none(&bad);
}

#[test]
fn unsafe_code_and_lint_exceptions_are_few_and_say_why() {
    let mut unsafe_files = BTreeSet::new();
    let mut bad = Vec::new();
    for source in sources(&["src", "commands"]).iter().filter(|s| !s.is_tests()) {
        for (n, line) in source.code() {
            if line.contains("unsafe {") || line.contains("unsafe fn") || line.contains("unsafe impl") {
                unsafe_files.insert(source.name.clone());
            }
            if line.contains("#[allow(") || line.contains("#![allow(") {
                bad.push(format!("{}:{n}: expect, with a reason, not allow", source.name));
            }
            for room in ["mod util", "mod helpers", "mod common", "mod manager"] {
                if line.contains(room) {
                    bad.push(format!("{}:{n}: {room} says nothing about what is inside", source.name));
                }
            }
        }
    }
    none(&bad);
    assert!(unsafe_files.len() <= 1, "unsafe code in {unsafe_files:?}; one file may have it");
}
