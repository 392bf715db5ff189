use super::*;

#[test]
fn trims_once_after_a_wave_and_not_within_it() {
    let mut load = Load::default();
    let wave = [0, 1, 256, 256, 200, 256, 100, 90, 256];
    assert!(wave.into_iter().all(|active| !load.has_fallen(active)));
    let after: Vec<bool> = (0..10).map(|_| load.has_fallen(3)).collect();
    assert_eq!(after.iter().filter(|trimmed| **trimmed).count(), 1);
    assert!(!load.has_fallen(3));
}

#[test]
fn never_trims_an_idle_process() {
    let mut load = Load::default();
    assert!((0..100).all(|_| !load.has_fallen(0)));
}

#[test]
fn the_thread_ends_at_once() {
    settle();
    trim();
    let started = tokio::time::Instant::now();
    drop(Trimmer::start(Arc::default()).unwrap());
    assert!(started.elapsed() < Duration::from_secs(5));
}
