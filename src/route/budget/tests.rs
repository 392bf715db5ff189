use std::time::Duration;

use super::*;

const RULE: Retry = Retry {
    max_attempts_per_seat: 2,
    backoff: Duration::from_millis(250),
    budget_ratio: 0.1,
    budget_floor: 10,
};

#[test]
fn the_floor_holds_without_traffic() {
    let mut b = Budget::default();
    assert_eq!((0..20).filter(|_| b.take(1_000, &RULE)).count(), 10);
    assert_eq!(b.left(1_000, &RULE), 0);
}

#[test]
fn the_share_rises_with_traffic_and_the_window_slides() {
    let mut b = Budget::default();
    for i in 0..1_000 {
        b.request(i);
    }
    assert_eq!((0..200).filter(|_| b.take(1_500, &RULE)).count(), 100);
    assert_eq!(b.left(59_999, &RULE), 0);
    // The requests of second 0 have left the window, the repeats of second 1 have not.
    assert_eq!(b.left(60_000, &RULE), 0);
    assert_eq!(b.left(61_000, &RULE), 10);
}

#[test]
fn a_second_reused_after_a_minute_starts_empty() {
    let mut b = Budget::default();
    for _ in 0..10 {
        assert!(b.take(500, &RULE));
    }
    assert_eq!(b.left(60_500, &RULE), 10);
}
