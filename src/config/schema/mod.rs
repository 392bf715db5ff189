//! Every key there is, once: its shape, default, meaning, and whether its behaviour is built.
//!
//! From this one table come the validation, the "not built yet" lints, the refusal of guards that do not
//! guard yet, the defaults that the engine runs with, `config show`, and `docs/config.md`.

mod auth;
mod field;
mod headers;
mod logs;
mod provider;
mod root;
mod route;
mod seat;
mod server;
mod text;
mod url;

pub(crate) use field::{Field, Shape, Status, TextKind};
pub(crate) use headers::header;
pub(crate) use provider::CLI_ONLY;
pub(crate) use root::ROOT;
pub use text::check_listen;
pub(crate) use text::{is_loopback_host, key_ref, listen_parts, origin_of};
pub(crate) use url::{UrlParts, may_hide_key, redact, split_url};

#[cfg(test)]
mod tests;
