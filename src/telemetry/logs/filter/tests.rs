use tracing::Level;

use super::*;

#[test]
fn other_crates_are_never_heard_below_warn() {
    for target in ["hyper::client", "reqwest", "h2", "sanctumx", "rustls"] {
        assert!(!passes(target, Level::INFO, LevelFilter::TRACE), "{target}");
        assert!(passes(target, Level::WARN, LevelFilter::TRACE), "{target}");
        assert!(!passes(target, Level::WARN, LevelFilter::ERROR), "{target}");
    }
}

#[test]
fn our_own_follow_the_level() {
    assert!(passes("sanctum", Level::TRACE, LevelFilter::TRACE));
    assert!(passes("sanctum::gateway", Level::DEBUG, LevelFilter::DEBUG));
    assert!(!passes("sanctum::gateway", Level::DEBUG, LevelFilter::INFO));
}
