use std::io::{Read, Write};
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use super::*;

fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn ungzip(path: &Path) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn settle(rotated: &Rotated) {
    while rotated.is_compressing.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn numbers_move_on_the_second_is_compressed_and_old_ones_go() {
    let dir = tempfile::tempdir().unwrap();
    let live = dir.path().join("attempts.jsonl");
    put(&dir.path().join("attempts.jsonl.old"), "mine");
    let rotated = Rotated::new(&live, 3);
    for n in 1..=6 {
        put(&live, &format!("file {n}\n"));
        rotated.rotate().unwrap();
        settle(&rotated);
    }
    let want = ["attempts.jsonl.1", "attempts.jsonl.2.gz", "attempts.jsonl.3.gz", "attempts.jsonl.old"];
    assert_eq!(names(dir.path()), want);
    assert_eq!(fs::read_to_string(rotated.plain(1)).unwrap(), "file 6\n");
    assert_eq!(ungzip(&rotated.gz(2)), "file 5\n");
    assert_eq!(ungzip(&rotated.gz(3)), "file 4\n");
    assert_eq!(fs::metadata(rotated.gz(2)).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn rotations_while_one_compresses_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let live = dir.path().join("attempts.jsonl");
    let rotated = Rotated::new(&live, 100);
    let filler = "x".repeat(200_000);
    for n in 0..30 {
        put(&live, &format!("{n} {filler}\n"));
        rotated.rotate().unwrap();
    }
    settle(&rotated);
    rotated.tidy();
    settle(&rotated);
    for n in 2..=30 {
        let text = ungzip(&rotated.gz(n));
        assert!(text.starts_with(&format!("{} ", 30 - n)), "{n}");
    }
    assert_eq!(names(dir.path()).len(), 30);
}

#[test]
fn what_a_crash_left_is_put_right() {
    let dir = tempfile::tempdir().unwrap();
    let live = dir.path().join("attempts.jsonl");
    let rotated = Rotated::new(&live, 5);
    put(&rotated.temp(), "half a member");
    put(&rotated.plain(2), "compressed, not removed");
    put(&rotated.gz(2), "complete");
    put(&rotated.plain(4), "not yet compressed");
    put(&rotated.plain(9), "beyond keep");
    rotated.tidy();
    settle(&rotated);
    assert_eq!(names(dir.path()), ["attempts.jsonl.2.gz", "attempts.jsonl.4.gz"]);
    assert_eq!(fs::read_to_string(rotated.gz(2)).unwrap(), "complete");
    assert_eq!(ungzip(&rotated.gz(4)), "not yet compressed");
    // A gap ends the moving on.
    put(&live, "new");
    rotated.rotate().unwrap();
    assert_eq!(names(dir.path()), ["attempts.jsonl.1", "attempts.jsonl.2.gz", "attempts.jsonl.4.gz"]);
}

#[test]
fn keeping_none_leaves_none() {
    let dir = tempfile::tempdir().unwrap();
    let live = dir.path().join("attempts.jsonl");
    put(&live, "x");
    Rotated::new(&live, 0).rotate().unwrap();
    assert_eq!(names(dir.path()), Vec::<String>::new());
}
