//! Listens, spreads connections over the cores, reloads, drains.
//!
//! One current_thread runtime a core, each with its own clients; this thread accepts and gives a connection
//! to the thread with the fewest open ones.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};

use crate::config::Config;
use crate::gateway::conn;
use crate::gateway::incumbent::{self, Incumbent};
use crate::gateway::live::{Live, LiveError};
use crate::gateway::worker::{Shared, Worker};
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

/// Why serving could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration's keys or URLs are of no use.
    #[error("use the config: {0}")]
    Live(#[from] LiveError),
    /// The address is held by another program.
    #[error("listen on {address}: the address is held by another program")]
    Held {
        /// The address.
        address: String,
    },
    /// The address cannot be listened on.
    #[error("listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// No runtime, thread or signal handler.
    #[error("start: {0}")]
    System(#[from] std::io::Error),
}

/// Serves until told to stop.
///
/// # Errors
/// When it cannot start; once it serves, nothing ends it but a signal.
pub fn serve(options: Options) -> Result<Served, ServeError> {
    outbound::init();
    let metrics = Metrics::new();
    let runtime = runtime()?;
    let config = Arc::new(options.config);
    let live = Live::build(Arc::clone(&config), &metrics, None)?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let Some(listeners) = bind_all(&config.server.listen).await? else { return Ok(Served::Incumbent) };
        let shared = Arc::new(Shared {
            live: ArcSwap::from_pointee(live),
            ledger: ArcSwap::from_pointee(Ledger::start(&config.attempts, Arc::clone(&metrics))),
            metrics,
            epoch: Instant::now(),
            draining: AtomicBool::new(false),
            active: Arc::new(AtomicUsize::new(0)),
            addresses: OnceLock::new(),
            source: options.source,
            boot: fastrand::u32(..),
            requests: AtomicU64::new(0),
        });
        let addresses: Vec<SocketAddr> = listeners.iter().filter_map(|l| l.local_addr().ok()).collect();
        let threads = start_threads(&shared)?;
        let _trimmer = Trimmer::start(Arc::clone(&shared.active));
        for address in &addresses {
            tracing::info!(addr = %address, version = env!("CARGO_PKG_VERSION"), config_digest = %config.digest, "listening");
        }
        shared.addresses.set(addresses.clone()).ok();
        (options.ready)(&addresses);

        accept(&listeners, &threads, &shared, &mut signals, &*options.reload).await;
        // Listeners first: whoever comes now is refused and goes elsewhere.
        drop(listeners);
        let served = drain(&threads, &shared, &mut signals).await;
        shared.ledger.load().flush(LAST_WORDS);
        Ok(served)
    })
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Takes connections until a signal to stop.
async fn accept(
    listeners: &[TcpListener],
    threads: &[Thread],
    shared: &Arc<Shared>,
    signals: &mut Signals,
    reload: &dyn Fn() -> Result<Config, String>,
) {
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Signal::Hangup => apply(shared, reload()),
                Signal::Terminate | Signal::Interrupt => return,
            },
            taken = any(listeners) => match taken {
                Ok(stream) => give(stream, threads),
                Err(error) => {
                    // Out of descriptors, mostly: those that are open go on, and some will close.
                    tracing::warn!(%error, "a connection could not be taken");
                    sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
}

/// The next connection of any listener.
async fn any(listeners: &[TcpListener]) -> std::io::Result<TcpStream> {
    std::future::poll_fn(|cx| {
        for listener in listeners {
            if let std::task::Poll::Ready(taken) = listener.poll_accept(cx) {
                return std::task::Poll::Ready(taken.map(|(stream, _)| stream));
            }
        }
        std::task::Poll::Pending
    })
    .await
}

fn give(stream: TcpStream, threads: &[Thread]) {
    let Some(thread) = threads.iter().min_by_key(|t| t.open.load(Ordering::Relaxed)) else { return };
    // The socket leaves this thread's reactor here and joins the other's there.
    match stream.into_std() {
        Ok(stream) => {
            thread.open.fetch_add(1, Ordering::Relaxed);
            thread.sender.send(stream).ok();
        }
        Err(error) => tracing::warn!(%error, "a connection could not be handed over"),
    }
}

/// Swaps in a configuration that was read anew, or says why the old one stays.
fn apply(shared: &Shared, loaded: Result<Config, String>) {
    let before = shared.live.load_full();
    let built = loaded.and_then(|config| {
        say_needs_restart(&before.config, &config);
        Live::build(Arc::new(config), &shared.metrics, Some(&before)).map_err(|e| e.to_string())
    });
    match built {
        Ok(live) => {
            live.forget_others(&shared.metrics);
            logs::set_level(live.config.log.level);
            if before.config.attempts != live.config.attempts {
                let ledger = Ledger::start(&live.config.attempts, Arc::clone(&shared.metrics));
                shared.ledger.store(Arc::new(ledger));
            }
            tracing::info!(config_digest = %live.config.digest, "config reloaded");
            shared.live.store(Arc::new(live));
        }
        Err(reason) => {
            tracing::error!(%reason, config_digest = %before.config.digest, "config not reloaded; the old one stays live")
        }
    }
}

fn say_needs_restart(old: &Config, new: &Config) {
    let changed = [
        ("server.listen", old.server.listen != new.server.listen),
        ("log.dir", old.log.dir != new.log.dir),
        ("log.format", old.log.format != new.log.format),
    ];
    for (key, _) in changed.into_iter().filter(|(_, changed)| *changed) {
        tracing::warn!(key, "this key changed and needs a restart");
    }
}

/// Lets what is running end, for the drain time at most.
async fn drain(threads: &[Thread], shared: &Shared, signals: &mut Signals) -> Served {
    let time = shared.live.load().config.server.drain;
    shared.draining.store(true, Ordering::Relaxed);
    tracing::info!(
        drain_secs = time.as_secs(),
        requests = shared.active.load(Ordering::Relaxed),
        "draining; no new connections"
    );
    for thread in threads {
        thread.tasks.stop();
    }
    let all = async {
        for thread in threads {
            thread.tasks.wait().await;
        }
    };
    let second = async { while signals.next().await == Signal::Hangup {} };
    let ended = tokio::select! {
        done = timeout(time, all) => done.is_ok(),
        () = second => false,
    };
    let requests = shared.active.load(Ordering::Relaxed);
    if ended || requests == 0 {
        tracing::info!("drained");
        Served::Drained
    } else {
        tracing::warn!(requests, "stopped with requests still running");
        Served::Cut { requests }
    }
}

/// One core's thread.
struct Thread {
    sender: UnboundedSender<std::net::TcpStream>,
    open: Arc<AtomicUsize>,
    tasks: Tasks,
    _handle: JoinHandle<()>,
}

fn start_threads(shared: &Arc<Shared>) -> std::io::Result<Vec<Thread>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (0..cores).map(|i| start_thread(i, Arc::clone(shared))).collect()
}

