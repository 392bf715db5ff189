//! The lines that point clients at the gateway, told by `config init` and `serve --demo`.

#[cfg(test)]
mod tests;

/// How to point each client at the gateway at `base_url` (e.g. `http://127.0.0.1:4040`), and which clients are
/// not served yet. Lines, the last one ended.
#[must_use]
pub fn client_lines(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!(
        "Claude Code      ANTHROPIC_BASE_URL={base} claude\n\
         \x20                (with no login of your own add ANTHROPIC_AUTH_TOKEN=any, unless a provider's key is `caller`: then yours is what is sent)\n\
         Anthropic SDKs   ANTHROPIC_BASE_URL={base}, or base_url=\"{base}\" in code; max_retries=0, since the gateway retries\n\
         OpenAI SDKs      OPENAI_BASE_URL={base}/v1, or base_url=\"{base}/v1\" in code: chat completions; max_retries=0\n\
         Not served yet   Codex, which speaks Responses alone\n"
    )
}
