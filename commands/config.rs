//! Checks, shows and writes the configuration.

use crate::cli::Global;
use crate::exit::{Exit, WithExit};
use crate::printer::Printer;

/// Checks, shows or writes the configuration
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(args: Args, _global: &Global, _printer: &mut Printer) -> anyhow::Result<Exit> {
    let Args {} = args;
    Err(WithExit::new(Exit::Software, "config is not built yet").into())
}
