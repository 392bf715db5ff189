//! The seats that a request went through: one stop a seat, with its last outcome, in the order traversed.

use std::fmt::Write as _;
use std::time::Duration;

use crate::gateway::live::LiveRoute;
use crate::route::Class;

/// One seat's entry.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    /// Position in the configured chain.
    pub(crate) position: usize,
    pub(crate) class: Class,
    pub(crate) served: bool,
    /// Upstream's status, where one came.
    pub(crate) status: Option<u16>,
    /// Whether it was asked at all.
    pub(crate) tried: bool,
    /// How long it asked to be left alone.
    pub(crate) retry_after: Option<Duration>,
}

impl Stop {
    /// A seat that was passed over.
    pub(crate) const fn passed(position: usize, class: Class) -> Self {
        Self { position, class, served: false, status: None, tried: false, retry_after: None }
    }

    /// A seat that was asked.
    pub(crate) const fn tried(position: usize, class: Class, status: Option<u16>) -> Self {
        Self { position, class, served: false, status, tried: true, retry_after: None }
    }
}

/// The stops of one request.
#[derive(Debug)]
pub(crate) struct Trail(Vec<Stop>);

impl Trail {
    pub(crate) fn new(seats: usize) -> Self {
        Self(Vec::with_capacity(seats))
    }

    /// Adds a stop; a seat that was there before has its last outcome, at its last place.
    pub(crate) fn add(&mut self, stop: Stop) {
        self.0.retain(|known| known.position != stop.position);
        self.0.push(stop);
    }

    pub(crate) fn stops(&self) -> &[Stop] {
        &self.0
    }

    /// Those that were asked.
    pub(crate) fn tried(&self) -> impl Iterator<Item = &Stop> {
        self.0.iter().filter(|stop| stop.tried)
    }

    /// `x-sanctum-route-chain`
    pub(crate) fn chain(&self, route: &LiveRoute) -> String {
        let mut out = String::with_capacity(self.0.len().saturating_mul(48));
        for (stop, name) in self.named(route) {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(name);
            out.push_str(";outcome=");
            out.push_str(if stop.served { "served" } else { stop.class.word() });
        }
        out
    }

    /// The same in words: `a answered 529 (overloaded); b gave no answer (network)`.
    pub(crate) fn told(&self, route: &LiveRoute) -> String {
        let mut out = String::new();
        for (stop, name) in self.named(route) {
            if !out.is_empty() {
                out.push_str("; ");
            }
            let word = stop.class.word();
            let written = match (stop.tried, stop.status) {
                (false, _) => write!(out, "{name} was not asked ({word})"),
                (true, Some(status)) => write!(out, "{name} answered {status} ({word})"),
                (true, None) => write!(out, "{name} gave no answer ({word})"),
            };
            debug_assert!(written.is_ok());
        }
        out
    }

    /// Whole seconds until a seat may answer again; at least one.
    pub(crate) fn soonest(&self, route: &LiveRoute, now_ms: u64) -> u64 {
        // Whoever was asked and named no time, and is not resting, may be asked again at once.
        let may = |stop: &&Stop| stop.tried || matches!(stop.class, Class::Busy | Class::CoolingDown);
        let waits = self.0.iter().filter(may).filter_map(|stop| {
            let until = route.seats.get(stop.position)?.standing.condition(now_ms).cooling_until;
            let rest = until.map(|t| Duration::from_millis(t.saturating_sub(now_ms)));
            Some(stop.retry_after.max(rest).unwrap_or_default())
        });
        let wait = waits.min().unwrap_or_default();
        wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
    }

    fn named<'a>(&'a self, route: &'a LiveRoute) -> impl Iterator<Item = (&'a Stop, &'a str)> {
        self.0.iter().filter_map(|stop| Some((stop, &*route.seats.get(stop.position)?.name)))
    }
}
