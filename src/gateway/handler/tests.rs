use super::*;

#[test]
fn paths_lead_where_the_contract_says() {
    let at = |method: Method, path: &str| locate(&method, path, false);
    assert_eq!(at(Method::POST, "/v1/messages"), Place::Generate(Endpoint::Messages));
    assert_eq!(at(Method::POST, "/v1/messages/count_tokens"), Place::Generate(Endpoint::CountTokens));
    assert_eq!(at(Method::GET, "/v1/messages"), Place::Method("POST"));
    assert_eq!(at(Method::POST, "/v1/messages/batches"), Place::Side);
    assert_eq!(at(Method::GET, "/v1/messages/batches/b1/results"), Place::Side);
    assert_eq!(at(Method::DELETE, "/v1/files/f1"), Place::Side);
    assert_eq!(at(Method::GET, "/v1/filesystem"), Place::Nowhere);
    assert_eq!(at(Method::HEAD, "/api/hello"), Place::Admin(admin::Page::Hello));
    assert_eq!(at(Method::POST, "/health"), Place::Method("GET, HEAD"));
    assert_eq!(at(Method::GET, "/v1/models"), Place::Models(None));
    assert_eq!(at(Method::GET, "/v1/models/z-ai/glm"), Place::Models(Some("z-ai/glm".to_owned())));
    assert_eq!(locate(&Method::GET, "/v1/responses", true), Place::Upgrade);
    for nowhere in ["/", "", "//v1/messages", "/v1/messages/", "/V1/messages", "/v1/messages/count_tokens/x"]
    {
        assert_eq!(at(Method::POST, nowhere), Place::Nowhere, "{nowhere}");
    }
}

fn headers(name: &'static str, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(http::HeaderName::from_static(name), HeaderValue::from_static(value))])
}

#[test]
fn a_clients_patience_is_seconds_or_nothing() {
    let secs = |v| stainless_timeout(&headers("x-stainless-timeout", v));
    assert_eq!(secs("600"), Some(Duration::from_secs(600)));
    assert_eq!(secs("0.5"), Some(Duration::from_millis(500)));
    for v in ["NOT_GIVEN", "", "-1", "0", "NaN", "inf", "1e400"] {
        assert_eq!(secs(v), None, "{v}");
    }
}

#[test]
fn a_callers_request_id_is_taken_when_it_is_fit_to_be_written() {
    assert_eq!(request_id(&headers("x-request-id", "abc-1_2.3:4")).as_deref(), Some("abc-1_2.3:4"));
    for bad in ["", "a b", "a\"b", "a,b"] {
        assert_eq!(request_id(&headers("x-request-id", bad)), None, "{bad}");
    }
}
