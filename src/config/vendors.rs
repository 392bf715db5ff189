//! Accounts, programs and local servers that `config init` looks for.

use crate::wire::Wire;

/// A vendor whose key people keep in an environment variable of a known name.
#[derive(Debug)]
pub(crate) struct Vendor {
    pub(crate) variable: &'static str,
    pub(crate) name: &'static str,
    pub(crate) wire: Wire,
    pub(crate) base_url: &'static str,
    /// A model to begin with; the comment beside it says to choose.
    pub(crate) model: &'static str,
}

const fn vendor(
    variable: &'static str,
    name: &'static str,
    wire: Wire,
    base_url: &'static str,
    model: &'static str,
) -> Vendor {
    Vendor { variable, name, wire, base_url, model }
}

/// The variable of the primary, which is always written.
pub(crate) const PRIMARY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// Vendors beside the primary. DeepSeek's own documentation gives the Anthropic address.
pub(crate) const VENDORS: [Vendor; 6] = [
    vendor(
        "DEEPSEEK_API_KEY",
        "deepseek",
        Wire::Anthropic,
        "https://api.deepseek.com/anthropic",
        "deepseek-chat",
    ),
    vendor("OPENROUTER_API_KEY", "openrouter", Wire::OpenAi, "https://openrouter.ai/api/v1", "z-ai/glm-4.6"),
    vendor("OPENAI_API_KEY", "openai", Wire::OpenAi, "https://api.openai.com/v1", "gpt-5"),
    vendor(
        "GEMINI_API_KEY",
        "gemini",
        Wire::OpenAi,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-pro",
    ),
    vendor("GROQ_API_KEY", "groq", Wire::OpenAi, "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
    vendor("MISTRAL_API_KEY", "mistral", Wire::OpenAi, "https://api.mistral.ai/v1", "mistral-large-latest"),
];

/// Programs that answer through a login of the user's own: program, wire, a model to begin with.
pub(crate) const PROGRAMS: [(&str, Wire, &str); 2] =
    [("claude", Wire::ClaudeCli, "claude-sonnet-5-5"), ("codex", Wire::CodexCli, "gpt-5-codex")];

/// Ports on which local servers listen unless told otherwise.
pub(crate) const LOCAL_PORTS: [(&str, u16); 4] =
    [("ollama", 11434), ("llamacpp", 8080), ("mlx", 8081), ("lmstudio", 1234)];
