//! The way in: parse, dispatch, exit code.

use std::process::ExitCode;

use clap::Parser;

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
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return Printer::usage(&error).into(),
    };
    let mut printer = Printer::new(cli.global.color);
    let done = match cli.command {
        Command::Serve(args) => serve::run(args, &cli.global, &mut printer),
        Command::Config(args) => config::run(args, &cli.global, &mut printer),
        Command::Completions(args) => completions::run(args, &cli.global, &mut printer),
        Command::Man(args) => man::run(args, &cli.global, &mut printer),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) if printer::is_broken_pipe(&error) => Exit::Ok.into(),
        Err(error) => {
            printer.failure(&error);
            Exit::of(&error).into()
        }
    }
}
