//! Finds where events end, with the state that has to survive the end of a frame.

use memchr::memchr2;

/// How the line before ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Other,
    /// CR with no LF after it.
    Cr,
}

/// Finds the ends of events in bytes given piece by piece.
///
/// A CR that ends a piece may be half of a CRLF. After a line that ended in a lone CR the stream is known to
/// use lone CRs, and a blank line is taken as ended at once; otherwise the next byte is waited for. The answer
/// so depends on the bytes alone, never on how they were cut.
#[derive(Debug)]
pub(super) struct Cutter {
    /// The current line has no byte yet.
    line_is_empty: bool,
    previous: LineEnd,
    /// The last byte was a CR; whether the line that it ended is blank.
    pending_cr: Option<bool>,
    /// An LF that comes next belongs to an event that was already cut.
    skip_lf: bool,
}

impl Default for Cutter {
    fn default() -> Self {
        Self { line_is_empty: true, previous: LineEnd::Other, pending_cr: None, skip_lf: false }
    }
}

impl Cutter {
    /// How many of `bytes` belong to the event that ends first; `None` when none does. The next call is to
    /// begin after them. The answer is 0 when the event ended with the bytes before.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut pos = 0_usize;
        loop {
            let rest = bytes.get(pos..).unwrap_or_default();
            let first = *rest.first()?;
            if let Some(blank) = self.pending_cr.take() {
                let is_pair = first == b'\n';
                self.previous = if is_pair { LineEnd::Other } else { LineEnd::Cr };
                pos = pos.saturating_add(usize::from(is_pair));
                if blank {
                    return Some(pos);
                }
                continue;
            }
            if std::mem::take(&mut self.skip_lf) && first == b'\n' {
                pos = pos.saturating_add(1);
                continue;
            }
            let Some(at) = memchr2(b'\n', b'\r', rest) else {
                self.line_is_empty = false;
                return None;
            };
            let blank = at == 0 && self.line_is_empty;
            self.line_is_empty = true;
            pos = pos.saturating_add(at).saturating_add(1);
            if rest.get(at) == Some(&b'\n') {
                self.previous = LineEnd::Other;
                if blank {
                    return Some(pos);
                }
            } else if blank && self.previous == LineEnd::Cr {
                self.skip_lf = true;
                return Some(pos);
            } else {
                self.pending_cr = Some(blank);
            }
        }
    }

    /// Whether the end of the stream also ends an event.
    pub(super) fn finish(&mut self) -> bool {
        self.pending_cr.take() == Some(true)
    }
}
