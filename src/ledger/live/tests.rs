use std::os::unix::fs::PermissionsExt;

use super::*;

fn put(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn makes_file_and_folder_for_the_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/attempts.jsonl");
    let mut live = Live::open(&path).unwrap();
    live.append(b"{}\n").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(live.len(), 3);
}

#[test]
fn a_torn_tail_is_cut_at_the_start_and_nothing_else_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let long = [b"{\"v\":1}\n{\"v\":".as_slice(), &vec![b'x'; 200_000]].concat();
    let cases: [(&[u8], &[u8]); 8] = [
        (b"", b""),
        (b"{\"v\":1}\n", b"{\"v\":1}\n"),
        (b"{\"v\":1}\n{\"v\":1,\"ts", b"{\"v\":1}\n"),
        (b"{\"v\":1}\n\0\0\0", b"{\"v\":1}\n"),
        (b"{", b""),
        (b"my notes", b"my notes\n"),
        (b"{\"v\":1}\nmy notes", b"{\"v\":1}\nmy notes\n"),
        (&long, b"{\"v\":1}\n"),
    ];
    for (before, after) in cases {
        put(&path, before);
        let mut live = Live::open(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), after, "{:?}", before.escape_ascii().to_string().get(..20));
        live.append(b"{\"v\":2}\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), [after, b"{\"v\":2}\n"].concat());
        assert_eq!(live.len(), fs::metadata(&path).unwrap().len());
    }
}

#[test]
fn knows_when_the_file_was_moved_or_cut_short_by_somebody() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let mut live = Live::open(&path).unwrap();
    live.append(b"{\"v\":1}\n").unwrap();
    assert!(live.is_at(&path).unwrap());
    File::create(&path).unwrap();
    assert!(live.is_at(&path).unwrap());
    assert_eq!(live.len(), 0);
    fs::rename(&path, dir.path().join("moved")).unwrap();
    assert!(!live.is_at(&path).unwrap());
    put(&path, b"");
    assert!(!live.is_at(&path).unwrap());
}

#[test]
fn what_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Live::open(dir.path()).is_err());
    assert!(Live::open(Path::new("/dev/null")).unwrap_err().to_string().contains("regular"));
}
