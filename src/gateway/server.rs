//! Serves: starts, takes connections, reloads, drains.
//!
//! This thread accepts, and gives a connection to the core with the fewest open ones (`cores`).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::gateway::cores::{self, Core};
use crate::gateway::listen;
use crate::gateway::live::{Live, LiveError};
use crate::gateway::worker::Shared;
use crate::ledger::Ledger;
use crate::outbound;
use crate::process::Tasks;
use crate::process::memory::Trimmer;
use crate::process::{Signal, Signals};
use crate::telemetry::logs;
use crate::telemetry::metrics::Metrics;

/// Reads the configuration anew; a reason where that fails.
pub type Reload = Box<dyn Fn() -> Result<Config, String>>;

/// Told where the gateway listens.
pub type Ready = Box<dyn FnOnce(&[SocketAddr])>;

/// How long what is cut at the end may take to say so.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long the attempt log may take at the end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What is served.
pub struct Options {
    /// The configuration, with the command line's addresses in it.
    pub config: Config,
    /// The file it came from.
    pub source: Option<PathBuf>,
    /// Reads the configuration anew on SIGHUP. A reason means that the old one stays live.
    pub reload: Reload,
    /// Called once with the bound addresses, before the first connection is taken.
    pub ready: Ready,
}

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Told to stop; what was running has ended.
    Drained,
    /// Told to stop; requests were still running when the drain time was over or a second signal came.
    Cut {
        /// How many.
        requests: usize,
    },
    /// A healthy sanctum already serves the address.
    Incumbent,
}

/// Why serving could not start. Its text is whole: no cause stands behind it that would be told again.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration's keys or URLs are of no use.
    #[error("use the config: {0}")]
    Live(LiveError),
    /// The address is held by another program.
    #[error("listen on {address}: the address is held by another program")]
    Held {
        /// The address.
        address: String,
    },
    /// The address cannot be listened on.
    #[error("listen on {address}: {reason}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        reason: std::io::Error,
    },
    /// No runtime, thread or signal handler.
    #[error("start: {0}")]
    System(std::io::Error),
}

impl From<LiveError> for ServeError {
    fn from(error: LiveError) -> Self {
        Self::Live(error)
    }
}

impl From<std::io::Error> for ServeError {
    fn from(error: std::io::Error) -> Self {
        Self::System(error)
    }
}

/// Serves until told to stop.
///
/// # Errors
/// When it cannot start; once it serves, nothing ends it but a signal.
pub fn serve(options: Options) -> Result<Served, ServeError> {
    outbound::init();
    let metrics = Metrics::new();
    let runtime = cores::runtime()?;
    let config = Arc::new(options.config);
    let live = Live::build(Arc::clone(&config), &metrics, None)?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let Some(listeners) = listen::bind_all(&config.server.listen).await? else {
            return Ok(Served::Incumbent);
        };
        let shared = Arc::new(Shared {
            live: ArcSwap::from_pointee(live),
            ledger: ArcSwap::from_pointee(Ledger::start(&config.attempts, Arc::clone(&metrics))),
            metrics,
            epoch: Instant::now(),
            draining: AtomicBool::new(false),
            cut: CancellationToken::new(),
            active: Arc::new(AtomicUsize::new(0)),
            addresses: OnceLock::new(),
            reload_note: Mutex::default(),
            source: options.source,
            boot: fastrand::u32(..),
            requests: AtomicU64::new(0),
        });
        let addresses = listen::addresses(&listeners);
        let cores = cores::start(&shared)?;
        let _trimmer = Trimmer::start(Arc::clone(&shared.active))
            .inspect_err(|error| {
                tracing::warn!(%error, "memory of past load is not given back: no thread for it");
            })
            .ok();
        for address in &addresses {
            tracing::info!(addr = %address, version = env!("CARGO_PKG_VERSION"), config_digest = %config.digest, "listening");
        }
        shared.addresses.set(addresses.clone()).ok();
        (options.ready)(&addresses);

        let retired = Tasks::new();
        let reload = || apply(&shared, (options.reload)(), &config, &retired);
        accept(&listeners, &cores, &mut signals, &reload).await;
        // Listeners first: whoever comes now is refused and goes elsewhere.
        listen::leave(listeners, &cores);
        let served = drain(cores, &shared, &mut signals).await;
        Ledger::clone(&shared.ledger.load()).close(LAST_WORDS);
        // Each says for itself what it loses.
        timeout(LAST_WORDS, retired.wait()).await.ok();
        Ok(served)
    })
}

