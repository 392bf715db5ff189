//! Error bodies of many vendors, in inputs of our own.

use proptest::prelude::*;

use super::{FailureBody, OverflowSizes, duration_secs, overflow, overflow_sizes, read};

fn of(body: &str) -> FailureBody {
    read(body.as_bytes())
}

#[test]
fn anthropic_spend_caps() {
    let body = of(
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"over","details":{"error_code":"contract_spend_limit_reached"}},"request_id":"req_1"}"#,
    );
    assert_eq!(body.kind.as_deref(), Some("rate_limit_error"));
    assert_eq!(body.detail_code.as_deref(), Some("contract_spend_limit_reached"));
    assert_eq!(body.message, "over");
    assert!(body.is_json);
    let text = "You have reached your specified API usage limits. You will regain access on 2027-01-01.";
    let body =
        of(&format!(r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{text}"}}}}"#));
    assert_eq!(body.message, text);
    assert!(!overflow(&body.message));
}

#[test]
fn openai_quota_and_rate() {
    let body = of(
        r#"{"error":{"type":"insufficient_quota","code":"organization_spend_limit_exceeded","message":"m","param":null}}"#,
    );
    assert_eq!(body.kind.as_deref(), Some("insufficient_quota"));
    assert_eq!(body.code.as_deref(), Some("organization_spend_limit_exceeded"));
    let body = of(
        r#"{"error":{"code":"rate_limit_exceeded","type":"tokens","message":"Too many tokens in this minute. Please try again in 6.5s."}}"#,
    );
    assert_eq!(body.retry_hint, Some(6.5));
    assert!(!overflow(&body.message), "a rate is no overflow");
    assert_eq!(body.status_hint(), Some(429));
}

#[test]
fn a_request_that_no_wait_helps() {
    let body = of(
        r#"{"error":{"type":"tokens","code":"rate_limit_exceeded","message":"Request too large for big-1 on tokens per min (TPM): Limit 20000, Requested 20001. Visit the docs."}}"#,
    );
    assert!(body.requested_over_limit);
    let body = of(
        r#"{"error":{"message":"Rate limit reached: Limit 20,000, Used 19,500, Requested 900. Please try again in 1m2s."}}"#,
    );
    assert!(!body.requested_over_limit);
    assert_eq!(body.retry_hint, Some(62.0));
}

#[test]
fn openrouter_metadata() {
    let body = of(
        r#"{"error":{"code":402,"message":"m","metadata":{"error_type":"payment_required","limit_source":"openrouter_in_flight_budget"}}}"#,
    );
    assert_eq!(body.code.as_deref(), Some("402"));
    assert_eq!(body.limit_source.as_deref(), Some("openrouter_in_flight_budget"));
    assert_eq!(body.error_type.as_deref(), Some("payment_required"));
    assert_eq!(body.status_hint(), Some(402));
    let body = of(
        r#"{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"],"resets_at":1900000000000}}}"#,
    );
    assert!(body.moderation);
    assert_eq!(body.resets_at, Some(1_900_000_000));
    let body = of(
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"message\":\"maximum context length is 10 tokens\"}"}}}"#,
    );
    assert!(overflow(&body.message), "{}", body.message);
}

