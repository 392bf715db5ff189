//! What a process wrote to stderr, readable while it runs.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::PATIENCE;

/// Lines so far; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    text: String,
    is_over: bool,
}

/// So many bytes are kept; a soak writes more.
const KEPT: usize = 16 << 20;

impl State {
    fn add(&mut self, line: &str) {
        if self.text.len() > KEPT {
            self.text.clear();
        }
        self.text.push_str(line);
    }
}

impl Log {
    /// Collects from `source` on a thread of its own until it ends.
    pub(crate) fn of(source: impl Read + Send + 'static) -> Self {
        let log = Self::default();
        let mine = log.clone();
        std::thread::spawn(move || {
            let mut rd = BufReader::new(source);
            let mut line = Vec::new();
            while matches!(rd.read_until(b'\n', &mut line), Ok(n) if n > 0) {
                mine.0.0.lock().unwrap().add(&String::from_utf8(line.clone()).expect("UTF-8 log"));
                mine.0.1.notify_all();
                line.clear();
            }
            mine.0.0.lock().unwrap().is_over = true;
            mine.0.1.notify_all();
        });
        log
    }

    /// Everything so far; also while a test is failing.
    pub(crate) fn text(&self) -> String {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).text.clone()
    }

    /// Waits for the end of the source, then gives everything.
    pub(crate) fn whole(&self) -> String {
        let state = self.0.0.lock().unwrap();
        let (state, _) = self.0.1.wait_timeout_while(state, PATIENCE, |s| !s.is_over).unwrap();
        state.text.clone()
    }

    /// Waits until `pick` finds something in the text; fails naming `what` at the end or after [`PATIENCE`].
    pub(crate) fn wait_for<T>(&self, what: &str, pick: impl Fn(&str) -> Option<T>) -> T {
        let mut state = self.0.0.lock().unwrap();
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            if let Some(found) = pick(&state.text) {
                return found;
            }
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() || state.is_over {
                let text = state.text.clone();
                drop(state);
                panic!("no {what} in the log:\n{text}");
            }
            state = self.0.1.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Waits for a line that holds all of `words`.
    pub(crate) fn wait_line(&self, words: &[&str]) -> String {
        self.wait_for(&format!("line with {words:?}"), |text| {
            text.lines().find(|l| words.iter().all(|w| l.contains(w))).map(Into::into)
        })
    }
}
