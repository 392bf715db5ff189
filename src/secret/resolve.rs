//! Reads a key from where it is kept.

use std::env::{self, VarError};
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};

use super::SecretError;
use crate::config::KeyRef;

/// Most bytes that a key file may have.
const MAX_FILE: u64 = 64 * 1024;

/// The key that `from` names; `None` where none is needed or the caller's own is forwarded. Reads the
/// environment or a file now: the value is not remembered.
pub fn resolve(from: &KeyRef) -> Result<Option<SecretString>, SecretError> {
    match from {
        KeyRef::Env(name) => of_env(name).map(Some),
        KeyRef::File(path) => of_file(path).map(Some),
        KeyRef::Keychain(_) => Err(SecretError::NotBuilt("keychain:")),
        KeyRef::Vault { .. } => Err(SecretError::NotBuilt("vault:")),
        KeyRef::Caller | KeyRef::None => Ok(None),
    }
}

fn of_env(name: &str) -> Result<SecretString, SecretError> {
    let source_name = || format!("environment variable {name}");
    let value = match env::var(name) {
        Ok(value) => SecretString::from(value),
        Err(VarError::NotPresent) => return Err(SecretError::EnvUnset(name.to_owned())),
        Err(VarError::NotUnicode(_)) => return Err(SecretError::NotHeader { source_name: source_name() }),
    };
    match trimmed(&value) {
        "" => Err(SecretError::EnvEmpty(name.to_owned())),
        key => checked(key, source_name),
    }
}

fn of_file(path: &Path) -> Result<SecretString, SecretError> {
    let failed =
        |error: std::io::Error| SecretError::File { path: path.to_owned(), reason: error.to_string() };
    // Looked at before it is opened, since opening a pipe would wait for a writer, and again after.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(SecretError::NotRegular(path.to_owned()));
    }
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(SecretError::NotRegular(path.to_owned()));
    }
    let mode = meta.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(SecretError::TooOpen { path: path.to_owned(), mode });
    }
    if meta.len() > MAX_FILE {
        return Err(SecretError::TooLarge(path.to_owned()));
    }
    let mut text = String::new();
    // The file may grow while it is read.
    match file.take(MAX_FILE.saturating_add(1)).read_to_string(&mut text) {
        Ok(read) if u64::try_from(read).unwrap_or(u64::MAX) > MAX_FILE => {
            return Err(SecretError::TooLarge(path.to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            return Err(SecretError::NotHeader { source_name: path.display().to_string() });
        }
        Err(error) => return Err(failed(error)),
    }
    let value = SecretString::from(text);
    match trimmed(&value) {
        "" => Err(SecretError::FileEmpty(path.to_owned())),
        key => checked(key, || path.display().to_string()),
    }
}

#[cfg(target_os = "linux")]
const NONBLOCK: i32 = libc::O_NONBLOCK;
#[cfg(not(target_os = "linux"))]
const NONBLOCK: i32 = 0;

/// Without the newline that editors and `echo` leave, and blanks around.
fn trimmed(value: &SecretString) -> &str {
    value.expose_secret().trim_matches([' ', '\t', '\r', '\n'])
}

fn checked(key: &str, source_name: impl Fn() -> String) -> Result<SecretString, SecretError> {
    if key.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        Ok(SecretString::from(key))
    } else {
        Err(SecretError::NotHeader { source_name: source_name() })
    }
}

#[cfg(test)]
mod tests;
