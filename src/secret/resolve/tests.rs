use std::fs::Permissions;
use std::io::Write;
use std::path::PathBuf;

use super::*;

const KEY: &str = "sk-test-value-not-real";

fn file(dir: &tempfile::TempDir, mode: u32, bytes: &[u8]) -> PathBuf {
    let path = dir.path().join("key");
    std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

fn resolved(from: &KeyRef) -> String {
    resolve(from).unwrap().unwrap().expose_secret().to_owned()
}

fn refused(from: &KeyRef) -> String {
    let error = resolve(from).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(!text.contains(KEY), "{text}");
    error.to_string()
}

#[test]
fn a_file_of_0600_is_read_without_its_newline() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(&dir, 0o600, format!("{KEY}\n").as_bytes());
    assert_eq!(resolved(&KeyRef::File(path)), KEY);
    let path = file(&dir, 0o400, format!("{KEY}\r\n").as_bytes());
    assert_eq!(resolved(&KeyRef::File(path)), KEY);
}

#[test]
fn a_file_that_others_may_read_is_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    for mode in [0o640, 0o604, 0o644, 0o620, 0o601] {
        let path = file(&dir, mode, KEY.as_bytes());
        let said = refused(&KeyRef::File(path.clone()));
        assert!(said.contains(&format!("chmod 600 {}", path.display())), "{said}");
    }
}

#[test]
fn what_is_no_key_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&[u8], &str); 5] = [
        (b"\n", "is empty"),
        (b"sk-test-value-not-real\nx", "one line"),
        (b"sk-test-value-not-real\x00x", "one line"),
        ("sk-test-value-not-real\u{e9}".as_bytes(), "one line"),
        (b"sk-test-value-not-real\xff", "one line"),
    ];
    for (bytes, want) in cases {
        let said = refused(&KeyRef::File(file(&dir, 0o600, bytes)));
        assert!(said.contains(want), "{said}");
    }
    let big = vec![b'a'; 64 * 1024 + 1];
    assert!(refused(&KeyRef::File(file(&dir, 0o600, &big))).contains("64 KiB"));
    assert!(refused(&KeyRef::File(dir.path().to_owned())).contains("not a regular file"));
    assert!(refused(&KeyRef::File(dir.path().join("none"))).contains("cannot read key file"));
}

#[test]
fn the_environment_is_read_and_a_missing_variable_is_named() {
    // Set by cargo for every test.
    assert_eq!(resolved(&KeyRef::Env("CARGO_PKG_NAME".to_owned())), "sanctum");
    let said = refused(&KeyRef::Env("SANCTUM_TEST_SURELY_UNSET".to_owned()));
    assert!(said.contains("SANCTUM_TEST_SURELY_UNSET is not set"), "{said}");
}

#[test]
fn callers_keys_and_keyless_servers_need_none() {
    assert!(resolve(&KeyRef::Caller).unwrap().is_none());
    assert!(resolve(&KeyRef::None).unwrap().is_none());
    assert!(refused(&KeyRef::Keychain("s".to_owned())).contains("not built yet"));
    let vault = KeyRef::Vault { path: "p".to_owned(), field: "f".to_owned() };
    assert!(refused(&vault).contains("not built yet"));
}

/// Each file that sees a secret in the clear is listed here, so that a new one is a decision.
#[test]
fn only_listed_files_expose_secrets() {
    const ALLOWED: &[&str] =
        &["gateway/live.rs", "secret/resolve.rs", "secret/resolve/tests.rs", "telemetry/redact.rs"];
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![src.clone(), src.with_file_name("commands")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("expose_secret")) {
                found.push(path.strip_prefix(&src).unwrap_or(&path).display().to_string());
            }
        }
    }
    found.retain(|file| !ALLOWED.contains(&file.as_str()));
    assert_eq!(found, Vec::<String>::new(), "not in the list of files that may expose a secret");
}
