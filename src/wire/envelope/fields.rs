//! The top-level fields that the gateway reads, and the rules for them.

use std::ops::Range;

use super::number::whole;
use super::string::Kept;
use super::{Facts, MAX_MODEL_BYTES, Malformed};
use crate::wire::Endpoint;

/// The longest number that is read, in bytes.
const MAX_NUMBER_BYTES: usize = 40;

/// A top-level field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Model,
    Stream,
    /// The limit on output tokens.
    Limit,
    /// The limit that wins over it.
    StrongLimit,
    Messages,
    Input,
    Tools,
    Other,
}

impl Field {
    fn bit(self) -> u8 {
        match self {
            Self::Model => 1,
            Self::Stream => 1 << 1,
            Self::Limit => 1 << 2,
            Self::StrongLimit => 1 << 3,
            Self::Messages => 1 << 4,
            Self::Input => 1 << 5,
            Self::Tools => 1 << 6,
            Self::Other => 0,
        }
    }
}

/// What is known of the top level so far.
#[derive(Debug)]
pub(super) struct Fields {
    endpoint: Endpoint,
    field: Field,
    /// One bit a field.
    seen: u8,
    model: Option<(String, Range<u64>)>,
    stream: bool,
    limit: Option<(u64, Range<u64>)>,
    strong_limit: Option<(u64, Range<u64>)>,
    number: String,
    elements: u64,
    has_tools: bool,
}

/// What a value is, by its first byte.
pub(super) fn kind_of(byte: u8) -> &'static str {
    match byte {
        b'"' => "a string",
        b'{' => "an object",
        b'[' => "a list",
        b't' | b'f' => "a boolean",
        b'n' => "null",
        _ => "a number",
    }
}

