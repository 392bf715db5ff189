//! Signals, tasks, locks and atomic replacement.
