use super::*;

#[test]
fn the_word_that_was_meant_is_found() {
    let keys = ["ttfb_timeout_secs", "idle_timeout_secs", "response_timeout_secs", "model", "provider"];
    for (typed, meant) in [
        ("ttfb_timeout_sec", Some("ttfb_timeout_secs")),
        ("ttfb-timeout-secs", Some("ttfb_timeout_secs")),
        ("TTFB_TIMEOUT_SECS", Some("ttfb_timeout_secs")),
        ("modle", Some("model")),
        ("Model", Some("model")),
        ("providers", Some("provider")),
        ("temperature", None),
        ("x", None),
        ("", None),
    ] {
        assert_eq!(nearest(typed, keys), meant, "{typed}");
    }
}

#[test]
fn distances_are_those_of_the_book() {
    let chars = |s: &str| s.chars().collect::<Vec<_>>();
    for (a, b, d) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abc", "abc", 0)]
    {
        assert_eq!(distance(&chars(a), &chars(b)), d, "{a} {b}");
        assert_eq!(distance(&chars(b), &chars(a)), d, "{b} {a}");
    }
}
