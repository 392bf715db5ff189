use super::*;

const RULE: Cooldown =
    Cooldown { allowed_fails: 3, window: Duration::from_secs(60), cooldown: Duration::from_secs(30) };

#[test]
fn a_seat_rests_at_its_nth_failure_inside_the_window() {
    let s = Standing::default();
    assert_eq!(s.failed(1_000, &RULE, 0.0), None);
    assert_eq!(s.failed(2_000, &RULE, 0.0), None);
    // The first two have left the window by now.
    assert_eq!(s.failed(70_000, &RULE, 0.0), None);
    assert_eq!(s.failed(71_000, &RULE, 0.0), None);
    assert_eq!(s.failed(72_000, &RULE, 1.0), Some(Duration::from_secs(45)));
    assert_eq!(s.condition(72_000).cooling_until, Some(117_000));
    assert_eq!(s.condition(117_000).cooling_until, None);
}

#[test]
fn zero_allowed_fails_never_rests() {
    let s = Standing::default();
    let never = Cooldown { allowed_fails: 0, ..RULE };
    assert!((0..50).all(|i| s.failed(i, &never, 0.0).is_none()));
}

#[test]
fn a_later_end_wins_and_a_shorter_hint_does_not_shorten_it() {
    let s = Standing::default();
    s.rest(0, Duration::from_secs(1));
    s.rest(300, Duration::from_secs(60));
    s.rest(400, Duration::from_secs(1));
    assert_eq!(s.condition(500).cooling_until, Some(60_300));
}

#[test]
fn places_are_limited_and_given_back() {
    let s = Arc::new(Standing::default());
    let one = s.enter(Some(1)).unwrap();
    assert!(s.enter(Some(1)).is_none());
    drop(one);
    assert!(s.enter(Some(1)).is_some());
}
