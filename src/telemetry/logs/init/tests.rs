use std::path::Path;

use super::*;

/// One test, since a process has one log.
#[test]
fn lines_go_to_the_file_others_stay_quiet_and_an_unwritable_folder_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let config = Log { level: LogLevel::Info, format: LogFormat::Json, dir: dir.path().join("logs") };
    let guard = init(&config, false);
    assert_eq!(guard.trouble(), None);
    tracing::info!(answer = 42, "told");
    tracing::debug!("hidden at first");
    set_level(LogLevel::Trace);
    tracing::debug!("shown later");
    tracing::warn!(target: "hyper", "loud");
    tracing::info!(target: "hyper", "url https://key@host");
    drop(guard);
    set_level(LogLevel::Info);
    let text = std::fs::read_to_string(dir.path().join("logs").join(super::super::daily::NAME)).unwrap();
    let told: serde_json::Value = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|l: &serde_json::Value| l["answer"] == 42)
        .unwrap();
    assert_eq!((&told["level"], &told["message"]), (&"INFO".into(), &"told".into()));
    assert!(text.contains("shown later") && text.contains("loud"), "{text}");
    assert!(!text.contains("hidden at first") && !text.contains("key@host"), "{text}");

    let file = dir.path().join("not-a-folder");
    std::fs::File::create(&file).unwrap();
    let guard = init(&Log { dir: Path::new(&file).join("logs"), ..config }, false);
    assert!(guard.trouble().unwrap().contains("not-a-folder"), "{guard:?}");
}
