//! What the tests of this room share: the recorded streams, requests and answers under `probes/payloads`.

use bytes::Bytes;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/probes/payloads");

/// One file of a wire's folder by its name.
pub(super) fn payload(wire: &str, name: &str) -> Bytes {
    let path = format!("{FOLDER}/{wire}/{name}");
    Bytes::from(std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// All files of a wire's folder whose names begin and end so, by name.
pub(super) fn all_payloads(wire: &str, start: &str, end: &str) -> Vec<(String, Bytes)> {
    let entries = std::fs::read_dir(format!("{FOLDER}/{wire}")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with(start) && name.ends_with(end)).collect();
    assert!(!names.is_empty());
    names.sort_unstable();
    names.into_iter().map(|name| (name.clone(), payload(wire, &name))).collect()
}

pub(super) fn anthropic(name: &str) -> Bytes {
    payload("anthropic", name)
}

pub(super) fn all_anthropic(start: &str, end: &str) -> Vec<(String, Bytes)> {
    all_payloads("anthropic", start, end)
}
