//! Each client reads its own shape.

use serde_json::Value;

use super::{ModelEntry, error_body, kind_of, model_body, models_body, overflow_message, stream_error};
use crate::wire::Dialect;
use crate::wire::anthropic::checker::check;
use crate::wire::failure::{self, OverflowSizes};

const ALL: [Dialect; 3] = [Dialect::Anthropic, Dialect::OpenAi, Dialect::Responses];

#[test]
fn errors_in_every_shape() {
    let mut report = String::new();
    for dialect in ALL {
        for (kind, code, param) in [(None, None, None), (Some("kind"), Some("code"), Some("messages.0"))] {
            let body = error_body(dialect, 400, kind, code, param, "a \"quote\"\nline", "req_1");
            report.push_str(&format!("{dialect:?}: {}\n", std::str::from_utf8(&body).unwrap()));
            let event = stream_error(dialect, 502, kind, code, "broke\noff", "req_1");
            report.push_str(std::str::from_utf8(&event).unwrap());
            assert!(event.ends_with(b"\n\n"));
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn what_is_written_can_be_read() {
    for dialect in ALL {
        for status in 400..600 {
            let read = failure::read(&error_body(dialect, status, None, Some("some_code"), None, "m", ""));
            assert_eq!(read.message, "m");
            assert_eq!(read.kind.as_deref(), Some(kind_of(dialect, status)));
            assert_eq!(read.code.or(read.detail_code).as_deref(), Some("some_code"));
        }
    }
    assert_eq!(
        check(&stream_error(Dialect::Anthropic, 502, None, None, "m", "r")).problems,
        Vec::<String>::new()
    );
}

#[test]
fn kinds_follow_the_status() {
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (415, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (501, "api_error"),
        (502, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ] {
        assert_eq!(kind_of(Dialect::Anthropic, status), kind, "{status}");
    }
    assert_eq!(kind_of(Dialect::OpenAi, 404), "invalid_request_error");
    assert_eq!(kind_of(Dialect::Responses, 502), "server_error");
}

#[test]
fn models_in_both_shapes() {
    let models = [
        ModelEntry {
            id: "claude-a".into(),
            owned_by: "anthropic".into(),
            max_input_tokens: Some(9),
            max_tokens: None,
        },
        ModelEntry { id: "b\"".into(), ..ModelEntry::default() },
    ];
    let mut report = String::new();
    for dialect in ALL {
        for body in
            [models_body(dialect, &models), models_body(dialect, &[]), model_body(dialect, &models[0])]
        {
            assert!(serde_json::from_slice::<Value>(&body).is_ok());
            report.push_str(&format!("{dialect:?}: {}\n", std::str::from_utf8(&body).unwrap()));
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn overflow_is_told_in_words_that_are_read_back() {
    for sizes in [
        OverflowSizes { prompt: 210, output: None, limit: 200 },
        OverflowSizes { prompt: 190, output: Some(20), limit: 200 },
    ] {
        let message = overflow_message(sizes);
        assert!(failure::overflow(&message));
        assert_eq!(failure::overflow_sizes(&message), Some(sizes));
    }
    let too_long = OverflowSizes { prompt: 210, output: Some(5), limit: 200 };
    assert_eq!(overflow_message(too_long), "prompt is too long: 210 tokens > 200 maximum");
}
