use std::io;

use anyhow::Context;

use super::*;

#[test]
fn the_first_cause_with_a_status_decides() {
    let of = |error: anyhow::Error| Exit::of(&error);
    let held = LockError::Held("x".into());
    assert_eq!(of(anyhow::Error::new(held).context("deploying")), Exit::TempFail);
    assert_eq!(of(SecretError::EnvUnset("X".to_owned()).into()), Exit::Config);
    assert_eq!(of(io::Error::from(io::ErrorKind::AddrInUse).into()), Exit::Unavailable);
    assert_eq!(of(io::Error::from(io::ErrorKind::PermissionDenied).into()), Exit::NoPerm);
    assert_eq!(of(anyhow::anyhow!("odd")), Exit::Software);
    let known = Err::<(), _>(WithExit::new(Exit::CantCreate, "exists")).context("writing").unwrap_err();
    assert_eq!(of(known), Exit::CantCreate);
}
