//! The inside of strings, across frames: escapes, surrogates, UTF-8, control characters.

use memchr::memchr2;

/// Bytes looked at in one go: they stay in the first-level cache for the passes over them.
const WINDOW_BYTES: usize = 16 * 1024;
/// Strings up to this long are read byte by byte, which is faster than setting up a search.
const SHORT_BYTES: usize = 24;

/// Where in a string the scanner is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Inside {
    #[default]
    Plain,
    /// After a backslash.
    Escape,
    /// So many hex digits of an escape were read; `high` is the surrogate before it.
    Hex { digits: u8, value: u16, high: Option<u16> },
    /// A high surrogate was read: a backslash must follow.
    LowBackslash { high: u16 },
    /// And then a `u`.
    LowU { high: u16 },
}

/// A string that is being read.
#[derive(Debug, Default)]
pub(super) struct Text {
    inside: Inside,
    /// A character that the end of a frame has cut.
    cut: [u8; 4],
    cut_len: usize,
    /// How much of the string is to be kept; nothing of the many that nobody asks for.
    keep: Option<usize>,
    /// The decoded start of the string. Its room is used again by the next one.
    kept: Vec<u8>,
    /// The string is longer than what was kept.
    is_longer: bool,
}

/// The decoded start of a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a> {
    pub(super) bytes: &'a [u8],
    /// The string is longer.
    pub(super) is_cut: bool,
}

/// What is wrong, and how far into the given bytes.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) what: &'static str,
    pub(super) offset: usize,
}

/// How a piece of a string ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The string goes on in the next frame.
    All,
    /// Its closing quote was among the bytes; so many were taken, the quote included.
    Ended(usize),
}

impl Text {
    /// Begins a string whose opening quote was read. Up to `keep` bytes of it are kept, if any.
    pub(super) fn begin(&mut self, keep: Option<usize>) {
        self.keep = keep;
        if keep.is_some() {
            self.kept.clear();
            self.is_longer = false;
        }
    }

