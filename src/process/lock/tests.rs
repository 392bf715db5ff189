use super::*;

#[test]
fn one_holder_at_a_time_and_the_file_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let held = Lock::take(&path).unwrap();
    let refused = Lock::take(&path).unwrap_err();
    assert!(matches!(refused, LockError::Held(_)), "{refused}");
    drop(held);
    assert!(path.exists());
    assert_eq!(Lock::take(&path).unwrap().path(), path);
}

#[test]
fn a_missing_folder_is_named() {
    let error = Lock::take(Path::new("/nonexistent-folder/lock")).unwrap_err().to_string();
    assert!(error.starts_with("cannot lock /nonexistent-folder/lock: "), "{error}");
}
