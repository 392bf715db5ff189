//! What is compared: no proxy at all, nginx, and the gateway with its attempt log on and off.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::Process;
use crate::stub::{FAILURES, Stubs};

/// What callers show to the gateway. Not a secret: nothing but this run knows of it.
pub const TOKEN: &str = "sk-fake-client";

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    /// The driver asks the stub itself: the floor.
    Direct,
    /// nginx passing everything on as it comes.
    Nginx,
    /// nginx keeping the request first, as whoever can fall back must.
    NginxKeeps,
    /// The gateway.
    Sanctum,
    /// The gateway without its attempt log.
    SanctumNoLog,
}

impl Peer {
    pub const ALL: [Self; 5] =
        [Self::Direct, Self::Nginx, Self::NginxKeeps, Self::Sanctum, Self::SanctumNoLog];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Nginx => "nginx",
            Self::NginxKeeps => "nginx-keeps",
            Self::Sanctum => "sanctum",
            Self::SanctumNoLog => "sanctum-nolog",
        }
    }
}

/// Everything that a run needs to start its peers.
pub struct Peers {
    folder: PathBuf,
    sanctum: PathBuf,
    nginx: Option<PathBuf>,
    stubs: Stubs,
    nginx_ports: [u16; 3],
    sanctum_ports: [u16; 2],
}

impl Peers {
    /// Writes the configurations into `folder`.
    pub fn new(folder: &Path, sanctum: &Path, stubs: Stubs) -> io::Result<Self> {
        let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"];
        let nginx = nginx.iter().map(PathBuf::from).find(|p| p.exists());
        let ports = free_ports(5)?;
        let peers = Self {
            folder: folder.to_owned(),
            sanctum: sanctum.to_owned(),
            nginx,
            stubs,
            nginx_ports: [ports[0], ports[1], ports[2]],
            sanctum_ports: [ports[3], ports[4]],
        };
        fs::write(folder.join("nginx.conf"), peers.nginx_conf())?;
        for (peer, log) in [(Peer::Sanctum, true), (Peer::SanctumNoLog, false)] {
            fs::write(folder.join(peer.name()).with_extension("yaml"), peers.sanctum_conf(peer, log))?;
        }
        Ok(peers)
    }

    /// Whether nginx is installed.
    pub const fn has_nginx(&self) -> bool {
        self.nginx.is_some()
    }

    /// Where a peer listens.
    pub const fn port(&self, peer: Peer) -> u16 {
        match peer {
            Peer::Direct => self.stubs.primary,
            Peer::Nginx => self.nginx_ports[0],
            Peer::NginxKeeps => self.nginx_ports[1],
            Peer::Sanctum => self.sanctum_ports[0],
            Peer::SanctumNoLog => self.sanctum_ports[1],
        }
    }

    /// Where nginx takes another upstream when the first one, named by `x-case`, fails.
    pub const fn nginx_fallback_port(&self) -> u16 {
        self.nginx_ports[2]
    }

    /// Starts a peer's process; `None` for one that has none or is not installed. Returns how long it took.
    pub fn start(&self, peer: Peer) -> io::Result<Option<(Process, Duration)>> {
        let mut command = match (peer, &self.nginx) {
            (Peer::Nginx | Peer::NginxKeeps, Some(nginx)) => {
                let mut command = Command::new(nginx);
                command.arg("-p").arg(&self.folder).arg("-c").arg(self.folder.join("nginx.conf"));
                command.env_clear();
                command
            }
            (Peer::Sanctum | Peer::SanctumNoLog, _) => {
                let mut command = Command::new(&self.sanctum);
                command
                    .arg("--config")
                    .arg(self.folder.join(peer.name()).with_extension("yaml"))
                    .arg("serve");
                let home = self.folder.join(peer.name());
                command.env_clear().env("SANCTUM_HOME", home);
                command.env("BENCH_TOKEN", TOKEN).env("BENCH_KEY", "sk-fake-upstream");
                command
            }
            _ => return Ok(None),
        };
        Process::start(&mut command, self.port(peer)).map(Some)
    }

