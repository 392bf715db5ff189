//! What became of an attempt, in one word of a closed set.

/// The class of an attempt: the word in its record, in the route chain and in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Class {
    /// It served.
    Ok,
    /// Told to slow down.
    RateLimited,
    /// Out of money or quota until a reset.
    SpendCap,
    /// The upstream is too busy.
    Overloaded,
    /// The upstream failed.
    ServerError,
    /// No connection, or it broke before an answer.
    Network,
    /// No sign of generation in the seat's budget.
    TtfbTimeout,
    /// Silence inside an answer.
    IdleTimeout,
    /// The request's own deadline ran out.
    Deadline,
    /// The prompt does not fit the model.
    ContextLength,
    /// The gateway's credential or configured model was refused.
    Auth,
    /// The client's own bad request.
    ClientError,
    /// A refusal by the model or a policy.
    ContentPolicy,
    /// An answer that is none.
    BadResponse,
    /// An error inside a stream after content was sent.
    MidStreamError,
    /// A stream that ended without its end.
    TruncatedStream,
    /// Native tools that the seat's wire cannot express.
    NativeTools,
    /// The seat is of another capability.
    Capability,
    /// Something in the request that the seat's wire cannot express.
    Inexpressible,
    /// The seat refuses the requested model id.
    ModelRefused,
    /// The route does not allow the seat's provider.
    ProviderNotAllowed,
    /// The seat's breaker is open.
    BreakerOpen,
    /// The seat is resting.
    CoolingDown,
    /// The seat has no free place.
    Busy,
    /// Taken out by the operator or by `x-sanctum-skip`.
    OperatorSkip,
    /// No repeats left in the route's budget.
    RetryBudget,
    /// The caller's budget does not cover the seat.
    OverBudget,
    /// The client went away.
    Cancelled,
}

impl Class {
    /// Every class, in the order of the reference.
    pub const ALL: [Self; 28] = [
        Self::Ok,
        Self::RateLimited,
        Self::SpendCap,
        Self::Overloaded,
        Self::ServerError,
        Self::Network,
        Self::TtfbTimeout,
        Self::IdleTimeout,
        Self::Deadline,
        Self::ContextLength,
        Self::Auth,
        Self::ClientError,
        Self::ContentPolicy,
        Self::BadResponse,
        Self::MidStreamError,
        Self::TruncatedStream,
        Self::NativeTools,
        Self::Capability,
        Self::Inexpressible,
        Self::ModelRefused,
        Self::ProviderNotAllowed,
        Self::BreakerOpen,
        Self::CoolingDown,
        Self::Busy,
        Self::OperatorSkip,
        Self::RetryBudget,
        Self::OverBudget,
        Self::Cancelled,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::RateLimited => "rate_limited",
            Self::SpendCap => "spend_cap",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Network => "network",
            Self::TtfbTimeout => "ttfb_timeout",
            Self::IdleTimeout => "idle_timeout",
            Self::Deadline => "deadline",
            Self::ContextLength => "context_length",
            Self::Auth => "auth",
            Self::ClientError => "client_error",
            Self::ContentPolicy => "content_policy",
            Self::BadResponse => "bad_response",
            Self::MidStreamError => "mid_stream_error",
            Self::TruncatedStream => "truncated_stream",
            Self::NativeTools => "native_tools",
            Self::Capability => "capability",
            Self::Inexpressible => "inexpressible",
            Self::ModelRefused => "model_refused",
            Self::ProviderNotAllowed => "provider_not_allowed",
            Self::BreakerOpen => "breaker_open",
            Self::CoolingDown => "cooling_down",
            Self::Busy => "busy",
            Self::OperatorSkip => "operator_skip",
            Self::RetryBudget => "retry_budget",
            Self::OverBudget => "over_budget",
            Self::Cancelled => "cancelled",
        }
    }
}