fn start_thread(number: usize, shared: Arc<Shared>) -> std::io::Result<Thread> {
    let runtime = runtime()?;
    let (sender, receiver) = unbounded_channel();
    let open = Arc::new(AtomicUsize::new(0));
    let tasks = Tasks::new();
    let worker = Arc::new(Worker::new(shared, tasks.clone()));
    let (counted, spawner) = (Arc::clone(&open), tasks.clone());
    let handle = std::thread::Builder::new()
        .name(format!("serve-{number}"))
        .spawn(move || runtime.block_on(take(receiver, worker, counted, spawner)))?;
    Ok(Thread { sender, open, tasks, _handle: handle })
}

/// Serves the connections that this thread is given.
async fn take(
    mut receiver: UnboundedReceiver<std::net::TcpStream>,
    worker: Arc<Worker>,
    open: Arc<AtomicUsize>,
    tasks: Tasks,
) {
    while let Some(stream) = receiver.recv().await {
        let open = Open(Arc::clone(&open));
        match TcpStream::from_std(stream) {
            Ok(stream) => {
                let (worker, stop) = (Arc::clone(&worker), tasks.token());
                tasks.spawn(async move {
                    conn::serve(stream, worker, stop).await;
                    drop(open);
                });
            }
            Err(error) => tracing::warn!(%error, "a connection could not be taken over"),
        }
    }
}

/// Counts a connection as open until dropped.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Binds every address; `None` when a healthy sanctum is already there.
async fn bind_all(addresses: &[String]) -> Result<Option<Vec<TcpListener>>, ServeError> {
    let mut listeners = Vec::new();
    for address in addresses {
        match bind(address).await? {
            Some(listener) => listeners.push(listener),
            None => return Ok(None),
        }
    }
    Ok(Some(listeners))
}

/// Binds one address. A draining sanctum is waited for, up to its own drain time.
async fn bind(address: &str) -> Result<Option<TcpListener>, ServeError> {
    let listen = |source| ServeError::Listen { address: address.to_owned(), source };
    let mut until: Option<Instant> = None;
    loop {
        let error = match TcpListener::bind(address).await {
            Ok(listener) => return Ok(Some(listener)),
            Err(error) => error,
        };
        if error.kind() != std::io::ErrorKind::AddrInUse {
            return Err(listen(error));
        }
        match incumbent::ask(address).await {
            Incumbent::Healthy => {
                tracing::info!(
                    addr = address,
                    "a healthy sanctum already serves this address; nothing to do"
                );
                return Ok(None);
            }
            Incumbent::Draining(time) => {
                let until = *until.get_or_insert_with(|| Instant::now() + time);
                if Instant::now() >= until {
                    return Err(ServeError::Held { address: address.to_owned() });
                }
                tracing::info!(addr = address, "waiting for a draining sanctum");
                sleep(Duration::from_millis(100)).await;
            }
            // It may have gone in the meantime; one more try tells.
            Incumbent::Gone if until.is_none() => {
                until = Some(Instant::now());
                sleep(Duration::from_millis(100)).await;
            }
            Incumbent::Gone | Incumbent::Other => {
                return Err(ServeError::Held { address: address.to_owned() });
            }
        }
    }
}
