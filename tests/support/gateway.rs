//! The real binary, serving in a home of its own, ended when the test ends.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::call::{Call, Reply};
use super::config::{key_name, key_of};
use super::live::Live;
use super::log::Log;
use super::{PATIENCE, until, within};

/// What a gateway is started with.
pub(crate) struct Setup {
    home: TempDir,
    config: Option<String>,
    env: Vec<(String, String)>,
    listen: Option<String>,
}

/// A process that ended.
pub(crate) struct Exit {
    /// Its exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// Its stderr.
    pub(crate) log: String,
    /// Its home, still there.
    pub(crate) home: TempDir,
}

/// A gateway that is serving.
pub(crate) struct Gateway {
    child: Child,
    setup: Setup,
    addrs: Vec<SocketAddr>,
    /// What it writes to stderr.
    pub(crate) log: Log,
}

impl Setup {
    /// With this configuration, and `KEY_NAME` for every seat of it.
    pub(crate) fn new(config: &Value) -> Self {
        let seats = config["seats"].as_object().into_iter().flatten();
        let env = seats.map(|(name, _)| (key_name(name), key_of(name))).collect();
        Self { env, ..Self::text(&config.to_string()) }
    }

    /// With this text as its configuration.
    pub(crate) fn text(config: &str) -> Self {
        Self { config: Some(config.into()), ..Self::bare() }
    }

    /// With no configuration file at all.
    pub(crate) fn bare() -> Self {
        let home = tempfile::Builder::new().prefix("sanctum-test-").tempdir().expect("a home");
        Self { home, config: None, env: Vec::new(), listen: Some("127.0.0.1:0".into()) }
    }

    /// An environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Another `--listen`; `None` leaves it to the configuration.
    pub(crate) fn listen(mut self, addr: Option<&str>) -> Self {
        self.listen = addr.map(Into::into);
        self
    }

    /// A file under the home.
    pub(crate) fn file(self, name: &str, content: &str) -> Self {
        write(&self.home.path().join(name), content);
        self
    }

    /// The home.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Any command of the binary in this home and environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sanctum"));
        command.env_clear().current_dir(self.home.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home.path()).env("SANCTUM_HOME", self.home.path());
        command.env("NO_COLOR", "1").env("LANG", "C.UTF-8");
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        let stdout = File::options().create(true).append(true).open(self.home.path().join("stdout.txt"));
        command.stdin(Stdio::null()).stdout(stdout.expect("a file")).stderr(Stdio::piped());
        command
    }

    fn spawn(&self) -> (Child, Log) {
        if let Some(config) = &self.config {
            write(&self.home.path().join("config.yaml"), config);
        }
        let mut command = self.command();
        command.arg("serve");
        if let Some(addr) = &self.listen {
            command.args(["--listen", addr]);
        }
        let mut child = command.spawn().expect("the binary starts");
        let log = Log::of(child.stderr.take().expect("its stderr"));
        (child, log)
    }

    /// Serves; returns once `/health` answers.
    pub(crate) fn start(self) -> Gateway {
        self.start_on(1)
    }

    /// Serves on so many addresses.
    pub(crate) fn start_on(self, addresses: usize) -> Gateway {
        let (child, log) = self.spawn();
        let mut gateway = Gateway { child, setup: self, addrs: Vec::new(), log };
        gateway.settle(addresses);
        gateway
    }

    /// Serves, or ends by itself: a configuration that may be refused.
    pub(crate) fn start_or_exit(self) -> Result<Gateway, Exit> {
        let (mut child, log) = self.spawn();
        let first = within(PATIENCE, || {
            let ended = child.try_wait().expect("a child");
            ended.map(Err).or_else(|| log.text().lines().find_map(listening).map(Ok))
        });
        match first.unwrap_or_else(|| panic!("neither serving nor ended:\n{}", log.text())) {
            Ok(addr) => Ok(Gateway { child, setup: self, addrs: vec![addr], log }),
            Err(status) => Err(Exit { code: status.code(), log: log.whole(), home: self.home }),
        }
    }

    /// Expects `serve` to end by itself.
    pub(crate) fn exits(self) -> Exit {
        let (mut child, log) = self.spawn();
        let status = within(PATIENCE, || child.try_wait().expect("a child"));
        let Some(status) = status else {
            child.kill().ok();
            panic!("serve is still running:\n{}", log.text());
        };
        Exit { code: status.code(), log: log.whole(), home: self.home }
    }
}