#[test]
fn codex_login_limits() {
    let body = of(
        r#"{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1900000000,"resets_in_seconds":4500}}"#,
    );
    assert_eq!(body.kind.as_deref(), Some("usage_limit_reached"));
    assert_eq!(body.resets_at, Some(1_900_000_000));
    assert_eq!(body.retry_hint, Some(4500.0));
    assert!(body.message.contains("usage_limit_reached"));
    let body = of(r#"{"error":{"type":"x","resets_at":"2030-03-17T17:46:40Z"}}"#);
    assert_eq!(body.resets_at, Some(1_900_000_000));
}

#[test]
fn local_servers() {
    let body = of(
        r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"request (700 tokens) exceeds the available context size (512 tokens), try increasing it","n_prompt_tokens":700,"n_ctx":512}}"#,
    );
    assert_eq!(body.code.as_deref(), Some("400"));
    assert!(overflow(&body.message));
    let body = of(r#"{"error":"Trying to keep the first 99 tokens when context the overflows."}"#);
    assert!(overflow(&body.message));
    assert_eq!(body.kind, None);
    let body = of(
        r#"{"object":"error","message":"This model's maximum context length is 8 tokens","type":"BadRequestError","param":null,"code":400}"#,
    );
    assert_eq!(body.kind.as_deref(), Some("BadRequestError"));
    assert_eq!(body.code.as_deref(), Some("400"));
    assert!(overflow(&body.message));
    assert_eq!(of(r#"{"detail":"Not Found"}"#).message, "Not Found");
}

#[test]
fn google_in_an_array() {
    let body = of(
        r#"[{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]"#,
    );
    assert_eq!(body.kind.as_deref(), Some("RESOURCE_EXHAUSTED"));
    assert_eq!(body.retry_hint, Some(34.0));
    let body = of(
        r#"[{"error":{"code":400,"message":"The input token count (70) exceeds the maximum number of tokens allowed (60).","status":"INVALID_ARGUMENT"}}]"#,
    );
    assert!(overflow(&body.message));
}

#[test]
fn azure_inner_code() {
    let body = of(
        r#"{"error":{"code":"content_filter","message":"m","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
    );
    assert_eq!(body.detail_code.as_deref(), Some("ResponsibleAIPolicyViolation"));
}

#[test]
fn what_is_no_error_object() {
    assert_eq!(of("").message, "an empty body");
    assert_eq!(
        of("<html><head><title> 413 Request Entity Too Large </title></head></html>").message,
        "an HTML page: 413 Request Entity Too Large"
    );
    assert_eq!(of("<p>").message, "a page of markup");
    assert_eq!(read(b"\xFF\xFE\x00").message, "a body that is not text");
    assert_eq!(read(b"bad gateway\xFF").message, "bad gateway");
    assert_eq!(of("upstream connect error\n\x07reset").message, "upstream connect error  reset");
    assert!(!of("upstream connect error").is_json);
    for body in ["null", "[]", "{}", "3", r#"{"error":null}"#, r#"{"error":{}}"#, r#"{"error":[1]}"#] {
        assert!(of(body).is_json);
        assert!(!of(body).message.is_empty(), "{body}");
    }
    assert_eq!(of(r#""busy""#).message, "busy");
    assert_eq!(
        of(r#"{"choices":[{"message":{"content":"text of an answer"}}],"usage":{}}"#).message,
        "a JSON object with choices, usage"
    );
}

#[test]
fn a_huge_body_is_read_in_part() {
    let body = format!(r#"{{"error":{{"message":"{}"}}}}"#, "long ".repeat(2_000_000));
    let read = of(&body);
    assert!(!read.is_json, "cut before its end");
    assert!(read.message.len() <= 4096);
    assert!(of(&format!(r#"{{"error":{{"message":"{}"}}}}"#, "é".repeat(9_999))).message.len() <= 4096);
}

#[test]
fn overflow_wordings() {
    for text in [
        "Prompt Is Too Long: 9 tokens > 8 maximum",
        "input length and `max_tokens` exceed context limit: 9 + 1 > 8",
        "This request would exceed the available context size",
        "the prompt exceeded the context window",
        "This model's maximum context length is 8 tokens",
        "number of tokens to keep from the initial prompt is greater than the context length",
        "prompt too large for model with 8 max",
        "Context size has been exceeded.",
        "This model's maximum prompt length is 8",
        "Please reduce the length of the messages",
        "Input is too long for requested model.",
        "tokens exceed the configured limit of 8",
        "Your request exceeded model token limit",
        "max_tokens must be at least 1, got -3",
    ] {
        assert!(overflow(text), "{text}");
    }
    for text in ["too many tokens", "token limit reached", "Limit 9, Requested 10", ""] {
        assert!(!overflow(text), "{text}");
    }
}

#[test]
fn overflow_numbers() {
    let sizes = |prompt, output, limit| Some(OverflowSizes { prompt, output, limit });
    for (text, want) in [
        ("prompt is too long: 210 tokens > 200 maximum", sizes(210, None, 200)),
        (
            "input length and `max_tokens` exceed context limit: 190 + 20 > 200, decrease",
            sizes(190, Some(20), 200),
        ),
        ("request (700 tokens) exceeds the available context size (512 tokens)", sizes(700, None, 512)),
        (
            "maximum context length is 32768 tokens, you asked for 40100 (36004 in the messages, 4096 for the completion)",
            sizes(36004, Some(4096), 32768),
        ),
        (
            "maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
            sizes(9000, None, 8192),
        ),
        (
            "maximum context length is 4097 tokens. However, you requested 5360 tokens (1360 in the messages, 4000 in the completion).",
            sizes(1360, Some(4000), 4097),
        ),
        ("The input token count (70) exceeds the maximum number of tokens allowed (60)", sizes(70, None, 60)),
        ("on tokens per min: Limit 30,000, Requested 41,000", sizes(41000, None, 30000)),
        ("too long", None),
    ] {
        assert_eq!(overflow_sizes(text), want, "{text}");
    }
}

#[test]
fn durations() {
    for (text, want) in [
        ("34s", Some(34.0)),
        ("20ms", Some(0.02)),
        ("1m2s", Some(62.0)),
        ("6m0s", Some(360.0)),
        ("1h 2m", Some(3720.0)),
        ("2 minutes", Some(120.0)),
        ("1.5 seconds", Some(1.5)),
        ("0.5", Some(0.5)),
        ("-1", None),
        ("NaN", None),
        ("inf", None),
        ("soon", None),
        ("1s later", None),
        ("", None),
    ] {
        assert_eq!(duration_secs(text), want, "{text}");
    }
    assert_eq!(of(r#"{"error":{"message":"Please retry after 10 seconds."}}"#).retry_hint, Some(10.0));
    assert_eq!(of(r#"{"error":{"message":"Please retry in 34.5s."}}"#).retry_hint, Some(34.5));
    assert_eq!(of(r#"{"error":{"message":"try again in 20ms"}}"#).retry_hint, Some(0.02));
    assert_eq!(of(r#"{"error":{"message":"try again later"}}"#).retry_hint, None);
}

proptest! {
    #[test]
    fn nothing_panics(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let read = read(&body);
        prop_assert!(!read.message.is_empty());
        prop_assert!(!overflow(&read.message));
        prop_assert_eq!(overflow_sizes(&read.message), None);
    }

    #[test]
    fn no_json_panics(text in r#"[\[\]{}:,"a-z0-9 .]{0,60}"#) {
        let read = of(&format!(r#"{{"error":{text}}}"#));
        prop_assert!(!read.message.is_empty());
    }
}
