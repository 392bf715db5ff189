//! Ids of tool calls, between vendors that number them as they like and Anthropic, which takes letters, digits,
//! `_` and `-` only and no id twice in a conversation.

use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// How much of an id is kept for a reader, in bytes.
const MAX_KEPT: usize = 32;

/// Whether Anthropic takes an id as it is.
pub(super) fn is_valid(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// An id that Anthropic takes: a valid one is itself, any other one depends on its characters alone, and
/// different ones stay different.
pub(super) fn valid(id: &str) -> String {
    if is_valid(id) { id.to_owned() } else { made(id, 0) }
}

/// The id of the call number `at` of an answer, as upstream has it, told apart from those in `taken`, to which
/// it is added. An id that is missing or was there before is made up; the same input gives the same one.
pub(super) fn unique(id: &str, at: usize, taken: &mut BTreeSet<String>) -> String {
    let salt = u64::try_from(at).unwrap_or_default().saturating_add(1);
    let mut chosen = if id.is_empty() { made(id, salt) } else { id.to_owned() };
    let mut tries = salt;
    while !taken.insert(chosen.clone()) {
        tries = tries.wrapping_add(0x1_0000);
        chosen = made(id, tries);
    }
    chosen
}

/// As [`unique`], with characters that Anthropic takes.
pub(super) fn unique_valid(id: &str, at: usize, taken: &mut BTreeSet<String>) -> String {
    let wanted = if id.is_empty() { String::new() } else { valid(id) };
    unique(&wanted, at, taken)
}

fn made(id: &str, salt: u64) -> String {
    // What was made before is not made longer with every turn.
    let kept: String = id
        .strip_prefix("toolu_")
        .unwrap_or(id)
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .take(MAX_KEPT)
        .collect();
    let dash = if kept.is_empty() { "" } else { "_" };
    format!("toolu_{kept}{dash}{:016x}", hash(id, salt))
}

/// FNV-1a: stable over versions and machines, which the standard library's hash is not.
fn hash(id: &str, salt: u64) -> u64 {
    let salted = salt.to_le_bytes().into_iter().chain(id.bytes());
    salted.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
