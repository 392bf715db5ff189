//! stub
use super::handle::{Message, Trouble};
use crate::config::Attempts;
use crate::telemetry::metrics::Metrics;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
pub(super) struct Writer;
impl Writer {
    pub(super) fn new(_c: &Attempts, _m: Arc<Metrics>, t: Trouble) -> Self {
        t.set(None);
        Self
    }
    pub(super) fn run(self, receiver: &Receiver<Message>) {
        while let Ok(m) = receiver.recv() {
            match m {
                Message::Record(_) => {}
                Message::Flush(d) => {
                    d.try_send(()).ok();
                }
            }
        }
    }
}
