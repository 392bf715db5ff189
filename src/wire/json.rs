//! The little JSON that is written by hand, where the order of keys is for people to read.

/// `text` as a JSON string, quotes included.
pub(super) fn quoted(text: &str) -> String {
    // A string always serialises.
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// JSON text on one line. Line breaks can only stand between tokens, where a space means the same.
pub(super) fn push_on_one_line(out: &mut String, json: &str) {
    out.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
}
