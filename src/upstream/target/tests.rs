use super::*;

#[test]
fn a_path_prefix_and_a_query_of_the_base_are_kept() {
    let base: Url = "http://127.0.0.1:9/seat/x/?v=1".parse().unwrap();
    let mut url = joined(&base, "/v1/messages").unwrap();
    add_query(&mut url, Some("beta=true"));
    assert_eq!(url.as_str(), "http://127.0.0.1:9/seat/x/v1/messages?v=1&beta=true");
}

fn target(base_url: &str) -> Target {
    let text = format!(
        "providers: {{p: {{wire: anthropic, base_url: '{base_url}'}}}}\nseats: {{s: {{provider: p, model: m}}}}\n\
         routes: [{{name: r, models: ['*'], chain: [s]}}]\n"
    );
    let loaded = crate::config::load("t.yaml", &text, std::path::Path::new("/h"));
    Target::new(Arc::clone(&loaded.config.unwrap().seats[0]), None).unwrap()
}

#[test]
fn a_side_path_arrives_as_it_was_asked_or_not_at_all() {
    for base in ["http://127.0.0.1:9", "http://127.0.0.1:9/seat/x/"] {
        let target = target(base);
        let base = base.trim_end_matches('/');
        for path in ["/v1/files", "/v1/files/file_1-a.b~c/content", "/v1/files//x", "/v1/files/a..b/c%20d"] {
            let url = target.side_url(path, Some("beta=true")).unwrap();
            assert_eq!(url.as_str(), format!("{base}{path}?beta=true"));
        }
        for path in [
            "/v1/files/../organizations/api_keys",
            "/v1/files/..",
            "/v1/files/./x",
            "/v1/files/.",
            "/v1/files/%2e%2e/organizations",
            "/v1/files/%2E./organizations",
            "/v1/files/.%2e",
            "/v1/files/%2e/x",
            "/v1/files/..%2forganizations",
            "/v1/files/%2e%2e%2Forganizations",
            "/v1/files/%252e%252e/organizations",
            "/v1/files/..%5corganizations",
            "/v1/files/..\\organizations",
            "/v1/files\\..\\organizations",
            "/v1/files//../../organizations",
        ] {
            assert_eq!(target.side_url(path, None), None, "{path}");
        }
    }
}
