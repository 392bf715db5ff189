use std::path::Path;

use super::*;
use crate::config;
use crate::gateway::fixture;

fn attempts_at(path: &Path) -> Config {
    let text = format!(
        "providers: {{p: {{wire: anthropic, base_url: 'http://127.0.0.1:9'}}}}\n\
         seats: {{s: {{provider: p, model: m}}}}\nroutes: [{{name: r, models: ['*'], chain: [s]}}]\n\
         attempts: {{path: '{}'}}\n",
        path.display()
    );
    let loaded = config::load("t.yaml", &text, Path::new("/h"));
    loaded.config.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

#[tokio::test]
async fn an_attempt_log_that_a_reload_replaced_is_written_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("1.jsonl"), folder.path().join("2.jsonl"));
    let shared = fixture::shared("", "");
    let retired = Tasks::new();
    for path in [&first, &second] {
        let started = Arc::clone(&shared.live.load().config);
        apply(&shared, Ok(attempts_at(path)), &started, &retired);
        // A client that left leaves a record.
        drop(fixture::book(&shared));
    }
    retired.wait().await;
    assert_eq!(std::fs::read_to_string(&first).unwrap().lines().count(), 1);
    Ledger::clone(&shared.ledger.load()).close(LAST_WORDS);
    assert_eq!(std::fs::read_to_string(&second).unwrap().lines().count(), 1);
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_changes_nothing() {
    let shared = fixture::shared("", "");
    let before = shared.live.load().config.digest.clone();
    let retired = Tasks::new();
    let started = Arc::clone(&shared.live.load().config);
    apply(&shared, Err("no such file".to_owned()), &started, &retired);
    assert!(shared.reload_note.lock().unwrap().is_some());
    assert_eq!(shared.live.load().config.digest, before);
    assert!(retired.is_empty());
}
