use std::path::Path;

use super::*;
use crate::config;

fn route(extra: &str) -> Route {
    let text = format!(
        "providers:\n  n: {{wire: anthropic, base_url: http://127.0.0.1:1}}\n  m: {{wire: anthropic, base_url: http://127.0.0.1:2}}\n  \
         o: {{wire: openai-responses, base_url: http://127.0.0.1:3/v1}}\n\
         seats:\n  a: {{provider: n, model: x}}\n  b: {{provider: m, model: y, max_body_bytes: 100}}\n  c: {{provider: o, model: z}}\n  \
         d: {{provider: n, model: w, skip: true}}\n\
         routes:\n  - {{name: r, models: ['*'], chain: [a, b, c, d]{extra}}}\n"
    );
    let loaded = config::load("test.yaml", &text, Path::new("/home"));
    let config = loaded.config.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    config.routes.first().unwrap().as_ref().clone()
}

fn steps(
    route: &Route,
    skip: &Skip,
    body_bytes: u64,
    conditions: &[Condition],
) -> Vec<(usize, Option<&'static str>)> {
    let ask = Ask { endpoint: Endpoint::Messages, body_bytes, capability: None, skip };
    plan(route, &ask, conditions).into_iter().map(|s| (s.seat, s.pass.map(Class::word))).collect()
}

const CANNOT: Option<&str> = Some("inexpressible");
const SKIPPED: Option<&str> = Some("operator_skip");
const COOLING: Option<&str> = Some("cooling_down");

fn cooling(until: u64) -> Condition {
    Condition { cooling_until: Some(until), ..Condition::default() }
}

fn deferred() -> Condition {
    Condition { deferred_until: Some(9), ..Condition::default() }
}

#[test]
fn seats_go_in_their_configured_order_and_each_bar_has_its_word() {
    assert_eq!(steps(&route(""), &Skip::None, 10, &[]), [(0, None), (1, None), (2, CANNOT), (3, SKIPPED)]);
    assert_eq!(steps(&route(""), &Skip::None, 101, &[])[1], (1, CANNOT));
    assert_eq!(
        steps(&route(", allowed_providers: [m]"), &Skip::None, 10, &[])[0],
        (0, Some("provider_not_allowed"))
    );
}

#[test]
fn a_caller_may_leave_out_the_primary_or_seats_by_name() {
    assert_eq!(steps(&route(""), &Skip::Primary, 10, &[])[..2], [(0, SKIPPED), (1, None)]);
    let both = Skip::Seats(vec!["a".to_owned(), "b".to_owned()]);
    assert!(steps(&route(""), &both, 10, &[]).iter().all(|s| s.1.is_some()));
}

#[test]
fn a_resting_seat_is_passed_over_unless_all_rest_then_the_soonest_is_tried() {
    assert_eq!(steps(&route(""), &Skip::None, 10, &[cooling(50)])[..2], [(0, COOLING), (1, None)]);
    assert_eq!(
        steps(&route(""), &Skip::None, 10, &[cooling(50), cooling(40)])[..2],
        [(0, COOLING), (1, None)]
    );
    assert_eq!(
        steps(&route(""), &Skip::None, 10, &[cooling(30), cooling(40)])[..2],
        [(0, None), (1, COOLING)]
    );
    // Seats that could not serve anyway do not count as live ones.
    assert_eq!(steps(&route(""), &Skip::Seats(vec!["b".to_owned()]), 10, &[cooling(30)])[0], (0, None));
}

#[test]
fn a_seat_near_its_quota_goes_last_and_alone_it_is_simply_tried() {
    let got = steps(&route(""), &Skip::None, 10, &[deferred()]);
    assert_eq!(got, [(0, COOLING), (1, None), (2, CANNOT), (3, SKIPPED), (0, None)]);
    let got = steps(&route(""), &Skip::Seats(vec!["b".to_owned()]), 10, &[deferred()]);
    assert_eq!(got, [(0, None), (1, SKIPPED), (2, CANNOT), (3, SKIPPED)]);
    // A deferred seat beside a resting one is the one that is tried.
    assert_eq!(steps(&route(""), &Skip::None, 10, &[deferred(), cooling(9)])[..2], [(0, None), (1, COOLING)]);
}

#[test]
fn a_seat_without_a_limit_may_hold_what_another_could_not() {
    assert!(is_larger(None, None) && is_larger(None, Some(5)) && is_larger(Some(6), Some(5)));
    assert!(!is_larger(Some(5), Some(5)) && !is_larger(Some(9), None));
}

proptest::proptest! {
    #[test]
    fn every_seat_is_in_the_plan_and_one_that_can_serve_is_tried(
        conditions in proptest::collection::vec((proptest::option::of(1u64..99), proptest::option::of(1u64..99)), 4),
        primary in proptest::bool::ANY,
    ) {
        let conditions: Vec<_> = conditions
            .into_iter()
            .map(|(cooling_until, deferred_until)| Condition { unusable: false, cooling_until, deferred_until })
            .collect();
        let skip = if primary { Skip::Primary } else { Skip::None };
        let got = steps(&route(""), &skip, 10, &conditions);
        for seat in 0..4 {
            proptest::prop_assert!(got.iter().any(|s| s.0 == seat));
            proptest::prop_assert!(got.iter().filter(|s| s.0 == seat && s.1.is_none()).count() <= 1);
        }
        proptest::prop_assert!(got.iter().any(|s| s.1.is_none()));
    }
}