/// Takes connections until a signal to stop.
async fn accept(listeners: &[TcpListener], cores: &[Core], signals: &mut Signals, reload: &dyn Fn()) {
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::Hangup => reload(),
                Signal::Terminate | Signal::Interrupt => return,
            },
            // The socket leaves this thread's reactor here and joins the other's there.
            taken = listen::any(listeners) => match taken.and_then(tokio::net::TcpStream::into_std) {
                Ok(socket) => cores::give(socket, cores),
                Err(error) => {
                    // Out of descriptors, mostly: those that are open go on, and some will close.
                    tracing::warn!(%error, "a connection could not be taken");
                    sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
}

/// Swaps in a configuration that was read anew, or says why the old one stays. An attempt log that is of no more
/// use is closed behind the others, as one of the `retired`.
fn apply(shared: &Shared, loaded: Result<Config, String>, started: &Config, retired: &Tasks) {
    let before = shared.live.load_full();
    let built = loaded.and_then(|config| {
        Live::build(Arc::new(config), &shared.metrics, Some(&before)).map_err(|e| e.to_string())
    });
    let note = match built {
        Ok(live) => {
            let live = Arc::new(live);
            logs::set_level(live.config.log.level);
            if before.config.attempts != live.config.attempts {
                let ledger = Ledger::start(&live.config.attempts, Arc::clone(&shared.metrics));
                let old = Ledger::clone(&shared.ledger.swap(Arc::new(ledger)));
                retired.spawn_blocking(move || old.close(LAST_WORDS));
            }
            shared.live.store(Arc::clone(&live));
            // Behind the swap: a request that begins before it counts for what is about to be forgotten.
            live.forget_others(&shared.metrics);
            tracing::info!(config_digest = %live.config.digest, "config reloaded");
            needs_restart(started, &live.config)
        }
        Err(reason) => {
            tracing::error!(%reason, config_digest = %before.config.digest, "config not reloaded; the old one stays live");
            Some("the config on disk was not taken at the last reload; the log says why".to_owned())
        }
    };
    *shared.reload_note.lock().unwrap_or_else(PoisonError::into_inner) = note;
}

/// Says which keys differ from those that the process was started with and hold only after a restart.
fn needs_restart(started: &Config, now: &Config) -> Option<String> {
    let keys = [
        ("server.listen", started.server.listen != now.server.listen),
        ("log.dir", started.log.dir != now.log.dir),
        ("log.format", started.log.format != now.log.format),
    ];
    let changed: Vec<&str> = keys.into_iter().filter(|(_, changed)| *changed).map(|(key, _)| key).collect();
    if changed.is_empty() {
        return None;
    }
    let keys = changed.join(", ");
    tracing::warn!(keys, "these keys changed and need a restart");
    Some(format!("{keys} changed in the config and need a restart"))
}

/// Lets what is running end, for the drain time at most.
async fn drain(cores: Vec<Core>, shared: &Shared, signals: &mut Signals) -> Served {
    let time = shared.live.load().config.server.drain;
    shared.draining.store(true, Ordering::Relaxed);
    tracing::info!(
        drain_secs = time.as_secs(),
        requests = shared.active.load(Ordering::Relaxed),
        "draining; no new connections"
    );
    let second = async { while signals.next().await == Signal::Hangup {} };
    let mut finish = std::pin::pin!(cores::finish(cores));
    let ended = tokio::select! {
        done = timeout(time, finish.as_mut()) => done.is_ok(),
        () = second => false,
    };
    let requests = shared.active.load(Ordering::Relaxed);
    if ended || requests == 0 {
        tracing::info!("drained");
        return Served::Drained;
    }
    tracing::warn!(requests, "stopped with requests still running; they are told so");
    shared.cut.cancel();
    timeout(FAREWELL, finish).await.ok();
    Served::Cut { requests }
}

#[cfg(test)]
mod tests;
