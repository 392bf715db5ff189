//! A process that the run starts, watches and ends. Reads `/proc`: Linux only.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often resident memory is read.
const SAMPLE: Duration = Duration::from_millis(10);

/// One process and its children. Ended when dropped.
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts it with a clean environment and waits until `/health` is answered at `port`. Returns how long that took.
    pub fn start(command: &mut Command, port: u16) -> io::Result<(Self, Duration)> {
        let began = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut process = Self { child };
        while !answers(port) {
            if let Some(status) = process.child.try_wait()? {
                return Err(io::Error::other(format!("{command:?} ended with {status}")));
            }
            if began.elapsed() > Duration::from_secs(10) {
                return Err(io::Error::other(format!("{command:?} does not listen")));
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok((process, began.elapsed()))
    }

    /// Resident memory of the process and its children, KiB.
    pub fn rss_kib(&self) -> f64 {
        rss_kib(self.child.id())
    }

    /// CPU time of the process and its children so far, microseconds.
    pub fn cpu_us(&self) -> f64 {
        let threads = family(self.child.id())
            .into_iter()
            .flat_map(|pid| ids(&format!("/proc/{pid}/task")).into_iter().map(move |t| (pid, t)));
        threads
            .filter_map(|(pid, thread)| {
                let line = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
                line.split_whitespace().next()?.parse::<f64>().ok()
            })
            .sum::<f64>()
            / 1000.0
    }

    /// Watches resident memory until asked for its peak.
    pub fn sample(&self) -> Sampler {
        let pid = self.child.id();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut peak = 0.0_f64;
            while !told.load(Ordering::Relaxed) {
                peak = peak.max(rss_kib(pid));
                std::thread::sleep(SAMPLE);
            }
            peak.max(rss_kib(pid))
        });
        Sampler { stop, thread }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its children are workers of nginx, which end with their master: so no SIGKILL at once.
        Command::new("kill").arg(self.child.id().to_string()).status().ok();
        for _ in 0..500 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads resident memory again and again.
pub struct Sampler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<f64>,
}

impl Sampler {
    /// The highest that was read, KiB.
    pub fn peak_kib(self) -> f64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(0.0)
    }
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))) else { return false };
    let asked = stream.write_all(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
    asked.is_ok() && matches!(stream.read(&mut [0; 64]), Ok(1..))
}

fn rss_kib(root: u32) -> f64 {
    let pages = |pid: u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        line.split(' ').nth(1)?.parse::<f64>().ok()
    };
    family(root).into_iter().filter_map(pages).sum::<f64>() * 4.0
}

/// A process and its children.
fn family(root: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{root}/task/{root}/children")).unwrap_or_default();
    std::iter::once(root).chain(children.split_whitespace().filter_map(|c| c.parse().ok())).collect()
}

fn ids(folder: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()).collect()
}