impl Fields {
    /// No field of interest has a longer name.
    pub(super) const LONGEST_KEY: usize = "max_completion_tokens".len();

    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            field: Field::Other,
            seen: 0,
            model: None,
            stream: false,
            limit: None,
            strong_limit: None,
            number: String::new(),
            elements: 0,
            has_tools: false,
        }
    }

    fn has_seen(&self, field: Field) -> bool {
        self.seen & field.bit() != 0
    }

    fn has_messages(&self) -> bool {
        matches!(self.endpoint, Endpoint::Messages | Endpoint::CountTokens | Endpoint::ChatCompletions)
    }

    fn field_named(&self, name: &[u8]) -> Field {
        match (name, self.endpoint) {
            (b"model", _) => Field::Model,
            (b"stream", _) => Field::Stream,
            (b"tools", _) => Field::Tools,
            (b"messages", _) if self.has_messages() => Field::Messages,
            (b"input", Endpoint::Responses | Endpoint::Embeddings) => Field::Input,
            (b"max_tokens", Endpoint::Messages | Endpoint::ChatCompletions)
            | (b"max_output_tokens", Endpoint::Responses) => Field::Limit,
            (b"max_completion_tokens", Endpoint::ChatCompletions) => Field::StrongLimit,
            _ => Field::Other,
        }
    }

    /// A top-level key. One that is read here may stand only once: readers differ in which of two they take.
    pub(super) fn key(&mut self, key: Kept<'_>) -> Result<(), Malformed> {
        self.field = if key.is_cut { Field::Other } else { self.field_named(key.bytes) };
        if self.field == Field::Other {
            return Ok(());
        }
        if self.has_seen(self.field) {
            let name = std::str::from_utf8(key.bytes).unwrap_or_default();
            return Err(Malformed::field(name, "this field is there twice"));
        }
        self.seen |= self.field.bit();
        Ok(())
    }

    /// A value begins with `byte`, inside so many containers.
    pub(super) fn value(&mut self, depth: u32, byte: u8) -> Result<(), Malformed> {
        match (depth, self.field) {
            (1, field) => {
                self.number.clear();
                Self::check(field, self.endpoint, byte)?;
                // `true` is what `stream` may be, but for false and null.
                self.stream |= field == Field::Stream && byte == b't';
                Ok(())
            }
            (2, Field::Messages) => {
                let index = self.elements;
                self.elements = self.elements.saturating_add(1);
                if byte == b'{' {
                    return Ok(());
                }
                let name = format!("messages.{index}");
                Err(Malformed::field(
                    &name,
                    &format!("each message must be an object, not {}", kind_of(byte)),
                ))
            }
            (2, Field::Input) => {
                self.elements = self.elements.saturating_add(1);
                Ok(())
            }
            (2, Field::Tools) => {
                self.has_tools = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether a value that begins with `byte` is of the right type.
    fn check(field: Field, endpoint: Endpoint, byte: u8) -> Result<(), Malformed> {
        let (name, wanted) = match (field, byte) {
            (Field::Model, b'"')
            | (Field::Stream, b't' | b'f' | b'n')
            | (Field::Messages, b'[')
            | (Field::Input, b'"' | b'[') => return Ok(()),
            (Field::Input, b'n') if endpoint == Endpoint::Responses => return Ok(()),
            (Field::Model, _) => ("model", "a string"),
            (Field::Stream, _) => ("stream", "true or false"),
            (Field::Messages, _) => ("messages", "a list"),
            (Field::Input, _) => ("input", "a string or a list"),
            _ => return Ok(()),
        };
        Err(Malformed::field(name, &format!("must be {wanted}, not {}", kind_of(byte))))
    }

    /// How much of the string that begins here is asked for.
    pub(super) fn keep(&self) -> Option<usize> {
        (self.field == Field::Model).then_some(MAX_MODEL_BYTES)
    }

    /// A string that was asked for.
    pub(super) fn text(&mut self, kept: Kept<'_>, span: Range<u64>) -> Result<(), Malformed> {
        let what = if kept.bytes.is_empty() {
            "must not be empty"
        } else if kept.is_cut {
            "must be at most 256 bytes"
        } else if !kept.bytes.iter().all(|byte| matches!(byte, 0x20..=0x7E)) {
            "must be printable ASCII"
        } else {
            self.model = std::str::from_utf8(kept.bytes).ok().map(|model| (model.to_owned(), span));
            return Ok(());
        };
        Err(Malformed::field("model", what))
    }

    /// Some bytes of a number.
    pub(super) fn digits(&mut self, depth: u32, bytes: &[u8]) {
        if depth == 1 && matches!(self.field, Field::Limit | Field::StrongLimit) {
            // One more than is read, so that a longer one is known as such.
            let room = MAX_NUMBER_BYTES.saturating_add(1).saturating_sub(self.number.len());
            self.number.extend(bytes.iter().take(room).copied().map(char::from));
        }
    }

    /// A number that has ended.
    pub(super) fn number(&mut self, depth: u32, span: Range<u64>) {
        if depth != 1 || self.number.len() > MAX_NUMBER_BYTES {
            return;
        }
        let limit = whole(&self.number).map(|limit| (limit, span));
        match self.field {
            Field::Limit => self.limit = limit,
            Field::StrongLimit => self.strong_limit = limit,
            _ => {}
        }
    }

    pub(super) fn finish(self, body_bytes: u64) -> Result<Facts, Malformed> {
        let missing = |name| Err(Malformed::field(name, "this field is required"));
        if self.model.is_none() {
            return missing("model");
        }
        if self.has_messages() && !self.has_seen(Field::Messages) {
            return missing("messages");
        }
        if self.endpoint == Endpoint::Embeddings && !self.has_seen(Field::Input) {
            return missing("input");
        }
        let Some((model, model_span)) = self.model else { return missing("model") };
        let limit = self.strong_limit.or(self.limit);
        Ok(Facts {
            model,
            model_span,
            stream: self.stream,
            max_tokens: limit.as_ref().map(|(tokens, _)| *tokens),
            max_tokens_span: limit.map(|(_, span)| span),
            has_tools: self.has_tools,
            message_count: self.elements,
            body_bytes,
        })
    }
}
