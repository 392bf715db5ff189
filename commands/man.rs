//! Prints the man page, or writes all of them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use sanctum::process::replace::replace;

use crate::cli::{Cli, Global};
use crate::exit::Exit;
use crate::printer::Printer;

/// Prints the man page, or writes those of all commands into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder that gets sanctum.1 and a page for each command
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: Args, _: &Global, printer: &mut Printer) -> anyhow::Result<Exit> {
    let mut root = Cli::command();
    root.build();
    match args.dir {
        None => printer.bytes(&page(root)?)?,
        Some(dir) => write_all(root, &dir)?,
    }
    Ok(Exit::Ok)
}

fn write_all(command: Command, dir: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        write_all(sub.clone(), dir)?;
    }
    let path = dir.join(format!("{name}.1"));
    replace(&path, &page(command)?).with_context(|| format!("cannot write {}", path.display()))
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Man::new(command).render(&mut bytes)?;
    Ok(bytes)
}
