use std::io::Read;
use std::path::Path as FilePath;
use std::process::Command;

use serde_json::Value;

use super::*;
use crate::ledger::{ActionWord, Ledger, Outcome, Path, Timestamp};
use crate::route::Class;

const WAIT: Duration = Duration::from_secs(20);

fn record(n: u64) -> Record {
    Record {
        v: 1,
        ts: Timestamp(1_796_000_000_123),
        request_id: format!("req-{n}").into(),
        attempt: Some(1),
        route: "coding".into(),
        path: Path::Primary,
        seat: "sonnet".into(),
        provider: "anthropic".into(),
        requested_model: "claude-sonnet-4-5".into(),
        served_model: Some("claude-sonnet-4-5".into()),
        status: Some(200),
        outcome: Outcome::Ok,
        class: Class::Ok,
        action: ActionWord::Served,
        ttft_ms: Some(210),
        latency_ms: n,
        input_tokens: Some(12),
        output_tokens: Some(34),
        cache_read_tokens: Some(0),
        cache_write_tokens: Some(0),
        cost_usd: Some(0.000546),
        is_final: true,
        e2e_ms: Some(1234),
        stream: true,
        truncated: false,
        estimated: false,
        probe: None,
        key_id: None,
        client: Some("claude-cli".into()),
        error: None,
    }
}

fn config(path: &FilePath) -> Attempts {
    Attempts { enabled: true, path: path.to_owned(), rotate_bytes: 100 << 20, keep: 10 }
}

/// The `latency_ms` of every line, each of which must be a whole record.
fn numbers(text: &str) -> Vec<u64> {
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["latency_ms"].as_u64().unwrap())
        .collect()
}

fn read(path: &FilePath) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_record_has_every_key_in_order() {
    let mut bytes = Vec::new();
    serde_json::to_writer(&mut bytes, &record(7)).unwrap();
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}

#[test]
fn records_are_on_disk_soon_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts/attempts.jsonl");
    let metrics = Metrics::new();
    let ledger = Ledger::start(&config(&path), Arc::clone(&metrics));
    for n in 0..3000 {
        ledger.send(record(n));
    }
    assert!(ledger.flush(WAIT));
    assert_eq!(numbers(&read(&path)), (0..3000).collect::<Vec<_>>());
    assert_eq!(ledger.trouble(), None);
    assert_eq!(metrics.attempt_records_dropped_total(), 0);
    // One alone, without a flush.
    ledger.send(record(3000));
    let started = Instant::now();
    while numbers(&read(&path)).len() < 3001 {
        assert!(started.elapsed() < WAIT);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn rotation_loses_and_tears_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let config = Attempts { rotate_bytes: 20_000, keep: 1000, ..config(&path) };
    let ledger = Ledger::start(&config, Metrics::new());
    for n in 0..2000 {
        ledger.send(record(n));
    }
    assert!(ledger.flush(WAIT));
    drop(ledger);
    let started = Instant::now();
    while is_compressing(dir.path()) {
        assert!(started.elapsed() < WAIT);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(fs::metadata(dir.path().join("attempts.jsonl.1")).unwrap().len() <= 20_000);
    let mut seen = everything(dir.path());
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..2000), "{} records", seen.len());
}

/// Whether there is a file that is to be compressed.
fn is_compressing(dir: &FilePath) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        !name.ends_with(".gz") && name != "attempts.jsonl" && name != "attempts.jsonl.1"
    })
}

#[test]
fn a_file_that_somebody_moves_or_deletes_is_started_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("logs/attempts.jsonl");
    let ledger = Ledger::start(&config(&path), Metrics::new());
    ledger.send(record(1));
    assert!(ledger.flush(WAIT));
    let moved = dir.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    std::thread::sleep(LOOK);
    ledger.send(record(2));
    assert!(ledger.flush(WAIT));
    assert_eq!((numbers(&read(&moved)), numbers(&read(&path))), (vec![1], vec![2]));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    std::thread::sleep(LOOK);
    ledger.send(record(3));
    assert!(ledger.flush(WAIT));
    assert_eq!(numbers(&read(&path)), [3]);
    // Emptied in place, as logrotate's copytruncate does.
    fs::File::create(&path).unwrap();
    ledger.send(record(4));
    assert!(ledger.flush(WAIT));
    assert_eq!(numbers(&read(&path)), [4]);
}

#[test]
fn a_folder_that_cannot_be_is_a_trouble_that_ends() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("attempts");
    fs::File::create(&folder).unwrap();
    let path = folder.join("attempts.jsonl");
    let metrics = Metrics::new();
    let ledger = Ledger::start(&config(&path), Arc::clone(&metrics));
    ledger.send(record(1));
    assert!(ledger.flush(WAIT));
    let trouble = ledger.trouble().unwrap();
    assert!(trouble.contains("not being written to") && trouble.contains("1 lost"), "{trouble}");
    assert_eq!(metrics.attempt_records_dropped_total(), 1);
    fs::remove_file(&folder).unwrap();
    ledger.send(record(2));
    assert!(ledger.flush(WAIT));
    assert_eq!(ledger.trouble(), None);
    assert_eq!(numbers(&read(&path)), [2]);
}

