use super::*;

#[test]
fn a_draining_one_is_held_to_what_it_first_said() {
    let now = Instant::now();
    let secs = Duration::from_secs;
    let draining = Seen::Nothing.next(Incumbent::Draining(secs(5)), now).unwrap();
    assert_eq!(draining, Seen::Draining { until: now + secs(5) });
    assert_eq!(draining.next(Incumbent::Draining(secs(900)), now + secs(4)), Some(draining));
    assert_eq!(draining.next(Incumbent::Draining(secs(900)), now + secs(5)), None);
    assert_eq!(draining.next(Incumbent::Other, now), None);
}

#[test]
fn an_address_that_nobody_serves_is_tried_once_more() {
    let now = Instant::now();
    assert_eq!(Seen::Nothing.next(Incumbent::Gone, now), Some(Seen::Gone));
    assert_eq!(Seen::Gone.next(Incumbent::Gone, now), None);
    // One that drained is tried once more after it went, and another may drain in its place.
    let draining = Seen::Draining { until: now };
    assert_eq!(draining.next(Incumbent::Gone, now), Some(Seen::Gone));
    let time = Duration::from_secs(3);
    assert_eq!(Seen::Gone.next(Incumbent::Draining(time), now), Some(Seen::Draining { until: now + time }));
}
