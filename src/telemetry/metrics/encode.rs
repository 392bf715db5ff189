//! What `GET /metrics` answers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeLabelSet, MetricEncoder, NoLabelSet,
    prometheus_text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::exemplar::Exemplar;
use prometheus_client::registry::Registry;

use super::histogram::Histogram;
use super::registry::lock;
use super::route::Route;
use super::seat::KINDS;
use super::{Metrics, Position, RequestOutcome, SeatState};
use crate::route::Class;

/// The `content-type` of [`Metrics::encode`]: the Prometheus text format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Metrics {
    /// All metrics in the Prometheus text format, in a fixed order.
    #[must_use]
    pub fn encode(self: &Arc<Self>) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(self)));
        let mut text = String::with_capacity(16 * 1024);
        if prometheus_text::encode(&mut text, &registry).is_err() {
            // Writing into a string fails only when a value refuses: say so rather than cut it short.
            text.push_str("# encoding failed here\n");
        }
        text
    }
}

impl Collector for Metrics {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> fmt::Result {
        self.of_routes(&mut to)?;
        self.of_seats(&mut to)?;
        self.of_process(&mut to)
    }
}

type Word = (&'static str, &'static str);

impl Metrics {
    fn of_routes(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let routes: Vec<(Arc<str>, Arc<Route>)> =
            lock(&self.routes).iter().map(|(name, r)| (Arc::clone(name), Arc::clone(r))).collect();
        let mut requests =
            describe(to, "sanctum_requests", "requests by how they ended", MetricType::Counter)?;
        for (name, route) in &routes {
            for (outcome, counter) in RequestOutcome::ALL.iter().zip(&route.requests) {
                let labels = [("route", &**name), ("outcome", outcome.word())];
                counter_of(&mut requests, labels, counter.load(Ordering::Relaxed))?;
            }
        }
        let help = "from a request's arrival to its end";
        let mut durations = describe(to, "sanctum_request_duration_seconds", help, MetricType::Histogram)?;
        for (name, route) in &routes {
            histogram_of(&mut durations, [("route", &**name)], &route.duration)?;
        }
        let help = "repeats on one seat that the route's budget still allows";
        let mut budgets = describe(to, "sanctum_retry_budget_remaining", help, MetricType::Gauge)?;
        for (name, route) in &routes {
            if let Some(left) = route.budget() {
                gauge_of(&mut budgets, [("route", &**name)], left)?;
            }
        }
        let help = "when the route last served a user's request";
        let mut successes = describe(to, "sanctum_last_success_timestamp_seconds", help, MetricType::Gauge)?;
        for (name, route) in &routes {
            if let Some(at) = route.last_success() {
                gauge_of(&mut successes, [("route", &**name)], at)?;
            }
        }
        Ok(())
    }

    fn of_seats(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let seats = lock(&self.seats).clone();
        let mut attempts = describe(to, "sanctum_attempts", "tries at a seat by class", MetricType::Counter)?;
        for ((route, seat), counts) in &seats {
            for path in [Position::Primary, Position::Fallback] {
                let counts = counts.at(path);
                if counts.used.load(Ordering::Relaxed) {
                    let labels = [("route", &**route), ("seat", &**seat), ("path", path.word())];
                    by_class(&mut attempts, labels, "class", &counts.attempts, true)?;
                }
            }
        }
        let help = "seats passed over or refusing, by reason";
        let mut refusals = describe(to, "sanctum_refusals", help, MetricType::Counter)?;
        for ((route, seat), counts) in &seats {
            for path in [Position::Primary, Position::Fallback] {
                let counts = counts.at(path);
                if counts.used.load(Ordering::Relaxed) {
                    let labels = [("route", &**route), ("seat", &**seat), ("path", path.word())];
                    by_class(&mut refusals, labels, "reason", &counts.refusals, false)?;
                }
            }
        }
        let help = "from an attempt's start to the first sign of generation";
        let mut ttft = describe(to, "sanctum_ttft_seconds", help, MetricType::Histogram)?;
        for ((route, seat), counts) in &seats {
            histogram_of(&mut ttft, [("route", &**route), ("seat", &**seat)], &counts.ttft)?;
        }
        let mut tokens = describe(to, "sanctum_tokens", "tokens in disjoint classes", MetricType::Counter)?;
        for ((route, seat), counts) in &seats {
            for (kind, counter) in KINDS.iter().zip(&counts.tokens) {
                let labels = [("route", &**route), ("seat", &**seat), ("kind", *kind)];
                counter_of(&mut tokens, labels, counter.load(Ordering::Relaxed))?;
            }
        }
        let mut cost = describe(to, "sanctum_cost_usd", "cost by the seats' prices", MetricType::Counter)?;
        for ((route, seat), counts) in &seats {
            counter_of(&mut cost, [("route", &**route), ("seat", &**seat)], counts.cost.get())?;
        }
        let help = "answers that rest on a shortened prompt";
        let mut truncations = describe(to, "sanctum_truncations", help, MetricType::Counter)?;
        for ((route, seat), counts) in &seats {
            let value = counts.truncations.load(Ordering::Relaxed);
            counter_of(&mut truncations, [("route", &**route), ("seat", &**seat)], value)?;
        }
        Ok(())
    }

