//! The closed sets of label values.

/// `path`: a seat's place in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// The chain's first seat.
    Primary,
    /// Any later one.
    Fallback,
}

impl Position {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Fallback => "fallback",
        }
    }
}

/// `outcome` of a request, as its client saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestOutcome {
    /// The whole answer reached the client.
    Ok,
    /// It failed before anything reached the client.
    Error,
    /// A clock ended it before anything reached the client.
    Timeout,
    /// No seat was willing or able: nothing was asked upstream.
    Refused,
    /// It failed after content had reached the client.
    Partial,
    /// The client went away.
    Cancelled,
}

impl RequestOutcome {
    /// Every outcome.
    pub const ALL: [Self; 6] =
        [Self::Ok, Self::Error, Self::Timeout, Self::Refused, Self::Partial, Self::Cancelled];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::Partial => "partial",
            Self::Cancelled => "cancelled",
        }
    }
}

/// `state` of a seat. One at a time is 1, the others are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeatState {
    /// It is asked.
    Ready,
    /// Upstream says that little is left: asked after the others until its reset.
    Deferred,
    /// It rests.
    CoolingDown,
    /// Its breaker is open.
    BreakerOpen,
    /// Taken out by the operator.
    Skipped,
    /// It cannot be asked: its wire or the source of its key is not built yet.
    Unusable,
}

impl SeatState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Ready, Self::Deferred, Self::CoolingDown, Self::BreakerOpen, Self::Skipped, Self::Unusable];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Deferred => "deferred",
            Self::CoolingDown => "cooling_down",
            Self::BreakerOpen => "breaker_open",
            Self::Skipped => "skipped",
            Self::Unusable => "unusable",
        }
    }
}
