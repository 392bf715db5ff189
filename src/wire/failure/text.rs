//! Text for a person out of bytes that may be anything.

/// How long a message may be, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

/// What a body that is no JSON says.
pub(super) fn describe(body: &[u8]) -> String {
    let readable = match std::str::from_utf8(body) {
        Ok(text) => text,
        // What was read may end inside a character, or turn into garbage: the readable start is kept.
        Err(error) => body
            .get(..error.valid_up_to())
            .and_then(|start| std::str::from_utf8(start).ok())
            .unwrap_or_default(),
    };
    let trimmed = readable.trim();
    if trimmed.is_empty() {
        let is_blank = body.iter().all(u8::is_ascii_whitespace);
        return if is_blank { "an empty body".to_owned() } else { "a body that is not text".to_owned() };
    }
    if trimmed.starts_with('<') { page(trimmed) } else { bounded(trimmed) }
}

/// Names a page of markup by its title.
fn page(page: &str) -> String {
    match title(page) {
        Some(title) => bounded(&format!("an HTML page: {title}")),
        None => "a page of markup".to_owned(),
    }
}

/// The title of an HTML page.
fn title(page: &str) -> Option<&str> {
    let lower = page.to_ascii_lowercase();
    let from = lower.find("<title>")?.saturating_add("<title>".len());
    let length = lower.get(from..)?.find("</title>")?;
    let title = page.get(from..from.saturating_add(length))?.trim();
    (!title.is_empty()).then_some(title)
}

/// `text` without control characters, cut to what a message may be.
pub(super) fn bounded(text: &str) -> String {
    cut(text.trim(), MAX_MESSAGE_BYTES).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Names the first keys of an object.
pub(super) fn keys<'a>(keys: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = keys.take(12).map(|key| cut(key, 40)).collect();
    if names.is_empty() {
        return "an empty JSON object".to_owned();
    }
    bounded(&format!("a JSON object with {}", names.join(", ")))
}

/// The longest start of `text` that has at most `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}
