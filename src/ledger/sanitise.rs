//! Makes what a client says of itself fit for a record: a closed alphabet, bounded.

/// Most bytes of a requested model in a record.
const MAX_MODEL: usize = 128;

/// Most bytes of a product token in a record.
const MAX_CLIENT: usize = 64;

/// What stands for a name that does not fit.
const INVALID: &str = "invalid";

/// The requested model if it is 1 to 128 of letters, digits and `._:/-`, else `invalid`.
#[must_use]
pub fn requested_model(asked: &str) -> &str {
    if is_plain(asked, MAX_MODEL) { asked } else { INVALID }
}

/// The product of a user agent, e.g. `claude-cli` of `claude-cli/2.1 (external)`: its first token, up to `/`
/// or a space; `None` when it is empty, longer than 64 bytes or of other characters than a model's.
#[must_use]
pub fn client_product(user_agent: &str) -> Option<&str> {
    let product = user_agent.split(['/', ' ']).next()?;
    is_plain(product, MAX_CLIENT).then_some(product)
}

fn is_plain(name: &str, max: usize) -> bool {
    !name.is_empty() && name.len() <= max && name.bytes().all(is_plain_byte)
}

const fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'/' | b'-')
}

#[cfg(test)]
mod tests;
