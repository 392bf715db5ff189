//! The seats of a chain for one request: which are tried, in which order, and why others are not.

use crate::config::{Capability, Route};
use crate::route::Class;
use crate::wire::{Endpoint, Wire};

/// What the caller asked to be left out, from `x-sanctum-skip`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Skip {
    /// Nothing.
    #[default]
    None,
    /// The chain's first seat.
    Primary,
    /// These seats.
    Seats(Vec<String>),
}

impl Skip {
    /// Reads the header's text: `primary`, or names with commas between.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.trim() == "primary" {
            return Self::Primary;
        }
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self::Seats(names.map(str::to_owned).collect())
    }
}

/// What planning needs to know of a request.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// Where it came in.
    pub endpoint: Endpoint,
    /// Size of its body, in bytes.
    pub body_bytes: u64,
    /// What only a seat that declares it may serve.
    pub capability: Option<Capability>,
    /// What the caller left out.
    pub skip: &'a Skip,
}

/// How a seat stands now. Times are milliseconds on the gateway's own clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Condition {
    /// It cannot be asked at all: its wire or the source of its key is not built.
    pub unusable: bool,
    /// Resting until then.
    pub cooling_until: Option<u64>,
    /// A quota is nearly spent until then: other seats come first.
    pub deferred_until: Option<u64>,
}

/// One step through the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Position in the configured chain.
    pub seat: usize,
    /// Why it is passed over; `None` = it is tried.
    pub pass: Option<Class>,
}

/// Orders a route's chain for one request.
///
/// Passed seats keep their place, so that a record can say why each seat before the one that served was
/// not tried. A seat whose quota is nearly spent is passed over and comes back at the end, as a last
/// resort. When every seat that could serve is resting, the one that comes back soonest is tried.
#[must_use]
pub fn plan(route: &Route, ask: &Ask<'_>, conditions: &[Condition]) -> Vec<Step> {
    let condition = |i: usize| conditions.get(i).copied().unwrap_or_default();
    let barred: Vec<Option<Class>> =
        (0..route.chain.len()).map(|i| bar(route, ask, i, condition(i).unusable)).collect();
    let able = || (0..barred.len()).filter(|i| barred.get(*i) == Some(&None));
    let all_resting = able().all(|i| condition(i).cooling_until.is_some());
    let soonest = able().filter(|_| all_resting).min_by_key(|i| condition(*i).cooling_until);

    let mut steps = Vec::with_capacity(barred.len());
    let mut last_resort = Vec::new();
    for (seat, barred) in barred.iter().enumerate() {
        let pass = match barred {
            Some(class) => Some(*class),
            None if soonest == Some(seat) => None,
            None if condition(seat).cooling_until.is_some() => Some(Class::CoolingDown),
            None if condition(seat).deferred_until.is_some() && !all_resting => {
                last_resort.push(Step { seat, pass: None });
                Some(Class::CoolingDown)
            }
            None => None,
        };
        steps.push(Step { seat, pass });
    }
    // A seat deferred alone, or beside seats that cannot serve, is simply tried in its place.
    if steps.iter().all(|s| s.pass.is_some()) {
        for late in last_resort {
            if let Some(step) = steps.iter_mut().find(|s| s.seat == late.seat) {
                step.pass = None;
            }
        }
    } else {
        steps.append(&mut last_resort);
    }
    steps
}

/// Why the seat at a position of the chain cannot take this request at all, whatever its condition.
///
/// `unusable`: it cannot be asked at all. The same rules hold for what is passed through beside generation.
#[must_use]
pub fn bar(route: &Route, ask: &Ask<'_>, position: usize, unusable: bool) -> Option<Class> {
    let seat = route.chain.get(position)?;
    let left_out = match ask.skip {
        Skip::None => false,
        Skip::Primary => position == 0,
        Skip::Seats(names) => names.contains(&seat.name),
    };
    let allowed = route.allowed_providers.as_ref().is_none_or(|list| list.contains(&seat.provider.name));
    if left_out || seat.skip {
        Some(Class::OperatorSkip)
    } else if !allowed {
        Some(Class::ProviderNotAllowed)
    } else if ask.capability.is_some_and(|needed| seat.capability != Some(needed)) {
        Some(Class::Capability)
    } else if unusable
        || !speaks(seat.provider.wire, ask.endpoint)
        || seat.max_body_bytes.is_some_and(|m| ask.body_bytes > m)
    {
        Some(Class::Inexpressible)
    } else {
        None
    }
}

/// Whether a seat on this wire can be asked at this endpoint.
#[must_use]
pub const fn speaks(wire: Wire, endpoint: Endpoint) -> bool {
    matches!(
        (wire, endpoint),
        (Wire::Anthropic, Endpoint::CountTokens)
            | (Wire::Anthropic | Wire::OpenAi, Endpoint::Messages | Endpoint::ChatCompletions)
            | (Wire::OpenAi, Endpoint::Embeddings | Endpoint::Images)
    )
}

/// Whether a seat may hold a prompt that another refused as too long.
///
/// A seat without a limit may; one with a limit must be known to be larger.
#[must_use]
pub fn is_larger(limit: Option<u64>, refused: Option<u64>) -> bool {
    match (limit, refused) {
        (None, _) => true,
        (Some(limit), Some(refused)) => limit > refused,
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests;
