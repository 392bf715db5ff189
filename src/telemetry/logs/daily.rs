//! `sanctum.log`, put aside as `sanctum.log.YYYY-MM-DD` when a new day (UTC) begins or it has grown too big.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::telemetry::clock;

/// The live file's name.
pub(super) const NAME: &str = "sanctum.log";

/// Files put aside that are kept.
const KEEP: usize = 14;

/// A day's file that grows past this is put aside early, in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Appends to the live file; opens it anew when it was moved or deleted.
pub(super) struct Daily {
    dir: PathBuf,
    file: File,
    /// Days since the epoch of what is in the file.
    day: i64,
    /// When somebody was last looked for who moved the file away, ms.
    looked: i64,
}

impl Daily {
    /// Opens the live file in `dir`, and creates both when they are missing.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        let file = open(&dir.join(NAME))?;
        let written = file.metadata().map(|m| modified_ms(&m))?;
        let now = clock::now();
        let day = if file.metadata()?.len() == 0 { day_of(now) } else { day_of(written) };
        Ok(Self { dir: dir.to_owned(), file, day, looked: now })
    }

    fn write_at(&mut self, bytes: &[u8], now: i64) -> io::Result<usize> {
        if day_of(now) != self.day {
            // Where it cannot be put aside the old file goes on: a line in the wrong file beats none.
            self.put_aside().ok();
            self.day = day_of(now);
        } else if now.abs_diff(self.looked) >= 1000 {
            self.looked = now;
            self.look().ok();
        }
        self.file.write(bytes)
    }

    /// Reopens a file that is no longer at its path; puts one aside that is too big.
    fn look(&mut self) -> io::Result<()> {
        let ours = self.file.metadata()?;
        let there = fs::metadata(self.dir.join(NAME)).ok();
        if there.is_none_or(|m| (m.dev(), m.ino()) != (ours.dev(), ours.ino())) {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
            self.file = open(&self.dir.join(NAME))?;
        } else if ours.len() > MAX_BYTES {
            self.put_aside()?;
        }
        Ok(())
    }

    fn put_aside(&mut self) -> io::Result<()> {
        let live = self.dir.join(NAME);
        let stem = format!("{NAME}.{}", date_of(self.day));
        // A second file of one day gets a number; a name that is taken is never written over.
        let free = (0..1000_u32)
            .map(|n| if n == 0 { stem.clone() } else { format!("{stem}.{n}") })
            .map(|name| self.dir.join(name))
            .find(|path| !path.exists());
        if let Some(path) = free {
            fs::rename(&live, path)?;
        }
        self.file = open(&live)?;
        prune(&self.dir);
        Ok(())
    }
}

impl Write for Daily {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_at(bytes, clock::now())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Removes all but the newest files put aside; their names sort by age.
fn prune(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut old: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_put_aside(p)).collect();
    old.sort();
    let surplus = old.len().saturating_sub(KEEP);
    for path in old.into_iter().take(surplus) {
        // One that cannot be removed is tried again the next day.
        fs::remove_file(path).ok();
    }
}

fn is_put_aside(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let date = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('.')).unwrap_or_default();
    date.get(..10).is_some_and(|date| date.parse::<jiff::civil::Date>().is_ok())
}

fn modified_ms(meta: &Metadata) -> i64 {
    meta.mtime().saturating_mul(1000)
}

const fn day_of(ms: i64) -> i64 {
    ms.div_euclid(DAY_MS)
}

fn date_of(day: i64) -> String {
    match jiff::Timestamp::from_millisecond(day.saturating_mul(DAY_MS)) {
        Ok(at) => at.strftime("%Y-%m-%d").to_string(),
        Err(_) => "0000-00-00".to_owned(),
    }
}

#[cfg(test)]
mod tests;
