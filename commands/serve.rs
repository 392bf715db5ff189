//! Runs the gateway.

use std::path::Path;

use anyhow::Context;
use sanctum::config::{self, Config, Loaded, Severity};
use sanctum::gateway::{self, Options, Served};
use sanctum::telemetry::{logs, panic};

use crate::cli::Global;
use crate::config::{self as config_command, Place};
use crate::exit::{Exit, WithExit};
use crate::printer::Printer;

/// Runs the gateway in the foreground until SIGTERM or SIGINT, then drains
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on, HOST:PORT, instead of the configuration's; may be given more than once
    #[arg(long, value_name = "ADDR", env = "SANCTUM_LISTEN", hide_env_values = true, value_delimiter = ',', value_parser = address)]
    pub(crate) listen: Vec<String>,
    /// Serve embedded stub seats: no configuration, no account, no key
    #[arg(long)]
    pub(crate) demo: bool,
}

/// The same judge as for `server.listen`.
fn address(text: &str) -> Result<String, String> {
    config::check_listen(text).map(|()| text.to_owned())
}

pub(crate) fn run(args: Args, global: &Global, printer: &mut Printer) -> anyhow::Result<Exit> {
    if args.demo {
        return demo(args, global, printer);
    }
    let Place { home, config: path } = config_command::place(global)?;
    let (config, findings) = read(&path, &home)?;
    let config = overridden(config, &args.listen, global);
    panic::install();
    let guard = logs::init(&config.log, true);
    for finding in findings {
        tracing::warn!(%finding, "config");
    }
    let reload = {
        let (path, listen) = (path.clone(), args.listen.clone());
        let level = global.log_level;
        Box::new(move || {
            let (mut config, findings) = read(&path, &home).map_err(|e| format!("{e:#}"))?;
            for finding in findings {
                tracing::warn!(%finding, "config");
            }
            if !listen.is_empty() {
                config.server.listen.clone_from(&listen);
            }
            if let Some(level) = level {
                config.log.level = level.into();
            }
            Ok(config)
        })
    };
    let ready = Box::new(|_: &[std::net::SocketAddr]| {});
    let served = gateway::serve(Options { config, source: Some(path), reload, ready });
    let exit = told(served);
    drop(guard);
    exit
}

/// Reads and judges a configuration; its errors become one error that holds them all.
fn read(path: &Path, home: &Path) -> anyhow::Result<(Config, Vec<String>)> {
    let Loaded { config, findings } =
        config::read(path, home).map_err(|e| WithExit::new(Exit::Config, e.to_string()))?;
    let lints = findings.iter().filter(|f| f.severity == Severity::Lint).map(ToString::to_string).collect();
    match config {
        Some(config) => Ok((config, lints)),
        None => {
            let all: Vec<String> = findings.iter().map(ToString::to_string).collect();
            let text = format!("use the config {}:\n{}", path.display(), all.join("\n"));
            Err(WithExit::new(Exit::Config, text).into())
        }
    }
}

/// Flags and environment come before the file.
fn overridden(mut config: Config, listen: &[String], global: &Global) -> Config {
    if !listen.is_empty() {
        config.server.listen = listen.to_vec();
    }
    if let Some(level) = global.log_level {
        config.log.level = level.into();
    }
    config
}

fn told(served: Result<Served, gateway::ServeError>) -> anyhow::Result<Exit> {
    match served {
        Ok(Served::Drained | Served::Incumbent) => Ok(Exit::Ok),
        Ok(Served::Cut { .. }) => Ok(Exit::Failed),
        // The log goes to stderr too: told here, it is told once.
        Err(error) => {
            tracing::error!("cannot serve: {error}");
            Ok(Exit::of(&error.into()))
        }
    }
}

fn demo(args: Args, global: &Global, printer: &mut Printer) -> anyhow::Result<Exit> {
    let Place { home, .. } = config_command::place(global)?;
    let stubs = sanctum::demo::start().context("start the stub seats")?;
    let config = sanctum::demo::config(&stubs, &home).context("make the demo's config")?;
    let config = overridden(config, &args.listen, global);
    panic::install();
    let guard = logs::init(&config.log, true);
    let attempts = config.attempts.path.display().to_string();
    let reload = Box::new(|| Err("the demo has no config file".to_owned()));
    let words = printer.err_line();
    let ready = Box::new(move |addresses: &[std::net::SocketAddr]| {
        if let Some(address) = addresses.first() {
            words(&demo_lines(&format!("http://{address}"), &attempts));
        }
    });
    let served = gateway::serve(Options { config, source: None, reload, ready });
    let exit = told(served);
    drop(guard);
    exit
}

fn demo_lines(base: &str, attempts: &str) -> String {
    format!(
        "\nThe demo is up: two stub seats, the primary of which fails every other time. Ask it, and see the fallback:\n\n  \
         curl -si {base}/v1/messages -H 'content-type: application/json' \\\n    \
         -d '{{\"model\":\"any\",\"max_tokens\":64,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}'\n\n\
         Its attempt records: {attempts}\n\n{}",
        config::client_lines(base)
    )
}
