use std::path::Path;

use super::*;
use crate::config::load;

/// `UPDATE=1` rewrites the file.
#[test]
#[expect(clippy::disallowed_methods, reason = "a generated document in the source tree, not state")]
fn the_reference_in_docs_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/config.md");
    let wanted = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/config.md is stale: UPDATE=1 cargo test --lib config::reference");
}

#[test]
fn every_example_of_the_reference_loads_without_a_finding() {
    let text = reference();
    let examples: Vec<_> =
        text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        let loaded = load("docs/config.md", example, Path::new("/home/x/.sanctum"));
        let told: Vec<_> = loaded.findings.iter().map(ToString::to_string).collect();
        assert_eq!(told, Vec::<String>::new(), "{example}");
    }
}

#[test]
fn a_key_knows_where_it_belongs() {
    assert_eq!(homes_of("wire"), "`providers.NAME`");
    assert_eq!(homes_of("base_url"), "`providers.NAME` or `seats.NAME.targets[]`");
    assert_eq!(homes_of("nonsense"), "");
}