#[test]
fn a_disabled_log_takes_everything_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let ledger = Ledger::start(&Attempts { enabled: false, ..config(&path) }, Metrics::new());
    ledger.send(record(1));
    assert!(!ledger.is_enabled() && ledger.flush(WAIT) && ledger.trouble().is_none());
    ledger.close(WAIT);
    assert!(!path.exists());
}

/// A small tmpfs; gone when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(dir.path()).output();
        mount.is_ok_and(|out| out.status.success()).then_some(Self(dir))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0.path()).status().ok();
    }
}

#[test]
fn a_full_disk_costs_counted_records_and_no_torn_line() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("NOT RUN: a_full_disk_costs_counted_records_and_no_torn_line: cannot mount a tmpfs here");
        return;
    };
    let path = disk.0.path().join("attempts.jsonl");
    let ballast = disk.0.path().join("ballast");
    fs::File::create(&ballast).unwrap().set_len(0).unwrap();
    io::Write::write_all(&mut fs::File::create(&ballast).unwrap(), &vec![0; 30_000]).unwrap();
    let metrics = Metrics::new();
    let ledger = Ledger::start(&config(&path), Arc::clone(&metrics));
    for n in 0..200 {
        ledger.send(record(n));
    }
    assert!(ledger.flush(WAIT));
    let on_disk = numbers(&read(&path));
    let dropped = metrics.attempt_records_dropped_total();
    assert!(dropped > 0 && !on_disk.is_empty());
    assert_eq!(u64::try_from(on_disk.len()).unwrap() + dropped, 200);
    assert!(ledger.trouble().unwrap().contains("No space left"), "{:?}", ledger.trouble());

    fs::remove_file(&ballast).unwrap();
    ledger.send(record(500));
    assert!(ledger.flush(WAIT));
    assert_eq!(numbers(&read(&path)).last(), Some(&500));
    assert_eq!(ledger.trouble(), None);
}

/// A writer for tests that kill it: writes to `SANCTUM_TEST_LEDGER`, numbers from `SANCTUM_TEST_FIRST` on, and
/// prints each number once it has been on its way for `SANCTUM_TEST_ACK_MS` (100), so that it must survive.
#[test]
#[ignore = "a child process of kill tests"]
fn child_writer() {
    let Some(path) = std::env::var_os("SANCTUM_TEST_LEDGER") else { return };
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let first = number("SANCTUM_TEST_FIRST", 0);
    let promised = Duration::from_millis(number("SANCTUM_TEST_ACK_MS", 100));
    let config = Attempts { rotate_bytes: 300_000, keep: 10_000, ..config(FilePath::new(&path)) };
    let ledger = Ledger::start(&config, Metrics::new());
    let mut sent = std::collections::VecDeque::new();
    for n in first.. {
        ledger.send(record(n));
        sent.push_back((n, Instant::now()));
        while sent.front().is_some_and(|(_, at)| at.elapsed() >= promised) {
            println!("acknowledged {}", sent.pop_front().unwrap().0);
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Kills the child writer a few times in passing; `tests/heavy` does it a thousand times.
#[test]
fn kill_leaves_whole_lines_and_everything_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let mut first = 0_u64;
    for round in 0..5_u64 {
        let output = dir.path().join("output");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "ledger::writer::tests::child_writer"])
            .env("SANCTUM_TEST_LEDGER", &path)
            .env("SANCTUM_TEST_FIRST", first.to_string())
            // The promise is 100 ms; a machine that runs all tests at once gets more.
            .env("SANCTUM_TEST_ACK_MS", "300")
            .stdout(fs::File::create(&output).unwrap())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(450 + 37 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = read(&output)
            .lines()
            .filter_map(|line| line.split("acknowledged ").nth(1)?.trim().parse::<u64>().ok())
            .max();
        let mut seen = everything(dir.path());
        seen.sort_unstable();
        if let Some(last) = acknowledged {
            assert!((first..=last).all(|n| seen.binary_search(&n).is_ok()), "round {round}: up to {last}");
        }
        first = seen.last().map_or(first, |last| last + 1);
    }
    assert!(first > 0, "no round wrote anything");
}

/// The numbers in all files, the live one and the rotated ones.
fn everything(dir: &FilePath) -> Vec<u64> {
    let mut seen = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".gz") {
            let mut text = String::new();
            flate2::read::MultiGzDecoder::new(fs::File::open(&path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            seen.extend(numbers(&text));
        } else if name.starts_with("attempts.jsonl") && !name.ends_with(".tmp") {
            seen.extend(numbers(&read(&path)));
        }
    }
    seen
}
