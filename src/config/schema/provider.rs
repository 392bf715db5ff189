//! `providers.NAME:`

use super::field::{Field, Shape};
use super::text::{COMMAND, KEY, PATH};
use super::url::BASE_URL;

/// Keys that say something to the CLI wires alone.
pub(crate) const CLI_ONLY: &[&str] = &["max_concurrency", "command", "login", "config_home", "slots"];

pub(crate) const PROVIDER: &[Field] = &[
    Field::new(
        "wire",
        Shape::Word(&["anthropic", "openai", "openai-responses", "claude-cli", "codex-cli"]),
        "the format it speaks; seats of a wire that is not built yet are passed over as `inexpressible`",
    )
    .required(),
    Field::new(
        "base_url",
        Shape::Text(&BASE_URL),
        "where it is: without `/v1` on `anthropic`, with it on `openai`; the CLI wires need none",
    ),
    Field::new(
        "key",
        Shape::Text(&KEY),
        "where its key is kept (`env:NAME`, `file:PATH`, `keychain:SERVICE`, `vault:PATH#FIELD`), \
         or `caller` to forward the caller's own; absent = none is sent",
    ),
    Field::new("connect_timeout_secs", Shape::secs(0.001), "how long a connection may take to open")
        .default("3"),
    Field::new("max_concurrency", Shape::count(1, 100_000), "CLI wires: most runs at once"),
    Field::new(
        "command",
        Shape::Text(&COMMAND),
        "CLI wires: the program, where it is not `claude` or `codex`",
    ),
    Field::new(
        "login",
        Shape::Word(&["home", "env"]),
        "CLI wires: the user's own login, or the provider's `key`",
    ),
    Field::new("config_home", Shape::Text(&PATH), "CLI wires: the folder of the login that is used"),
    Field::new(
        "slots",
        Shape::List { item: &Shape::Text(&PATH), least: 1 },
        "CLI wires: login folders that take turns",
    ),
];
