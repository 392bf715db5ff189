//! Where the home folder and the configuration are. Pure: the environment comes in as values.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The home folder: `SANCTUM_HOME`, else `.sanctum` in the user's own home (`HOME`).
///
/// Empty values count as unset. `None` where neither is set.
#[must_use]
pub fn home_dir(sanctum_home: Option<&OsStr>, user_home: Option<&OsStr>) -> Option<PathBuf> {
    let set = |value: Option<&OsStr>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
    set(sanctum_home).or_else(|| set(user_home).map(|home| home.join(".sanctum")))
}

/// The configuration file: `--config`, else `SANCTUM_CONFIG`, else `config.yaml` in the home folder.
#[must_use]
pub fn locate(flag: Option<&Path>, sanctum_config: Option<&OsStr>, home: &Path) -> PathBuf {
    if let Some(path) = flag {
        return path.to_path_buf();
    }
    match sanctum_config.filter(|v| !v.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => home.join("config.yaml"),
    }
}
