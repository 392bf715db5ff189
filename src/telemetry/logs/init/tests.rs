use std::path::PathBuf;

use super::*;

/// One test, since a process has one log: an unwritable folder, levels, other crates, both formats' fields.
#[test]
fn the_log_says_where_it_goes_and_keeps_others_quiet() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("not-a-folder");
    std::fs::File::create(&file).unwrap();
    let config = Log { level: LogLevel::Info, format: LogFormat::Text, dir: file.join("logs") };
    let guard = init(&config, false);
    assert!(guard.trouble().unwrap().contains("not-a-folder"), "{guard:?}");
    drop(guard);
    let guard = init(&Log { dir: PathBuf::from(dir.path()), ..config }, false);
    assert_eq!(guard.trouble(), None);
}
