//! What every request needs: the live configuration, the ledger, the clock, and this thread's clients.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::gateway::live::Live;
use crate::ledger::Ledger;
use crate::outbound::{self, OutboundError};
use crate::process::Tasks;
use crate::telemetry::metrics::Metrics;

/// Shared by every thread.
pub(crate) struct Shared {
    pub(crate) live: ArcSwap<Live>,
    /// Swapped when `attempts:` changes; the old one drains by itself.
    pub(crate) ledger: ArcSwap<Ledger>,
    pub(crate) metrics: Arc<Metrics>,
    /// The gateway's own clock starts here.
    pub(crate) epoch: Instant,
    pub(crate) draining: AtomicBool,
    /// Cancelled when what still runs must end now: streams end loudly, and every book is settled.
    pub(crate) cut: CancellationToken,
    /// Requests being served now.
    pub(crate) active: Arc<AtomicUsize>,
    /// Where it listens.
    pub(crate) addresses: OnceLock<Vec<SocketAddr>>,
    /// Why the file on disk is not, or not wholly, what is served; told in `/health`.
    pub(crate) reload_note: Mutex<Option<String>>,
    /// The file that was loaded, for `/api/status`.
    pub(crate) source: Option<PathBuf>,
    /// First part of every request id of this process.
    pub(crate) boot: u32,
    pub(crate) requests: AtomicU64,
}

impl Shared {
    /// Milliseconds on the gateway's own clock.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A request id that no other request of this or another process has.
    pub(crate) fn next_id(&self) -> Arc<str> {
        let n = self.requests.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(32);
        // Without `format!`, which took longer than all else that is counted here.
        id.push_str("req_");
        push_hex(&mut id, u64::from(self.boot));
        push_hex(&mut id, n);
        id.into()
    }
}

/// Lower case, at least eight digits.
fn push_hex(out: &mut String, number: u64) {
    for place in (0..16u32).rev() {
        let above = number.checked_shr(place.saturating_mul(4)).unwrap_or(0);
        if above > 0 || place < 8 {
            out.extend(u32::try_from(above & 15).ok().and_then(|digit| char::from_digit(digit, 16)));
        }
    }
}

/// One thread's share: a pooled connection's task lives on the runtime that made it, so clients do too.
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) tasks: Tasks,
    clients: Mutex<HashMap<Duration, reqwest::Client>>,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, tasks: Tasks) -> Self {
        Self { shared, tasks, clients: Mutex::default() }
    }

    /// Makes the clients that the configuration needs, so that no request waits for one.
    pub(crate) fn warm(&self) {
        for seat in &self.shared.live.load().config.seats {
            if let Err(error) = self.client(seat.provider.connect_timeout) {
                tracing::error!(%error, provider = seat.provider.name, "no client for the provider");
            }
        }
    }

    /// The client for a connect timeout. It keeps its connections by host, so providers share it.
    pub(crate) fn client(&self, connect_timeout: Duration) -> Result<reqwest::Client, OutboundError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&connect_timeout) {
            return Ok(client.clone());
        }
        let client = outbound::client(connect_timeout)?;
        clients.insert(connect_timeout, client.clone());
        Ok(client)
    }
}
