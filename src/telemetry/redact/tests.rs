use super::*;
use proptest::prelude::*;

fn redactor() -> Redactor {
    Redactor::new(vec!["hunter2hunter2".into(), "hunter2".into(), "abc".into()])
}

#[test]
fn every_pattern_compiles() {
    assert_eq!(PATTERNS.len(), 7);
}

#[test]
fn plain_text_is_borrowed() {
    let text = "upstream answered 529: Overloaded";
    assert!(matches!(redactor().redact(text), Cow::Borrowed(same) if same == text));
}

#[test]
fn known_secrets_go_whole() {
    let out = redactor().redact("a hunter2hunter2 b hunter2 abc");
    assert_eq!(out, "a [redacted] b [redacted] abc");
}

#[test]
fn what_looks_like_a_secret_goes() {
    let cases = [
        ("invalid x-api-key: sk-test-123", "invalid x-api-key: [redacted]"),
        (r#"{"x-api-key": "foo-bar"}"#, r#"{"x-api-key": "[redacted]"}"#),
        ("Incorrect key sk-ant-api03-AAAA_BBBB-CC.", "Incorrect key [redacted]."),
        ("Authorization: Bearer abc.def", "Authorization: [redacted]"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: [redacted]"),
        ("got Bearer abcdef0123456789 there", "got Bearer [redacted] there"),
        ("GET https://user:pass@host.example/x", "GET https://[redacted]@host.example/x"),
        ("GET https://h.example/x?key=AB1&alt=sse", "GET https://h.example/x?key=[redacted]&alt=sse"),
        ("https://h.example/?a=1&access_token=zzz", "https://h.example/?a=1&access_token=[redacted]"),
        ("cookie: a=b", "cookie: [redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "[redacted]"),
        ("two\nlines\u{1b}[31m", "two lines [31m"),
        ("the risk-free task-list-items", "the risk-free task-list-items"),
    ];
    for (text, want) in cases {
        assert_eq!(redactor().redact(text), want, "{text}");
    }
}

#[test]
fn debug_shows_no_secret() {
    assert_eq!(format!("{:?}", redactor()), "Redactor { secrets: 2 }");
}

proptest! {
    #[test]
    fn no_known_secret_survives(before in ".{0,40}", after in ".{0,40}", filler in 0_usize..20_000) {
        let secret = "s3cr3t-value-of-a-key";
        let text = format!("{before}{}{secret}{after}", "x".repeat(filler));
        let redactor = Redactor::new(vec![secret.into()]);
        let out = redactor.redact(&text);
        prop_assert!(!out.contains("s3cr3t"));
        prop_assert!(out.len() <= MAX_TEXT);
    }
}
