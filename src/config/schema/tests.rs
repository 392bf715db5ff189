use std::collections::HashSet;

use super::*;
use crate::config::report::Report;
use crate::config::tree;
use crate::config::validate::validate;
use crate::wire::Wire;

fn each(fields: &'static [Field], path: &str, visit: &mut dyn FnMut(&str, &'static Field)) {
    for field in fields {
        let path = format!("{path}{}", field.name);
        visit(&path, field);
        let mut shape = &field.shape;
        loop {
            match shape {
                Shape::Object(fields) => break each(fields, &format!("{path}."), visit),
                Shape::List { item, .. } | Shape::OneOrList { item, .. } => shape = item,
                Shape::Map { value, .. } => shape = value,
                _ => break,
            }
        }
    }
}

#[test]
fn every_default_is_a_value_that_its_key_takes() {
    each(ROOT, "", &mut |path, field| {
        let Some(default) = field.default else { return };
        let text = if default.contains(':') { format!("{default:?}") } else { default.to_owned() };
        let node = tree::parse(&format!("{}: {text}", field.name)).unwrap();
        let mut report = Report::new("table");
        // A mapping of this key alone.
        validate(&node, std::slice::from_ref(field), &mut report);
        let told: Vec<_> = report.finish().iter().map(ToString::to_string).collect();
        assert_eq!(told, Vec::<String>::new(), "{path}");
    });
}

#[test]
fn no_key_stands_twice_and_each_is_explained() {
    let mut seen = HashSet::new();
    each(ROOT, "", &mut |path, field| {
        assert!(seen.insert(path.to_owned()), "{path}");
        assert!(!field.doc.is_empty() && !field.doc.ends_with('.') && !field.doc.contains('\n'), "{path}");
        assert!(!(field.required && field.default.is_some()), "{path}");
        assert!(field.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{path}");
    });
}

#[test]
fn the_wires_are_those_there_are() {
    each(ROOT, "", &mut |path, field| {
        if path == "providers.wire" {
            let Shape::Word(words) = field.shape else { panic!("{field:?}") };
            assert_eq!(words, Wire::ALL.map(Wire::name));
        }
    });
}

#[test]
fn addresses_are_read_or_refused() {
    for (text, parts) in [
        ("127.0.0.1:4040", Some(("127.0.0.1", 4040))),
        ("0.0.0.0:0", Some(("0.0.0.0", 0))),
        ("[::1]:80", Some(("::1", 80))),
        ("Localhost:80", Some(("localhost", 80))),
        ("host:65536", None),
        ("host:+80", None),
        ("host", None),
        (":80", None),
        ("1.2.3:80", None),
        ("::1:80", None),
        ("http://a:80", None),
    ] {
        assert_eq!(listen_parts(text), parts.map(|(host, port)| (host.to_owned(), port)), "{text}");
    }
}

#[test]
fn loopback_is_known_in_every_spelling() {
    for host in ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "localhost", "a.localhost"] {
        assert!(is_loopback_host(host), "{host}");
    }
    for host in ["0.0.0.0", "::", "10.0.0.1", "localhost.example", "example"] {
        assert!(!is_loopback_host(host), "{host}");
    }
}

#[test]
fn urls_are_split_and_redacted() {
    let parts = split_url("https://u:p@Host.Example:8443/a/v1/").unwrap();
    assert_eq!(parts, UrlParts { tls: true, host: "host.example".into(), path: "/a/v1".into() });
    assert_eq!(split_url("http://[::1]:80").unwrap().host, "::1");
    for text in ["host", "ftp://h", "https://", "https://h#x", "https:///x", "http://h:", "/x", ""] {
        assert_eq!(split_url(text), None, "{text}");
    }
    assert_eq!(redact("https://u:p@h.example:1/a/?key=x"), "https://h.example:1/a");
    assert_eq!(redact("not a url"), "-");
    assert!(
        may_hide_key("https://u@h") && may_hide_key("https://h/v1?key=x") && !may_hide_key("https://h/@x")
    );
}
