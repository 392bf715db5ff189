//! Reads a chat stream into the hub's events, whatever the server makes of the protocol.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::calls::Calls;
use super::chunk::{Chunk, Delta, Ending};
use super::usage::usage_of;
use crate::prompt::{Event, Finish, Text};
use crate::wire::failure::{self, FailureBody, StreamError};
use crate::wire::json::{Pairs, present, text};
use crate::wire::sse::{data_of, field_of, name_of};

/// How far a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Open,
    /// A finish reason was seen; usage may follow.
    Finished,
    /// Ended or failed: what follows is ignored.
    Over,
}

/// Reads one stream.
#[derive(Debug, Default)]
pub struct StreamDecoder {
    show_thinking: bool,
    stage: Stage,
    started: bool,
    began: bool,
    /// Something that the client sees was said.
    said: bool,
    refused: bool,
    calls: Calls,
    skipped: u64,
    error: Option<StreamError>,
}

impl StreamDecoder {
    /// A decoder at the start of a stream; with `show_thinking` for a client that is to see what is thought.
    #[must_use]
    pub fn new(show_thinking: bool) -> Self {
        Self { show_thinking, ..Self::default() }
    }

    /// Takes in one whole server-sent event.
    pub fn event(&mut self, raw: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        if self.stage == Stage::Over {
            return;
        }
        let Some(data) = data_of(raw) else {
            // Old llama.cpp builds tell an error in a field of that name.
            if let Some(error) = field_of(raw, b"error") {
                self.fail(failure::read(error), sink);
            }
            return;
        };
        let data = data.trim_ascii();
        if name_of(raw) == Some(b"error") {
            return self.fail(failure::read(data), sink);
        }
        match data.first() {
            Some(b'{') => self.data(data, sink),
            _ if data == b"[DONE]" => self.done(sink),
            // Google's compatible endpoint wraps an error in a list.
            Some(b'[')
                if serde_json::from_slice::<Vec<Chunk<'_>>>(data)
                    .is_ok_and(|l| l.iter().any(Chunk::has_error)) =>
            {
                self.fail(failure::read(data), sink);
            }
            // A heartbeat, or a comment sent as data.
            _ => self.skipped = self.skipped.saturating_add(1),
        }
    }

    /// Says that the body has ended; `rest` is what was begun and not ended by a blank line. It counts when it
    /// is whole: servers leave the last blank line out.
    pub fn end(&mut self, rest: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        let is_whole = data_of(rest).is_some_and(|data| {
            let data = data.trim_ascii();
            data == b"[DONE]" || serde_json::from_slice::<IgnoredAny>(data).is_ok()
        });
        if is_whole || field_of(rest, b"error").is_some() {
            self.event(rest, sink);
        }
        if self.stage == Stage::Finished {
            self.stage = Stage::Over;
            sink(Event::End);
        }
    }

    /// Whether generation was seen, be it thought that the client does not see.
    #[must_use]
    pub fn began(&self) -> bool {
        self.began
    }

    /// Whether something was said that the client sees.
    #[must_use]
    pub fn said(&self) -> bool {
        self.said || !self.calls.is_empty()
    }

    /// Whether a finish reason was seen: the answer is whole, and only usage may follow.
    #[must_use]
    pub fn finish_seen(&self) -> bool {
        self.stage == Stage::Finished || (self.stage == Stage::Over && self.error.is_none())
    }

    /// How many events were no part of the protocol and were skipped.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// What failed, after [`Event::Error`].
    #[must_use]
    pub fn error(&self) -> Option<&StreamError> {
        self.error.as_ref()
    }

