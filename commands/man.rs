//! Prints the man page, or writes all of them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use sanctum::process::replace::replace;

use crate::cli::{self, ENVIRONMENT, EXIT_STATUS, Global};
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
    let mut root = without_help_command(cli::definition());
    root.build();
    match args.dir {
        None => printer.bytes(&page(root)?)?,
        Some(dir) => write_all(root, &dir)?,
    }
    Ok(Exit::Ok)
}

/// `help` has no page of its own, so no page names it.
fn without_help_command(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help_command)
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
    let is_root = command.get_name() == "sanctum";
    let has_commands = command.has_subcommands();
    let synopsis = synopsis(&command);
    let man = Man::new(command).source(concat!("sanctum ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    man.render_title(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    bytes.extend_from_slice(synopsis.as_bytes());
    man.render_description_section(&mut bytes)?;
    man.render_options_section(&mut bytes)?;
    if has_commands {
        man.render_subcommands_section(&mut bytes)?;
    }
    section(&mut bytes, "ENVIRONMENT", ENVIRONMENT);
    section(&mut bytes, "EXIT STATUS", EXIT_STATUS);
    if !is_root {
        bytes.extend_from_slice(b".SH \"SEE ALSO\"\n\\fBsanctum\\fR(1)\n");
    }
    man.render_version_section(&mut bytes)?;
    Ok(bytes)
}

/// How the command is called, each option with its value.
fn synopsis(command: &Command) -> String {
    let mut words = vec![format!("\\fB{}\\fR", plain(command.get_bin_name().unwrap_or("sanctum")))];
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let takes_value = arg.get_action().takes_values();
        let value = arg.get_value_names().unwrap_or_default().join(" ");
        let value = takes_value.then(|| format!("\\fI{}\\fR", plain(&value)));
        let name = arg.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", plain(long)));
        let word = name.into_iter().chain(value).collect::<Vec<_>>().join(" ");
        words.push(if arg.is_required_set() { word } else { format!("[{word}]") });
    }
    if command.has_subcommands() {
        words.push("\\fICOMMAND\\fR".to_owned());
    }
    format!(".SH SYNOPSIS\n{}\n", words.join(" "))
}

/// A text in which nothing is a request of roff's.
fn plain(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A list of terms in roff.
fn section(to: &mut Vec<u8>, title: &str, rows: &[(&str, &str)]) {
    let terms =
        rows.iter().map(|(name, meaning)| format!(".TP\n\\fB{}\\fR\n{}\n", plain(name), plain(meaning)));
    to.extend_from_slice(format!(".SH \"{title}\"\n{}", terms.collect::<String>()).as_bytes());
}
