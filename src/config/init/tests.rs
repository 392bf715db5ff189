use std::path::Path;

use super::*;
use crate::config::{Severity, load};

fn local(name: &'static str, port: u16, speaks_messages: bool) -> Local {
    Local { name, port, model: "qwen3:8b #1".replace(' ', "-"), speaks_messages }
}

fn judged(found: &Found) -> (String, Vec<String>) {
    let text = first_config(found);
    let loaded = load("config.yaml", &text, Path::new("/home/x/.sanctum"));
    let errors: Vec<_> =
        loaded.findings.iter().filter(|f| f.severity == Severity::Error).map(ToString::to_string).collect();
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    (text, loaded.findings.iter().map(ToString::to_string).collect())
}

#[test]
fn with_nothing_found_the_callers_own_key_is_forwarded() {
    let (text, findings) = judged(&Found::default());
    insta::assert_snapshot!(format!("{text}\n----\n{}", findings.join("\n")));
}

#[test]
fn with_everything_found_each_has_its_place() {
    let found = Found {
        variables: vec!["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"],
        programs: vec!["claude", "codex"],
        locals: vec![local("ollama", 11434, true), local("mlx", 8081, false)],
    };
    let (text, findings) = judged(&found);
    insta::assert_snapshot!(format!("{text}\n----\n{}", findings.join("\n")));
}

/// Whatever is found, the text is usable, and uncommenting what waits for its wire keeps it so.
#[test]
fn every_combination_is_usable() {
    let variables: Vec<_> = VENDORS.iter().map(|v| v.variable).chain([PRIMARY_VARIABLE]).collect();
    for bits in (0..8).map(|bit| 1_u32 << bit).chain([0, 0b0101_0101, 0b1010_1010, 255]) {
        let found = Found {
            variables: variables
                .iter()
                .enumerate()
                .filter(|(i, _)| bits & (1 << i) != 0)
                .map(|(_, v)| *v)
                .collect(),
            programs: if bits & 128 != 0 { vec!["claude", "codex"] } else { vec![] },
            locals: vec![local("ollama", 11434, bits & 1 != 0), local("lmstudio", 1234, bits & 2 != 0)],
        };
        let (text, findings) = judged(&found);
        assert!(text.contains("on_seat_rejected: fail"));
        assert!(!findings.iter().any(|f| f.contains("never runs")), "{findings:?}");
        let whole = text
            .lines()
            .map(|line| match line.strip_prefix("  # ") {
                Some(rest) if !rest.starts_with("Not served") => format!("  {rest}"),
                _ => line.to_owned(),
            })
            .collect::<Vec<_>>()
            .join("\n");
        let loaded = load("config.yaml", &whole, Path::new("/h"));
        assert!(loaded.config.is_some(), "{whole}\n{:?}", loaded.findings);
    }
}
