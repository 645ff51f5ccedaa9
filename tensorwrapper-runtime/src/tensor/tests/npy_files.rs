//! What `write_npy` does to what is there already: modes, owners, links, and what is not a regular file.
//!
//! The tests also hold for an administrator, whom the system keeps from nothing.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use super::npy::Folder;
use crate::*;

fn tensor() -> Tensor<f64> {
    Tensor::from_slice([2], &[1.5, -2.0]).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// What is said of a file that is not written, without its name; nothing may be left beside it.
fn refused(folder: &Folder, path: &Path) -> String {
    let before = names(folder);
    let error = tensor().write_npy(path).expect_err("this should have been refused");
    assert!(matches!(error.kind(), ErrorKind::Io { path: named, .. } if named == path), "{error}");
    assert_eq!(names(folder), before, "nothing is left of what was refused");
    error.to_string().strip_prefix(&format!("{}: ", path.display())).expect("the file is named first").to_string()
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

fn fifo(path: &Path) {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: a text that ends with a zero, which lives until the call has returned.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

#[test]
fn the_mode_is_kept() {
    let folder = Folder::new("modes");
    for wanted in [0o600, 0o640, 0o644, 0o660, 0o666, 0o700, 0o755, 0o200] {
        let path = folder.with("t.npy", b"old");
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        tensor().write_npy(&path).unwrap();
        assert_eq!(mode(&path), wanted, "{wanted:o} became {:o}", mode(&path));
    }
    // That of a new file is every new file's.
    let (ours, plain) = (folder.file("new.npy"), folder.with("plain", b""));
    tensor().write_npy(&ours).unwrap();
    assert_eq!(mode(&ours), mode(&plain));
    assert_eq!(names(&folder), ["new.npy", "plain", "t.npy"]);
}

#[test]
fn the_owner_is_kept_by_an_administrator() {
    let folder = Folder::new("owners");
    let path = folder.with("t.npy", b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // Anybody else can neither give a file away nor take one.
    let (owner, group) = match std::os::unix::fs::chown(&path, Some(12345), Some(54321)) {
        Ok(()) => (12345, 54321),
        Err(_) => fs::metadata(&path).map(|own| (own.uid(), own.gid())).unwrap(),
    };
    tensor().write_npy(&path).unwrap();
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (owner, group, 0o640));
}

#[test]
fn read_only_files_are_left_alone() {
    let folder = Folder::new("read-only");
    let path = folder.with("t.npy", b"old");
    for mode in [0o444, 0o400, 0o555, 0o000] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(refused(&folder, &path), "this file is read-only");
    }
    let link = folder.file("link.npy");
    symlink("t.npy", &link).unwrap();
    assert_eq!(refused(&folder, &link), "this file is read-only");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = Folder::new("irregular");
    let sentence =
        "this is not a regular file: what goes through a pipe, a socket or a device cannot be written whole or not at all";
    let pipe = folder.file("pipe.npy");
    fifo(&pipe);
    assert_eq!(refused(&folder, &pipe), sentence);
    // With somebody at its other end, too.
    let _other = fs::File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&pipe).unwrap();
    assert_eq!(refused(&folder, &pipe), sentence);
    let socket = folder.file("socket.npy");
    let _listener = UnixListener::bind(&socket).unwrap();
    assert_eq!(refused(&folder, &socket), sentence);
    assert_eq!(refused(&folder, Path::new("/dev/null")), sentence);
    let (link, to_folder) = (folder.file("link.npy"), folder.file("folder.npy"));
    symlink(&pipe, &link).unwrap();
    assert_eq!(refused(&folder, &link), sentence);
    symlink(".", &to_folder).unwrap();
    for path in [&folder.0, &to_folder] {
        assert_eq!(refused(&folder, path), "this is a directory, not a file");
    }
    for path in [&pipe, &link, &socket, Path::new("/dev/null")] {
        assert!(!fs::metadata(path).unwrap().is_file(), "{} has become a file", path.display());
    }
}

/// Opening a pipe would wait for whoever writes into it.
#[test]
fn pipes_are_not_read() {
    let folder = Folder::new("pipes");
    let pipe = folder.file("pipe.npy");
    fifo(&pipe);
    for path in [&pipe, Path::new("/dev/zero")] {
        let error = AnyTensor::read_npy(path).unwrap_err().to_string();
        assert!(error.ends_with("this is not a regular file, so that its length says nothing about what it holds"), "{error}");
    }
}

#[test]
fn links_stay_links() {
    let folder = Folder::new("links");
    fs::create_dir(folder.file("sub")).unwrap();
    let real = folder.with("sub/real.npy", b"old");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    // A chain, whose second link is meant from the folder where it is.
    let (first, second) = (folder.file("first.npy"), folder.file("sub/second.npy"));
    symlink(&second, &first).unwrap();
    symlink("real.npy", &second).unwrap();
    tensor().write_npy(&first).unwrap();
    assert!(first.is_symlink() && second.is_symlink() && !real.is_symlink());
    assert_eq!((Tensor::<f64>::read_npy(&real).unwrap(), mode(&real)), (tensor(), 0o600));
    // Links to a file that is still to be written.
    let (dangling, new) = (folder.file("dangling.npy"), folder.file("sub/new.npy"));
    symlink("sub/new.npy", &dangling).unwrap();
    tensor().write_npy(&dangling).unwrap();
    assert!(dangling.is_symlink() && !new.is_symlink());
    assert_eq!(Tensor::<f64>::read_npy(&new).unwrap(), tensor());
}

#[test]
fn links_to_nowhere_are_refused() {
    let folder = Folder::new("nowhere");
    let (one, other) = (folder.file("one.npy"), folder.file("other.npy"));
    symlink(&one, &other).unwrap();
    symlink(&other, &one).unwrap();
    assert!(refused(&folder, &one).contains("symbolic links"), "{}", refused(&folder, &one));
    let missing = folder.file("missing.npy");
    symlink("no/such/file.npy", &missing).unwrap();
    assert!(refused(&folder, &missing).contains("No such file"));
    let slash = folder.file("slash.npy");
    symlink("new/", &slash).unwrap();
    let end = format!("{}/", folder.file("new").display());
    for path in [slash.as_path(), Path::new(&end), &folder.file("new").join("."), &folder.file("new").join("..")] {
        refused(&folder, path);
    }
}

#[test]
fn names_may_be_as_long_as_names_can_be() {
    let folder = Folder::new("long");
    let path = folder.file(&"n".repeat(255));
    tensor().write_npy(&path).unwrap();
    tensor().write_npy(&path).unwrap();
    assert_eq!(Tensor::<f64>::read_npy(&path).unwrap(), tensor());
    assert_eq!(names(&folder).len(), 1);
}
