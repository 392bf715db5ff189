//! Where findings are gathered, and what of a value may be shown.

use std::collections::HashSet;

use super::finding::{Finding, Severity};
use super::tree::{Node, Place};

/// The findings about one file so far.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl<'a> Report<'a> {
    /// Nothing found yet in `file`.
    pub(crate) const fn new(file: &'a str) -> Self {
        Self { file, findings: Vec::new() }
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, place: Place, path: &str, message: impl Into<String>) -> Addition<'_> {
        self.add(Severity::Error, place, path, message.into())
    }

    /// Adds a lint.
    pub(crate) fn lint(&mut self, place: Place, path: &str, message: impl Into<String>) -> Addition<'_> {
        self.add(Severity::Lint, place, path, message.into())
    }

    fn add(&mut self, severity: Severity, place: Place, path: &str, message: String) -> Addition<'_> {
        self.findings.push(Finding {
            severity,
            file: self.file.to_owned(),
            line: place.line,
            col: place.col,
            path: path.to_owned(),
            message,
            value: None,
            hint: None,
        });
        Addition(self.findings.last_mut())
    }

    /// Whether an error was found.
    pub(crate) fn has_error(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The findings in the order in which they are told. A lint about what is an error anyway is left out.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        let wrong: HashSet<String> =
            self.findings.iter().filter(|f| is_error(f)).map(|f| f.path.clone()).collect();
        self.findings.retain(|finding| is_error(finding) || !wrong.contains(&finding.path));
        self.findings.sort_by(Finding::order);
        self.findings.dedup();
        self.findings
    }
}

/// The finding just added, to be completed.
pub(crate) struct Addition<'a>(Option<&'a mut Finding>);

impl Addition<'_> {
    /// Says the way out.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        let Self(finding) = self;
        if let Some(finding) = finding {
            finding.hint = Some(hint.into());
            return Self(Some(finding));
        }
        Self(None)
    }

    /// Says what stands there, as far as it may be shown.
    pub(crate) fn value(self, node: &Node) -> Self {
        let Self(finding) = self;
        if let Some(finding) = finding {
            finding.value = node.text().and_then(shown);
            return Self(Some(finding));
        }
        Self(None)
    }
}

/// Longest text that is shown.
const LONGEST_SHOWN: usize = 64;

/// A text between backticks; `None` where it is long, unprintable or might be a key in the wrong place.
pub(crate) fn shown(text: &str) -> Option<String> {
    let printable = text.chars().all(|c| !c.is_control());
    (text.len() <= LONGEST_SHOWN && printable && !may_be_secret(text)).then(|| format!("`{text}`"))
}

/// A key of a path: what [`shown`] would hide is an ellipsis.
pub(crate) fn shown_key(key: &str) -> &str {
    if shown(key).is_some() { key } else { "…" }
}

/// Whether a text looks like a credential: known beginnings, a URL that may hold one, or a long run of
/// letters mixed with digits.
pub(crate) fn may_be_secret(text: &str) -> bool {
    const BEGINNINGS: [&str; 9] =
        ["sk-", "key-", "Bearer ", "ghp_", "github_pat_", "xox", "AIza", "gsk_", "eyJ"];
    let in_url = text.contains("://") && text.contains(['@', '?', '#']);
    if in_url || BEGINNINGS.iter().any(|start| text.trim_start().starts_with(start)) {
        return true;
    }
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '/' | '='))).any(|run| {
        run.len() >= 24
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_alphabetic())
    })
}
