//! Writing `.npy` files: complete or not at all.
//!
//! The bytes go to a temporary file in the folder of the real file, which then takes its place. An existing file decides
//! whether it may be replaced and which owner the new file gets; see `Target`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf, is_separator};
use std::sync::atomic::{AtomicU64, Ordering};

use super::fault::in_file;
use super::head;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::stored::Stored;

/// Links to links that are followed: as many as Linux follows.
const LINKS: usize = 40;

/// Writes a temporary file in the folder of the target, which then replaces the target.
pub(super) fn write<T: Stored>(path: &Path, elements: &[T], layout: &Strided) -> Result<(), Error> {
    let whole = || {
        let target = Target::new(path)?;
        let temporary = Temporary::new(&target)?;
        write_elements(&temporary.file, elements, layout)?;
        temporary.replace(&target)
    };
    whole().map_err(|error: io::Error| in_file(path, error))
}

fn write_elements<T: Stored>(file: &File, elements: &[T], layout: &Strided) -> io::Result<()> {
    /// Bytes that are written at a time.
    const CHUNK: usize = 1 << 16;
    let mut file = file;
    let mut bytes = beginning(&head::text::<T>(layout.extents()))?;
    for position in layout.positions() {
        bytes.extend_from_slice(elements[position].to_bytes().as_ref());
        if bytes.len() >= CHUNK {
            file.write_all(&bytes)?;
            bytes.clear();
        }
    }
    file.write_all(&bytes)
}

/// All bytes before the elements: the text and what says how long it is, so many that the elements begin at a multiple of 64.
fn beginning(text: &str) -> io::Result<Vec<u8>> {
    let whole = |width: usize| (8 + width + text.len() + 1).next_multiple_of(64);
    let (version, width) = if whole(2) - 10 <= usize::from(u16::MAX) { (1, 2) } else { (2, 4) };
    let length = u32::try_from(whole(width) - 8 - width).map_err(io::Error::other)?;
    let mut bytes = [b"\x93NUMPY", &[version, 0][..], &length.to_le_bytes()[..width], text.as_bytes()].concat();
    bytes.resize(whole(width) - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

/// The file to write: its path after all links are followed, and the existing file, if any.
struct Target {
    path: PathBuf,
    /// Of the regular file that is replaced, if there is one.
    existing: Option<Metadata>,
}

impl Target {
    /// Inspects an existing file and opens it for writing: without permission to write a file, it must not be replaced either.
    fn new(path: &Path) -> io::Result<Target> {
        let refuse = |sentence: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        let existing = match fs::metadata(path) {
            Ok(existing) => Some(existing),
            // A new file, or a link to one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match &existing {
            Some(existing) if existing.is_dir() => return refuse("this is a directory, not a file"),
            Some(existing) if !existing.is_file() => {
                return refuse(
                    "this is not a regular file: what goes through a pipe, a socket or a device cannot be written whole or not at all",
                );
            }
            // No write bit at all. The system would not keep an administrator from writing.
            Some(existing) if existing.permissions().readonly() => return refuse("this file is read-only"),
            _ => {}
        }
        match to_write().open(path) {
            Ok(file) if !file.metadata()?.is_file() => {
                return refuse("this has just become something that is not a regular file");
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && existing.is_none() => {}
            Err(error) => return Err(error),
        }
        Ok(Target { path: behind_links(path)?, existing })
    }
}

/// Options that open an existing file for writing without changing it, and without waiting for the other end of a pipe.
fn to_write() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

/// The path that the last of a chain of links names, even if no file exists there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=LINKS {
        // `file/` and `file/.` name a folder, and a path takes them for `file`.
        let text = path.as_os_str().as_encoded_bytes();
        let is_folder = |text: &[u8]| text.last().is_some_and(|&byte| is_separator(char::from(byte)));
        if path.file_name().is_none() || is_folder(text) || text.strip_suffix(b".").is_some_and(is_folder) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this names no file"));
        }
        match fs::symlink_metadata(&path) {
            // What a link says is meant from the folder where the link is.
            Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "these links lead to each other, and to no file"))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// A temporary file in the folder of the target, so that renaming it copies no bytes. It is removed unless it replaces the
/// target.
struct Temporary {
    path: PathBuf,
    file: File,
    is_placed: bool,
}

impl Temporary {
    fn new(target: &Target) -> io::Result<Temporary> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut options = File::options();
        options.write(true).create_new(true);
        // What is to be secret is never readable for others in between; a new file has the mode of every new file.
        #[cfg(unix)]
        if target.existing.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        loop {
            // Not made of the target's name, which may be as long as a name can be.
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder(&target.path).join(format!(".tensorwrapper-{}-{number}.tmp", std::process::id()));
            match options.open(&path) {
                Ok(file) => return Ok(Temporary { path, file, is_placed: false }),
                // An earlier process of this number has left it there.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts the complete file where the target is.
    fn replace(mut self, target: &Target) -> io::Result<()> {
        if let Some(existing) = &target.existing {
            self.take_over(existing)?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, &target.path)?;
        self.is_placed = true;
        Ok(())
    }

    /// Gives the file the mode of another, and its owner and group where the system allows that.
    #[cfg(unix)]
    fn take_over(&self, other: &Metadata) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let own = self.file.metadata()?;
        let mut mode = other.mode() & 0o777;
        let has_group = own.gid() == other.gid() || fchown(&self.file, None, Some(other.gid())).is_ok();
        if !has_group {
            // What one group was allowed is not given to another.
            mode &= 0o707 | (mode & 0o007) << 3;
        }
        self.file.set_permissions(fs::Permissions::from_mode(mode))?;
        if own.uid() != other.uid() {
            // Only an administrator may give files away. Of anybody else it becomes the file, as the folder allows.
            let _ = fchown(&self.file, Some(other.uid()), None);
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn take_over(&self, other: &Metadata) -> io::Result<()> {
        self.file.set_permissions(other.permissions())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_placed {
            // The first fault is the one to tell; a file that cannot be removed either changes nothing about it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn temporary_files_are_secret_and_go_with_every_failure() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-npy-temporary-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("t.npy");
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let names = || fs::read_dir(&folder).unwrap().count();
        let target = Target::new(&path).unwrap();
        // Written and forgotten, as where an element cannot be written.
        let temporary = Temporary::new(&target).unwrap();
        assert_eq!((temporary.file.metadata().unwrap().mode() & 0o777, names()), (0o600, 2));
        drop(temporary);
        assert_eq!((fs::read(&path).unwrap(), names()), (b"old".to_vec(), 1));
        // A folder has come to be where the file was.
        let temporary = Temporary::new(&target).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(temporary.replace(&target).is_err());
        assert_eq!(names(), 1);
        // A name that an earlier process of this number has left is not taken.
        let first = Temporary::new(&target).unwrap();
        let number: u64 = first.path.to_str().and_then(|path| path.rsplit(['-', '.']).nth(1)).unwrap().parse().unwrap();
        let left = folder.join(format!(".tensorwrapper-{}-{}.tmp", std::process::id(), number + 1));
        fs::write(&left, b"left").unwrap();
        let second = Temporary::new(&target).unwrap();
        assert!(second.path != left && fs::read(&left).unwrap() == b"left");
        drop((first, second));
        fs::remove_dir_all(&folder).unwrap();
    }
}
