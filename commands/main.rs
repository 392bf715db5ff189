//! The way in: parse, dispatch, exit code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

mod cli;
mod completions;
mod config;
mod exit;
mod man;
mod printer;
mod serve;

use cli::{Cli, Command};
use exit::Exit;
use printer::Printer;

fn main() -> ExitCode {
    // Before there are threads.
    sanctum::process::memory::settle();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return Printer::usage(&error).into(),
    };
    let mut printer = Printer::new(cli.global.color);
    let done = catch_unwind(AssertUnwindSafe(|| run(cli, &mut printer)));
    let exit = match done {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) if printer::is_broken_pipe(&error) => Exit::Ok,
        Ok(Err(error)) => {
            printer.failure(&error);
            Exit::of(&error)
        }
        // The hook has said where and why.
        Err(_) => Exit::Software,
    };
    exit.into()
}

fn run(cli: Cli, printer: &mut Printer) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Serve(args) => serve::run(args, &cli.global, printer),
        Command::Config(args) => config::run(args, &cli.global, printer),
        Command::Completions(args) => completions::run(args, &cli.global, printer),
        Command::Man(args) => man::run(args, &cli.global, printer),
    }
}
