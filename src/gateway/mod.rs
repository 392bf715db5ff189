//! The life of a request: listen, admit, plan, attempt, relay, settle.
