//! Decides: which seats, in which order, and what an outcome leads to. Pure: time comes in as a value.

mod class;
pub use class::Class;
