//! Who already holds an address: a sanctum that serves, one that drains, or another program.

use std::time::Duration;

use serde::Deserialize;

use crate::outbound;

const PATIENCE: Duration = Duration::from_secs(2);

/// What is read of its answer, in bytes: anybody may hold the port, and send without end.
const MOST: usize = 64 * 1024;

/// Longest drain time that is believed: the longest that a configuration can set.
const LONGEST_DRAIN: Duration = Duration::from_secs(604_800);

/// Who is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incumbent {
    /// A sanctum that serves.
    Healthy,
    /// A sanctum that ends within this time.
    Draining(Duration),
    /// Another program.
    Other,
    /// Nobody any more.
    Gone,
}

#[derive(Deserialize)]
struct Health {
    name: String,
    draining: bool,
    drain_secs: u64,
    #[serde(default)]
    config_digest: String,
}

/// Asks whoever listens at `address` for its health.
pub(super) async fn ask(address: &str) -> Incumbent {
    let reachable = address.replace("0.0.0.0:", "127.0.0.1:").replace("[::]:", "[::1]:");
    let Ok(client) = outbound::client(PATIENCE) else { return Incumbent::Other };
    let request = client.get(format!("http://{reachable}/health")).timeout(PATIENCE);
    let mut answer = match request.send().await {
        Ok(answer) => answer,
        Err(e) if e.is_connect() => return Incumbent::Gone,
        Err(_) => return Incumbent::Other,
    };
    if !answer.status().is_success() {
        return Incumbent::Other;
    }
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len().saturating_add(chunk.len()) <= MOST => {
                body.extend_from_slice(&chunk);
            }
            Ok(None) => return read(&body),
            Ok(Some(_)) | Err(_) => return Incumbent::Other,
        }
    }
}

fn read(body: &[u8]) -> Incumbent {
    match serde_json::from_slice::<Health>(body) {
        Ok(h) if h.name == "sanctum" && h.draining => {
            Incumbent::Draining(Duration::from_secs(h.drain_secs).min(LONGEST_DRAIN))
        }
        Ok(h) if h.name == "sanctum" => {
            tracing::info!(
                config_digest = h.config_digest,
                "found a sanctum; its digest tells whether it serves the same configuration"
            );
            Incumbent::Healthy
        }
        _ => Incumbent::Other,
    }
}

#[cfg(test)]
mod tests;
