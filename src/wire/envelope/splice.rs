//! A body with a few bytes changed and none copied.

use std::ops::Range;

use bytes::Bytes;

use crate::wire::json::quoted;

/// The body with the bytes of `span` replaced; what is not replaced is shared. A span is measured over all
/// frames; a part of it that is past the end is ignored.
#[must_use]
pub fn splice(frames: &[Bytes], span: &Range<u64>, replacement: Bytes) -> Vec<Bytes> {
    let mut out = Vec::with_capacity(frames.len().saturating_add(2));
    let mut replacement = Some(replacement).filter(|bytes| !bytes.is_empty());
    let mut from = 0_u64;
    for frame in frames {
        let length = u64::try_from(frame.len()).unwrap_or(u64::MAX);
        let place =
            |offset: u64| usize::try_from(offset.saturating_sub(from).min(length)).unwrap_or(frame.len());
        let to = from.saturating_add(length);
        let (head, tail) = (place(span.start), place(span.end.max(span.start)));
        if head > 0 {
            out.push(frame.slice(..head));
        }
        if span.start < to {
            out.extend(replacement.take());
        }
        if tail < frame.len() {
            out.push(frame.slice(tail..));
        }
        from = to;
    }
    out.extend(replacement);
    out
}

/// The body with several disjoint spans replaced, given in any order, all measured on the body as received.
#[must_use]
pub fn splice_all(frames: &[Bytes], mut edits: Vec<(Range<u64>, Bytes)>) -> Vec<Bytes> {
    // From the back, so that the places of the others stay what they are.
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    edits.into_iter().fold(frames.to_vec(), |frames, (span, replacement)| splice(&frames, &span, replacement))
}

/// `text` as a JSON string, quotes included.
#[must_use]
pub fn json_string(text: &str) -> Bytes {
    Bytes::from(quoted(text))
}
