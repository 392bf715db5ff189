//! One current_thread runtime a core: a connection is served where it was given, from its first byte to its last.

use std::net::TcpStream as Socket;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::gateway::conn;
use crate::gateway::worker::{Shared, Worker};
use crate::process::Tasks;

/// One thread of a core, and the connections on their way to it.
pub(super) struct Core {
    sender: UnboundedSender<Given>,
    /// Connections given and not yet closed.
    open: Arc<AtomicUsize>,
    tasks: Tasks,
}

/// A socket on its way, counted as open.
struct Given {
    socket: Socket,
    open: Open,
}

/// Counts a connection as open until dropped.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn enter(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Starts one thread for each core.
pub(super) fn start(shared: &Arc<Shared>) -> std::io::Result<Vec<Core>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (0..cores).map(|i| start_one(i, Arc::clone(shared))).collect()
}

fn start_one(number: usize, shared: Arc<Shared>) -> std::io::Result<Core> {
    let runtime = runtime()?;
    let (sender, receiver) = unbounded_channel();
    let tasks = Tasks::new();
    let worker = Arc::new(Worker::new(shared, tasks.clone()));
    // A task like those that it starts, and counted from here on: whoever waits for the tasks waits until every
    // socket that was given is either served or closed.
    let entered = runtime.enter();
    let (warm, taking) = (Arc::clone(&worker), take(receiver, worker, tasks.clone()));
    tasks.spawn(async move {
        warm.warm();
        taking.await;
    });
    drop(entered);
    let running = tasks.clone();
    std::thread::Builder::new()
        .name(format!("serve-{number}"))
        .spawn(move || runtime.block_on(running.wait()))?;
    Ok(Core { sender, open: Arc::new(AtomicUsize::new(0)), tasks })
}

/// Gives a socket that does not block to the core with the fewest open ones.
pub(super) fn give(socket: Socket, cores: &[Core]) {
    let living = cores.iter().filter(|c| !c.sender.is_closed());
    let Some(core) = living.min_by_key(|c| c.open.load(Ordering::Relaxed)) else {
        tracing::error!("a connection was closed unserved: no thread is left to serve it");
        return;
    };
    let open = Open::enter(&core.open);
    if core.sender.send(Given { socket, open }).is_err() {
        tracing::error!("a connection was closed unserved: the thread that was to serve it has ended");
    }
}

/// Takes no more sockets, tells all connections to end after what they are doing, and waits until they have.
pub(super) async fn finish(cores: Vec<Core>) {
    let stopped: Vec<Tasks> = cores
        .into_iter()
        .map(|core| {
            // The sender goes with the core, and `take` ends once it has taken what is in the channel.
            core.tasks.stop();
            core.tasks
        })
        .collect();
    for tasks in stopped {
        tasks.wait().await;
    }
}

/// Serves the connections that this thread is given, until nobody can give it any more.
async fn take(mut receiver: UnboundedReceiver<Given>, worker: Arc<Worker>, tasks: Tasks) {
    while let Some(Given { socket, open }) = receiver.recv().await {
        match TcpStream::from_std(socket) {
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

#[cfg(test)]
mod tests;
