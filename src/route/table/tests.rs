use super::*;

fn seen(status: u16, body: &str) -> &'static str {
    signal(Source::Status, status, body, false)
}

fn signal(source: Source, status: u16, body: &str, has_retry_after: bool) -> &'static str {
    let body = failure::read(body.as_bytes());
    let status = if source == Source::Status { status } else { body.status_hint().unwrap_or(0) };
    classify(&Signal { source, status, body, subscription_rejected: false, has_retry_after }).word()
}

fn anthropic(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#)
}

#[test]
fn statuses_without_words() {
    for (status, class) in [
        (400, "client_error"),
        (401, "auth"),
        (402, "spend_cap"),
        (403, "auth"),
        (404, "client_error"),
        (405, "client_error"),
        (408, "server_error"),
        (409, "server_error"),
        (413, "client_error"),
        (422, "client_error"),
        (429, "rate_limited"),
        (499, "cancelled"),
        (500, "server_error"),
        (502, "server_error"),
        (503, "overloaded"),
        (504, "server_error"),
        (520, "server_error"),
        (529, "overloaded"),
        (302, "bad_response"),
    ] {
        assert_eq!(seen(status, ""), class, "{status}");
    }
    assert_eq!(seen(413, "<html>Request Entity Too Large</html>"), "client_error");
}

#[test]
fn money_is_not_a_rate() {
    let capped = r#"{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"contract_spend_limit_reached"}}}"#;
    assert_eq!(seen(429, capped), "spend_cap");
    let ramp = r#"{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"ramp_limit_exceeded"}}}"#;
    assert_eq!(seen(429, ramp), "rate_limited");
    assert_eq!(
        seen(
            400,
            &anthropic(
                "invalid_request_error",
                "You have reached your specified API usage limits. Access resumes on the first."
            )
        ),
        "spend_cap"
    );
    assert_eq!(
        seen(400, &anthropic("invalid_request_error", "Your credit balance is too low to use the API")),
        "spend_cap"
    );
    assert_eq!(
        seen(
            429,
            r#"{"error":{"type":"insufficient_quota","code":"organization_spend_limit_exceeded","message":"m"}}"#
        ),
        "spend_cap"
    );
    assert_eq!(seen(429, r#"{"error":{"type":"usage_limit_reached","resets_in_seconds":60}}"#), "spend_cap");
    let in_flight =
        r#"{"error":{"code":402,"message":"m","metadata":{"limit_source":"openrouter_in_flight_budget"}}}"#;
    assert_eq!(signal(Source::Status, 402, in_flight, true), "rate_limited");
    assert_eq!(signal(Source::Status, 402, in_flight, false), "spend_cap");
    let key = r#"{"error":{"code":403,"message":"m","metadata":{"limit_source":"openrouter_key_limit"}}}"#;
    assert_eq!(seen(403, key), "spend_cap");
}

#[test]
fn a_prompt_that_does_not_fit_is_never_a_rate_and_a_rate_never_a_prompt() {
    assert_eq!(
        seen(400, &anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
        "context_length"
    );
    assert_eq!(
        seen(413, &anthropic("request_too_large", "prompt is too long: 9 tokens > 8 maximum")),
        "context_length"
    );
    assert_eq!(
        seen(500, r#"{"error":{"message":"the request exceeds the available context size"}}"#),
        "context_length"
    );
    assert_eq!(
        seen(429, r#"{"error":{"message":"Too many tokens: maximum context length per minute"}}"#),
        "rate_limited"
    );
    assert_eq!(
        seen(
            429,
            r#"{"error":{"message":"Request too large for gpt on tokens per min (TPM): Limit 100, Requested 900."}}"#
        ),
        "context_length"
    );
}

#[test]
fn a_policy_is_told_before_a_credential() {
    assert_eq!(
        seen(400, r#"{"error":{"code":"content_policy_violation","message":"no"}}"#),
        "content_policy"
    );
    assert_eq!(
        seen(403, r#"{"error":{"code":403,"message":"flagged","metadata":{"reasons":["x"]}}}"#),
        "content_policy"
    );
}

#[test]
fn a_model_that_upstream_does_not_know_is_the_gateways_fault_and_a_missing_file_the_clients() {
    assert_eq!(seen(404, &anthropic("not_found_error", "model: claude-nine")), "auth");
    assert_eq!(seen(404, r#"{"error":{"code":"model_not_found","message":"m"}}"#), "auth");
    assert_eq!(seen(404, &anthropic("not_found_error", "No file with this id")), "client_error");
}

#[test]
fn an_error_inside_a_200_is_named_by_its_own_code_and_never_the_clients_fault() {
    for source in [Source::InBand, Source::Stream] {
        let by = |body: &str| signal(source, 0, body, false);
        assert_eq!(by(&anthropic("overloaded_error", "m")), "overloaded");
        assert_eq!(by(&anthropic("rate_limit_error", "m")), "rate_limited");
        assert_eq!(by(&anthropic("api_error", "m")), "server_error");
        assert_eq!(
            by(&anthropic("invalid_request_error", "prompt is too long: 3 tokens > 2 maximum")),
            "context_length"
        );
        assert_eq!(by(&anthropic("invalid_request_error", "m")), "bad_response");
        assert_eq!(by(r#"{"error":{"code":502,"message":"gone"}}"#), "server_error");
        assert_eq!(by("<html>"), "bad_response");
    }
}

#[test]
fn clocks_and_sockets() {
    for (source, class) in [
        (Source::FirstByte, "ttfb_timeout"),
        (Source::Deadline, "deadline"),
        (Source::Transport, "network"),
        (Source::Ended, "truncated_stream"),
    ] {
        assert_eq!(signal(source, 0, "", false), class);
    }
}

proptest::proptest! {
    #[test]
    fn every_signal_has_a_class_with_a_rule(status in 0u16..700, body in ".{0,200}") {
        let word = seen(status, &body);
        proptest::prop_assert!(
            word == "cancelled" || crate::route::action::RULES.iter().any(|r| r.class.word() == word)
        );
    }
}
