//! What the events of a stream say, read as cheaply as each allows.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{BlockKind, OpenBlock, StreamError};
use crate::wire::anthropic::Usage;
use crate::wire::anthropic::usage::{number, text, usage_of};
use crate::wire::failure;
use crate::wire::sse::{data_of, name_of};

/// The bulk of any stream; known by its first line, its data is never parsed.
const BLOCK_DELTA: &[u8] = b"event: content_block_delta";
/// Blocks open at once that are remembered; the protocol allows one.
const MAX_OPEN_BLOCKS: usize = 64;
/// The largest error event whose own words are kept for the end, in bytes.
const MAX_OWN_ERROR_BYTES: usize = 16 * 1024;
const MAX_MODEL_BYTES: usize = 256;
const MAX_REASON_BYTES: usize = 64;

/// What is to be done with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Send it on.
    Forward,
    /// It carries a stop reason: keep it and what follows.
    Hold,
    /// It ends the message.
    Finish,
    /// It is an error: nothing more leaves.
    Stop,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    /// `message_start` was seen.
    pub(super) started: bool,
    pub(super) began: bool,
    pub(super) finished: bool,
    pub(super) served_model: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Usage,
    pub(super) open: Vec<OpenBlock>,
    pub(super) error: Option<StreamError>,
    /// The data of upstream's error event, when it can be sent as it is.
    pub(super) own_error: Option<Bytes>,
}

/// The fields of any event that are looked at.
#[derive(Default, Deserialize)]
struct Data<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    index: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    stop_reason: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
}

impl Facts {
    /// Takes in one whole event.
    pub(super) fn examine(&mut self, raw: &[u8]) -> Step {
        if raw
            .strip_prefix(BLOCK_DELTA)
            .is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r"))
        {
            self.began = true;
            return Step::Forward;
        }
        let name = name_of(raw);
        match name {
            Some(b"content_block_delta") => {
                self.began = true;
                Step::Forward
            }
            Some(b"message_start" | b"content_block_start" | b"content_block_stop" | b"message_delta")
            | None => match data_of(raw) {
                Some(data) => self.take(name, &data),
                None => Step::Forward,
            },
            Some(b"message_stop") => {
                self.finished = true;
                Step::Finish
            }
            Some(b"error") => self.fail(&data_of(raw).unwrap_or_default()),
            // Pings, and events that this version does not know.
            Some(_) => Step::Forward,
        }
    }

    /// Takes in an event that lacks its blank line because the stream ended, when it is one that ends a
    /// message: whole JSON, so nothing of it is missing.
    pub(super) fn examine_last(&mut self, raw: &[u8]) -> Option<Step> {
        let data = data_of(raw)?;
        let fields = serde_json::from_slice::<Data<'_>>(&data).ok()?;
        match fields.kind_text().as_deref()? {
            "message_stop" => {
                self.finished = true;
                Some(Step::Finish)
            }
            "error" => Some(self.fail(&data)),
            _ => None,
        }
    }

    fn take(&mut self, name: Option<&[u8]>, data: &[u8]) -> Step {
        let Ok(fields) = serde_json::from_slice::<Data<'_>>(data) else {
            return self.take_odd(name, data);
        };
        // Clients dispatch on the name; without one the type inside is all there is.
        let kind = match name {
            Some(name) => std::str::from_utf8(name).ok().map(Cow::Borrowed),
            None => fields.kind_text(),
        };
        match kind.as_deref() {
            Some("message_start") => self.start(&fields),
            Some("content_block_start") => self.open_block(&fields),
            Some("content_block_delta") => self.began = true,
            Some("content_block_stop") => {
                let index = fields.index.and_then(number);
                self.open.retain(|block| Some(block.index) != index);
            }
            Some("message_delta") => return self.delta(&fields),
            Some("message_stop") => {
                self.finished = true;
                return Step::Finish;
            }
            Some("error") => return self.fail(data),
            // Servers that are not Anthropic's send a bare error object.
            None if fields.error.is_some() => return self.fail(data),
            _ => {}
        }
        Step::Forward
    }

    /// An event whose data is no JSON object, or one that names a field twice.
    fn take_odd(&mut self, name: Option<&[u8]>, data: &[u8]) -> Step {
        let is_json = serde_json::from_slice::<IgnoredAny>(data).is_ok();
        match name {
            // `[DONE]`, a keep-alive sent as data: no client makes anything of it.
            None => Step::Forward,
            Some(b"message_delta") if is_json => Step::Hold,
            Some(_) if is_json => Step::Forward,
            Some(_) => {
                // Its data may hold the text of an answer, which belongs in no error.
                let message = "upstream sent an event that is not JSON".to_owned();
                self.set_error(
                    "api_error",
                    failure::FailureBody { message, ..failure::FailureBody::default() },
                );
                Step::Stop
            }
        }
    }

    fn start(&mut self, fields: &Data<'_>) {
        self.started = true;
        let message = object::<Message<'_>>(fields.message);
        if let Some(model) = message.model.and_then(|model| text(model, MAX_MODEL_BYTES)) {
            self.served_model = Some(model);
        }
        if let Some(usage) = message.usage {
            self.usage.merge(usage_of(usage));
        }
    }

    fn open_block(&mut self, fields: &Data<'_>) {
        self.began = true;
        let kind =
            object::<Block<'_>>(fields.content_block).kind.and_then(|kind| text(kind, MAX_REASON_BYTES));
        let kind = match kind.as_deref() {
            Some("text") => BlockKind::Text,
            Some("thinking" | "redacted_thinking") => BlockKind::Thinking,
            _ => BlockKind::Other,
        };
        if let Some(index) = fields.index.and_then(number).filter(|_| self.open.len() < MAX_OPEN_BLOCKS) {
            self.open.push(OpenBlock { index, kind });
        }
    }

    fn delta(&mut self, fields: &Data<'_>) -> Step {
        if let Some(usage) = fields.usage {
            self.usage.merge(usage_of(usage));
        }
        let Some(reason) = object::<Delta<'_>>(fields.delta).stop_reason else { return Step::Forward };
        self.stop_reason = text(reason, MAX_REASON_BYTES);
        Step::Hold
    }

    fn fail(&mut self, data: &[u8]) -> Step {
        let body = failure::read(data);
        let is_envelope = serde_json::from_slice::<Data<'_>>(data).is_ok_and(|fields| {
            fields.kind_text().as_deref() == Some("error")
                && fields.error.is_some_and(|error| error.get().starts_with('{'))
        });
        // A line break inside would end the data line that it is to be sent in.
        let fits = data.len() <= MAX_OWN_ERROR_BYTES && memchr::memchr2(b'\n', b'\r', data).is_none();
        self.own_error = (is_envelope && fits).then(|| Bytes::copy_from_slice(data));
        let kind = body.kind.clone().unwrap_or_else(|| "api_error".to_owned());
        self.set_error(&kind, body);
        Step::Stop
    }

    fn set_error(&mut self, kind: &str, body: failure::FailureBody) {
        self.error = Some(StreamError { kind: kind.to_owned(), message: body.message.clone(), body });
    }
}

impl Data<'_> {
    fn kind_text(&self) -> Option<Cow<'static, str>> {
        self.kind.and_then(|kind| text(kind, MAX_REASON_BYTES)).map(Cow::Owned)
    }
}

/// The fields of a nested object; none when it is something else.
fn object<'a, T: Default + Deserialize<'a>>(json: Option<&'a RawValue>) -> T {
    json.and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default()
}
