//! Starts the stubs, and configures a gateway in front of them.

use std::net::SocketAddr;
use std::path::Path;

use super::stub;
use crate::config::{self, Config};

/// The demo's configuration, with the stubs' addresses to be filled in.
const CONFIG: &str = include_str!("demo.yaml");

/// The running stubs.
#[derive(Debug, Clone, Copy)]
pub struct Stubs {
    primary: SocketAddr,
    fallback: SocketAddr,
}

/// Starts the stubs on free loopback ports, on a thread of their own.
///
/// # Errors
/// When no port or thread is to be had.
pub fn start() -> std::io::Result<Stubs> {
    let primary = stub::start("primary", true)?;
    let fallback = stub::start("fallback", false)?;
    Ok(Stubs { primary, fallback })
}

/// The configuration of a gateway in front of the stubs; `None` if the embedded one is wrong, which a test
/// rules out.
#[must_use]
pub fn config(stubs: &Stubs, home: &Path) -> Option<Config> {
    let text = CONFIG
        .replace("PRIMARY", &stubs.primary.to_string())
        .replace("FALLBACK", &stubs.fallback.to_string());
    config::load("demo.yaml", &text, home).config
}

#[cfg(test)]
mod tests;