    fn nginx_conf(&self) -> String {
        let folder = self.folder.display();
        let [passes, keeps, falls_back] = self.nginx_ports;
        let (primary, spare) = (self.stubs.primary, self.stubs.spare);
        let mut upstreams = String::new();
        for (name, port) in &self.stubs.failing {
            upstreams.push_str(&format!(
                "upstream f{name} {{ server 127.0.0.1:{port} max_fails=0; server 127.0.0.1:{spare} backup; keepalive 64; }}\n"
            ));
        }
        let cases: String = FAILURES.iter().map(|name| format!("{name} f{name}; ")).collect();
        format!(
            "daemon off; worker_processes auto; pid {folder}/nginx.pid; error_log {folder}/nginx.log crit;
events {{ worker_connections 8192; }}
http {{
access_log off; client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy;
client_max_body_size 0; keepalive_requests 1000000; keepalive_timeout 300s;
proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_set_header x-api-key sk-fake-upstream;
proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 1s;
upstream ok {{ server 127.0.0.1:{primary}; keepalive 512; keepalive_requests 1000000; }}
{upstreams}
map $http_x_case $case {{ default ok; {cases} }}
server {{ listen 127.0.0.1:{passes} reuseport backlog=4096; location / {{ proxy_pass http://ok; }} }}
server {{ listen 127.0.0.1:{keeps} reuseport backlog=4096;
  location / {{ proxy_pass http://ok; proxy_request_buffering on; client_body_buffer_size 256k; }} }}
server {{ listen 127.0.0.1:{falls_back} reuseport;
  proxy_request_buffering on; proxy_intercept_errors on;
  proxy_next_upstream error timeout http_500 http_429 non_idempotent;
  location / {{ proxy_pass http://$case; error_page 529 = @spare; }}
  location @spare {{ proxy_pass http://spare; }} }}
upstream spare {{ server 127.0.0.1:{spare}; keepalive 64; }}
}}
"
        )
    }

    fn sanctum_conf(&self, peer: Peer, log: bool) -> String {
        let port = self.port(peer);
        let (primary, spare) = (self.stubs.primary, self.stubs.spare);
        let mut providers = String::new();
        let mut seats = String::new();
        let mut routes = String::new();
        let mut add = |name: &str, port: u16, model: &str, chain: &str| {
            providers.push_str(&format!(
                "  {name}: {{wire: anthropic, base_url: 'http://127.0.0.1:{port}', key: env:BENCH_KEY}}\n"
            ));
            seats.push_str(&format!(
                "  {name}: {{provider: {name}, model: {model}, ttfb_timeout_secs: 1, response_timeout_secs: 1}}\n"
            ));
            routes.push_str(&format!(
                "  - {{name: {name}, models: [{name}], chain: [{chain}], retry: {{max_attempts_per_seat: 1}}, cooldown: {{allowed_fails: 0}}}}\n"
            ));
        };
        for (name, model) in MODELS {
            add(name, primary, model, name);
        }
        add("spare", spare, "stub-spare", "spare");
        for (name, port) in &self.stubs.failing {
            let name = format!("f{name}");
            add(&name, *port, "stub-failing", &format!("{name}, spare"));
        }
        format!(
            "server: {{listen: 127.0.0.1:{port}, max_body_bytes: 209715200}}
auth: {{tokens: [env:BENCH_TOKEN], require: always}}
attempts: {{enabled: {log}, path: attempts.jsonl}}
log: {{level: error}}
providers:\n{providers}seats:\n{seats}routes:\n{routes}"
        )
    }
}

/// The gateway's name for each model of the stub: a seat of its own, so that the id is replaced on the way.
const MODELS: [(&str, &str); 4] = [
    ("whole", "stub-c200-g0"),
    ("short", "stub-c20-g5"),
    ("paced", "stub-c200-g5"),
    ("slow", "stub-c60-g250"),
];

/// The model to ask a peer for.
pub fn model(peer: Peer, name: &'static str) -> &'static str {
    match peer {
        Peer::Sanctum | Peer::SanctumNoLog => name,
        _ => MODELS.iter().find(|(known, _)| *known == name).map_or("stub-spare", |(_, model)| model),
    }
}

fn free_ports(count: usize) -> io::Result<Vec<u16>> {
    let held: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    held.iter().map(|l| Ok(l.local_addr()?.port())).collect()
}
