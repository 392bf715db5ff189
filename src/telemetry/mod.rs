//! Logs, metrics, the clock and the panic record.
