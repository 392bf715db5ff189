//! Tells the hub's events to an Anthropic client.
//!
//! Nothing is written before the first content, so that any failure until then can fall back. One block is open
//! at a time: while a call is open, what belongs to anything else waits until that call is known to be whole. A
//! client runs a call the moment that its block stops, so no block of a call is stopped on upstream's behalf.
//! The stop reason waits for the usage that follows it.

use crate::prompt::{Event, Finish, Text, Usage};
use crate::wire::{AnswerOptions, ids};

mod queue;
mod write;

use queue::Queue;
pub use queue::TooMuch;
pub use write::encode_answer;

/// Which block is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Text,
    Thinking,
    Tool(usize),
}

/// Writes one stream.
#[derive(Debug, Default)]
pub struct StreamEncoder {
    options: AnswerOptions,
    id: Option<Text<'static>>,
    model: Option<Text<'static>>,
    started: bool,
    next_index: u64,
    open: Option<Open>,
    /// What waits for the open call to be whole.
    queue: Queue,
    usage: Usage,
    /// Bytes of the answer, for an estimate where upstream counts nothing.
    said_bytes: u64,
    refusal: String,
    finish: Option<Finish<'static>>,
    over: bool,
}

impl StreamEncoder {
    /// An encoder at the start of a stream.
    #[must_use]
    pub fn new(options: AnswerOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes in one event and writes what can be told.
    ///
    /// # Errors
    /// When more has to wait than is kept. The stream is then to be closed.
    pub fn take(&mut self, event: Event<'_>, out: &mut Vec<u8>) -> Result<(), TooMuch> {
        if self.over {
            return Ok(());
        }
        match event {
            Event::Start { id, model } => {
                self.id = id.map(Text::into_owned);
                self.model = model.map(Text::into_owned);
            }
            Event::Usage(usage) => self.usage.merge(usage),
            Event::Finish(finish) => {
                self.drain(out, true);
                self.close_block(out);
                self.finish = Some(finish.into_owned());
            }
            Event::End => self.end(out),
            Event::Dropped(_) | Event::Error => {}
            other => self.content(other, out)?,
        }
        Ok(())
    }

    /// Whether anything was told: from then on nothing else can answer.
    #[must_use]
    pub fn committed(&self) -> bool {
        self.started
    }

    /// Whether the client has the end of the message.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.over
    }

    /// Whether the client is told an estimate, since upstream counted nothing.
    #[must_use]
    pub fn estimates(&self) -> bool {
        self.usage.output.is_none() || self.usage.all_input().is_none()
    }

    /// The loud end of a stream that failed: an open text or thinking block is stopped, an open call is not,
    /// then the error, and only then the stop reason.
    pub fn close(&self, kind: &str, message: &str, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        if matches!(self.open, Some(Open::Text | Open::Thinking)) {
            write::block_stop(out, self.next_index.saturating_sub(1));
        }
        write::error(out, kind, message);
        if self.started {
            write::failed_end(out, &self.usage);
        }
    }

    /// Content: told if its block is open or can be opened, else kept.
    fn content(&mut self, event: Event<'_>, out: &mut Vec<u8>) -> Result<(), TooMuch> {
        if let Some(Open::Tool(open)) = self.open {
            match &event {
                Event::ToolDelta { call, .. } if *call == open => {}
                Event::ToolStop { call } if *call == open => {
                    self.close_block(out);
                    self.drain(out, false);
                    return Ok(());
                }
                _ => return self.queue.push(event),
            }
        }
        self.tell(event, out);
        Ok(())
    }

    /// Tells what waited, as far as it can be told. `all` when nothing more will come.
    fn drain(&mut self, out: &mut Vec<u8>, all: bool) {
        let mut queue = std::mem::take(&mut self.queue);
        while let Some(entry) = queue.next() {
            // A call that is not whole yet blocks what comes after it, unless nothing more will come.
            let is_open_call = entry.is_unfinished_call();
            entry.replay(|event| self.tell(event, out));
            if is_open_call {
                if all {
                    self.close_block(out);
                } else {
                    self.queue = queue;
                    return;
                }
            }
        }
    }

    fn tell(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        match event {
            Event::Text(text) => self.text(&text, out),
            Event::Refusal(text) => {
                self.refusal.push_str(text.escaped());
                self.text(&text, out);
            }
            Event::Thinking(text) => {
                self.thinking(out);
                self.delta(out, "thinking_delta", "thinking", &text);
            }
            Event::Signature(text) => {
                self.thinking(out);
                self.delta(out, "signature_delta", "signature", &text);
            }
            Event::RedactedThinking(data) => {
                self.start(out);
                self.close_block(out);
                write::redacted(out, self.next_index, &data);
                self.next_index = self.next_index.saturating_add(1);
            }
            Event::ToolStart { call, id, name } => {
                self.start(out);
                self.close_block(out);
                let id = ids::unique_valid(&id.decode(), call, &mut self.options.taken_ids);
                write::tool_start(out, self.next_index, &id, &name);
                self.opened(Open::Tool(call));
            }
            Event::ToolDelta { call, json } if self.open == Some(Open::Tool(call)) => {
                self.delta(out, "input_json_delta", "partial_json", &json);
            }
            Event::ToolStop { call } if self.open == Some(Open::Tool(call)) => self.close_block(out),
            _ => {}
        }
    }

    fn text(&mut self, text: &Text<'_>, out: &mut Vec<u8>) {
        if self.open != Some(Open::Text) {
            self.start(out);
            self.close_block(out);
            write::text_start(out, self.next_index);
            self.opened(Open::Text);
        }
        self.delta(out, "text_delta", "text", text);
    }

    fn thinking(&mut self, out: &mut Vec<u8>) {
        if self.open != Some(Open::Thinking) {
            self.start(out);
            self.close_block(out);
            write::thinking_start(out, self.next_index);
            self.opened(Open::Thinking);
        }
    }

    fn delta(&mut self, out: &mut Vec<u8>, kind: &str, key: &str, text: &Text<'_>) {
        self.said_bytes = self.said_bytes.saturating_add(text.escaped().len().try_into().unwrap_or(0));
        write::delta(out, self.next_index.saturating_sub(1), kind, key, text);
    }

    fn opened(&mut self, open: Open) {
        self.open = Some(open);
        self.next_index = self.next_index.saturating_add(1);
    }

    fn close_block(&mut self, out: &mut Vec<u8>) {
        if self.open.take().is_some() {
            write::block_stop(out, self.next_index.saturating_sub(1));
        }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) {
            let id = write::message_id(self.id.as_ref(), &self.options.id);
            let model = write::model(self.model.as_ref(), &self.options.model);
            let estimate = Usage { input: self.options.input_estimate, ..Usage::default() };
            let usage = if self.usage.all_input().is_some() { &self.usage } else { &estimate };
            write::message_start(out, &id, model.as_ref(), usage);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let Some(finish) = self.finish.take() else { return };
        self.start(out);
        let usage = self.told_usage();
        write::end(out, &finish, &self.refusal, &usage);
        self.over = true;
    }

    /// What upstream counted; an estimate where it did not.
    fn told_usage(&self) -> Usage {
        let mut usage = self.usage;
        if usage.all_input().is_none() {
            usage.input = self.options.input_estimate;
        }
        if usage.output.is_none() {
            usage.output = Some(self.said_bytes.div_ceil(4).max(1));
        }
        usage
    }
}
