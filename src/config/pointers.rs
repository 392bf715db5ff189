//! The lines that point clients at the gateway, told by `config init` and `serve --demo`.

/// How to point each client at the gateway at `base_url` (e.g. `http://127.0.0.1:4040`), and which
/// clients are not served yet.
#[must_use]
pub fn client_lines(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!(
        "Claude Code:            ANTHROPIC_BASE_URL={base} claude\n\
         Anthropic SDKs:         ANTHROPIC_BASE_URL={base} (or base_url=\"{base}\" in code)\n\
         Codex and OpenAI SDKs:  not served yet: this version speaks Anthropic Messages alone\n"
    )
}
