//! Random valid streams: never a protocol error, and everything arrives where it belongs.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::run;
use crate::wire::anthropic::checker;
use crate::wire::{Dialect, Wire, chat};

/// What a stream says.
#[derive(Debug, Clone)]
struct Said {
    before: Vec<String>,
    calls: Vec<Call>,
    /// Which call goes on next, as a seed.
    order: Vec<prop::sample::Index>,
    between: Vec<String>,
    finish_is_stop: bool,
    usage: bool,
    done: bool,
    ending: usize,
}

#[derive(Debug, Clone)]
struct Call {
    name: String,
    /// Whole arguments, and where they are cut.
    arguments: Value,
    cuts: Vec<prop::sample::Index>,
    with_id: bool,
    same_id: bool,
}

fn call() -> impl Strategy<Value = Call> {
    let arguments = proptest::collection::btree_map("[a-z]{1,3}", ".{0,6}", 0..3).prop_map(|map| json!(map));
    let cuts = proptest::collection::vec(any::<prop::sample::Index>(), 0..4);
    ("[A-Za-z_]{1,8}", arguments, cuts, any::<bool>(), any::<bool>()).prop_map(
        |(name, arguments, cuts, with_id, same_id)| Call { name, arguments, cuts, with_id, same_id },
    )
}

fn said() -> impl Strategy<Value = Said> {
    (
        proptest::collection::vec(".{0,5}", 0..4),
        proptest::collection::vec(call(), 0..5),
        proptest::collection::vec(any::<prop::sample::Index>(), 0..16),
        proptest::collection::vec(".{1,3}", 0..3),
        any::<(bool, bool, bool)>(),
        0..3_usize,
    )
        .prop_filter("something is said", |(before, calls, ..)| {
            !calls.is_empty() || before.iter().any(|t| !t.is_empty())
        })
        .prop_map(|(before, calls, order, between, (finish_is_stop, usage, done), ending)| Said {
            before,
            calls,
            order,
            between,
            finish_is_stop,
            usage,
            done,
            ending,
        })
}

impl Said {
    /// The chunks, with the pieces of the calls mixed, each call's own in order.
    fn chunks(&self) -> Vec<Value> {
        let chunk = |delta: Value, finish: Value| {
            json!({"id": "c", "object": "chat.completion.chunk", "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        };
        let mut chunks: Vec<Value> =
            self.before.iter().map(|text| chunk(json!({"content": text}), Value::Null)).collect();
        let mut waiting: Vec<std::collections::VecDeque<Value>> =
            self.calls.iter().enumerate().map(|(at, call)| call.fragments(at).into()).collect();
        let mut picks = self.order.iter().cycle();
        let mut between = self.between.iter();
        while waiting.iter().any(|fragments| !fragments.is_empty()) {
            let open: Vec<usize> = (0..waiting.len()).filter(|at| !waiting[*at].is_empty()).collect();
            let at = picks.next().map_or(open[0], |pick| *pick.get(&open));
            let fragment = waiting[at].pop_front().unwrap();
            chunks.push(chunk(json!({"tool_calls": [fragment]}), Value::Null));
            if let Some(text) = between.next() {
                chunks.push(chunk(json!({"content": text}), Value::Null));
            }
        }
        let finish = if self.calls.is_empty() || self.finish_is_stop { "stop" } else { "tool_calls" };
        chunks.push(chunk(json!({}), finish.into()));
        if self.usage {
            chunks.push(
                json!({"id": "c", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}),
            );
        }
        chunks
    }

    fn bytes(&self) -> Vec<u8> {
        let end = ["\n", "\r\n", "\r"][self.ending];
        let mut out = String::new();
        for chunk in self.chunks() {
            out.push_str(&format!("data: {chunk}{end}{end}"));
        }
        if self.done {
            out.push_str(&format!("data: [DONE]{end}{end}"));
        }
        out.into_bytes()
    }

    /// All words, with those that came between fragments.
    fn text(&self) -> String {
        let fragments: usize = self.calls.iter().enumerate().map(|(at, call)| call.fragments(at).len()).sum();
        self.before.iter().chain(self.between.iter().take(fragments)).map(String::as_str).collect()
    }
}

impl Call {
    fn fragments(&self, at: usize) -> Vec<Value> {
        let text = self.arguments.to_string();
        let mut places: Vec<usize> =
            self.cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let pieces = places.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap());
        let mut fragments: Vec<Value> =
            pieces.map(|piece| json!({"index": at, "function": {"arguments": piece}})).collect();
        fragments[0]["function"]["name"] = json!(self.name);
        if self.with_id {
            fragments[0]["id"] = if self.same_id { json!("same") } else { json!(format!("call {at}")) };
        }
        fragments
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_random_chat_stream_is_told_soundly_and_whole(
        said in said(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let bytes = said.bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let frames: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let (transcoder, out) = run(Wire::OpenAi, Dialect::Anthropic, false, &frames);
        prop_assert!(transcoder.error().is_none(), "{:?}", transcoder.error());
        prop_assert!(transcoder.finished());
        let seen = checker::check(&out);
        prop_assert_eq!(&seen.problems, &Vec::<String>::new());
        prop_assert_eq!(seen.text(), said.text());
        prop_assert_eq!(seen.stop_reason(), Some(if said.calls.is_empty() { "end_turn" } else { "tool_use" }));
        let blocks = seen.message["content"].as_array().unwrap();
        let mut got: Vec<(String, String)> = blocks
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .map(|block| (block["name"].as_str().unwrap().to_owned(), block["input"].to_string()))
            .collect();
        let mut want: Vec<(String, String)> =
            said.calls.iter().map(|call| (call.name.clone(), call.arguments.to_string())).collect();
        got.sort();
        want.sort();
        prop_assert_eq!(got, want, "each call has its own input");
        let ids: std::collections::BTreeSet<&str> =
            blocks.iter().filter_map(|block| block["id"].as_str()).collect();
        prop_assert_eq!(ids.len(), said.calls.len(), "each call has an id of its own");

        // And back again: what an Anthropic client saw is what a chat client would see of it.
        let (back, out) = run(Wire::Anthropic, Dialect::OpenAi, false, &[&out]);
        prop_assert!(back.finished());
        let again = chat::checker::check(&out);
        prop_assert_eq!(&again.problems, &Vec::<String>::new());
        prop_assert_eq!(again.text, said.text());
        prop_assert_eq!(again.calls.len(), said.calls.len());
    }

    #[test]
    fn a_random_chat_stream_that_breaks_off_is_closed_loudly(said in said(), at in any::<prop::sample::Index>()) {
        let bytes = said.bytes();
        let (transcoder, mut out) = run(Wire::OpenAi, Dialect::Anthropic, false, &[&bytes[..at.index(bytes.len())]]);
        prop_assert!(transcoder.finished() || transcoder.stop_reason().is_none());
        if transcoder.committed() {
            out.extend_from_slice(&transcoder.close("api_error", "cut"));
            let seen = checker::check(&out);
            prop_assert_eq!(&seen.problems, &Vec::<String>::new());
            prop_assert_eq!(seen.error.is_some(), !transcoder.finished());
            if !transcoder.finished() {
                prop_assert_eq!(seen.runnable_tools, Vec::<u64>::new(), "no call runs that upstream did not finish");
            }
        }
    }
}
