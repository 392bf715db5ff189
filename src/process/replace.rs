//! Replaces a file as a whole: whoever reads sees the old bytes or the new ones, also after a crash.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Mode of a file that was not there.
const NEW_FILE: u32 = 0o600;

/// How many symlinks are followed to the file itself.
const MAX_LINKS: usize = 16;

/// Replaces the file at `path` by `bytes`. A symlink stays one: the file it names is replaced. The mode of
/// an existing file is kept; a new one gets 0600. The folder must exist. On an error the old file is whole.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = follow(path)?;
    let mode = match fs::metadata(&target) {
        Ok(meta) if !meta.is_file() => return Err(io::Error::other("not a regular file")),
        Ok(meta) => meta.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => NEW_FILE,
        Err(error) => return Err(error),
    };
    let folder = folder_of(&target);
    // In the target's own folder: a rename does not cross file systems.
    let mut temp = tempfile::Builder::new().prefix(".sanctum-").suffix(".tmp").tempfile_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().set_permissions(Permissions::from_mode(mode))?;
    temp.as_file().sync_all()?;
    temp.persist(&target).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Writes a file that must not exist yet (0600), as a whole; `AlreadyExists` when it does.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut temp = tempfile::Builder::new().prefix(".sanctum-").suffix(".tmp").tempfile_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    temp.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path at the end of a chain of symlinks; it need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = folder_of(&at).join(next),
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(at);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symlinks"))
}

#[cfg(test)]
mod tests;
