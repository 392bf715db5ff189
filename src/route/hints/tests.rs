use super::*;

const NOW: i64 = 1_764_450_000_000;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(k, v)| (http::HeaderName::from_static(k), v.parse().unwrap())).collect()
}

fn after(pairs: &[(&'static str, &str)]) -> Option<f64> {
    retry_after(&headers(pairs), &FailureBody::default(), NOW).map(|d| d.as_secs_f64())
}

#[test]
fn milliseconds_win_over_seconds() {
    assert_eq!(after(&[("retry-after-ms", "1500"), ("retry-after", "60")]), Some(1.5));
    assert_eq!(after(&[("retry-after-ms", "soon"), ("retry-after", "60")]), Some(60.0));
    assert_eq!(after(&[("retry-after", "0.5")]), Some(0.5));
}

#[test]
fn a_date_is_read_and_a_past_one_is_no_hint() {
    let date = |ms: i64| {
        let t = jiff::Timestamp::from_millisecond(ms).unwrap().to_zoned_datetime(jiff::tz::TimeZone::UTC);
        t.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    };
    assert_eq!(after(&[("retry-after", &date(NOW + 30_000))]), Some(30.0));
    assert_eq!(after(&[("retry-after", &date(NOW - 30_000))]), None);
}

#[test]
fn hostile_values_are_no_hint_or_capped() {
    for v in ["-1", "NaN", "inf", "-inf", "", "soon", "0x10", "1e999"] {
        assert_eq!(after(&[("retry-after", v)]), None, "{v}");
        assert_eq!(after(&[("retry-after-ms", v)]), None, "{v}");
    }
    assert_eq!(after(&[("retry-after", "1e308")]), Some(86_400.0));
    assert_eq!(after(&[("retry-after", "99999999999999999999")]), Some(86_400.0));
}

#[test]
fn the_body_speaks_when_the_headers_do_not() {
    let body = FailureBody { retry_hint: Some(62.0), ..FailureBody::default() };
    assert_eq!(retry_after(&HeaderMap::new(), &body, NOW), Some(Duration::from_secs(62)));
    let body = FailureBody { resets_at: Some(1_764_450_005), ..FailureBody::default() };
    assert_eq!(retry_after(&HeaderMap::new(), &body, NOW), Some(Duration::from_secs(5)));
    let body =
        FailureBody { resets_at: Some(u64::MAX), retry_hint: Some(f64::NAN), ..FailureBody::default() };
    assert_eq!(retry_after(&HeaderMap::new(), &body, NOW), None);
}

#[test]
fn a_quota_under_a_twentieth_defers_until_its_reset() {
    let at = jiff::Timestamp::from_millisecond(NOW + 7_000).unwrap().to_string();
    let low = |remaining: &str| {
        nearly_spent(
            &headers(&[
                ("anthropic-ratelimit-requests-remaining", remaining),
                ("anthropic-ratelimit-requests-limit", "100"),
                ("anthropic-ratelimit-requests-reset", &at),
            ]),
            NOW,
        )
    };
    assert_eq!(low("4"), Some(Duration::from_secs(7)));
    assert_eq!(low("5"), None);
    assert_eq!(low("-1"), None);
    let openai = headers(&[
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-ratelimit-limit-tokens", "9000"),
        ("x-ratelimit-reset-tokens", "1m2s"),
    ]);
    assert_eq!(nearly_spent(&openai, NOW), Some(Duration::from_secs(62)));
}

#[test]
fn an_overage_beside_an_allowed_login_is_information() {
    let h = headers(&[
        ("anthropic-ratelimit-unified-status", "allowed"),
        ("anthropic-ratelimit-unified-overage-status", "rejected"),
    ]);
    assert_eq!(subscription_rejected(&h, NOW), None);
    let reset = (NOW / 1000 + 90).to_string();
    let h = headers(&[
        ("anthropic-ratelimit-unified-status", "rejected"),
        ("anthropic-ratelimit-unified-reset", &reset),
    ]);
    assert_eq!(subscription_rejected(&h, NOW), Some(Duration::from_secs(90)));
}
