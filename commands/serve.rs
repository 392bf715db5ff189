//! Runs the gateway.

use crate::cli::Global;
use crate::exit::{Exit, WithExit};
use crate::printer::Printer;

/// Runs the gateway in the foreground until SIGTERM or SIGINT, then drains
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on, HOST:PORT, instead of the configuration's; may be given more than once
    #[arg(long, value_name = "ADDR", env = "SANCTUM_LISTEN", hide_env_values = true, value_delimiter = ',')]
    pub(crate) listen: Vec<String>,
    /// Serve embedded stub seats: no configuration, no account, no key
    #[arg(long)]
    pub(crate) demo: bool,
}

pub(crate) fn run(args: Args, _global: &Global, _printer: &mut Printer) -> anyhow::Result<Exit> {
    let Args { listen: _, demo: _ } = args;
    Err(WithExit::new(Exit::Software, "serve is not built yet").into())
}
