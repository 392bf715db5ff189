use super::*;

#[test]
fn globs_match_like_shells_do_but_for_slashes() {
    let glob = |s: &str| ModelPattern::Glob(s.split('*').map(str::to_owned).collect());
    for (pattern, yes, no) in [
        ("*", "any/thing", "\u{0}never"),
        ("claude-*", "claude-sonnet-4-5", "my-claude-x"),
        ("*-sonnet-*", "a-sonnet-b", "sonnet"),
        ("a*b*c", "a/x/b/c", "acb"),
        ("a*a", "aa", "a"),
        ("**", "x", "\u{0}never"),
    ] {
        assert!(glob(pattern).matches(yes), "{pattern} {yes}");
        assert!(no.starts_with('\u{0}') || !glob(pattern).matches(no), "{pattern} {no}");
    }
    assert!(ModelPattern::Exact("m".to_owned()).matches("m"));
    assert!(!ModelPattern::Exact("m".to_owned()).matches("mm"));
}
