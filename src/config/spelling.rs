//! The nearest word to a mistyped one.

#[cfg(test)]
mod tests;

/// Longest word that is compared; a longer one is no typing error of a key.
const LONGEST: usize = 64;

/// The candidate nearest to `word`, where one is near enough to have been meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = simplify(word);
    let length = plain.len();
    if !(2..=LONGEST).contains(&length) {
        return None;
    }
    let near_enough = (length / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&plain, &simplify(candidate)), candidate))
        .filter(|(distance, _)| *distance <= near_enough)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and the choice between `-` and `_` are no distance.
fn simplify(word: &str) -> Vec<char> {
    word.chars().take(LONGEST + 1).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous_a = None;
    for (i, ca) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(last.len());
        row.push(i.saturating_add(1));
        let mut previous_b = None;
        for (j, cb) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&last, j).saturating_add(usize::from(ca != cb));
            let gone = at(&last, j.saturating_add(1)).saturating_add(1);
            let come = at(&row, j).saturating_add(1);
            let mut best = replaced.min(gone).min(come);
            if previous_a == Some(cb) && previous_b == Some(ca) {
                best = best.min(at(&before, j.saturating_sub(1)).saturating_add(1));
            }
            row.push(best);
            previous_b = Some(cb);
        }
        before = std::mem::replace(&mut last, row);
        previous_a = Some(ca);
    }
    last.last().copied().unwrap_or(usize::MAX)
}
