//! Files that hold compiled kernels and measurements for later runs.
//!
//! What is read there runs on the device, so the files must be private: a folder or file that belongs to another user, or that
//! others may write, is not used, and the first of them is reported by `tracing`. Links are not followed, and no file is read
//! beyond a given size. No error is reported otherwise: what cannot be read is compiled and measured again.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The content of a file, if it is private to this user and has at most `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    is_folder_private(path)?;
    let mut options = File::options();
    let file = opened(options.read(true), path)?;
    let length = file.metadata().ok().filter(|file| file.len() <= most)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?);
    // The file may have grown since its length was read.
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Writes a file, and creates its folder if there is none. The file appears complete or not at all, also if other processes write
/// it.
pub(crate) fn write(path: &Path, pieces: &[&[u8]]) {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    if make_folder(path).is_none() {
        return;
    }
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let own = path.with_extension(format!("{}-{number}.new", std::process::id()));
    let mut options = private();
    // An existing file is never written into, nor what a link leads to.
    let Ok(mut file) = options.write(true).create_new(true).open(&own) else { return };
    let written = pieces.iter().try_for_each(|piece| file.write_all(piece));
    if written.and_then(|()| fs::rename(&own, path)).is_err() {
        let _ = fs::remove_file(&own);
    }
}

/// Appends to a file in one write, and creates the file and its folder if there are none.
pub(crate) fn append(path: &Path, text: &str) {
    if make_folder(path).is_none() {
        return;
    }
    let mut options = private();
    if let Some(mut file) = opened(options.create(true).append(true), path) {
        let _ = file.write_all(text.as_bytes());
    }
}

/// Creates the folder of a file, private to this user. `None` if it is not private.
fn make_folder(path: &Path) -> Option<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path.parent()?).ok()?;
    is_folder_private(path)
}

/// `None` if other users may write into the folder of a file.
fn is_folder_private(path: &Path) -> Option<()> {
    let folder = path.parent()?;
    is_private(folder, &fs::metadata(folder).ok()?)
}

/// Options to create files that only this user reads.
fn private() -> OpenOptions {
    #[allow(unused_mut, reason = "only Unix has modes")]
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a regular file that nobody else could have written. The open file is checked, because its name may stand for another one
/// by then.
fn opened(options: &mut OpenOptions, path: &Path) -> Option<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path).inspect_err(|error| report_link(path, error)).ok()?;
    let found = file.metadata().ok().filter(Metadata::is_file)?;
    is_private(path, &found)?;
    Some(file)
}

fn is_private(path: &Path, found: &Metadata) -> Option<()> {
    match fault(found, own_user()) {
        Some(fault) => {
            report(path, fault);
            None
        }
        None => Some(()),
    }
}

/// The effective user of this process.
#[cfg(unix)]
fn own_user() -> u32 {
    // SAFETY: the call has no arguments, and does not fail.
    unsafe { libc::geteuid() }
}

/// Why a file or folder is not private to this user.
#[cfg(unix)]
fn fault(found: &Metadata, user: u32) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    match (found.uid() == user, found.mode() & 0o022) {
        (false, _) => Some("belongs to another user"),
        (true, 0) => None,
        (true, _) => Some("may be written by other users"),
    }
}

#[cfg(not(unix))]
fn own_user() -> u32 {
    0
}

/// Elsewhere a user's folders are private unless they have changed that.
#[cfg(not(unix))]
fn fault(_: &Metadata, _: u32) -> Option<&'static str> {
    None
}

/// Reports the first file or folder that is not private.
fn report(path: &Path, fault: &str) {
    static REPORTED: Once = Once::new();
    if let Some(sentence) = first_fault(&REPORTED, path, fault) {
        tracing::warn!("{sentence}");
    }
}

/// What to report, if nothing has been reported before.
fn first_fault(reported: &Once, path: &Path, fault: &str) -> Option<String> {
    let mut sentence = None;
    reported.call_once(|| {
        let path = path.display();
        let rest = "nothing is read from there, so that kernels are compiled and measured again";
        sentence = Some(format!("`{path}` {fault}: {rest}"));
    });
    sentence
}

#[cfg(unix)]
fn report_link(path: &Path, error: &io::Error) {
    if error.raw_os_error() == Some(libc::ELOOP) {
        report(path, "is a link");
    }
}

