//! What was asked for: text -> a tree with places -> findings, all of them -> resolved types.
//!
//! [`load`] is pure and never fails on a text: it answers with every finding and, where none is an
//! error, the [`Config`]. [`read`] is the same from a file. `schema` is the one table of keys; `validate`
//! walks a tree along it, `check` judges across keys, `resolve` fills in the defaults. No secret is read
//! here, only where it is kept, and no finding shows one.

mod check;
mod discover;
mod draft;
mod finding;
mod home;
mod init;
mod load;
mod pointers;
mod quote;
mod reference;
mod report;
mod resolve;
mod resolved;
mod schema;
mod show;
mod spelling;
mod tree;
mod validate;
mod vendors;
mod view;

pub use discover::discover;
pub use finding::{Finding, Severity};
pub use home::{home_dir, locate};
pub use init::{Found, Local, first_config};
pub use load::{Loaded, MAX_CONFIG_BYTES, ReadError, Reference, load, read, read_text, references};
pub use pointers::client_lines;
pub use reference::reference;
pub use resolved::*;
pub use schema::check_listen;
pub use show::{show, show_json};
