//! Text as a YAML scalar.

/// A text without quotes where no reader could take it for anything else, else as a JSON string.
pub(crate) fn plain(text: &str) -> String {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-./:".contains(&b);
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let ends_well = !text.ends_with(':');
    if starts_well
        && ends_well
        && text.bytes().all(fits)
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
    {
        return text.to_owned();
    }
    serde_json::Value::String(text.to_owned()).to_string()
}
