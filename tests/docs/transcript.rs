//! The README's transcripts are what happens: its commands are run in their order, and what they print is compared.
//!
//! `UPDATE=1 cargo test --test main docs` writes what was printed into the README, with the port, the home folder and
//! everything else that changes by itself kept as it stands there.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use regex::Regex;

use super::markdown::{Block, Shown, blocks, read, root, shown, words};
use crate::support::gateway::write;
use crate::support::log::Log;
use crate::support::{Call, Reply, Setup, within};

/// The home folder in the documents.
const HOME: &str = "/home/you/.sanctum";

/// `serve --demo` on a free port.
pub(crate) struct Demo {
    child: Child,
    setup: Setup,
    log: Log,
    addr: SocketAddr,
}

impl Demo {
    pub(crate) fn start() -> Self {
        let setup = Setup::bare();
        let mut command = setup.command();
        command.args(["serve", "--demo", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let log = Log::of(child.stderr.take().expect("its stderr"));
        let addr = log
            .wait_for("address", |text| text.split_once("addr=")?.1.split_whitespace().next()?.parse().ok());
        log.wait_line(&["Not served yet"]);
        Self { child, setup, log, addr }
    }

    /// The first question, whose answer is a fallback.
    pub(crate) fn ask(&self) -> Reply {
        let body = serde_json::json!({"model": "any", "max_tokens": 8, "messages": [{"role": "user", "content": "x"}]});
        Call::post("/v1/messages", &body).send(self.addr).expect(200)
    }

    pub(crate) fn get(&self, path: &str) -> String {
        Call::get(path).send(self.addr).expect(200).text().to_owned()
    }

    /// The attempt log, once it has so many lines.
    pub(crate) fn attempts(&self, lines: usize) -> String {
        let path = self.setup.home().join("demo/attempts.jsonl");
        let read = || {
            std::fs::read_to_string(&path).ok().filter(|t| t.lines().count() >= lines && t.ends_with('\n'))
        };
        within(std::time::Duration::from_secs(5), read)
            .unwrap_or_else(|| panic!("no {lines} records: {}", self.log.text()))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What a `curl` command asks for; `None` where it is one that nothing here understands.
pub(crate) fn call(command: &str) -> Option<Call> {
    let words = words(command);
    let mut call = Call::get("").with("user-agent", "curl/8.14.1").with("accept", "*/*");
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-s" | "-si" | "-sN" => {}
            "-H" => {
                let (name, value) = rest.next()?.split_once(": ")?;
                call = call.with(name, value);
            }
            "-d" => {
                call.body = rest.next()?.clone().into_bytes();
                call = call.method("POST");
            }
            url => call.path = url.strip_prefix("http://127.0.0.1:4040")?.into(),
        }
    }
    (!call.path.is_empty()).then_some(call)
}

/// A reply as `curl` shows it: with `-i` the head too.
fn curled(command: &str, reply: &Reply) -> String {
    let mut out = String::new();
    if command.contains("-si") {
        let reason = http::StatusCode::from_u16(reply.status).ok().and_then(|s| s.canonical_reason());
        out.push_str(&format!("HTTP/1.1 {} {}\n", reply.status, reason.unwrap_or_default()));
        for (name, value) in &reply.headers {
            out.push_str(&format!("{name}: {value}\n"));
        }
        out.push('\n');
    }
    out.push_str(reply.text());
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Runs a document's commands, one after the other.
struct Session {
    home: Setup,
    demo: Option<Demo>,
}

impl Session {
    /// What a command prints; `None` for one that is not run here and shows nothing that is compared.
    fn run(&mut self, command: &str, place: &str) -> Option<String> {
        let all = words(command);
        let words: Vec<&str> = all.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["sanctum", "serve", "--demo"] => {
                let demo = self.demo.insert(Demo::start());
                // Lines of the log come from another thread, between the others or after them.
                let text = demo.log.text();
                let (log, told): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("20"));
                Some(format!("{}\n\n{}\n", told.join("\n").trim_end(), log.join("\n")))
            }
            ["sanctum", "config", args @ ..] => {
                let output = self
                    .home
                    .command()
                    .stdout(Stdio::piped())
                    .arg("config")
                    .args(args)
                    .output()
                    .expect("it runs");
                let text = [output.stdout, output.stderr].concat();
                Some(String::from_utf8(text).expect("UTF-8"))
            }
            ["curl", ..] => {
                let demo =
                    self.demo.as_ref().unwrap_or_else(|| panic!("{place}: asks before the demo is started"));
                let call = call(command).unwrap_or_else(|| panic!("{place}: {command}"));
                Some(curled(command, &call.send(demo.addr)))
            }
            ["tail", "-n", count, "~/.sanctum/demo/attempts.jsonl"] => {
                let count: usize = count.parse().expect("a number");
                let demo =
                    self.demo.as_ref().unwrap_or_else(|| panic!("{place}: reads before the demo is started"));
                let text = demo.attempts(count);
                let lines: Vec<&str> = text.lines().collect();
                Some(lines[lines.len() - count..].iter().map(|l| format!("{l}\n")).collect())
            }
            _ => None,
        }
    }

    /// Actual output with the document's port and home folder.
    fn as_in_docs(&self, output: &str) -> String {
        let mut out = output.replace(&self.home.home().display().to_string(), HOME);
        if let Some(demo) = &self.demo {
            out = out.replace(&demo.setup.home().display().to_string(), HOME);
            out = out.replace(&demo.addr.to_string(), "127.0.0.1:4040");
        }
        out
    }
}

/// Takes out what differs from run to run.
fn settled(text: &str) -> String {
    let rules = [
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
        (r"(?m)^date: .*$", "date: TIME"),
        (r"req_[0-9a-f]{16}", "req_ID"),
        (r#"(config_digest"?[=:]"?)[0-9a-f]{16}"#, "${1}DIGEST"),
        (r#"("(?:latency_ms|e2e_ms|ttft_ms|uptime_secs)":)\d+"#, "${1}0"),
    ];
    let out = rules.iter().fold(text.to_owned(), |text, (rule, with)| {
        Regex::new(rule).expect("a rule").replace_all(&text, *with).into_owned()
    });
    out.trim_end().to_owned()
}

#[test]
fn the_readme_shows_what_happens() {
    let home = Setup::bare().env("ANTHROPIC_API_KEY", "the-first-key");
    let mut session = Session { home, demo: None };
    let mut text = read("README.md");
    let mut compared = 0;
    for block in blocks("README.md").iter().filter(|b| b.lang == "console") {
        for shown in shown(block) {
            match session.run(&shown.command, &block.place) {
                Some(printed) if !shown.output.is_empty() || is_first_config(&shown.command) => {
                    compared += 1;
                    let printed = session.as_in_docs(&printed);
                    if std::env::var_os("UPDATE").is_some() && settled(&printed) != settled(&shown.output) {
                        text = text.replacen(
                            &whole(&shown),
                            &whole(&Shown { output: tidy(&printed), ..shown.clone() }),
                            1,
                        );
                    } else {
                        assert_eq!(
                            settled(&shown.output),
                            settled(&printed),
                            "{}: {}",
                            block.place,
                            shown.command
                        );
                    }
                }
                _ => {}
            }
            if shown.command.starts_with("sanctum config init") {
                place_first_config(session.home.home());
            }
        }
    }
    assert!(compared >= 5, "only {compared} transcripts");
    if text != read("README.md") {
        write(&root().join("README.md"), &text);
    }
}

fn whole(shown: &Shown) -> String {
    format!("$ {}\n{}", shown.command, shown.output)
}

/// One blank line at the end is enough, and no line ends in blanks.
fn tidy(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

fn is_first_config(command: &str) -> bool {
    command.starts_with("sanctum config check")
}

/// Puts the README's own configuration where `config init` wrote one, and its second key where it is told to be.
fn place_first_config(home: &Path) {
    let first: Block = blocks("README.md").into_iter().find(|b| b.lang == "yaml").expect("a configuration");
    write(&home.join("config.yaml"), &first.text);
    let key = home.join("secrets/backup");
    write(&key, "the-second-key\n");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}
