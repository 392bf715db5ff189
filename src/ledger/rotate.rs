//! Rotation: `attempts.jsonl` becomes `.1`, `.1` becomes `.2` and is compressed to `.2.gz` by a thread of its
//! own, and so on up to `keep`.
//!
//! Only renames happen on the writer's thread. A crash at any step loses nothing: the compressed file gets its
//! name when it is complete and on disk, and only then is the plain one removed; where both are found, the
//! compressed one is complete. `.1` stays plain, so that another process that still has it open as its live
//! file loses nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::telemetry::clock::Instant;

/// Level of compression: quick, since a core is shared with requests; records shrink tenfold already.
const LEVEL: u32 = 3;

/// The rotated files of one live file. Clones share the lock on their names.
#[derive(Debug, Clone)]
pub(super) struct Rotated {
    live: PathBuf,
    keep: u32,
    names: Arc<Mutex<()>>,
    is_compressing: Arc<AtomicBool>,
}

/// The forms in which a number is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Forms {
    plain: bool,
    gz: bool,
}

impl Rotated {
    pub(super) fn new(live: &Path, keep: u32) -> Self {
        let (names, is_compressing) = <_>::default();
        Self { live: live.to_owned(), keep, names, is_compressing }
    }

    /// Puts right what a crash left, and starts to compress what is not yet.
    pub(super) fn tidy(&self) {
        // There is none most of the time.
        fs::remove_file(self.temp()).ok();
        if let Err(error) = self.locked(Self::prune) {
            tracing::warn!(%error, "cannot tidy up rotated attempt logs");
        }
        self.compress_aside();
    }

    /// Moves every file on by one number, the live one to `.1`, and removes those beyond `keep`.
    pub(super) fn rotate(&self) -> io::Result<()> {
        self.locked(|this| {
            this.prune()?;
            let there = this.there()?;
            let free = (1..u32::MAX).find(|n| !there.contains_key(n)).unwrap_or(u32::MAX);
            for (n, forms) in there.range(..free).rev() {
                let next = n.saturating_add(1);
                if forms.plain {
                    fs::rename(this.plain(*n), this.plain(next))?;
                }
                if forms.gz {
                    fs::rename(this.gz(*n), this.gz(next))?;
                }
            }
            fs::rename(&this.live, this.plain(1))?;
            this.prune()
        })?;
        self.compress_aside();
        Ok(())
    }

    /// Compresses in a thread of its own, one at a time.
    fn compress_aside(&self) {
        if self.is_compressing.swap(true, Ordering::AcqRel) {
            return;
        }
        let this = self.clone();
        let thread = std::thread::Builder::new().name("attempts-gzip".to_owned());
        let started = thread.spawn(move || {
            let result = this.compress_all();
            this.is_compressing.store(false, Ordering::Release);
            if let Err(error) = result {
                tracing::warn!(%error, "cannot compress a rotated attempt log; it stays as it is until the next rotation");
            }
        });
        if let Err(error) = started {
            self.is_compressing.store(false, Ordering::Release);
            tracing::warn!(%error, "no thread to compress rotated attempt logs");
        }
    }

    /// Waits, blocking, until nothing is being compressed; not for longer than `wait`.
    pub(super) fn finish(&self, wait: Duration) {
        let until = Instant::now() + wait;
        while self.is_compressing.load(Ordering::Acquire) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Compresses every plain file but `.1`, newest first.
    fn compress_all(&self) -> io::Result<()> {
        while let Some(number) = self.locked(|this| this.uncompressed())? {
            self.compress(number)?;
        }
        Ok(())
    }

    fn compress(&self, number: u32) -> io::Result<()> {
        let mut plain = match File::open(self.plain(number)) {
            Ok(plain) => plain,
            // Moved on meanwhile: the next look finds it.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let temp = self.temp();
        let written = gzip(&mut plain, &temp).and_then(|()| self.publish(&plain, &temp));
        if written.is_err() {
            fs::remove_file(&temp).ok();
        }
        written
    }

    /// Gives the compressed file the name of the plain one, which may have moved on, and removes the latter.
    fn publish(&self, plain: &File, temp: &Path) -> io::Result<()> {
        let meta = plain.metadata()?;
        self.locked(|this| {
            let is_it = |n: &u32| {
                fs::metadata(this.plain(*n)).is_ok_and(|at| (at.dev(), at.ino()) == (meta.dev(), meta.ino()))
            };
            match this.there()?.into_keys().find(is_it) {
                Some(n) => {
                    fs::rename(temp, this.gz(n))?;
                    fs::remove_file(this.plain(n))
                }
                None => fs::remove_file(temp),
            }
        })
    }

    fn uncompressed(&self) -> io::Result<Option<u32>> {
        Ok(self.there()?.into_iter().find(|(n, forms)| *n >= 2 && forms.plain && !forms.gz).map(|(n, _)| n))
    }

    /// Removes files beyond `keep`, and plain ones whose compressed form is complete.
    fn prune(&self) -> io::Result<()> {
        for (n, forms) in self.there()? {
            let is_beyond = n > self.keep;
            if forms.plain && (is_beyond || forms.gz) {
                fs::remove_file(self.plain(n))?;
            }
            if forms.gz && is_beyond {
                fs::remove_file(self.gz(n))?;
            }
        }
        Ok(())
    }

    /// The numbers that are there.
    fn there(&self) -> io::Result<BTreeMap<u32, Forms>> {
        let mut there: BTreeMap<u32, Forms> = BTreeMap::new();
        let (Some(folder), Some(live)) = (self.live.parent(), self.live.file_name().and_then(|n| n.to_str()))
        else {
            return Ok(there);
        };
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(live)?.strip_prefix('.')) else {
                continue;
            };
            let (number, is_gz) = rest.strip_suffix(".gz").map_or((rest, false), |number| (number, true));
            if number.starts_with(|c: char| matches!(c, '1'..='9'))
                && let Ok(number) = number.parse()
            {
                let forms = there.entry(number).or_default();
                if is_gz { forms.gz = true } else { forms.plain = true }
            }
        }
        Ok(there)
    }

    fn locked<T>(&self, work: impl FnOnce(&Self) -> T) -> T {
        let _names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        work(self)
    }

    fn plain(&self, number: u32) -> PathBuf {
        self.with_end(&format!(".{number}"))
    }

    fn gz(&self, number: u32) -> PathBuf {
        self.with_end(&format!(".{number}.gz"))
    }

    fn temp(&self) -> PathBuf {
        self.with_end(".gz.tmp")
    }

    fn with_end(&self, end: &str) -> PathBuf {
        let mut name = OsString::from(&self.live);
        name.push(end);
        PathBuf::from(name)
    }
}

fn gzip(plain: &mut File, to: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(to)?;
    let mut encoder = GzEncoder::new(file, Compression::new(LEVEL));
    io::copy(plain, &mut encoder)?;
    encoder.finish()?.sync_all()
}

#[cfg(test)]
mod tests;
