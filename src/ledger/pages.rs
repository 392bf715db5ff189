//! Lays lines out so that a kill cannot tear one.
//!
//! The kernel copies a write page by page and stops between two when the process is killed. So each piece
//! that is written at once lies within one page of the file, and where the next line would not fit into
//! what is left of a page, the line before it is filled up with blanks (which JSON allows) to the page's end.
//! Only a line longer than a page is ever at risk; the next start repairs it.

/// Page size that is assumed, in bytes; bigger pages are multiples of it.
pub(super) const PAGE: u64 = 4096;

/// What is written at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// End in the output.
    pub(super) end: usize,
    /// Lines up to there, from the first of the batch on.
    pub(super) lines: usize,
}

/// Lays `lines` (without line ends) out for a file that is `offset` bytes long: the bytes go into `out`, which
/// is emptied first. Returns the pieces in order.
pub(super) fn lay_out<'a>(
    lines: impl Iterator<Item = &'a [u8]>,
    offset: u64,
    out: &mut Vec<u8>,
) -> Vec<Piece> {
    out.clear();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = offset;
    let mut done = 0_usize;
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        let need = size_of_line(line);
        let open = pieces.last().map_or(0, |piece| piece.end) < out.len();
        // Alone in its piece: the first of a batch whose size the last one's did not foretell, or a long one.
        let crosses = need > room(at);
        if open && crosses {
            pieces.push(Piece { end: out.len(), lines: done });
        }
        out.extend_from_slice(line);
        done = done.saturating_add(1);
        at = at.saturating_add(need);
        // The next line's size, or a guess by this one.
        let next = lines.peek().map_or_else(|| need.saturating_add(need / 4), |next| size_of_line(next));
        let left = room(at) % PAGE;
        if left > 0 && left < next.min(PAGE) {
            out.resize(out.len().saturating_add(usize::try_from(left).unwrap_or(0)), b' ');
            at = at.saturating_add(left);
        }
        out.push(b'\n');
        if crosses || at.is_multiple_of(PAGE) {
            pieces.push(Piece { end: out.len(), lines: done });
        }
    }
    if pieces.last().map_or(0, |piece| piece.end) < out.len() {
        pieces.push(Piece { end: out.len(), lines: done });
    }
    pieces
}

fn size_of_line(line: &[u8]) -> u64 {
    u64::try_from(line.len()).unwrap_or(u64::MAX).saturating_add(1)
}

/// What is left of the page at `offset`; a whole one at its start.
const fn room(offset: u64) -> u64 {
    PAGE - offset % PAGE
}

#[cfg(test)]
mod tests;
