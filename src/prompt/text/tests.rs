//! Text stays as it is written.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::Text;

#[test]
fn a_value_that_is_no_string_is_none() {
    for json in ["1", "null", "[]", "{\"a\":1}", "true"] {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        assert!(Text::of(raw).is_none(), "{json}");
    }
}

#[test]
fn half_a_surrogate_pair_costs_one_character() {
    let cases = [
        (r#""a\ud83d""#, "a\u{fffd}"),
        (r#""\ud83d\ude00 \udc00\n""#, "\u{1f600} \u{fffd}\n"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""\\ud83d""#, "\\ud83d"),
    ];
    for (json, want) in cases {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        assert_eq!(Text::of(raw).unwrap().decode(), want, "{json}");
    }
}

#[test]
fn texts_that_mean_the_same_are_equal() {
    let raw: &RawValue = serde_json::from_str(r#""\u0041\/""#).unwrap();
    assert_eq!(Text::of(raw).unwrap(), Text::plain("A/"));
    assert_eq!(Text::join([&Text::plain("a\n"), &Text::plain("\"b")], "\n\n").decode(), "a\n\n\n\"b");
    assert!(Text::EMPTY.is_empty() && Text::plain("").is_empty() && !Text::plain(" ").is_empty());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(plain in ".*") {
        let text = Text::plain(&plain);
        prop_assert_eq!(text.decode(), plain);
    }
}
