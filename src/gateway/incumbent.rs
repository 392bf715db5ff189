//! Who already holds an address: a sanctum that serves, one that drains, or another program.

use std::time::Duration;

use serde::Deserialize;

use crate::outbound;

const PATIENCE: Duration = Duration::from_secs(2);

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
}

/// Asks whoever listens at `address` for its health.
pub(super) async fn ask(address: &str) -> Incumbent {
    let reachable = address.replace("0.0.0.0:", "127.0.0.1:").replace("[::]:", "[::1]:");
    let Ok(client) = outbound::client(PATIENCE) else { return Incumbent::Other };
    let request = client.get(format!("http://{reachable}/health")).timeout(PATIENCE);
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(e) if e.is_connect() => return Incumbent::Gone,
        Err(_) => return Incumbent::Other,
    };
    let Ok(body) = answer.bytes().await else { return Incumbent::Other };
    match serde_json::from_slice::<Health>(&body) {
        Ok(h) if h.name == "sanctum" && h.draining => Incumbent::Draining(Duration::from_secs(h.drain_secs)),
        Ok(h) if h.name == "sanctum" => Incumbent::Healthy,
        _ => Incumbent::Other,
    }
}
