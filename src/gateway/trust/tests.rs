use super::*;

fn gate(require: Require) -> Gate {
    Gate {
        tokens: vec![fingerprint(b"open-sesame")],
        require,
        origins: vec!["http://app.test".to_owned()],
        hosts: vec!["gw.test".to_owned()],
    }
}

fn judge(gate: &Gate, peer: &str, headers: &[(&'static str, &str)]) -> Result<Caller, Refusal> {
    let mut map: HeaderMap =
        headers.iter().map(|(k, v)| (HeaderName::from_static(k), v.parse().unwrap())).collect();
    map.entry("host").or_insert(HeaderValue::from_static("localhost:4040"));
    let link = Link { peer: peer.parse().unwrap(), local: "192.0.2.7".parse().unwrap() };
    gate.judge(&map, None, link, false)
}

#[test]
fn loopback_is_trusted_until_it_was_forwarded() {
    let g = gate(Require::Remote);
    assert!(judge(&g, "127.0.0.1", &[]).unwrap().trusted);
    assert!(judge(&g, "::ffff:127.0.0.1", &[("host", "localhost:4040")]).unwrap().trusted);
    for h in ["x-forwarded-for", "forwarded", "x-real-ip"] {
        assert_eq!(judge(&g, "127.0.0.1", &[(h, "203.0.113.9")]).unwrap_err(), Refusal::Token, "{h}");
    }
    assert_eq!(judge(&g, "192.0.2.9", &[]).unwrap_err(), Refusal::Token);
    assert_eq!(judge(&gate(Require::Always), "127.0.0.1", &[]).unwrap_err(), Refusal::Token);
}

#[test]
fn either_header_opens_and_only_the_other_travels_on() {
    let g = gate(Require::Always);
    let c =
        judge(&g, "192.0.2.9", &[("authorization", "Bearer open-sesame"), ("x-api-key", "my-own")]).unwrap();
    assert!(c.trusted && c.own.authorization.is_none());
    assert_eq!(c.own.api_key.unwrap(), "my-own");
    let c =
        judge(&g, "192.0.2.9", &[("authorization", "bearer mine"), ("x-api-key", "open-sesame")]).unwrap();
    assert!(c.trusted && c.own.api_key.is_none() && c.own.authorization.is_some());
    for bad in ["Bearer open-sesam", "Bearer", "Bearer ", "Basic open-sesame", "Bearer open-sesame2"] {
        assert_eq!(judge(&g, "192.0.2.9", &[("authorization", bad)]).unwrap_err(), Refusal::Token, "{bad}");
    }
}

#[test]
fn a_presence_of_any_credential_authenticates_nobody() {
    let mut g = gate(Require::Remote);
    g.tokens.clear();
    assert_eq!(judge(&g, "192.0.2.9", &[("x-api-key", "")]).unwrap_err(), Refusal::Token);
    assert_eq!(judge(&g, "192.0.2.9", &[("authorization", "Bearer garbage")]).unwrap_err(), Refusal::Token);
}

#[test]
fn a_page_and_a_rebound_name_stay_outside() {
    let g = gate(Require::Remote);
    assert_eq!(judge(&g, "127.0.0.1", &[("origin", "http://evil.test")]).unwrap_err(), Refusal::Origin);
    assert_eq!(judge(&g, "127.0.0.1", &[("origin", "null")]).unwrap_err(), Refusal::Origin);
    assert!(judge(&g, "127.0.0.1", &[("origin", "HTTP://APP.test")]).is_ok());
    for host in [
        "evil.test",
        "evil.test:4040",
        "",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "192.0.2.8",
        "[::1]evil.test",
        "[localhost]",
        "[127.0.0.1]",
        "localhost:abc",
        "localhost:",
    ] {
        assert_eq!(judge(&g, "127.0.0.1", &[("host", host)]).unwrap_err(), Refusal::Host, "{host}");
    }
    for host in ["127.0.0.1", "127.9.9.9:1", "[::1]:4040", "LOCALHOST", "gw.test:80", "192.0.2.7:4040"] {
        assert!(judge(&g, "127.0.0.1", &[("host", host)]).is_ok(), "{host}");
    }
}

#[test]
fn a_caller_that_names_no_host_is_nobody_of_ours() {
    let link = Link { peer: "127.0.0.1".parse().unwrap(), local: "127.0.0.1".parse().unwrap() };
    let judged = gate(Require::Remote).judge(&HeaderMap::new(), None, link, false);
    assert_eq!(judged.unwrap_err(), Refusal::Host);
    assert!(gate(Require::Remote).judge(&HeaderMap::new(), Some("localhost"), link, false).is_ok());
}
