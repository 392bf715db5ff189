#[test]
fn every_pattern_compiles() {
    assert!(super::SET.is_some());
    assert!(super::LIMIT_REQUESTED.is_some());
    assert_eq!(super::SIZES.len(), 7);
}
