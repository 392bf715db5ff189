use super::*;

#[test]
fn the_definitions_hold_together() {
    definition().debug_assert();
}

#[test]
fn every_exit_status_is_documented() {
    use crate::exit::Exit;
    let all = [
        Exit::Ok,
        Exit::Failed,
        Exit::Usage,
        Exit::Unavailable,
        Exit::Software,
        Exit::CantCreate,
        Exit::TempFail,
        Exit::NoPerm,
        Exit::Config,
    ];
    let documented: Vec<String> = EXIT_STATUS.iter().map(|(status, _)| (*status).to_owned()).collect();
    assert_eq!(all.map(|exit| (exit as u8).to_string()).to_vec(), documented);
}
