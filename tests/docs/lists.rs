//! Lists in the documents are whole: what the code has is named there, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use sanctum::route::Class;

use super::markdown::{blocks, first_cells, read};
use super::transcript::Demo;
use crate::rooms::MAY_IMPORT;

fn set<T: Into<String>>(items: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    items.into_iter().map(Into::into).collect()
}

/// The keys of a record, in the order of the line.
fn keys(line: &str) -> Vec<String> {
    let record: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).expect("a record");
    let mut keys: Vec<String> = record.keys().cloned().collect();
    keys.sort_by_key(|key| line.find(&format!("\"{key}\":")));
    keys
}

#[test]
fn the_fields_of_a_record_are_listed_in_their_order() {
    let demo = Demo::start();
    demo.ask();
    let written = keys(demo.attempts(1).lines().next().expect("a record"));
    assert_eq!(first_cells("docs/attempts.md", "## Fields"), written);
    let example = blocks("docs/attempts.md").into_iter().find(|b| b.lang == "json").expect("an example");
    assert_eq!(keys(example.text.lines().next().expect("a line")), written, "the example's keys");
}

#[test]
fn every_class_is_listed() {
    let listed = first_cells("docs/attempts.md", "## Classes");
    assert_eq!(set(listed.iter().map(String::as_str)), set(Class::ALL.map(Class::word)));
    assert_eq!(listed.len(), Class::ALL.len(), "one is listed twice");
}

#[test]
fn the_metrics_are_listed_with_their_types_and_labels() {
    let demo = Demo::start();
    demo.ask();
    demo.attempts(2);
    let page = demo.get("/metrics");
    let types = page.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split_once(' '));
    let types: BTreeMap<&str, &str> = types.collect();
    let text = read("docs/metrics.md");
    let mut listed = BTreeMap::new();
    for row in text.lines().filter(|l| l.starts_with("| `sanctum_")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        listed.insert(name, cells[2]);
        let labels = set(cells[3].split(", ").map(|l| l.trim_matches('`')).filter(|l| !l.is_empty()));
        let Some(sample) = page.lines().find(|l| l.starts_with(name) && l.contains(['{', ' '])) else {
            continue;
        };
        let inside = sample
            .split_once('{')
            .and_then(|(_, rest)| rest.split_once('}'))
            .map_or("", |(inside, _)| inside);
        let shown = set(inside
            .split("\",")
            .filter_map(|l| l.split_once('='))
            .map(|(label, _)| label)
            .filter(|l| *l != "le"));
        assert_eq!(labels, shown, "labels of {name}: {sample}");
    }
    assert_eq!(listed, types);
}

#[test]
fn the_rooms_are_drawn_as_they_are_checked() {
    let block = blocks("ARCHITECTURE.md").into_iter().find(|b| b.text.contains("(nothing of ours)"));
    let drawn: BTreeMap<String, BTreeSet<String>> = block
        .expect("the rooms")
        .text
        .lines()
        .map(|line| {
            let (room, may) = line.split_once("->").unwrap_or_else(|| panic!("{line}"));
            let may = may.trim();
            let may = if may == "(nothing of ours)" { BTreeSet::new() } else { set(may.split(", ")) };
            (room.trim().to_owned(), may)
        })
        .collect();
    let checked =
        MAY_IMPORT.iter().map(|(room, may)| ((*room).to_owned(), set(may.iter().copied()))).collect();
    assert_eq!(drawn, checked);
}
