//! The attempt log: every key on every line, each token once, and a disk that is full stops nobody.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::bodies::{ask, ask_stream, overloaded, says, streams};
use crate::support::{Answer, Call, Gateway, Setup, Upstream, chain, until};

const KEYS: [&str; 30] = [
    "v",
    "ts",
    "request_id",
    "attempt",
    "route",
    "path",
    "seat",
    "provider",
    "requested_model",
    "served_model",
    "status",
    "outcome",
    "class",
    "action",
    "ttft_ms",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cost_usd",
    "final",
    "e2e_ms",
    "stream",
    "truncated",
    "estimated",
    "probe",
    "key_id",
    "client",
    "error",
];

#[test]
fn every_key_is_on_every_line() {
    let keys: BTreeSet<&str> = KEYS.into();
    let (a, b) = (Upstream::always(overloaded()), Upstream::always(streams("b-1", &["ok"])));
    let mut config = chain(&[("a", &a), ("b", &b)]);
    config["seats"]["z"] = json!({"provider": "a", "model": "model-z", "skip": true});
    config["routes"][0]["chain"] = json!(["z", "a", "b"]);
    let gw = Setup::new(&config).start();
    let call = Call::messages(&ask_stream("x")).with("user-agent", "claude-cli/2.1.332 (external, sdk-cli)");
    gw.send(&call).expect(200);
    let records = gw.exactly(3);
    for record in &records {
        let have: BTreeSet<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(have, keys, "{record}");
        assert_eq!(
            (&record["v"], &record["route"], &record["stream"]),
            (&json!(1), &json!("main"), &json!(true))
        );
        assert_eq!(record["request_id"], records[0]["request_id"]);
        assert_eq!(record["truncated"], false);
        assert!(record["client"].as_str().is_some_and(|c| c.starts_with("claude-cli")), "{record}");
        let ts = record["ts"].as_str().unwrap();
        assert!(ts.len() == 24 && ts.ends_with('Z') && ts.parse::<jiff::Timestamp>().is_ok(), "{ts}");
        assert!(record["latency_ms"].is_u64() && record["key_id"].is_null() && record["probe"].is_null());
    }
    assert_eq!(records[0]["class"], "operator_skip");
    let last = &records[2];
    assert!(last["ttft_ms"].is_u64() && last["e2e_ms"].is_u64(), "{last}");
    assert_eq!((&last["seat"], &last["provider"], &last["status"]), (&json!("b"), &json!("b"), &json!(200)));
    assert_eq!(last["estimated"], false);
}

#[test]
fn each_class_of_token_is_paid_once() {
    let mut body = crate::support::bodies::message("a-1", "x");
    body["usage"] = json!({"input_tokens": 1000, "output_tokens": 200, "cache_read_input_tokens": 50_000,
        "cache_creation_input_tokens": 3000});
    let a = Upstream::always(Answer::json(200, &body));
    let mut config = chain(&[("a", &a)]);
    config["seats"]["a"]["price"] =
        json!({"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75});
    let gw = Gateway::start(&config);
    gw.ask(&ask("x")).expect(200);
    let r = gw.exactly(1).remove(0);
    let tokens =
        ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"].map(|k| r[k].as_u64());
    assert_eq!(tokens, [Some(1000), Some(200), Some(50_000), Some(3000)]);
    let cost = r["cost_usd"].as_f64().unwrap();
    assert!((cost - (0.003 + 0.003 + 0.015 + 0.01125)).abs() < 1e-9, "{cost}");
}

#[test]
fn a_streams_usage_is_its_last_word() {
    let events = [
        crate::support::bodies::event(
            &json!({"type": "message_start", "message": {"id": "m", "type": "message",
            "role": "assistant", "model": "a-1", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1,
            "cache_read_input_tokens": 400}}}),
        ),
        crate::support::bodies::text_block(0),
        crate::support::bodies::text(0, "usage\": {\"output_tokens\": 999999}"),
        crate::support::bodies::stop(0),
        crate::support::bodies::event(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"input_tokens": 12, "output_tokens": 88}})),
        crate::support::bodies::event(&json!({"type": "message_stop"})),
    ];
    let a = Upstream::always(Answer::stream(&events));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    gw.ask(&ask_stream("x")).expect(200);
    let r = gw.exactly(1).remove(0);
    assert_eq!((r["input_tokens"].as_u64(), r["output_tokens"].as_u64()), (Some(12), Some(88)), "{r}");
    assert_eq!(r["cache_read_tokens"], 400);
}

#[test]
fn it_may_be_off() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["attempts"] = json!({"enabled": false});
    let mut gw = Gateway::start(&config);
    gw.ask(&ask("x")).expect(200);
    gw.signal("TERM");
    gw.wait_exit();
    assert_eq!(gw.attempts_now().len(), 0);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