    fn done(&mut self, sink: &mut impl FnMut(Event<'_>)) {
        if self.stage == Stage::Finished {
            self.stage = Stage::Over;
            sink(Event::End);
        } else {
            self.broken("the stream ended without a finish reason", sink);
        }
    }

    fn data(&mut self, data: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        match serde_json::from_slice::<Chunk<'_>>(data) {
            Ok(chunk) => self.chunk(&chunk, data, sink),
            // A field that comes twice: the last one counts, as for most readers.
            Err(error) if error.is_data() => {
                let once = serde_json::from_slice::<serde_json::Value>(data).unwrap_or_default().to_string();
                match serde_json::from_str::<Chunk<'_>>(&once) {
                    Ok(chunk) => self.chunk(&chunk, data, sink),
                    Err(_) => self.broken("upstream sent a chunk that is no chunk", sink),
                }
            }
            Err(_) => self.broken("upstream sent a chunk that is not JSON", sink),
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, data: &[u8], sink: &mut impl FnMut(Event<'_>)) {
        if chunk.has_error() {
            return self.fail(read_error(data), sink);
        }
        if let Some(choice) = chunk.choice() {
            if !std::mem::replace(&mut self.started, true) {
                let filled = |json| text(json).filter(|text: &Text<'_>| !text.is_empty());
                sink(Event::Start { id: filled(chunk.id), model: filled(chunk.model) });
            }
            if self.stage == Stage::Open {
                if let Some(delta) = choice.delta.as_ref().or(choice.message.as_ref())
                    && let Err(what) = self.delta(delta, sink)
                {
                    return self.broken(what, sink);
                }
                match choice.ending(!self.calls.is_empty(), self.refused) {
                    Ending::None => {}
                    Ending::Finish(finish) => self.finish(finish, sink),
                    Ending::Failure(what) => return self.broken(&what, sink),
                }
            }
        }
        if self.stage != Stage::Over
            && let Some(usage) = present(chunk.usage)
        {
            sink(Event::Usage(usage_of(usage)));
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, sink: &mut impl FnMut(Event<'_>)) -> Result<(), &'static str> {
        if let Some(thought) = delta.thought() {
            self.began = true;
            if self.show_thinking {
                self.said = true;
                sink(Event::Thinking(thought));
            }
        }
        delta.each_text(|text| {
            self.began = true;
            self.said = true;
            sink(Event::Text(text));
        });
        delta.each_refusal(|text| {
            self.began = true;
            self.said = true;
            self.refused = true;
            sink(Event::Refusal(text));
        });
        if let Some(calls) = delta.tool_calls.as_ref().filter(|calls| !calls.is_empty()) {
            self.began = true;
            self.calls.take(calls, sink)?;
        }
        if let Some(function) = &delta.function_call {
            self.began = true;
            self.calls.take_legacy(function, sink)?;
        }
        Ok(())
    }

    fn finish(&mut self, finish: Finish<'_>, sink: &mut impl FnMut(Event<'_>)) {
        let refused = matches!(finish, Finish::Refusal(_));
        if !self.said && self.calls.is_empty() && !refused {
            return self.broken("upstream ended its answer without a word", sink);
        }
        // Some clients run a tool the moment that its call stops, before they know of the refusal.
        if refused && !self.calls.is_empty() {
            return self.broken("upstream refused the answer after a tool call was begun", sink);
        }
        let cut = matches!(finish, Finish::Length);
        if let Err(what) = self.calls.finish(cut, sink) {
            return self.broken(what, sink);
        }
        self.began = true;
        self.stage = Stage::Finished;
        sink(Event::Finish(finish));
    }

    fn broken(&mut self, what: &str, sink: &mut impl FnMut(Event<'_>)) {
        self.fail(FailureBody { message: what.to_owned(), ..FailureBody::default() }, sink);
    }

    fn fail(&mut self, body: FailureBody, sink: &mut impl FnMut(Event<'_>)) {
        self.stage = Stage::Over;
        self.error = Some(StreamError {
            kind: body.kind.clone().unwrap_or_else(|| "api_error".to_owned()),
            message: body.message.clone(),
            body,
        });
        sink(Event::Error);
    }
}

/// Reads the error of a chunk or an answer: at its top, or inside a choice.
pub(super) fn read_error(data: &[u8]) -> FailureBody {
    let inside = || -> Option<FailureBody> {
        let chunk: Chunk<'_> = serde_json::from_slice(data).ok()?;
        if present(chunk.error).is_some() {
            return None;
        }
        let error: &RawValue = chunk.choices.iter().flatten().find_map(|choice| present(choice.error))?;
        Some(failure::read(format!("{{\"error\":{}}}", error.get()).as_bytes()))
    };
    inside().unwrap_or_else(|| {
        // What stands beside the error may be the text of an answer: it belongs in no error.
        let pairs = serde_json::from_slice::<Pairs<'_>>(data).ok();
        match pairs.as_ref().and_then(|pairs| present(pairs.get("error"))) {
            Some(error) => failure::read(format!("{{\"error\":{}}}", error.get()).as_bytes()),
            None => failure::read(data),
        }
    })
}
