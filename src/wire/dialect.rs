//! The wires there are, and the endpoints that speak them.

/// A wire format that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic Messages over HTTP.
    Anthropic,
    /// OpenAI chat completions (and its embeddings and images).
    OpenAi,
    /// OpenAI Responses.
    OpenAiResponses,
    /// The `claude` program.
    ClaudeCli,
    /// The `codex` program.
    CodexCli,
}

/// The shape in which a client asks and expects its answers and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI, every endpoint but Responses.
    OpenAi,
    /// OpenAI Responses.
    Responses,
}

/// A generating endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `POST /v1/messages`
    Messages,
    /// `POST /v1/messages/count_tokens`
    CountTokens,
    /// `POST /v1/chat/completions`
    ChatCompletions,
    /// `POST /v1/responses`
    Responses,
    /// `POST /v1/embeddings`
    Embeddings,
    /// `POST /v1/images/generations`
    Images,
}

impl Wire {
    /// Every wire, in the order of the reference.
    pub const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::OpenAiResponses, Self::ClaudeCli, Self::CodexCli];

    /// The name in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::ClaudeCli => "claude-cli",
            Self::CodexCli => "codex-cli",
        }
    }

    /// Whether a seat on this wire can be asked yet.
    #[must_use]
    pub const fn is_built(self) -> bool {
        matches!(self, Self::Anthropic | Self::OpenAi)
    }
}

impl Endpoint {
    /// The shape of this endpoint's answers and errors.
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Messages | Self::CountTokens => Dialect::Anthropic,
            Self::Responses => Dialect::Responses,
            Self::ChatCompletions | Self::Embeddings | Self::Images => Dialect::OpenAi,
        }
    }

    /// The path, as clients ask for it.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Messages => "/v1/messages",
            Self::CountTokens => "/v1/messages/count_tokens",
            Self::ChatCompletions => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Embeddings => "/v1/embeddings",
            Self::Images => "/v1/images/generations",
        }
    }
}
