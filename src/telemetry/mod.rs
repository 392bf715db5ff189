//! Logs, metrics, the clock and the panic record.

pub mod clock;
pub mod logs;
pub mod metrics;
pub mod panic;
pub mod redact;