/// The address in a log line that says `listening`, in either format.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("listening")?;
    let (_, addr) = rest.split_once("addr=").or_else(|| rest.split_once("\"addr\":"))?;
    addr.split([' ', ',', '}']).next()?.trim_matches('"').parse().ok()
}

/// Writes a file, and the folder it is in.
pub(crate) fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    File::create(path).and_then(|mut f| f.write_all(content.as_bytes())).expect("a file");
}

impl Gateway {
    /// Serves this configuration.
    pub(crate) fn start(config: &Value) -> Self {
        Setup::new(config).start()
    }

    /// Waits for its addresses and its health.
    fn settle(&mut self, addresses: usize) {
        self.addrs = self.log.wait_for("addresses", |text| {
            let found: Vec<SocketAddr> = text.lines().filter_map(listening).collect();
            (found.len() >= addresses).then_some(found)
        });
        until("health", || (self.get("/health").status == 200).then_some(()));
    }

    /// Kills it without a word and starts it again in the same home.
    pub(crate) fn kill_and_restart(&mut self) {
        self.child.kill().expect("kill -9");
        self.child.wait().expect("its end");
        (self.child, self.log) = self.setup.spawn();
        self.settle(1);
    }

    /// Its (first) address.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addrs[0]
    }

    /// All of them.
    pub(crate) fn addrs(&self) -> &[SocketAddr] {
        &self.addrs
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A path under its home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.setup.home.path().join(name)
    }

    /// How many files it has open.
    pub(crate) fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("its files").count()
    }

    /// Asks `/v1/messages` and reads the whole reply.
    pub(crate) fn ask(&self, body: &Value) -> Reply {
        Call::messages(body).send(self.addr())
    }

    /// Asks `/v1/messages`; the reply is still to be read.
    pub(crate) fn open(&self, body: &Value) -> Live {
        Call::messages(body).open(self.addr())
    }

    /// Sends any call.
    pub(crate) fn send(&self, call: &Call) -> Reply {
        call.send(self.addr())
    }

    /// `GET`.
    pub(crate) fn get(&self, path: &str) -> Reply {
        Call::get(path).send(self.addr())
    }

    /// The metrics page.
    pub(crate) fn metrics(&self) -> String {
        self.get("/metrics").expect(200).text().into()
    }

    /// The value of the metric that starts so, e.g. `name{a="b"`; zero when it is not there.
    pub(crate) fn metric(&self, start: &str) -> f64 {
        let text = self.metrics();
        let lines = text.lines().filter(|l| l.starts_with(start));
        lines.filter_map(|l| l.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }

    /// The attempt log as it stands: every whole line, parsed.
    pub(crate) fn attempts_now(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("attempts/attempts.jsonl")).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e} in {l:?}"))).collect()
    }

    /// The attempt log once it has `n` records, which it must within two seconds.
    pub(crate) fn attempts(&self, n: usize) -> Vec<Value> {
        within(Duration::from_secs(2), || Some(self.attempts_now()).filter(|a| a.len() >= n))
            .unwrap_or_else(|| panic!("wanted {n} records, have {:#?}", self.attempts_now()))
    }

    /// The attempt log, which must come to hold exactly `n` records.
    pub(crate) fn exactly(&self, n: usize) -> Vec<Value> {
        let records = self.attempts(n);
        assert_eq!(records.len(), n, "{records:#?}");
        records
    }

    /// Resident memory now, in kilobytes.
    pub(crate) fn rss_kb(&self) -> u64 {
        self.status_kb("VmRSS:")
    }

    /// The most it ever had.
    pub(crate) fn peak_rss_kb(&self) -> u64 {
        self.status_kb("VmHWM:")
    }

    fn status_kb(&self, field: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("its status");
        let line = text.lines().find(|l| l.starts_with(field)).expect("the field");
        line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
    }

    /// Sends a signal: `TERM`, `HUP`, `INT`, `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status();
        assert!(status.expect("kill runs").success(), "kill -s {name}");
    }

    /// Waits until it has ended.
    pub(crate) fn wait_exit(&mut self) -> ExitStatus {
        let child = &mut self.child;
        within(PATIENCE, || child.try_wait().expect("a child"))
            .unwrap_or_else(|| panic!("still running:\n{}", self.log.text()))
    }

    /// Whether it is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// Replaces the configuration and asks for a reload.
    pub(crate) fn reload(&self, config: &str) {
        write(&self.path("config.yaml"), config);
        self.signal("HUP");
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        if std::thread::panicking() {
            let log = self.log.text();
            let lines: Vec<&str> = log.lines().collect();
            let last = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
            eprintln!("--- the end of the gateway's log\n{}", last.join("\n"));
        }
    }
}
