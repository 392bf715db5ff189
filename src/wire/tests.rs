//! What the tests of this room share: the recorded streams, requests and answers under `probes/payloads`.

use bytes::Bytes;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/probes/payloads/anthropic");

/// One file by its name.
pub(super) fn anthropic(name: &str) -> Bytes {
    let path = format!("{FOLDER}/{name}");
    Bytes::from(std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// All files whose names begin and end so, by name.
pub(super) fn all_anthropic(start: &str, end: &str) -> Vec<(String, Bytes)> {
    let entries = std::fs::read_dir(FOLDER).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(start) && name.ends_with(end)).collect();
    assert!(!names.is_empty());
    names.sort_unstable();
    names.into_iter().map(|name| (name.clone(), anthropic(&name))).collect()
}
