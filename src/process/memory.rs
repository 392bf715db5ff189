//! Gives memory back: glibc keeps big buffers and the peak of past streams unless it is told otherwise.
//!
//! Measured: without fixed thresholds a 150 MB body leaves 69 to 137 MB resident, with them 6.5; after 256
//! slow streams the resident size stays at its peak until the heap is trimmed. Elsewhere than on Linux with
//! glibc everything here does nothing.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Buffers from this size on are mapped by themselves and so are given back when freed, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const THRESHOLD: libc::c_int = 128 * 1024;

/// How often the load is looked at.
const TICK: Duration = Duration::from_millis(250);

/// Fixes the allocator's thresholds. Call it first in `main`, before threads: glibc otherwise raises them
/// after the first big buffer is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "mallopt has no safe wrapper; it takes two integers and touches no memory of ours"
)]
pub fn settle() {
    // A refusal (0) leaves the default: more memory, nothing wrong.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, THRESHOLD);
        libc::mallopt(libc::M_TRIM_THRESHOLD, THRESHOLD);
    }
}

/// Fixes the allocator's thresholds where there are any.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn settle() {}

/// Gives free memory of the heap back to the system. Takes milliseconds on a big heap: not on a request's thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "malloc_trim has no safe wrapper; it locks each arena itself")]
pub fn trim() {
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives free memory of the heap back where there is a way.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim() {}

/// Trims the heap from a thread of its own once load has fallen. Stops when dropped.
#[derive(Debug)]
pub struct Trimmer {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Trimmer {
    /// Watches `active`, the number of requests or streams that are going on. Fails when there can be no thread.
    pub fn start(active: Arc<AtomicUsize>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::Builder::new().name("memory".to_owned()).spawn(move || {
            let mut load = Load::default();
            while !told.load(Ordering::Relaxed) {
                if load.has_fallen(active.load(Ordering::Relaxed)) {
                    trim();
                }
                thread::park_timeout(TICK);
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Trimmer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It cannot panic, and nothing is lost if it did.
            thread.join().ok();
        }
    }
}

/// Decides when load has fallen enough to be worth a trim.
#[derive(Debug, Default)]
struct Load {
    /// Highest since the last trim.
    peak: usize,
    /// Ticks in a row at or below half of it.
    low_ticks: u32,
}

impl Load {
    /// Ticks of low load before a trim, so that the next wave does not fault its pages in again.
    const SETTLED: u32 = 4;

    fn has_fallen(&mut self, active: usize) -> bool {
        self.peak = self.peak.max(active);
        let is_low = active <= self.peak / 2 && self.peak > 0;
        self.low_ticks = if is_low { self.low_ticks.saturating_add(1) } else { 0 };
        let fallen = self.low_ticks >= Self::SETTLED;
        if fallen {
            *self = Self { peak: active, low_ticks: 0 };
        }
        fallen
    }
}

#[cfg(test)]
mod tests;
