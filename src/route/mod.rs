//! Decides: which seats, in which order, and what an outcome leads to. Pure: time comes in as a value.
//!
//! [`plan`] orders a chain; [`table`] names what happened; [`action`] says what follows. Nothing here
//! opens a socket, reads a clock or remembers a request.

pub mod action;
pub mod budget;
pub mod capability;
mod class;
pub mod hints;
pub mod plan;
mod reference;
pub mod table;
pub use class::Class;
pub use reference::reference;
