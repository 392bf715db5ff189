//! The root of the command line: global flags and the list of commands.

use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::{completions, config, man, serve};

/// A gateway in front of language models whose fallback is proven, not claimed
#[derive(Debug, Parser)]
#[command(name = "sanctum", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    /// Configuration file [default: config.yaml in SANCTUM_HOME]
    #[arg(long, value_name = "FILE", global = true, env = "SANCTUM_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
    /// Least severe level that is logged [default: the configuration's log.level]
    #[arg(long, value_name = "LEVEL", global = true, env = "SANCTUM_LOG", hide_env_values = true)]
    pub(crate) log_level: Option<Level>,
    /// When to use colour; NO_COLOR turns it off where this says auto
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(serve::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl From<Level> for sanctum::config::LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warn => Self::Warn,
            Level::Info => Self::Info,
            Level::Debug => Self::Debug,
            Level::Trace => Self::Trace,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Cli {
    /// Reads the command line of this process; an error may be a request for help.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Self::from_arg_matches(&definition().try_get_matches()?)
    }
}

/// The whole command line, as the parser, `--help`, completions and man pages have it.
pub(crate) fn definition() -> clap::Command {
    let section = |title: &str, rows: &[(&str, &str)]| {
        rows.iter()
            .fold(format!("{title}:"), |text, (name, meaning)| text + &format!("\n  {name:<14}  {meaning}"))
    };
    let after = section("Environment", ENVIRONMENT) + "\n\n" + &section("Exit status", EXIT_STATUS);
    Cli::command().after_long_help(after)
}

/// What is read from the environment.
pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    ("SANCTUM_HOME", "folder of config.yaml, secrets/, logs/ and attempts/ [default: ~/.sanctum]"),
    ("SANCTUM_CONFIG", "the same as --config"),
    ("SANCTUM_LOG", "the same as --log-level"),
    ("SANCTUM_LISTEN", "the same as --listen of serve; several addresses with commas between"),
    ("NO_COLOR", "no colour, unless --color says otherwise"),
];

/// What a command may exit with.
pub(crate) const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "done"),
    ("1", "the answer is no: what was asked for failed or was found wanting"),
    ("2", "wrong usage of the command line"),
    ("69", "a service or an address is not available"),
    ("70", "internal error"),
    ("73", "an output file cannot be created, or exists already"),
    ("75", "try again later: another run holds the lock"),
    ("77", "permission denied"),
    ("78", "the configuration is wrong or missing"),
];

#[cfg(test)]
mod tests;
