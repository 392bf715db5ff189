//! The live file: opened, repaired, appended to by whole lines, and given up when somebody moved it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// How far back a line's start is looked for, in bytes.
const MAX_BACK: u64 = 1024 * 1024;

/// A tail that another process is writing at this moment is whole by then.
const SECOND_LOOK: Duration = Duration::from_millis(20);

/// An open live file whose end is the end of a line.
#[derive(Debug)]
pub(super) struct Live {
    file: File,
    len: u64,
    /// A torn line may be at the end: nothing is appended until it is cut.
    torn: bool,
}

/// A write that failed in the middle.
#[derive(Debug)]
pub(super) struct Failed {
    /// Bytes of whole lines that are in the file nevertheless.
    pub(super) whole: usize,
    /// Why no more.
    pub(super) error: io::Error,
}

impl Live {
    /// Opens the file for appending; creates it (0600) and its folder (0700) when they are missing. A torn line
    /// at its end, left by a kill or a crash, is cut off.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut live = Self { file, len: meta.len(), torn: true };
        live.repair()?;
        Ok(live)
    }

    /// Length in bytes, as far as known.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file at `path` is still this one; takes note of a length that somebody else changed.
    pub(super) fn is_at(&mut self, path: &Path) -> io::Result<bool> {
        let there = match fs::metadata(path) {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let ours = self.file.metadata()?;
        self.len = ours.len();
        Ok(identity(&there) == identity(&ours))
    }

    /// Appends whole lines. When that fails the file still ends with a whole line, or is repaired before
    /// the next append.
    pub(super) fn append(&mut self, lines: &[u8]) -> Result<(), Failed> {
        if self.torn {
            self.repair().map_err(|error| Failed { whole: 0, error })?;
        }
        let mut written = 0_usize;
        let error = loop {
            let rest = lines.get(written..).unwrap_or_default();
            if rest.is_empty() {
                self.len = self.len.saturating_add(size(written));
                return Ok(());
            }
            match self.file.write(rest) {
                Ok(0) => break io::Error::from(ErrorKind::WriteZero),
                Ok(some) => written = written.saturating_add(some),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break error,
            }
        };
        let head = lines.get(..written).unwrap_or_default();
        let whole = memchr::memrchr(b'\n', head).map_or(0, |last| last.saturating_add(1));
        self.len = self.len.saturating_add(size(whole));
        if whole < written {
            self.torn = true;
            // What fails here is tried again before the next append.
            self.repair().ok();
        }
        Err(Failed { whole, error })
    }

    /// Cuts a torn line off the end.
    fn repair(&mut self) -> io::Result<()> {
        let mut len = self.file.metadata()?.len();
        if let Tail::Torn(_) = self.tail(len)? {
            std::thread::sleep(SECOND_LOOK);
            len = self.file.metadata()?.len();
        }
        self.len = match self.tail(len)? {
            Tail::Whole => len,
            Tail::Torn(start) => {
                self.file.set_len(start)?;
                tracing::warn!(bytes = len.saturating_sub(start), "cut a torn line off the attempt log");
                start
            }
            Tail::Foreign => {
                self.file.write_all(b"\n")?;
                len.saturating_add(1)
            }
        };
        self.torn = false;
        Ok(())
    }

    fn tail(&self, len: u64) -> io::Result<Tail> {
        let back = len.min(MAX_BACK);
        let mut last = [b'\n'];
        if len > 0 {
            self.file.read_exact_at(&mut last, len.saturating_sub(1))?;
        }
        if last == [b'\n'] {
            return Ok(Tail::Whole);
        }
        let mut bytes = vec![0; usize::try_from(back).unwrap_or(0)];
        let from = len.saturating_sub(back);
        self.file.read_exact_at(&mut bytes, from)?;
        let start = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end.saturating_add(1));
        let line = bytes.get(start..).unwrap_or_default();
        let is_whole_found = start > 0 || from == 0;
        // Ours begin with a brace; zeros are what a power cut leaves.
        let is_ours = line.first() == Some(&b'{') || line.iter().all(|b| *b == 0);
        Ok(if is_whole_found && is_ours {
            Tail::Torn(from.saturating_add(size(start)))
        } else {
            Tail::Foreign
        })
    }
}

/// What the file ends with.
enum Tail {
    /// Nothing, or a whole line.
    Whole,
    /// The head of one of our lines, which starts here.
    Torn(u64),
    /// Something without a line end that is not ours to cut.
    Foreign,
}

fn identity(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

fn size(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
