//! The fields inside one event.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The value of the last `event` field.
pub(crate) fn name_of(raw: &[u8]) -> Option<&[u8]> {
    let last = Lines(raw).filter_map(|line| value_of(line, b"event")).last();
    last.filter(|name| !name.is_empty())
}

/// The value of the last field of this name.
pub(crate) fn field_of<'a>(raw: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    Lines(raw).filter_map(|line| value_of(line, field)).last()
}

/// The `data` fields, joined with LF.
pub(crate) fn data_of(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut values = Lines(raw).filter_map(|line| value_of(line, b"data"));
    let mut all = Cow::Borrowed(values.next()?);
    for value in values {
        let joined = all.to_mut();
        joined.push(b'\n');
        joined.extend_from_slice(value);
    }
    Some(all)
}

/// The value of `line` when its field is `field`: what follows the colon and one optional space. A line with
/// no colon is a field with an empty value; one that begins with a colon is a comment.
fn value_of<'a>(line: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(field)?;
    match rest.split_first() {
        None => Some(rest),
        Some((b':', value)) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        Some(_) => None,
    }
}

/// Lines that end in LF, CRLF or CR, without their ends.
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        // LF is by far the most common end; a CR before it may be its other half or an end of its own.
        let end = match memchr(b'\n', self.0) {
            Some(lf) => {
                let line = self.0.get(..lf).unwrap_or_default();
                memchr(b'\r', line).unwrap_or(lf)
            }
            None => memchr2(b'\n', b'\r', self.0).unwrap_or(self.0.len()),
        };
        let (line, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
        Some(line)
    }
}