/// Waits until the log has stood still for as long as a record may take: old files but the newest one compressed.
fn compressed(folder: &Path) {
    let is_plain = |name: &String| name.ends_with(|c: char| c.is_ascii_digit()) && !name.ends_with(".1");
    let mut since = None;
    until("the old files to be compressed", || {
        let names = names(folder);
        let is_done = names.iter().any(|n| n.ends_with(".2.gz"))
            && !names.iter().any(|n| n.ends_with(".tmp") || is_plain(n));
        since = if is_done { since.or_else(|| Some(tokio::time::Instant::now())) } else { None };
        since.filter(|s| s.elapsed() > std::time::Duration::from_millis(100)).map(|_| ())
    });
}

#[test]
fn it_is_rotated_and_loses_no_line() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["attempts"] = json!({"path": "elsewhere/try.jsonl", "rotate_bytes": 20_000, "keep": 50});
    let mut gw = Gateway::start(&config);
    for _ in 0..150 {
        gw.ask(&ask("x")).expect(200);
    }
    compressed(&gw.path("elsewhere"));
    gw.signal("TERM");
    gw.wait_exit();
    let mut lines = 0;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(gw.path("elsewhere")).unwrap() {
        let path = entry.unwrap().path();
        let file = std::fs::File::open(&path).unwrap();
        assert!(file.metadata().unwrap().len() <= 20_000, "{path:?}");
        let mut text = String::new();
        if path.extension().is_some_and(|e| e == "gz") {
            use std::io::BufReader;
            flate2::bufread::MultiGzDecoder::new(BufReader::new(file)).read_to_string(&mut text).unwrap();
        } else {
            (&file).read_to_string(&mut text).unwrap_or_else(|e| panic!("{e}: {path:?}"));
        }
        assert!(text.ends_with('\n') || text.is_empty(), "whole lines in {path:?}");
        for line in text.lines() {
            serde_json::from_str::<Value>(line).unwrap();
            lines += 1;
        }
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    assert_eq!(lines, 150, "{names:?}");
    for name in ["try.jsonl", "try.jsonl.1", "try.jsonl.2.gz"] {
        assert!(names.iter().any(|n| n == name), "{name} is not in {names:?}");
    }
}

#[test]
fn so_many_are_kept() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["attempts"] = json!({"rotate_bytes": 10_000, "keep": 2});
    let mut gw = Gateway::start(&config);
    for _ in 0..120 {
        gw.ask(&ask("x")).expect(200);
    }
    compressed(&gw.path("attempts"));
    gw.signal("TERM");
    gw.wait_exit();
    let files = names(&gw.path("attempts"));
    assert_eq!(files.len(), 3, "the live one and two more: {files:?}");
}

#[test]
fn a_torn_last_line_is_not_glued_to_the_next() {
    let a = Upstream::always(says("a-1", "ok"));
    let setup = Setup::new(&chain(&[("a", &a)])).file("attempts/attempts.jsonl", "{\"v\":1,\"route\":\"ma");
    let gw = setup.start();
    gw.ask(&ask("x")).expect(200);
    until("a whole record after a torn one", || {
        let text = std::fs::read_to_string(gw.path("attempts/attempts.jsonl")).unwrap();
        let last = text.lines().last().unwrap_or_default();
        serde_json::from_str::<Value>(last).ok().filter(|r| r["seat"] == "a")
    });
}

/// Mounted for one test, and gone after it.
struct Tiny(std::path::PathBuf);

impl Drop for Tiny {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

#[test]
fn a_full_disk_stops_nobody() {
    let a = Upstream::always(says("a-1", "ok"));
    let setup = Setup::new(&chain(&[("a", &a)])).file("attempts/keep-the-folder", "");
    let dir = setup.home().join("attempts");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&dir).output();
    if !mount.is_ok_and(|o| o.status.success()) {
        eprintln!("SKIPPED: a_full_disk_stops_nobody needs to mount a tmpfs (root)");
        return;
    }
    let tiny = Tiny(dir.clone());
    let gw = setup.start();
    for _ in 0..400 {
        gw.ask(&ask("x")).expect(200);
    }
    let health = until("a note in /health", || {
        let text = gw.get("/health").expect(200).text().to_owned();
        text.contains("attempt").then_some(text)
    });
    assert_eq!(serde_json::from_str::<Value>(&health).unwrap()["name"], "sanctum");
    until("a count of dropped records", || {
        (gw.metric("sanctum_attempt_records_dropped_total") > 0.0).then_some(())
    });
    for line in std::fs::read_to_string(dir.join("attempts.jsonl")).unwrap_or_default().lines().rev().skip(1)
    {
        serde_json::from_str::<Value>(line).unwrap_or_else(|e| panic!("{e} in {line}"));
    }
    drop(tiny);
}
