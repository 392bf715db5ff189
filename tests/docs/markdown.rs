//! What the documents hold: fenced blocks, commands in them, links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A fenced block.
pub(crate) struct Block {
    /// What stands after the fence.
    pub(crate) lang: String,
    /// `FILE:LINE` of its fence.
    pub(crate) place: String,
    /// What is inside, lines ended.
    pub(crate) text: String,
}

/// A command of a `console` block and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// As typed, lines that go on joined by line ends.
    pub(crate) command: String,
    /// What is shown below it; lines ended.
    pub(crate) output: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents for people, by path from the root.
pub(crate) fn documents() -> Vec<String> {
    let in_docs = std::fs::read_dir(root().join("docs")).expect("docs");
    let in_docs =
        in_docs.map(|e| format!("docs/{}", e.expect("an entry").file_name().into_string().expect("UTF-8")));
    let mut all: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(Into::into).to_vec();
    all.extend(in_docs.filter(|name| name.ends_with(".md")));
    all.sort();
    all
}

pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The fenced blocks of a document.
pub(crate) fn blocks(name: &str) -> Vec<Block> {
    let text = read(name);
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(lang)) => {
                open =
                    Some(Block { lang: lang.into(), place: format!("{name}:{number}"), text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{name} has a fence that is not closed");
    found
}

/// The commands of a `console` block: `$ ` begins one, a backslash at a line's end goes on.
pub(crate) fn shown(block: &Block) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut goes_on = false;
    for line in block.text.lines() {
        let begins = line.strip_prefix("$ ");
        if let Some(command) = begins {
            all.push(Shown { command: command.into(), output: String::new() });
        } else {
            let last = all.last_mut().unwrap_or_else(|| panic!("{}: output before a command", block.place));
            let into = if goes_on { &mut last.command } else { &mut last.output };
            if goes_on {
                into.push('\n');
            }
            into.push_str(line);
            if !goes_on {
                into.push('\n');
            }
        }
        goes_on = (begins.is_some() || goes_on) && line.ends_with('\\');
    }
    all
}

/// The words of a command: blanks divide, single quotes and backslashes as in a shell.
pub(crate) fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_word, mut quoted) = (String::new(), false, false);
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => (quoted, is_word) = (!quoted, true),
            c if quoted => word.push(c),
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(c) => word.push(c),
            },
            ' ' | '\n' if is_word => {
                words.push(std::mem::take(&mut word));
                is_word = false;
            }
            ' ' | '\n' => {}
            c => {
                word.push(c);
                is_word = true;
            }
        }
    }
    assert!(!quoted, "an open quote in {command}");
    words.extend(is_word.then_some(word));
    words
}

/// First cells of the table rows below a heading, without their backticks, up to the next heading.
pub(crate) fn first_cells(name: &str, heading: &str) -> Vec<String> {
    let text = read(name);
    let below = text.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| !l.starts_with('#'));
    let cells =
        below.filter_map(|l| l.strip_prefix("| `")?.split_once("` |").map(|(cell, _)| cell.to_owned()));
    cells.collect()
}

/// The relative links of a document: the file, and the heading where one is named.
pub(crate) fn links(name: &str) -> Vec<(PathBuf, Option<String>)> {
    let text = read(name);
    let folder = root().join(name).parent().expect("a folder").to_path_buf();
    let mut found = Vec::new();
    for after in text.split("](").skip(1) {
        let Some((target, _)) = after.split_once(')') else { continue };
        if target.contains("://") || target.contains(char::is_whitespace) {
            continue;
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a.to_owned())));
        let file = if file.is_empty() { root().join(name) } else { folder.join(file) };
        found.push((file, anchor));
    }
    found
}

/// The anchors that a document's headings have.
pub(crate) fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|l| l.strip_prefix('#').map(|l| l.trim_start_matches('#').trim()));
    let kept = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    headings
        .map(|h| {
            h.to_lowercase()
                .chars()
                .filter_map(|c| if c == ' ' { Some('-') } else { kept(c).then_some(c) })
                .collect()
        })
        .collect()
}
