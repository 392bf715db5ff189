use super::*;

#[test]
fn each_client_has_its_line() {
    insta::assert_snapshot!(client_lines("http://127.0.0.1:4040/"));
}
