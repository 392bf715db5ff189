use std::os::unix::fs::symlink;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn keeps_the_mode_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state");
    replace(&path, b"one").unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    replace(&path, b"two").unwrap();
    assert_eq!(mode(&path), 0o640);
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_symlink_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    let link = dir.path().join("link");
    symlink("real", &link).unwrap();
    replace(&link, b"x").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"x");
}

#[test]
fn a_loop_of_symlinks_and_a_folder_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("loop");
    symlink("loop", &link).unwrap();
    assert!(replace(&link, b"x").is_err());
    assert!(replace(dir.path(), b"x").is_err());
}

#[test]
fn create_never_writes_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.yaml");
    create(&path, b"one").unwrap();
    assert_eq!(create(&path, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
