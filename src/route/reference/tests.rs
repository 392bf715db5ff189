use std::path::Path;

use super::*;

/// `UPDATE=1` rewrites the file.
#[test]
#[expect(clippy::disallowed_methods, reason = "a generated document in the source tree, not state")]
fn the_tables_in_docs_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/actions.md");
    let wanted = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/actions.md is stale: UPDATE=1 cargo test --lib route::reference");
}

#[test]
fn no_placeholder_is_left_and_every_row_is_there() {
    let text = reference();
    for name in ["BACKOFF_CAP", "MARGIN", "LONGEST", "SPENT"] {
        assert!(!text.contains(name), "{name}");
    }
    assert!(text.contains("at most 8 s") && text.contains("beyond 24 h"), "{text}");
    for row in ROWS {
        assert!(text.contains(&cell(row.signal)), "{}", row.signal);
    }
    for rule in RULES {
        assert!(text.contains(&format!("\n| `{}` | ", rule.class.word())), "{:?}", rule.class);
    }
}