#[cfg(not(unix))]
fn report_link(_: &Path, _: &io::Error) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::PathBuf;

    use super::*;

    fn folder(test: &str) -> PathBuf {
        std::env::temp_dir().join(format!("tensorwrapper-disk-{test}-{}", std::process::id()))
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn files_and_folders_are_created_private() {
        let outer = folder("made");
        let (file, lines) = (outer.join("inner").join("kernel"), outer.join("inner").join("ways"));
        write(&file, &[b"machine ", b"code"]);
        append(&lines, "one\n");
        append(&lines, "two\n");
        assert_eq!(read(&file, 100).as_deref(), Some(&b"machine code"[..]));
        assert_eq!(read(&lines, 100).as_deref(), Some(&b"one\ntwo\n"[..]));
        for (path, expected) in [(&outer, 0o700), (&outer.join("inner"), 0o700), (&file, 0o600), (&lines, 0o600)] {
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, expected, "{}", path.display());
        }
        // Longer files are not read.
        assert_eq!((read(&file, 11), read(&file, 12).map(|bytes| bytes.len())), (None, Some(12)));
        fs::remove_dir_all(outer).unwrap();
    }

    #[test]
    fn files_that_others_may_write_are_not_used() {
        let folder = folder("others");
        let file = folder.join("kernel");
        write(&file, &[b"ours"]);
        for wrong in [0o770, 0o707, 0o1777] {
            mode(&folder, wrong);
            write(&file, &[b"new"]);
            append(&file, "more");
            assert_eq!(read(&file, 100), None, "{wrong:o}");
        }
        for right in [0o700, 0o755] {
            mode(&folder, right);
            assert_eq!(read(&file, 100).as_deref(), Some(&b"ours"[..]), "{right:o}");
        }
        for wrong in [0o620, 0o602] {
            mode(&file, wrong);
            append(&file, "more");
            assert_eq!(read(&file, 100), None, "{wrong:o}");
        }
        mode(&file, 0o644);
        assert_eq!(read(&file, 100).as_deref(), Some(&b"ours"[..]));
        // Nor are those of another user, even of an administrator.
        let found = fs::metadata(&file).unwrap();
        assert_eq!(fault(&found, found.uid()), None);
        assert_eq!(fault(&found, found.uid() + 1), Some("belongs to another user"));
        if own_user() == 0 {
            std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
            assert_eq!(read(&file, 100), None);
            std::os::unix::fs::chown(&file, Some(0), None).unwrap();
            std::os::unix::fs::chown(&folder, Some(12345), None).unwrap();
            assert_eq!(read(&file, 100), None);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn faults_are_reported_once() {
        let reported = Once::new();
        let said = [(); 3].map(|()| first_fault(&reported, Path::new("kernel"), "is a link"));
        let expected = "`kernel` is a link: nothing is read from there, so that kernels are compiled and measured again";
        assert_eq!(said, [Some(expected.to_owned()), None, None]);
    }

    #[test]
    fn links_and_pipes_are_not_followed() {
        let folder = folder("links");
        let (file, link, pipe) = (folder.join("real"), folder.join("link"), folder.join("pipe"));
        write(&file, &[b"ours"]);
        symlink(&file, &link).unwrap();
        append(&link, "more");
        assert_eq!((read(&link, 100), read(&file, 100).as_deref()), (None, Some(&b"ours"[..])));
        // A complete write replaces a link, and leaves alone what it led to.
        write(&link, &[b"new"]);
        assert_eq!((read(&link, 100).as_deref(), read(&file, 100).as_deref()), (Some(&b"new"[..]), Some(&b"ours"[..])));
        let name = std::ffi::CString::new(std::os::unix::ffi::OsStrExt::as_bytes(pipe.as_os_str())).unwrap();
        // SAFETY: a text that ends with a zero, which lives until the call has returned.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(read(&pipe, 100), None);
        append(&pipe, "more");
        assert!(fs::symlink_metadata(&pipe).is_ok_and(|pipe| !pipe.is_file()));
        // The folder itself may be reached by a link: the user's cache may be on another disk.
        let elsewhere = folder.with_extension("link");
        symlink(&folder, &elsewhere).unwrap();
        assert_eq!(read(&elsewhere.join("real"), 100).as_deref(), Some(&b"ours"[..]));
        fs::remove_file(elsewhere).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
