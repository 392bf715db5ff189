//! Tells the calls of a stream apart, and knows when their arguments are whole.
//!
//! Servers differ: an index for each call, index 0 for all of them with ids that differ (Ollama), no index,
//! no id, an id that comes twice or late, a name on every fragment.

use std::collections::BTreeSet;

use super::chunk::{Call, Function};
use crate::prompt::{Event, Json, Text};
use crate::wire::ids;
use crate::wire::json::{text, whole};

/// Most calls of one answer.
const MAX_CALLS: usize = 256;
/// Most bytes of all arguments of one answer.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The calls of one stream.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<State>,
    /// Which call was added to last.
    last: Option<usize>,
    ids: BTreeSet<String>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    index: Option<u64>,
    /// As upstream has it.
    id: Option<String>,
    name: Option<Text<'static>>,
    /// Decoded.
    arguments: String,
    scan: Scan,
    /// It was told.
    started: bool,
    /// How many bytes of the arguments were told.
    told: usize,
}

/// Finds the end of an object that comes in pieces.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    whole: bool,
}

impl Scan {
    fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.whole |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}

impl State {
    /// Tells what was not told yet. White space alone is no arguments, and for a client no JSON.
    fn tell(&mut self, at: usize, sink: &mut impl FnMut(Event<'_>)) {
        let rest = self.arguments.get(self.told..).unwrap_or_default();
        if !rest.is_empty() && !self.arguments.trim_ascii_start().is_empty() {
            sink(Event::ToolDelta { call: at, json: Text::plain(rest) });
            self.told = self.arguments.len();
        }
    }
}

/// Why calls cannot be read on.
pub(super) type Broken = &'static str;

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes in the fragments of a chunk.
    pub(super) fn take(
        &mut self,
        calls: &[Call<'_>],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Broken> {
        for call in calls {
            self.fragment(whole(call.index), text(call.id), call.function.as_ref(), sink)?;
        }
        Ok(())
    }

    /// Takes in a call of the kind that there was before tools: one, without an id.
    pub(super) fn take_legacy(
        &mut self,
        function: &Function<'_>,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Broken> {
        self.fragment(Some(0), None, Some(function), sink)
    }

    fn fragment(
        &mut self,
        index: Option<u64>,
        id: Option<Text<'_>>,
        function: Option<&Function<'_>>,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Broken> {
        let id = id.filter(|id| !id.is_empty()).map(|id| id.decode().into_owned());
        let name = function.and_then(|f| text(f.name)).filter(|name| !name.is_empty());
        let piece = function.and_then(|f| f.arguments).and_then(|json| match Text::of(json) {
            Some(text) => Some(text),
            // Some servers send the object itself.
            None => json.get().starts_with('{').then(|| Text::plain(json.get())),
        });
        let piece = piece.filter(|piece| !piece.is_empty());
        let at = match self.find(index, id.as_deref(), name.is_some(), piece.is_some()) {
            Some(at) => at,
            None => self.open(index)?,
        };
        self.last = Some(at);
        let Some(call) = self.all.get_mut(at) else { return Ok(()) };
        if call.id.is_none() {
            call.id = id;
        }
        if call.name.is_none() {
            call.name = name.map(Text::into_owned);
        }
        if let Some(piece) = &piece {
            let plain = piece.decode();
            self.bytes = self.bytes.saturating_add(plain.len());
            if self.bytes > MAX_BYTES {
                return Err("upstream's tool calls are larger than 16 MiB");
            }
            call.scan.push(&plain);
            call.arguments.push_str(&plain);
        }
        if call.started {
            call.tell(at, sink);
            return Ok(());
        }
        // A call is told once its name is known, and its id or the lack of one.
        if call.name.is_some() && (call.id.is_some() || !call.arguments.is_empty()) {
            self.start(at, sink);
        }
        Ok(())
    }

    /// The call that a fragment belongs to; `None` when it begins a new one.
    fn find(&self, index: Option<u64>, id: Option<&str>, named: bool, has_piece: bool) -> Option<usize> {
        let same_id = |call: &&State| id.is_some() && call.id.as_deref() == id;
        let at = match index {
            // The last one with this index: a server that uses one index for all goes on with the newest.
            Some(_) => self.all.iter().rposition(|call| call.index == index)?,
            None => {
                let known = self.all.iter().rposition(|call| same_id(&call));
                known.or(self.last)?
            }
        };
        let call = self.all.get(at)?;
        if same_id(&call) {
            return Some(at);
        }
        let is_whole = call.scan.whole || (call.arguments.is_empty() && call.name.is_some());
        let other_id = id.is_some() && call.id.is_some();
        // Without ids a call that is whole cannot go on: what comes with a name is the next one.
        let no_ids = id.is_none() && call.scan.whole && has_piece;
        let begins = named && ((other_id && is_whole) || no_ids);
        if begins { None } else { Some(at) }
    }

    fn open(&mut self, index: Option<u64>) -> Result<usize, Broken> {
        if self.all.len() >= MAX_CALLS {
            return Err("upstream makes more than 256 tool calls in one answer");
        }
        self.all.push(State { index, ..State::default() });
        Ok(self.all.len().saturating_sub(1))
    }

    fn start(&mut self, at: usize, sink: &mut impl FnMut(Event<'_>)) {
        let Some(call) = self.all.get_mut(at) else { return };
        let Some(name) = &call.name else { return };
        let upstream = call.id.clone().unwrap_or_default();
        let id = ids::unique(&upstream, at, &mut self.ids);
        call.started = true;
        sink(Event::ToolStart { call: at, id: Text::plain(&id), name: name.by_ref() });
        call.tell(at, sink);
    }

    /// Says that no fragment will come any more: what was not told yet is told, and each call is stopped.
    /// Where the answer was cut by its limit, half a call is told as it is; one without a word of its arguments
    /// would pass for a whole call without arguments.
    ///
    /// # Errors
    /// When a call is not whole and no limit explains it, or when the limit came before its first argument.
    pub(super) fn finish(&mut self, cut: bool, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Broken> {
        for call in &self.all {
            if call.name.is_none() && !cut {
                return Err("upstream made a tool call without a name");
            }
            let is_empty = call.arguments.trim_ascii().is_empty();
            if is_empty && cut {
                return Err("upstream reached its limit at the start of a tool call");
            }
            let is_object =
                is_empty || Json::parse(call.arguments.as_str()).is_ok_and(|json| json.is_object());
            if !is_object && !cut {
                return Err("upstream made a tool call whose arguments are no JSON object");
            }
        }
        for at in 0..self.all.len() {
            if self.all.get(at).is_some_and(|call| !call.started) {
                self.start(at, sink);
            }
            if self.all.get(at).is_some_and(|call| call.started) {
                sink(Event::ToolStop { call: at });
            }
        }
        Ok(())
    }
}
