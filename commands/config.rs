//! Checks, shows and writes the configuration.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use sanctum::config::{self, Finding, Loaded, Severity};
use sanctum::{process, secret};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::exit::{Exit, WithExit};
use crate::printer::Printer;

/// Checks, shows or writes the configuration
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Tells everything that is wrong or unwise in the configuration, with its place
    Check(Check),
    /// Prints the effective configuration, defaults filled in, never a secret
    Show(Show),
    /// Writes a commented first configuration from what this machine has; never overwrites one
    Init(Init),
}

#[derive(Debug, clap::Args)]
struct Check {
    /// Exit 1 where there are lints, also without an error
    #[arg(long)]
    strict: bool,
    /// Also ask whether each key can be had; the keys are not shown
    #[arg(long)]
    resolve: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Init {}

pub(crate) fn run(args: Args, global: &Global, printer: &mut Printer) -> anyhow::Result<Exit> {
    let place = place(global)?;
    match args.command {
        Command::Check(check) => self::check(&check, &place, printer),
        Command::Show(show) => self::show(&show, &place, printer),
        Command::Init(Init {}) => init(&place, printer),
    }
}

/// Where everything is.
#[derive(Debug)]
pub(crate) struct Place {
    /// `SANCTUM_HOME`, absolute.
    pub(crate) home: PathBuf,
    /// The configuration file; it may be missing.
    pub(crate) config: PathBuf,
}

/// Looks the home folder and the configuration file up in flags and environment.
pub(crate) fn place(global: &Global) -> anyhow::Result<Place> {
    let (sanctum_home, user_home) = (env::var_os("SANCTUM_HOME"), env::var_os("HOME"));
    let home = config::home_dir(sanctum_home.as_deref(), user_home.as_deref()).ok_or_else(|| {
        WithExit::new(Exit::Config, "neither SANCTUM_HOME nor HOME is set, so no config can be found")
    })?;
    let home = std::path::absolute(&home).with_context(|| format!("find the folder {}", home.display()))?;
    let flag = global.config.as_deref().filter(|path| !path.as_os_str().is_empty());
    let config = config::locate(flag, env::var_os("SANCTUM_CONFIG").as_deref(), &home);
    Ok(Place { home, config })
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    config::read_text(path).map_err(|error| WithExit::new(Exit::Config, error.to_string()).into())
}

fn check(args: &Check, place: &Place, printer: &mut Printer) -> anyhow::Result<Exit> {
    let file = place.config.display().to_string();
    let text = read_text(&place.config)?;
    let Loaded { mut findings, .. } = config::load(&file, &text, &place.home);
    if args.resolve {
        findings.extend(unresolved(&file, &text, &place.home));
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, lints) = (count(Severity::Error), count(Severity::Lint));
    if args.json {
        let findings: Vec<_> = findings.iter().map(as_json).collect();
        printer.json(&json!({
            "file": file, "valid": errors == 0, "errors": errors, "lints": lints, "findings": findings,
        }))?;
    } else {
        for finding in &findings {
            printer.out(finding)?;
        }
        let verdict =
            if errors == 0 { printer.paint_err("ok", "32") } else { printer.paint_err("invalid", "1;31") };
        printer.err(format_args!(
            "{file}: {verdict}, {}, {}",
            counted(errors, "error"),
            counted(lints, "lint")
        ));
    }
    Ok(match (errors, lints) {
        (1.., _) => Exit::Config,
        (0, 1..) if args.strict => Exit::Failed,
        _ => Exit::Ok,
    })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The key references that lead to no key.
fn unresolved(file: &str, text: &str, home: &Path) -> Vec<Finding> {
    let references = config::references(text, home).into_iter();
    let missing = references.filter_map(|reference| {
        let error = secret::resolve(&reference.key).err()?;
        // What is not built yet is a lint already.
        let severity = match error {
            secret::SecretError::NotBuilt(_) => return None,
            _ => Severity::Error,
        };
        Some(Finding {
            severity,
            file: file.to_owned(),
            line: reference.line,
            col: reference.col,
            path: reference.path,
            message: error.to_string(),
            value: None,
            hint: None,
        })
    });
    missing.collect()
}

fn as_json(finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.word(),
        "file": finding.file,
        "line": finding.line,
        "col": finding.col,
        "path": finding.path,
        "message": finding.message,
        "value": finding.value,
        "hint": finding.hint,
    })
}

fn show(args: &Show, place: &Place, printer: &mut Printer) -> anyhow::Result<Exit> {
    let text = read_text(&place.config)?;
    let loaded = config::load(&place.config.display().to_string(), &text, &place.home);
    if loaded.config.is_none() {
        for finding in loaded.findings.iter().filter(|finding| finding.severity == Severity::Error) {
            printer.err(finding);
        }
        return Ok(Exit::Config);
    }
    if args.json {
        printer.json(&config::show_json(&text))?;
    } else {
        printer.bytes(config::show(&text).unwrap_or_default().as_bytes())?;
    }
    Ok(Exit::Ok)
}

fn init(place: &Place, printer: &mut Printer) -> anyhow::Result<Exit> {
    let path = &place.config;
    let file = path.display();
    // Also a symlink that leads nowhere is somebody's.
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path).into());
    }
    let text = config::first_config(&config::discover(|name| env::var_os(name)));
    let cannot = |error: &io::Error| WithExit::new(Exit::CantCreate, format!("cannot write {file}: {error}"));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder).map_err(|error| cannot(&error))?;
    }
    match process::replace::create(path, text.as_bytes()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(path).into()),
        Err(error) => return Err(cannot(&error).into()),
    }
    printer.out(format_args!("wrote {file}"))?;
    printer.out(
        "judge it with `sanctum config check`, start with `sanctum serve`, then point a client at it:\n",
    )?;
    printer.bytes(config::client_lines("http://127.0.0.1:4040").as_bytes())?;
    Ok(Exit::Ok)
}

fn exists(path: &Path) -> WithExit {
    let text = format!(
        "{} is there already and is never overwritten: move it away, or name another with --config",
        path.display()
    );
    WithExit::new(Exit::CantCreate, text)
}

/// Folders that are made are the user's alone: keys will be kept beside the configuration.
fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
