//! The addresses: binding them, waiting for the sanctum that leaves them, and leaving them without losing anybody.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

use crate::gateway::cores::{self, Core};
use crate::gateway::incumbent::{self, Incumbent};
use crate::gateway::server::ServeError;

/// How long until an address that is held is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Binds every address; `None` when a healthy sanctum is already there.
pub(super) async fn bind_all(addresses: &[String]) -> Result<Option<Vec<TcpListener>>, ServeError> {
    let mut listeners = Vec::new();
    for address in addresses {
        match bind(address).await? {
            Some(listener) => listeners.push(listener),
            None => return Ok(None),
        }
    }
    Ok(Some(listeners))
}

/// Who was found at an address that could not be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Nobody was asked yet.
    Nothing,
    /// Nobody: whoever held it may have gone in the meantime, which one more try tells.
    Gone,
    /// A sanctum that ends by then.
    Draining { until: Instant },
}

impl Seen {
    /// What the next answer makes of it; `None` when waiting is over. Who said at first when it will have ended is
    /// held to that.
    fn next(self, found: Incumbent, now: Instant) -> Option<Self> {
        match (found, self) {
            (Incumbent::Draining(_), Self::Draining { until }) => (now < until).then_some(self),
            (Incumbent::Draining(time), _) => Some(Self::Draining { until: now.checked_add(time)? }),
            // It ended while it was waited for: the address is about to be free.
            (Incumbent::Gone, Self::Nothing | Self::Draining { .. }) => Some(Self::Gone),
            (Incumbent::Gone, Self::Gone) | (Incumbent::Other | Incumbent::Healthy, _) => None,
        }
    }
}

/// Binds one address. A draining sanctum is waited for, up to its own drain time.
async fn bind(address: &str) -> Result<Option<TcpListener>, ServeError> {
    let mut seen = Seen::Nothing;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(Some(listener)),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            Err(reason) => return Err(ServeError::Listen { address: address.to_owned(), reason }),
        }
        let found = incumbent::ask(address).await;
        if found == Incumbent::Healthy {
            tracing::info!(addr = address, "a healthy sanctum already serves this address; nothing to do");
            return Ok(None);
        }
        let held = || ServeError::Held { address: address.to_owned() };
        let next = seen.next(found, Instant::now()).ok_or_else(held)?;
        if let (Seen::Draining { .. }, Seen::Nothing | Seen::Gone) = (next, seen) {
            tracing::info!(addr = address, "waiting for a draining sanctum");
        }
        seen = next;
        sleep(AGAIN).await;
    }
}

/// Where they listen.
pub(super) fn addresses(listeners: &[TcpListener]) -> Vec<SocketAddr> {
    listeners.iter().filter_map(|l| l.local_addr().ok()).collect()
}

/// The next connection of any listener.
pub(super) async fn any(listeners: &[TcpListener]) -> std::io::Result<TcpStream> {
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

/// Stops listening: whoever comes after this is refused and goes elsewhere. Connections that the system has made
/// already are taken first, since closing a listener resets them.
pub(super) fn leave(listeners: Vec<TcpListener>, cores: &[Core]) {
    for listener in listeners {
        // Asked of the system itself: the reactor may not have heard yet of the last ones.
        let Ok(listener) = listener.into_std() else { continue };
        loop {
            match listener.accept().and_then(|(socket, _)| socket.set_nonblocking(true).map(|()| socket)) {
                Ok(socket) => cores::give(socket, cores),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => break,
                // It left while it waited.
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionAborted => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "connections that were waiting could not be taken");
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
