//! The grammar of JSON as a machine that can stop between any two bytes.

use super::Malformed;
use super::fields::{Fields, kind_of};
use super::nest::Nest;
use super::number::Number;
use super::string::{Piece, Text};

/// What may come next.
#[derive(Debug, Clone, Copy)]
enum State {
    /// A value.
    Value,
    /// A value, or the end of the array that was just opened.
    FirstElement,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    /// A key.
    Key,
    /// The colon behind a key.
    Colon,
    /// A comma, or the end of the innermost container.
    Next,
    /// More of a string.
    String { is_key: bool },
    /// More of a number.
    Number(Number),
    /// More of `true`, `false` or `null`.
    Word { rest: &'static [u8] },
    /// Nothing but blanks.
    Done,
}

/// Checks a body against the grammar and reports its top level to [`Fields`].
#[derive(Debug)]
pub(super) struct Scan {
    state: State,
    nest: Nest,
    /// The string that is being read.
    text: Text,
    /// Where the string or number that is being read began.
    from: u64,
    /// The offset of the next byte; exact at the ends of frames and when an error is told.
    at: u64,
}

impl Default for Scan {
    fn default() -> Self {
        Self { state: State::Value, nest: Nest::default(), text: Text::default(), from: 0, at: 0 }
    }
}

/// An offset so many bytes further on.
fn plus(at: u64, bytes: usize) -> u64 {
    at.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
}

impl Scan {
    pub(super) fn feed(&mut self, frame: &[u8], fields: &mut Fields) -> Result<(), Malformed> {
        let mut rest = frame;
        while let Some(&byte) = rest.first() {
            let taken = match self.state {
                State::String { is_key } => match self.text.take(rest) {
                    Ok(Piece::All) => rest.len(),
                    Ok(Piece::Ended(taken)) => {
                        self.end_string(is_key, plus(self.at, taken), fields)?;
                        taken
                    }
                    Err(wrong) => return Err(Malformed::json(wrong.what, plus(self.at, wrong.offset))),
                },
                State::Number(number) => self.number(number, rest, fields)?,
                State::Word { rest: word } => self.word(word, rest)?,
                _ => {
                    if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                        self.structure(byte, fields)?;
                    }
                    1
                }
            };
            self.at = plus(self.at, taken);
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Ends the body; its length.
    pub(super) fn finish(self) -> Result<u64, Malformed> {
        match self.state {
            State::Done => Ok(self.at),
            State::Value if self.nest.depth() == 0 => Err(Malformed {
                message: "the body is empty: a JSON object was expected".to_owned(),
                param: None,
            }),
            State::String { .. } => Err(Malformed::json("it ends inside a string", self.at)),
            _ => Err(Malformed::json("it ends too early", self.at)),
        }
    }

    /// Takes a byte that is no blank and stands outside strings, numbers and words.
    fn structure(&mut self, byte: u8, fields: &mut Fields) -> Result<(), Malformed> {
        match (self.state, byte) {
            (State::FirstKey | State::Key, b'"') => {
                self.text.begin((self.nest.depth() == 1).then_some(Fields::LONGEST_KEY));
                self.state = State::String { is_key: true };
                self.from = self.at;
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::Next, b',') => {
                self.state = if self.nest.in_object() { State::Key } else { State::Value };
            }
            (State::FirstElement, b']') | (State::FirstKey, b'}') => self.close(),
            (State::Next, b'}') if self.nest.in_object() => self.close(),
            (State::Next, b']') if !self.nest.in_object() => self.close(),
            (State::Value | State::FirstElement, _) => self.value(byte, fields)?,
            _ => return Err(self.unexpected(byte)),
        }
        Ok(())
    }

    /// Begins a value.
    fn value(&mut self, byte: u8, fields: &mut Fields) -> Result<(), Malformed> {
        let depth = self.nest.depth();
        if depth == 0 && byte != b'{' {
            return Err(not_an_object(byte));
        }
        if depth <= 2 && begins_value(byte) {
            fields.value(depth, byte)?;
        }
        self.from = self.at;
        self.state = match byte {
            b'"' => {
                self.text.begin(if depth == 1 { fields.keep() } else { None });
                State::String { is_key: false }
            }
            b'{' | b'[' => {
                if !self.nest.open(byte == b'{') {
                    return Err(Malformed::json("it is nested too deeply", self.at));
                }
                if byte == b'{' { State::FirstKey } else { State::FirstElement }
            }
            b't' => State::Word { rest: b"rue" },
            b'f' => State::Word { rest: b"alse" },
            b'n' => State::Word { rest: b"ull" },
            _ => {
                let number = Number::begin(byte).ok_or_else(|| self.unexpected(byte))?;
                fields.digits(depth, &[byte]);
                State::Number(number)
            }
        };
        Ok(())
    }

    fn close(&mut self) {
        self.nest.close();
        self.state = if self.nest.depth() == 0 { State::Done } else { State::Next };
    }

    /// Takes the bytes that belong to a number; how many they are.
    fn number(&mut self, mut number: Number, bytes: &[u8], fields: &mut Fields) -> Result<usize, Malformed> {
        let mut taken = 0_usize;
        let mut after = None;
        for &byte in bytes {
            let Some(next) = number.next(byte) else {
                after = Some(byte);
                break;
            };
            number = next;
            taken = taken.saturating_add(1);
        }
        fields.digits(self.nest.depth(), bytes.get(..taken).unwrap_or_default());
        self.state = State::Number(number);
        match after {
            None => {}
            Some(_) if number.may_end() => {
                fields.number(self.nest.depth(), self.from..plus(self.at, taken));
                self.state = State::Next;
            }
            Some(byte) => {
                self.at = plus(self.at, taken);
                return Err(self.unexpected(byte));
            }
        }
        Ok(taken)
    }

    /// Takes the bytes that belong to a word; how many they are.
    fn word(&mut self, word: &'static [u8], bytes: &[u8]) -> Result<usize, Malformed> {
        let same = word.iter().zip(bytes).take_while(|(due, byte)| due == byte).count();
        let left = word.get(same..).unwrap_or_default();
        self.state = if left.is_empty() { State::Next } else { State::Word { rest: left } };
        match bytes.get(same) {
            Some(&byte) if !left.is_empty() => {
                self.at = plus(self.at, same);
                Err(self.unexpected(byte))
            }
            _ => Ok(same),
        }
    }

    fn end_string(&mut self, is_key: bool, end: u64, fields: &mut Fields) -> Result<(), Malformed> {
        self.state = if is_key { State::Colon } else { State::Next };
        match self.text.kept() {
            None => Ok(()),
            Some(kept) if is_key => fields.key(kept),
            Some(kept) => fields.text(kept, self.from..end),
        }
    }

    #[cold]
    fn unexpected(&self, byte: u8) -> Malformed {
        let due = match self.state {
            State::Value | State::FirstElement => "a value was due",
            State::FirstKey | State::Key => "a key in double quotes was due",
            State::Colon => "a colon was due",
            State::Next => "a comma or an end was due",
            State::Done => "the object has already ended",
            State::Number(_) => "a digit was due",
            State::Word { .. } => "the rest of `true`, `false` or `null` was due",
            State::String { .. } => "text was due",
        };
        Malformed::json(&format!("{} where {due}", printed(byte)), self.at)
    }
}

fn begins_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9')
}

fn not_an_object(byte: u8) -> Malformed {
    let what = if begins_value(byte) {
        kind_of(byte).to_owned()
    } else {
        format!("something that begins with {}", printed(byte))
    };
    Malformed { message: format!("the body must be a JSON object, not {what}"), param: None }
}

fn printed(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte 0x{byte:02X}") }
}