    /// What was kept of a string that has ended, if it was asked for.
    pub(super) fn kept(&self) -> Option<Kept<'_>> {
        self.keep.map(|_| Kept { bytes: &self.kept, is_cut: self.is_longer })
    }

    /// Takes the next bytes, up to the closing quote.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Piece, Wrong> {
        let mut taken = 0_usize;
        loop {
            let rest = bytes.get(taken..).unwrap_or_default();
            let Some(&first) = rest.first() else { return Ok(Piece::All) };
            if self.inside != Inside::Plain {
                self.escape(first).map_err(|what| Wrong { what, offset: taken })?;
                taken = taken.saturating_add(1);
                continue;
            }
            if self.cut_len > 0 {
                self.complete(first).map_err(|what| Wrong { what, offset: taken })?;
                taken = taken.saturating_add(1);
                continue;
            }
            let run = self
                .run(rest)
                .map_err(|wrong| Wrong { offset: taken.saturating_add(wrong.offset), ..wrong })?;
            taken = taken.saturating_add(run);
            match bytes.get(taken) {
                Some(b'"') => return Ok(Piece::Ended(taken.saturating_add(1))),
                Some(b'\\') => {
                    taken = taken.saturating_add(1);
                    self.inside = Inside::Escape;
                }
                _ => {}
            }
        }
    }

    /// Takes plain characters up to a quote, a backslash, or some point further on; how many bytes they are.
    fn run(&mut self, rest: &[u8]) -> Result<usize, Wrong> {
        let short = rest.iter().take(SHORT_BYTES).take_while(|byte| is_plain_ascii(**byte)).count();
        if short < SHORT_BYTES && matches!(rest.get(short), Some(b'"' | b'\\') | None) {
            self.keep(rest.get(..short).unwrap_or_default());
            return Ok(short);
        }
        let window = rest.get(..WINDOW_BYTES).unwrap_or(rest);
        let run = match memchr2(b'"', b'\\', window) {
            Some(end) => window.get(..end).unwrap_or_default(),
            None => window,
        };
        let seen = oddities(run);
        if seen & 1 == 1 {
            let offset = run.iter().position(|byte| *byte < 0x20).unwrap_or_default();
            return Err(Wrong { what: "a control character inside a string", offset });
        }
        let whole = if seen & 0x80 == 0 { run.len() } else { self.characters(run, rest)? };
        self.keep(run.get(..whole).unwrap_or_default());
        Ok(if self.cut_len > 0 { run.len() } else { whole })
    }

    /// How many bytes of `run` are whole characters. One cut by the end of the frame is put aside.
    fn characters(&mut self, run: &[u8], rest: &[u8]) -> Result<usize, Wrong> {
        let Err(error) = std::str::from_utf8(run) else { return Ok(run.len()) };
        let whole = error.valid_up_to();
        let tail = run.get(whole..).unwrap_or_default();
        let ends_inside = error.error_len().is_none() && tail.len() < 4;
        // A quote or a backslash cannot stand inside a character, nor can the window's own end count as one.
        if !ends_inside || (run.len() < rest.len() && run.len() < WINDOW_BYTES) {
            return Err(Wrong { what: "a string that is not UTF-8", offset: whole });
        }
        if run.len() == rest.len() {
            for (place, byte) in self.cut.iter_mut().zip(tail) {
                *place = *byte;
            }
            self.cut_len = tail.len();
        }
        Ok(whole)
    }

    /// Adds a byte to the character that was cut.
    fn complete(&mut self, byte: u8) -> Result<(), &'static str> {
        if let Some(place) = self.cut.get_mut(self.cut_len) {
            *place = byte;
        }
        let cut = self.cut;
        let length = self.cut_len.saturating_add(1);
        let so_far = cut.get(..length).unwrap_or(&cut);
        match std::str::from_utf8(so_far) {
            Ok(_) => {
                self.keep(so_far);
                self.cut_len = 0;
                Ok(())
            }
            Err(error) if error.error_len().is_none() && length < cut.len() => {
                self.cut_len = length;
                Ok(())
            }
            Err(_) => Err("a string that is not UTF-8"),
        }
    }

    /// Takes one byte of an escape.
    fn escape(&mut self, byte: u8) -> Result<(), &'static str> {
        self.inside = match self.inside {
            Inside::Plain => Inside::Plain,
            Inside::Escape => match byte {
                b'u' => Inside::Hex { digits: 0, value: 0, high: None },
                b'"' | b'\\' | b'/' => self.decoded(byte),
                b'b' => self.decoded(0x08),
                b'f' => self.decoded(0x0C),
                b'n' => self.decoded(b'\n'),
                b'r' => self.decoded(b'\r'),
                b't' => self.decoded(b'\t'),
                _ => return Err("an unknown escape inside a string"),
            },
            Inside::Hex { digits, value, high } => {
                let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
                let value = (value << 4) | digit.ok_or("an escape with something that is no hex digit")?;
                if digits < 3 {
                    Inside::Hex { digits: digits.saturating_add(1), value, high }
                } else {
                    self.code_unit(value, high)?
                }
            }
            Inside::LowBackslash { high } if byte == b'\\' => Inside::LowU { high },
            Inside::LowU { high } if byte == b'u' => Inside::Hex { digits: 0, value: 0, high: Some(high) },
            Inside::LowBackslash { .. } | Inside::LowU { .. } => return Err(LONE),
        };
        Ok(())
    }

    fn decoded(&mut self, byte: u8) -> Inside {
        self.keep(&[byte]);
        Inside::Plain
    }

    /// Takes one UTF-16 code unit out of an escape.
    fn code_unit(&mut self, unit: u16, high: Option<u16>) -> Result<Inside, &'static str> {
        if high.is_none() && (0xD800..0xDC00).contains(&unit) {
            return Ok(Inside::LowBackslash { high: unit });
        }
        let units = high.into_iter().chain([unit]);
        for decoded in char::decode_utf16(units) {
            let decoded = decoded.map_err(|_| LONE)?;
            self.keep(decoded.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(Inside::Plain)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(max) = self.keep {
            let room = max.saturating_sub(self.kept.len());
            self.is_longer |= bytes.len() > room;
            self.kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }
}

const LONE: &str = "half of a surrogate pair inside a string";

/// Bit 7 when there is a byte that is not ASCII, bit 0 when there is a control character.
fn oddities(run: &[u8]) -> u8 {
    let odd = |seen: u8, byte: &u8| seen | (byte & 0x80) | u8::from(*byte < 0x20);
    // Blocks of a known size and no branch inside: done many bytes at a time.
    let (blocks, rest) = run.as_chunks::<64>();
    blocks.iter().fold(rest.iter().fold(0, odd), |seen, block| seen | block.iter().fold(0, odd))
}

fn is_plain_ascii(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7F) && byte != b'"' && byte != b'\\'
}
