//! Text in, a configuration or every reason against it out.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::draft::Draft;
use super::report::Report;
use super::resolve::{key_at, resolve};
use super::schema::ROOT;
use super::validate::{join, validate};
use super::{Config, Finding, KeyRef, check, tree};

#[cfg(test)]
mod tests;

/// The largest configuration that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;

/// What a text came to.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration; `Some` exactly when no finding is an error.
    pub config: Option<Config>,
    /// Every finding, errors and lints, by place.
    pub findings: Vec<Finding>,
}

/// Why a configuration could not even be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error(
        "no config at {}: write a first one with `sanctum config init`, or look around without one with `sanctum serve --demo`",
        path.display()
    )]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is there and cannot be read.
    #[error("read the config {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is larger than [`MAX_CONFIG_BYTES`].
    #[error("read the config {}: larger than {MAX_CONFIG_BYTES} bytes, so probably not a config", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not UTF-8.
    #[error("read the config {}: not UTF-8 at byte {valid_up_to}", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Bytes before the first that is not UTF-8.
        valid_up_to: usize,
    },
}

/// Parses, judges and resolves a configuration; pure.
///
/// `file_name` is what findings call the file; relative paths in the text are taken from `home`.
#[must_use]
pub fn load(file_name: &str, text: &str, home: &Path) -> Loaded {
    let mut report = Report::new(file_name);
    let config = match tree::parse(text) {
        Err(error) => {
            report.error(error.place, "", error.message);
            None
        }
        Ok(tree) if tree.is_null() => {
            report
                .error(tree.place, "", "the config is empty")
                .hint("write a first one with `sanctum config init`, or look around without one with `sanctum serve --demo`");
            None
        }
        Ok(tree) => judge(&tree, text, home, &mut report),
    };
    Loaded { config, findings: report.finish() }
}

fn judge(tree: &tree::Node, text: &str, home: &Path, report: &mut Report<'_>) -> Option<Config> {
    validate(tree, ROOT, report);
    let draft = Draft::new(tree);
    for family in check::FAMILIES {
        family(&draft, report);
    }
    if report.has_error() {
        return None;
    }
    let config = resolve(&draft, home, digest(text));
    if config.is_none() {
        report.error(
            tree.place,
            "",
            "passed every check and still cannot be used: this is a fault of sanctum",
        );
    }
    config
}

/// The first 16 hex digits of the SHA-256 of `text`.
fn digest(text: &str) -> String {
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Where a key is said to be kept, and where that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub col: u64,
    /// The path of keys, e.g. `providers.anthropic.key`.
    pub path: String,
    /// Where the key is kept.
    pub key: KeyRef,
}

/// Every key reference of a configuration, in the order of providers and tokens; pure.
///
/// For `config check --resolve`, which asks whether each can be had. What is no reference is left out.
#[must_use]
pub fn references(text: &str, home: &Path) -> Vec<Reference> {
    let Ok(tree) = tree::parse(text) else { return Vec::new() };
    let draft = Draft::new(&tree);
    let provider_keys = draft.providers.iter().filter_map(|provider| {
        let node = provider.view.written("key")?;
        Some((join(&join("providers", provider.name), "key"), node.text()?, node.place))
    });
    let tokens = draft.root.sub("auth").texts("tokens").unwrap_or_default();
    let tokens =
        tokens.into_iter().enumerate().map(|(i, (text, place))| (format!("auth.tokens[{i}]"), text, place));
    provider_keys
        .chain(tokens)
        .filter_map(|(path, text, place)| {
            let key = key_at(text, home)?;
            Some(Reference { line: place.line, col: place.col, path, key })
        })
        .collect()
}

/// Reads and loads the configuration at `path`.
///
/// # Errors
/// Where the file is missing, unreadable, too large or not UTF-8. A file that was read and is wrong
/// is no error here: its findings say so.
pub fn read(path: &Path, home: &Path) -> Result<Loaded, ReadError> {
    Ok(load(&path.display().to_string(), &read_text(path)?, home))
}

/// Reads the text of a configuration, for [`load`] and [`super::show`].
///
/// # Errors
/// As [`read`].
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let path_buf = || path.to_path_buf();
    let file = File::open(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => ReadError::Missing { path: path_buf() },
        _ => ReadError::Unreadable { path: path_buf(), source },
    })?;
    let mut bytes = Vec::new();
    file.take(MAX_CONFIG_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| ReadError::Unreadable { path: path_buf(), source })?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_CONFIG_BYTES {
        return Err(ReadError::TooLarge { path: path_buf() });
    }
    String::from_utf8(bytes).map_err(|error| ReadError::NotUtf8 {
        path: path_buf(),
        valid_up_to: error.utf8_error().valid_up_to(),
    })
}
