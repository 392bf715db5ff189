//! The engine of `sanctum`: a gateway whose fallback paths are proven, not claimed.
//!
//! Rooms, inner ones first: [`process`], [`prompt`] and [`outbound`] know nothing of ours; [`wire`] reads and
//! writes what vendors define; [`config`] says what was asked for; [`route`] decides; [`telemetry`] logs, counts
//! and redacts, with the words of those two; [`secret`] and [`ledger`] touch the world for one purpose
//! each; [`upstream`] makes one attempt at one seat; [`demo`] plays seats on loopback; [`gateway`] is the
//! life of a request. `ARCHITECTURE.md` draws the flow.
#![warn(missing_docs)]

pub mod config;
pub mod demo;
pub mod gateway;
pub mod ledger;
pub mod outbound;
pub mod process;
pub mod prompt;
pub mod route;
pub mod secret;
pub mod telemetry;
pub mod upstream;
pub mod wire;
