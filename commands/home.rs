//! Where things are: the environment and the flags, put together once.

use std::path::PathBuf;

use sanctum::config;

use crate::cli::Global;
use crate::exit::{Exit, WithExit};

/// The home folder.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    let var = |name: &str| std::env::var_os(name);
    config::home_dir(var("SANCTUM_HOME").as_deref(), var("HOME").as_deref()).ok_or_else(|| {
        WithExit::new(Exit::Config, "find the home folder: set SANCTUM_HOME, since HOME is not set").into()
    })
}

/// The configuration file. The flag already stands for `SANCTUM_CONFIG` too.
pub(crate) fn config_path(global: &Global, home: &std::path::Path) -> PathBuf {
    config::locate(global.config.as_deref(), None, home)
}
