use super::*;

const NOON: i64 = 1_796_000_000_000;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_day_puts_the_old_file_aside_and_old_ones_go() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Daily::open(dir.path()).unwrap();
    log.day = day_of(NOON);
    for day in 0..20_i64 {
        log.write_at(format!("day {day}\n").as_bytes(), NOON + day * DAY_MS).unwrap();
    }
    let names = names(dir.path());
    assert_eq!(names.len(), KEEP + 1, "{names:?}");
    assert_eq!(names[0], NAME);
    assert_eq!(fs::read_to_string(dir.path().join(NAME)).unwrap(), "day 19\n");
    assert_eq!(fs::read_to_string(dir.path().join(&names[KEEP])).unwrap(), "day 18\n");
}

#[test]
fn a_file_moved_away_is_opened_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Daily::open(dir.path()).unwrap();
    let now = log.looked;
    log.write_at(b"one\n", now).unwrap();
    fs::rename(dir.path().join(NAME), dir.path().join("elsewhere")).unwrap();
    log.write_at(b"two\n", now + 1500).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join(NAME)).unwrap(), "two\n");
}

#[test]
fn names_of_others_are_left_alone() {
    assert!(is_put_aside(Path::new("sanctum.log.2026-11-29")));
    assert!(is_put_aside(Path::new("sanctum.log.2026-11-29.2")));
    for name in ["sanctum.log", "sanctum.log.old", "x.log.2026-11-29", "sanctum.log.2026-13-29"] {
        assert!(!is_put_aside(Path::new(name)), "{name}");
    }
}
