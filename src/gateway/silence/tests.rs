use super::*;

#[test]
fn a_pace_is_judged_on_the_whole_and_after_a_while() {
    let mut slow = Pace::default();
    assert!(slow.keeps_up(Duration::from_secs(29), 1));
    assert!(slow.keeps_up(Duration::from_secs(29), 1));
    assert!(!slow.keeps_up(Duration::from_secs(29), 1));
    let mut steady = Pace::default();
    for _ in 0..100 {
        assert!(steady.keeps_up(Duration::from_secs(10), 10 * 1024));
    }
    let mut early = Pace::default();
    assert!(early.keeps_up(Duration::ZERO, 1024 * 1024));
    assert!(early.keeps_up(Duration::from_secs(100), 1), "what came early counts");
}
