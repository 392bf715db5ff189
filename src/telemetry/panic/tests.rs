use super::*;

#[test]
fn message_reads_both_kinds_of_payload() {
    let fixed: Box<dyn std::any::Any + Send> = Box::new("gone");
    let built: Box<dyn std::any::Any + Send> = Box::new("é".repeat(1000));
    let other: Box<dyn std::any::Any + Send> = Box::new(7_u8);
    assert_eq!(message(fixed.as_ref()), "gone");
    assert_eq!(message(built.as_ref()).len(), MAX_MESSAGE);
    assert_eq!(message(other.as_ref()), "no message");
}

/// Run by the next test in a process of its own: the hook and the log are one a process.
#[test]
#[ignore = "the child of a_panic_is_in_the_log_with_its_place"]
fn child_that_panics() {
    let Some(dir) = std::env::var_os("SANCTUM_TEST_PANIC_DIR") else { return };
    let config = crate::config::Log {
        level: crate::config::LogLevel::Info,
        format: crate::config::LogFormat::Text,
        dir: dir.into(),
    };
    let guard = crate::telemetry::logs::init(&config, false);
    install();
    std::thread::spawn(|| panic!("the key is sk-ant-0123456789abcdef")).join().unwrap_err();
    assert_eq!(count(), 1);
    drop(guard);
    // The test harness's own hook is gone, so nothing else may fail from here on.
}

#[test]
fn a_panic_is_in_the_log_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "telemetry::panic::tests::child_that_panics"])
        .env("SANCTUM_TEST_PANIC_DIR", dir.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let log = std::fs::read_to_string(dir.path().join("sanctum.log")).unwrap();
    let line = log.lines().find(|l| l.contains("panicked")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains("src/telemetry/panic/tests.rs") && line.contains("line="), "{line}");
    assert!(line.contains("the key is") && !line.contains("0123456789abcdef"), "{line}");
}
