use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::upstream::request::travelling;
use crate::wire::Endpoint;
use crate::wire::envelope::Scanner;

fn target(seat: &str, key: &str, own: Option<&'static str>) -> Target {
    let text = format!(
        "providers: {{p: {{wire: anthropic, base_url: 'http://127.0.0.1:9', key: '{key}'}}}}\n\
         seats: {{s: {{provider: p, model: own-model{seat}}}}}\n\
         routes: [{{name: r, models: ['*'], chain: [s]}}]\n"
    );
    let loaded = crate::config::load("t.yaml", &text, Path::new("/h"));
    let config = loaded.config.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    Target::new(Arc::clone(config.seats.first().unwrap()), own.map(HeaderValue::from_static)).unwrap()
}

fn request(frames: &[&[u8]], headers: &[(&'static str, &'static str)]) -> Request {
    let mut scanner = Scanner::new(Endpoint::Messages);
    for f in frames {
        scanner.feed(f).unwrap();
    }
    let map = headers.iter().map(|(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v)));
    let map: HeaderMap = map.collect();
    Request {
        endpoint: Endpoint::Messages,
        query: Some("beta=true".to_owned()),
        headers: travelling(&map),
        caller: Credentials {
            api_key: map.get("x-api-key").cloned(),
            authorization: map.get("authorization").cloned(),
        },
        frames: frames.iter().map(|f| Bytes::copy_from_slice(f)).collect(),
        facts: scanner.finish().unwrap(),
    }
}

const BODY: &[u8] = br#"{ "future": 1.50,"model" : "asked", "max_tokens":1e1,"messages":[{"role":"user","content":"\u00e9"}]}"#;

#[test]
fn only_the_model_changes_and_nothing_that_an_attempt_does_reaches_the_next() {
    let r = request(&[&BODY[..23], &BODY[23..]], &[]);
    let t = target("", "env:K", Some("seat-key"));
    let first = prepare(&r, &t, "1", 0).unwrap();
    let whole: Vec<u8> = first.body.concat();
    assert_eq!(whole, std::str::from_utf8(BODY).unwrap().replace("\"asked\"", "\"own-model\"").as_bytes());
    drop(first);
    assert_eq!(prepare(&r, &t, "1", 0).unwrap().body.concat(), whole);
    assert_eq!(r.frames.concat(), BODY);
    assert_eq!(prepare(&r, &t, "1", 0).unwrap().url.as_str(), "http://127.0.0.1:9/v1/messages?beta=true");
}

#[test]
fn what_may_travel_travels_and_the_rest_stays() {
    let r = request(
        &[BODY],
        &[
            ("anthropic-version", "2026-10-21"),
            ("anthropic-future", "x"),
            ("anthropic-beta", "a-1,zz-future"),
            ("user-agent", "tool/1"),
            ("x-api-key", "callers"),
            ("authorization", "Bearer callers"),
            ("cookie", "c=1"),
            ("x-forwarded-for", "203.0.113.1"),
            ("forwarded", "for=1"),
            ("x-goog-api-key", "other-secret"),
            ("connection", "keep-alive"),
            ("x-sanctum-probe", "p"),
        ],
    );
    let out = prepare(&r, &target("", "env:K", Some("seat-key")), "1", 0).unwrap().headers;
    let got = |n: &str| out.get(n).and_then(|v| v.to_str().ok());
    assert_eq!(got("anthropic-version"), Some("2026-10-21"));
    assert_eq!(got("anthropic-future"), Some("x"));
    assert_eq!(got("anthropic-beta"), Some("a-1,zz-future"));
    assert_eq!(got("user-agent"), Some("tool/1"));
    assert_eq!(got("x-api-key"), Some("seat-key"));
    assert_eq!(got("accept-encoding"), Some("identity"));
    for gone in [
        "authorization",
        "cookie",
        "x-forwarded-for",
        "forwarded",
        "x-goog-api-key",
        "connection",
        "x-sanctum-probe",
    ] {
        assert_eq!(got(gone), None, "{gone}");
    }
}

#[test]
fn the_seats_betas_join_the_clients_without_doubles() {
    let r = request(&[BODY], &[("anthropic-beta", "one-1, two-2")]);
    let t = target(", anthropic_betas: [two-2, three-3]", "env:K", None);
    assert_eq!(
        prepare(&r, &t, "1", 0).unwrap().headers.get("anthropic-beta").unwrap(),
        "one-1,two-2,three-3"
    );
    let none = request(&[BODY], &[]);
    assert_eq!(prepare(&none, &t, "1", 0).unwrap().headers.get("anthropic-beta").unwrap(), "two-2,three-3");
    assert!(
        prepare(&none, &target("", "env:K", None), "1", 0).unwrap().headers.get("anthropic-beta").is_none()
    );
}

#[test]
fn a_callers_own_credential_goes_on_only_where_the_provider_says_so() {
    let r = request(&[BODY], &[("x-api-key", "callers"), ("authorization", "Bearer callers-too")]);
    let out = prepare(&r, &target("", "caller", None), "1", 0).unwrap().headers;
    assert_eq!(out.get("x-api-key").unwrap(), "callers");
    assert_eq!(out.get("authorization").unwrap(), "Bearer callers-too");
    let keyless = prepare(&r, &target("", "env:K", None), "1", 0).unwrap().headers;
    assert!(keyless.get("x-api-key").is_none() && keyless.get("authorization").is_none());
}

#[test]
fn what_is_asked_is_clamped_to_what_the_seat_can_give_and_nothing_else_moves() {
    let body = br#"{"model":"own-model","max_tokens": 64000 ,"messages":[],"x":64000}"#;
    let sent = |most: &str| {
        let t = target(&format!(", max_output_tokens: {most}"), "env:K", None);
        String::from_utf8(prepare(&request(&[body], &[]), &t, "1", 0).unwrap().body.concat()).unwrap()
    };
    assert_eq!(sent("500"), r#"{"model":"own-model","max_tokens": 500 ,"messages":[],"x":64000}"#);
    assert_eq!(sent("64000").as_bytes(), body);
    // A cache pre-warm asks for nothing, and nothing it is.
    let warm = br#"{"model":"own-model","max_tokens":0,"messages":[]}"#;
    let t = target(", max_output_tokens: 9", "env:K", None);
    assert_eq!(prepare(&request(&[warm], &[]), &t, "1", 0).unwrap().body.concat(), warm);
}
