//! The only maker of HTTP clients: no hidden retry, no redirect, no proxy.

mod client;
mod failure;

pub use client::{OutboundError, client, init};
pub use failure::{Failure, FailureKind, describe};
