//! The only maker of HTTP clients: no hidden retry, no redirect, no proxy unless asked.
