//! One attempt at one seat: what is sent, its clocks, what came back, and how the seat stands.
//!
//! [`prepare`] is pure and starts from the request as received, every time: nothing that an attempt does
//! can reach the next one. [`attempt`] owns the sockets and the clocks up to commit; after it the stream
//! belongs to the gateway's relay.

pub mod attempt;
pub mod failed;
mod judge;
pub mod prepare;
pub mod request;
pub mod standing;
pub mod target;
pub mod upload;
