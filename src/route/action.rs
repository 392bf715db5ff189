//! Class + budget + remaining time -> what is done. One rule a class; the whole of it is [`RULES`].

use std::time::Duration;

use crate::config::OnSeatRejected;
use crate::route::Class;

/// Longest backoff between two attempts.
pub(super) const BACKOFF_CAP: Duration = Duration::from_secs(8);

/// A wait that upstream asked for must leave this much of the deadline.
pub(super) const MARGIN: Duration = Duration::from_secs(1);

/// Whether the same seat may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Never as it is.
    Never,
    /// After a jittered backoff, or what upstream asked for where it fits.
    Once,
}

/// What follows when the seat is not tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The next seat.
    FallBack,
    /// The next seat that can hold more; the answer itself where there is none.
    Larger,
    /// The answer is passed on.
    PassOn,
    /// The route says: fail, or the next seat. A caller's own key is answered verbatim.
    ByRoute,
    /// The request ends.
    Fail,
}

/// One class's rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The class it is for.
    pub class: Class,
    /// Same seat again?
    pub repeat: Repeat,
    /// And then?
    pub then: Then,
}

const fn rule(class: Class, repeat: Repeat, then: Then) -> Rule {
    Rule { class, repeat, then }
}

/// The rule of every class that an upstream's answer can have.
pub const RULES: &[Rule] = &[
    rule(Class::SpendCap, Repeat::Never, Then::FallBack),
    rule(Class::ContextLength, Repeat::Never, Then::Larger),
    rule(Class::ContentPolicy, Repeat::Never, Then::PassOn),
    rule(Class::RateLimited, Repeat::Once, Then::FallBack),
    rule(Class::Overloaded, Repeat::Once, Then::FallBack),
    rule(Class::ServerError, Repeat::Once, Then::FallBack),
    rule(Class::Network, Repeat::Once, Then::FallBack),
    rule(Class::BadResponse, Repeat::Once, Then::FallBack),
    rule(Class::TruncatedStream, Repeat::Once, Then::FallBack),
    rule(Class::TtfbTimeout, Repeat::Never, Then::FallBack),
    rule(Class::IdleTimeout, Repeat::Never, Then::FallBack),
    rule(Class::Auth, Repeat::Never, Then::ByRoute),
    rule(Class::ClientError, Repeat::Never, Then::PassOn),
    rule(Class::Deadline, Repeat::Never, Then::Fail),
];

/// The moment at which an attempt failed.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// What happened.
    pub class: Class,
    /// Attempts made on this seat, this one included.
    pub attempts_on_seat: u32,
    /// Most attempts on one seat.
    pub max_attempts: u32,
    /// What is left of the request's deadline.
    pub remaining: Duration,
    /// How long upstream asked to be left alone.
    pub retry_after: Option<Duration>,
    /// Upstream's `x-should-retry`.
    pub should_retry: Option<bool>,
    /// The same attempt can only fail the same way (a bad certificate).
    pub hopeless: bool,
    /// The base of the backoff.
    pub backoff: Duration,
    /// Jitter in 0..1.
    pub jitter: f64,
    /// The route's word on a rejected seat.
    pub on_seat_rejected: OnSeatRejected,
    /// The credential was the caller's own.
    pub callers_key: bool,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The same seat, after a wait.
    Retry(Duration),
    /// The next seat.
    FallBack,
    /// The next seat that can hold more, else the upstream's answer.
    Larger,
    /// The upstream's answer goes to the client.
    PassOn,
    /// The request ends with the gateway's own error.
    Fail,
}

/// Decides what follows a failed attempt. Before commit only; after it, nothing follows.
///
/// `take_repeat` takes one repeat from the route's budget; it is asked only where everything else allows one.
#[must_use]
pub fn act(m: &Moment, take_repeat: impl FnOnce() -> bool) -> Action {
    let rule = RULES.iter().find(|r| r.class == m.class);
    let (repeat, then) = rule.map_or((Repeat::Never, Then::FallBack), |r| (r.repeat, r.then));
    let repeat = match m.should_retry {
        Some(true) if m.class != Class::SpendCap => Repeat::Once,
        Some(false) => Repeat::Never,
        _ => repeat,
    };
    let may_repeat = repeat == Repeat::Once && !m.hopeless && m.attempts_on_seat < m.max_attempts;
    if let Some(wait) = wait(m).filter(|_| may_repeat && take_repeat()) {
        return Action::Retry(wait);
    }
    match then {
        Then::FallBack => Action::FallBack,
        Then::Larger => Action::Larger,
        Then::PassOn => Action::PassOn,
        Then::ByRoute if m.callers_key => Action::PassOn,
        Then::ByRoute if m.on_seat_rejected == OnSeatRejected::FallBack => Action::FallBack,
        Then::ByRoute | Then::Fail => Action::Fail,
    }
}

/// How long to wait before the same seat; `None` when that does not fit what is left.
fn wait(m: &Moment) -> Option<Duration> {
    match m.retry_after {
        Some(asked) => (asked.checked_add(MARGIN)? <= m.remaining).then_some(asked),
        None => {
            let doublings = m.attempts_on_seat.saturating_sub(1).min(16);
            let longest = m.backoff.saturating_mul(1u32 << doublings).min(BACKOFF_CAP);
            let wait = longest.mul_f64(m.jitter.clamp(0.0, 1.0));
            (wait < m.remaining).then_some(wait)
        }
    }
}

/// How long the seat rests because upstream asked to be left alone and is not waited for.
#[must_use]
pub fn rest_by_hint(class: Class, retry_after: Option<Duration>, action: Action) -> Option<Duration> {
    let limited = matches!(class, Class::RateLimited | Class::Overloaded | Class::ServerError);
    retry_after.filter(|_| limited && !matches!(action, Action::Retry(_)))
}

/// Whether a failure of this class says something about the seat, and so counts towards its cooldown.
///
/// A client's own bad request, a refusal and a client that left say nothing about it; a spend cap rests it at
/// once instead. [`Class::Auth`] counts only where the route falls back from it.
#[must_use]
pub const fn counts_against_seat(class: Class) -> bool {
    matches!(
        class,
        Class::RateLimited
            | Class::Overloaded
            | Class::ServerError
            | Class::Network
            | Class::TtfbTimeout
            | Class::IdleTimeout
            | Class::BadResponse
            | Class::MidStreamError
            | Class::TruncatedStream
    )
}

#[cfg(test)]
mod tests;
