//! Prints the completions of a shell.

use clap_complete::Shell;

use crate::cli::{self, Global};
use crate::exit::Exit;
use crate::printer::Printer;

/// Prints the completions of a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: Args, _: &Global, printer: &mut Printer) -> anyhow::Result<Exit> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut cli::definition(), "sanctum", &mut bytes);
    printer.bytes(&bytes)?;
    Ok(Exit::Ok)
}
