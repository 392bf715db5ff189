//! One thing that is wrong, or merely unwise, at one place of the file.

use std::fmt;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// It can be used, and probably does not do what was meant.
    Lint,
}

impl Severity {
    /// The word that is printed.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Lint => "lint",
        }
    }
}

/// A finding with its place. Nothing in it is ever a key or another secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it weighs.
    pub severity: Severity,
    /// The file, as it was named.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub col: u64,
    /// The path of keys, e.g. `seats.fable.ttfb_timeout_secs` or `routes[0].chain[1]`; empty at the root.
    pub path: String,
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// What was written there, where it is short and no secret.
    pub value: Option<String>,
    /// The way out.
    pub hint: Option<String>,
}

impl Finding {
    /// The order in which findings are told: by place, errors before lints, then by text.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        (self.line, self.col, self.severity, &self.path, &self.message).cmp(&(
            other.line,
            other.col,
            other.severity,
            &other.path,
            &other.message,
        ))
    }
}

/// `FILE:LINE:COL: error: PATH: MESSAGE (is VALUE); HINT`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}: ", self.file, self.line, self.col, self.severity.word())?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if let Some(value) = &self.value {
            write!(f, " (is {value})")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}
