use std::sync::{Arc, Mutex};

use super::*;

/// Takes lines only while the gate is not held.
#[derive(Clone, Default)]
struct Gate {
    gate: Arc<Mutex<()>>,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _open = self.gate.lock().unwrap();
        self.seen.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stuck_sink_blocks_nobody_and_losses_are_counted() {
    let sink = Gate::default();
    let queue = Queue::start("test-log", sink.clone()).unwrap();
    let shut = sink.gate.lock().unwrap();
    let before = dropped();
    for _ in 0..QUEUE + 10 {
        queue.line(b"x\n".to_vec());
    }
    assert!(dropped() >= before + 9);
    queue.flush(Duration::from_millis(5));
    drop(shut);
    queue.flush(Duration::from_secs(10));
    assert!(sink.seen.lock().unwrap().len() >= QUEUE * 2);
}
