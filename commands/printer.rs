//! The only file that prints. Answers go to stdout, everything else to stderr; a pipe that nobody reads any
//! more is success.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::cli::Color;
use crate::exit::Exit;

/// Prints the answers of a command.
pub(crate) struct Printer {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    err_color: bool,
}

impl Printer {
    /// Onto the process's stdout and stderr.
    pub(crate) fn new(color: Color) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wanted = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !plain,
        };
        Self {
            err_color: wanted(io::stderr().is_terminal()),
            out: Box::new(io::stdout()),
            err: Box::new(io::stderr()),
        }
    }

    /// Prints what clap has to say: help and versions are answers, the rest is wrong usage.
    pub(crate) fn usage(error: &clap::Error) -> Exit {
        // Nobody is there to be told when this fails.
        error.print().ok();
        if error.use_stderr() { Exit::Usage } else { Exit::Ok }
    }

    /// One line of the answer.
    pub(crate) fn out(&mut self, line: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// One line beside the answer: progress, warnings, hints. Never fails: an answer is worth more.
    pub(crate) fn err(&mut self, line: impl std::fmt::Display) {
        writeln!(self.err, "{line}").ok();
    }

    /// Prints beside the answer from elsewhere, while this printer is busy.
    pub(crate) fn err_line(&self) -> fn(&str) {
        |text| {
            writeln!(io::stderr(), "{text}").ok();
        }
    }

    /// The answer as it is.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// The whole answer as one JSON document.
    pub(crate) fn json(&mut self, answer: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(answer).map_err(io::Error::other)?;
        self.out(text)
    }

    /// The error that ends a command, with its causes.
    pub(crate) fn failure(&mut self, error: &anyhow::Error) {
        let label = self.paint_err("error:", "1;31");
        self.err(format_args!("{label} {error:#}"));
    }

    /// `text` in a colour (an SGR code) where stderr shows colours.
    pub(crate) fn paint_err(&self, text: &str, code: &str) -> String {
        paint(self.err_color, text, code)
    }
}

fn paint(color: bool, text: &str, code: &str) -> String {
    if color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Whether an error is a reader that went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests;
