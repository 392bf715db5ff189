//! Every metric there is: names, labels from closed sets, and handles that need no look-up.
//!
//! A handle is taken once per route or seat when a configuration is loaded; on the request path it is
//! atomics alone. [`Metrics::retain`] forgets what a new configuration no longer has: a handle that is
//! still held then counts into nothing.

mod encode;
mod histogram;
mod registry;
mod route;
mod seat;
mod words;

pub use encode::CONTENT_TYPE;
pub use registry::Metrics;
pub use route::RouteMetrics;
pub use seat::{SeatMetrics, TokenCounts};
pub use words::{Position, RequestOutcome, SeatState};
