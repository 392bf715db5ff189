//! The grammar of JSON as a machine that can stop between any two bytes.

use super::Malformed;
use super::fields::Fields;
use super::nest::Nest;
use super::number::Number;
use super::string::{Piece, Text};

/// What may come next.
#[derive(Debug)]
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
    /// More of a string; whether it is a key, and where it began.
    String { text: Text, is_key: bool, from: u64 },
    /// More of a number; where it began.
    Number { number: Number, from: u64 },
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
    /// The offset of the next byte.
    at: u64,
}

impl Default for Scan {
    fn default() -> Self {
        Self { state: State::Value, nest: Nest::default(), at: 0 }
    }
}

/// How far a frame's bytes count in offsets.
fn plus(at: u64, bytes: usize) -> u64 {
    at.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
}

impl Scan {
    pub(super) fn feed(&mut self, frame: &[u8], fields: &mut Fields) -> Result<(), Malformed> {
        let mut rest = frame;
        while let Some((&byte, after)) = rest.split_first() {
            let taken = match &mut self.state {
                State::String { text, .. } => {
                    match text
                        .take(rest)
                        .map_err(|wrong| Malformed::json(wrong.what, plus(self.at, wrong.offset)))?
                    {
                        Piece::All => rest.len(),
                        Piece::Ended(taken) => {
                            self.end_string(plus(self.at, taken), fields)?;
                            taken
                        }
                    }
                }
                State::Number { .. } => self.number(rest, fields)?,
                State::Word { rest: word } => {
                    let (&due, left) = word.split_first().unwrap_or((&0, &[]));
                    if byte != due {
                        return Err(self.unexpected(byte));
                    }
                    if left.is_empty() {
                        self.state = State::Next;
                    } else {
                        *word = left;
                    }
                    1
                }
                _ => {
                    if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                        self.structure(byte, fields)?;
                    }
                    self.at = plus(self.at, 1);
                    rest = after;
                    continue;
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
        let at_key = matches!(self.state, State::FirstKey | State::Key);
        match (&self.state, byte) {
            (State::Value | State::FirstElement, _) if self.nest.depth() == 0 && byte != b'{' => {
                return Err(not_an_object(byte));
            }
            (State::FirstElement, b']') | (State::FirstKey, b'}') => self.close(),
            (State::Next, b'}') if self.nest.in_object() => self.close(),
            (State::Next, b']') if !self.nest.in_object() => self.close(),
            (State::Value | State::FirstElement, _) => {
                if self.nest.depth() <= 2 && begins_value(byte) {
                    fields.value(self.nest.depth(), byte)?;
                }
                self.value(byte, fields)?;
            }
            (State::FirstKey | State::Key, b'"') => {
                let keep = (self.nest.depth() == 1).then_some(Fields::LONGEST_KEY);
                self.state = State::String { text: Text::begin(keep), is_key: at_key, from: self.at };
            }
            (State::Colon, b':') => self.state = State::Value,
            (State::Next, b',') => {
                self.state = if self.nest.in_object() { State::Key } else { State::Value };
            }
            _ => return Err(self.unexpected(byte)),
        }
        Ok(())
    }

    /// Begins a value.
    fn value(&mut self, byte: u8, fields: &mut Fields) -> Result<(), Malformed> {
        self.state = match byte {
            b'{' | b'[' => {
                if !self.nest.open(byte == b'{') {
                    return Err(Malformed::json("it is nested too deeply", self.at));
                }
                if byte == b'{' { State::FirstKey } else { State::FirstElement }
            }
            b'"' => {
                let keep = if self.nest.depth() == 1 { fields.keep() } else { None };
                State::String { text: Text::begin(keep), is_key: false, from: self.at }
            }
            b't' => State::Word { rest: b"rue" },
            b'f' => State::Word { rest: b"alse" },
            b'n' => State::Word { rest: b"ull" },
            _ => match Number::begin(byte) {
                Some(number) => {
                    fields.digit(self.nest.depth(), byte);
                    State::Number { number, from: self.at }
                }
                None => return Err(self.unexpected(byte)),
            },
        };
        Ok(())
    }

    fn close(&mut self) {
        self.nest.close();
        self.state = if self.nest.depth() == 0 { State::Done } else { State::Next };
    }

    /// Takes the bytes that belong to a number; how many they are.
    fn number(&mut self, bytes: &[u8], fields: &mut Fields) -> Result<usize, Malformed> {
        let State::Number { number, from } = &mut self.state else { return Ok(0) };
        let mut taken = 0_usize;
        for &byte in bytes {
            match number.next(byte) {
                Some(next) => *number = next,
                None if number.may_end() => {
                    fields.number(self.nest.depth(), *from..plus(self.at, taken));
                    self.state = State::Next;
                    return Ok(taken);
                }
                None => {
                    self.at = plus(self.at, taken);
                    return Err(self.unexpected(byte));
                }
            }
            fields.digit(self.nest.depth(), byte);
            taken = taken.saturating_add(1);
        }
        Ok(taken)
    }

    fn end_string(&mut self, end: u64, fields: &mut Fields) -> Result<(), Malformed> {
        let State::String { text, is_key, from } = std::mem::replace(&mut self.state, State::Next) else {
            return Ok(());
        };
        if is_key {
            self.state = State::Colon;
        }
        match text.into_kept() {
            None => Ok(()),
            Some(kept) if is_key => fields.key(&kept),
            Some(kept) => fields.text(kept, from..end),
        }
    }

    fn unexpected(&self, byte: u8) -> Malformed {
        let due = match self.state {
            State::Value | State::FirstElement => "a value was due",
            State::FirstKey | State::Key => "a key in double quotes was due",
            State::Colon => "a colon was due",
            State::Next => "a comma or an end was due",
            State::Done => "the object has already ended",
            State::Number { .. } => "a digit was due",
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
    let what = match byte {
        byte if begins_value(byte) => super::fields::kind_of(byte).to_owned(),
        other => format!("something that begins with {}", printed(other)),
    };
    Malformed { message: format!("the body must be a JSON object, not {what}"), param: None }
}

fn printed(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte 0x{byte:02X}") }
}
