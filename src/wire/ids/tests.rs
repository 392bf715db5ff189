//! Ids are valid, stable, and stay apart.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{is_valid, short, unique_valid, valid};

#[test]
fn an_id_that_was_there_before_is_made_anew() {
    let mut taken =
        BTreeSet::from(["functions.Bash:0".to_owned(), valid("functions.Bash:0"), "c1".to_owned()]);
    let again = unique_valid("functions.Bash:0", 0, &mut taken);
    assert!(is_valid(&again) && again != valid("functions.Bash:0"));
    assert_ne!(unique_valid("c1", 0, &mut taken), "c1");
    assert_eq!(unique_valid("c2", 0, &mut taken), "c2");
    let empty: BTreeSet<String> = (0..5).map(|at| unique_valid("", at, &mut taken)).collect();
    assert_eq!(empty.len(), 5);
}

proptest! {
    #[test]
    fn every_id_becomes_a_valid_one_of_its_own(one in ".{0,80}", other in ".{0,80}") {
        prop_assert!(is_valid(&valid(&one)));
        prop_assert_eq!(valid(&one), valid(&one));
        prop_assert!(short(&one).len() <= 40 && short(&valid(&one)).len() <= 40);
        if one != other {
            prop_assert_ne!(short(&one), short(&other));
            prop_assert_ne!(valid(&one), valid(&other));
        }
        if is_valid(&one) {
            prop_assert_eq!(valid(&one), one);
        }
    }
}
