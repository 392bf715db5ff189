//! The life of a request: listen, admit, plan, attempt, relay, settle.
//!
//! `turn.rs` is the life of one request, top to bottom. Everything else is what it needs: who may come
//! in (`trust`), what came in (`intake`), what is configured and how it stands (`live`), what is written
//! about it (`book`), what goes back (`reply`, `relay`, `hold`).

mod admin;
mod body;
mod book;
mod conn;
mod cores;
mod end;
#[cfg(test)]
mod fixture;
mod frames;
mod handler;
mod hold;
mod incumbent;
mod intake;
mod listen;
mod live;
mod models;
mod passing;
mod patience;
mod relay;
mod reply;
mod server;
mod side;
mod silence;
mod trail;
mod trust;
mod turn;
mod verdict;
mod worker;

pub use live::{LiveError, Unreadable};
pub use server::{Options, Ready, Reload, ServeError, Served, serve};