    fn of_process(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let states = lock(&self.states).clone();
        let mut gauges =
            describe(to, "sanctum_seat_state", "1 for the state a seat is in", MetricType::Gauge)?;
        for (seat, current) in &states {
            for state in SeatState::ALL {
                let labels = [("seat", &**seat), ("state", state.word())];
                gauge_of(&mut gauges, labels, u64::from(state == *current))?;
            }
        }
        let dropped = lock(&self.dropped_fields).clone();
        let help = "request fields that a seat's wire has no place for";
        let mut fields = describe(to, "sanctum_dropped_fields", help, MetricType::Counter)?;
        for ((seat, field), value) in &dropped {
            counter_of(&mut fields, [("seat", &**seat), ("field", *field)], *value)?;
        }
        let side = lock(&self.side).clone();
        let help = "requests that are no generation, by path and status class";
        let mut sides = describe(to, "sanctum_side_requests", help, MetricType::Counter)?;
        for ((path, status), value) in &side {
            counter_of(&mut sides, [("path", *path), ("status", *status)], *value)?;
        }
        let door = lock(&self.door).clone();
        let mut doors =
            describe(to, "sanctum_door_refusals", "requests refused at the door", MetricType::Counter)?;
        for (reason, value) in &door {
            counter_of(&mut doors, [("reason", *reason)], *value)?;
        }
        let help = "attempt records that will never be on disk";
        let mut alone = describe(to, "sanctum_attempt_records_dropped", help, MetricType::Counter)?;
        plain(&mut alone, self.records_dropped.load(Ordering::Relaxed))?;
        let help = "log lines that were not written";
        let mut alone = describe(to, "sanctum_log_lines_dropped", help, MetricType::Counter)?;
        plain(&mut alone, super::super::logs::dropped())?;
        let mut alone = describe(
            to,
            "sanctum_panics",
            "panics: each cost one request, or stopped a writer of logs or records",
            MetricType::Counter,
        )?;
        plain(&mut alone, super::super::panic::count())?;
        let mut build = describe(to, "sanctum_build_info", "the version that is running", MetricType::Gauge)?;
        gauge_of(&mut build, [("version", env!("CARGO_PKG_VERSION"))], 1_u64)
    }
}

fn describe<'a>(
    to: &'a mut DescriptorEncoder<'_>,
    name: &'a str,
    help: &str,
    kind: MetricType,
) -> Result<MetricEncoder<'a>, fmt::Error> {
    to.encode_descriptor(name, help, None, kind)
}

/// One counter a class that was met; `ok` from the start, so that a rate has a beginning.
fn by_class(
    to: &mut MetricEncoder<'_>,
    labels: [(&str, &str); 3],
    name: &'static str,
    counters: &[AtomicU64],
    always_ok: bool,
) -> fmt::Result {
    for (class, counter) in Class::ALL.iter().zip(counters) {
        let value = counter.load(Ordering::Relaxed);
        if value > 0 || (always_ok && *class == Class::Ok) {
            let [route, seat, path] = labels;
            let last: Word = (name, class.word());
            counter_of(to, [route, seat, path, last], value)?;
        }
    }
    Ok(())
}

fn plain(to: &mut MetricEncoder<'_>, value: u64) -> fmt::Result {
    to.encode_counter::<NoLabelSet, _, u64>(&value, None::<&Exemplar<NoLabelSet, u64>>)
}

fn counter_of<L: EncodeLabelSet>(
    to: &mut MetricEncoder<'_>,
    labels: L,
    value: impl EncodeCounterValue,
) -> fmt::Result {
    to.encode_family(&labels)?
        .encode_counter::<NoLabelSet, _, u64>(&value, None::<&Exemplar<NoLabelSet, u64>>)
}

fn gauge_of<L: EncodeLabelSet>(
    to: &mut MetricEncoder<'_>,
    labels: L,
    value: impl EncodeGaugeValue,
) -> fmt::Result {
    to.encode_family(&labels)?.encode_gauge(&value)
}

fn histogram_of<L: EncodeLabelSet>(
    to: &mut MetricEncoder<'_>,
    labels: L,
    histogram: &Histogram,
) -> fmt::Result {
    let read = histogram.read();
    to.encode_family(&labels)?.encode_histogram::<NoLabelSet>(read.sum, read.count, &read.buckets, None)
}

#[cfg(test)]
mod tests;
