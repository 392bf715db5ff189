use super::*;

#[test]
fn names_tell_what_they_ask_for() {
    for name in
        ["google/gemini-3-pro-image-preview", "dall-e-3", "imagen-4", "gpt-image-1", "x/gemini-flash-image"]
    {
        assert_eq!(inferred(name), Some(Capability::Image), "{name}");
    }
    for name in ["text-embedding-3-large", "embed-v4", "nomic-embed-text"] {
        assert_eq!(inferred(name), Some(Capability::Embedding), "{name}");
    }
    for name in ["claude-sonnet-4-5", "imagine-chat", "gpt-6.1-sol", "council-local-think"] {
        assert_eq!(inferred(name), None, "{name}");
    }
}
