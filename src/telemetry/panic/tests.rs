use super::*;

#[test]
fn message_reads_both_kinds_of_payload() {
    let fixed: Box<dyn std::any::Any + Send> = Box::new("gone");
    let built: Box<dyn std::any::Any + Send> = Box::new("é".repeat(1000));
    let other: Box<dyn std::any::Any + Send> = Box::new(7_u8);
    assert_eq!(message(fixed.as_ref()), "gone");
    assert_eq!(message(built.as_ref()).len(), MAX_MESSAGE);
    assert_eq!(message(other.as_ref()), "no message");
}
