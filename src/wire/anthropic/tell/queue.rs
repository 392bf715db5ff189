//! What waits while a call is open: texts in their order, calls with all their pieces.

use std::collections::VecDeque;

use crate::prompt::{Event, Text};

/// Most bytes that wait.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// More has to wait than is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("upstream mixes more pieces of its answer than can be put in order")]
pub struct TooMuch;

#[derive(Debug, Default)]
pub(super) struct Queue {
    entries: VecDeque<Entry>,
    bytes: usize,
}

/// One block that waits.
#[derive(Debug)]
pub(super) enum Entry {
    /// Anything but a call.
    Event(Event<'static>),
    /// A call, its pieces joined.
    Call { call: usize, id: Text<'static>, name: Text<'static>, escaped: String, stopped: bool },
}

impl Queue {
    pub(super) fn push(&mut self, event: Event<'_>) -> Result<(), TooMuch> {
        let size = match &event {
            Event::Text(text) | Event::Refusal(text) | Event::Thinking(text) | Event::Signature(text) => {
                text.as_json().len()
            }
            Event::RedactedThinking(data) => data.as_json().len(),
            Event::ToolDelta { json, .. } => json.as_json().len(),
            Event::ToolStart { id, name, .. } => id.as_json().len().saturating_add(name.as_json().len()),
            _ => 0,
        };
        // Every entry costs its own place, however small.
        self.bytes = self.bytes.saturating_add(size).saturating_add(64);
        if self.bytes > MAX_BYTES {
            return Err(TooMuch);
        }
        let owned = match event {
            Event::Text(text) => Event::Text(text.into_owned()),
            Event::Refusal(text) => Event::Refusal(text.into_owned()),
            Event::Thinking(text) => Event::Thinking(text.into_owned()),
            Event::Signature(text) => Event::Signature(text.into_owned()),
            Event::RedactedThinking(data) => Event::RedactedThinking(data.into_owned()),
            Event::ToolStart { call, id, name } => {
                let (id, name) = (id.into_owned(), name.into_owned());
                self.entries.push_back(Entry::Call {
                    call,
                    id,
                    name,
                    escaped: String::new(),
                    stopped: false,
                });
                return Ok(());
            }
            Event::ToolDelta { call: of, json } => {
                if let Some(Entry::Call { escaped, .. }) = self.call(of) {
                    escaped.push_str(json.escaped());
                }
                return Ok(());
            }
            Event::ToolStop { call: of } => {
                if let Some(Entry::Call { stopped, .. }) = self.call(of) {
                    *stopped = true;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.entries.push_back(Entry::Event(owned));
        Ok(())
    }

    pub(super) fn next(&mut self) -> Option<Entry> {
        self.entries.pop_front()
    }

    fn call(&mut self, of: usize) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| matches!(entry, Entry::Call { call, .. } if *call == of))
    }
}

impl Entry {
    /// Whether it is a call of which more may come.
    pub(super) fn is_unfinished_call(&self) -> bool {
        matches!(self, Self::Call { stopped: false, .. })
    }

    /// Tells it as events.
    pub(super) fn replay(self, mut sink: impl FnMut(Event<'_>)) {
        match self {
            Self::Event(event) => sink(event),
            Self::Call { call, id, name, escaped, stopped } => {
                sink(Event::ToolStart { call, id, name });
                if !escaped.is_empty() {
                    sink(Event::ToolDelta { call, json: Text::of_escaped(&escaped) });
                }
                if stopped {
                    sink(Event::ToolStop { call });
                }
            }
        }
    }
}
