//! Values stay as they are written.

use proptest::prelude::*;

use super::Json;

#[test]
fn only_white_space_between_tokens_goes() {
    let json = Json::parse(" {\"b c\" : [1.0, 2e3 ],\n\"a\":\"x \\\" y\"}\t").unwrap();
    assert_eq!(json.as_str(), "{\"b c\" : [1.0, 2e3 ],\n\"a\":\"x \\\" y\"}");
    assert_eq!(json.compact(), r#"{"b c":[1.0,2e3],"a":"x \" y"}"#);
}

#[test]
fn half_a_value_is_none() {
    for text in ["", "{", "{\"a\":1} x", "nul"] {
        assert!(Json::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn compact_means_the_same(key in ".*", number in any::<i64>()) {
        let value = serde_json::json!({key.clone(): [number, {"x": key}]});
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let json = Json::parse(pretty).unwrap();
        prop_assert_eq!(json.compact(), value.to_string());
    }
}
