use proptest::prelude::*;

use super::*;

#[test]
fn models() {
    for good in ["claude-sonnet-4-5", "z-ai/glm-4.6", "llama3:8b", "a_b", &"x".repeat(128)] {
        assert_eq!(requested_model(good), good);
    }
    for bad in ["", "a b", "a\nb", "é", "a\"b", "{}", &"x".repeat(129)] {
        assert_eq!(requested_model(bad), "invalid", "{bad}");
    }
}

#[test]
fn clients() {
    let cases = [
        ("claude-cli/2.1.332 (external, cli)", Some("claude-cli")),
        ("Anthropic/Python 2.14.0", Some("Anthropic")),
        ("curl/7.88.1", Some("curl")),
        ("codex_cli_rs", Some("codex_cli_rs")),
        ("", None),
        ("/x", None),
        ("a\"b/1", None),
        (&"x".repeat(65), None),
    ];
    for (agent, want) in cases {
        assert_eq!(client_product(agent), want, "{agent}");
    }
}

proptest! {
    #[test]
    fn whatever_comes_in_a_bounded_plain_name_goes_out(text in ".{0,300}") {
        let model = requested_model(&text);
        prop_assert!(model.len() <= 128 && model.bytes().all(is_plain_byte));
        if let Some(client) = client_product(&text) {
            prop_assert!(client.len() <= 64 && client.bytes().all(is_plain_byte));
        }
    }
}
