use std::path::{Path, PathBuf};

use crate::config::load;

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config/fixtures");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Each fixture is one rule: what is said of it is what a person reads.
#[test]
fn what_is_said_of_each_fixture() {
    for path in fixtures() {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let loaded = load("config.yaml", &text, Path::new("/home/x/.sanctum"));
        let told: Vec<_> = loaded.findings.iter().map(ToString::to_string).collect();
        let verdict = if loaded.config.is_some() { "usable" } else { "refused" };
        let told = format!("{verdict}\n{}", told.join("\n"));
        assert!(!told.contains("THIS-IS-A-KEY") && !told.contains("hunter2"), "{told}");
        insta::with_settings!({ description => text, omit_expression => true }, {
            insta::assert_snapshot!(name, told);
        });
    }
}
