//! Machine code kept on disk, so that a kernel is compiled once for a machine.
//!
//! The file's name is made of all that decides what is in it: source, architecture, and the compiler's version. Whatever goes wrong
//! here costs time alone: what cannot be read is compiled, and what cannot be written is compiled again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compiler::version;
use crate::error::Error;

/// Where the machine code of a source is kept, if anywhere.
pub(super) struct Kept(Option<PathBuf>);

impl Kept {
    /// The place of a source.
    ///
    /// # Errors
    /// As [`version`].
    pub(super) fn new(source: &str, architecture: &str) -> Result<Kept, Error> {
        let (major, minor) = version()?;
        // Two sums of 64 bits by FNV-1a, forwards and backwards.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let start = 0xcbf2_9ce4_8422_2325;
        let sums = [source.bytes().fold(start, step), source.bytes().rev().fold(start, step)];
        let name = format!("{:016x}{:016x}-{architecture}-{major}.{minor}.cubin", sums[0], sums[1]);
        Ok(Kept(folder().map(|folder| folder.join(name))))
    }

    pub(super) fn read(&self) -> Option<Vec<u8>> {
        std::fs::read(self.0.as_ref()?).ok()
    }

    /// Another program, or another device of this one, may be writing the same file: it appears whole or not at all.
    pub(super) fn write(&self, cubin: &[u8]) {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let Some(path) = &self.0 else { return };
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let own = path.with_extension(format!("{}-{number}.new", std::process::id()));
        let made = path.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
        if made && std::fs::write(&own, cubin).is_ok() {
            let _ = std::fs::rename(&own, path);
        }
    }
}

/// A file of that name beside the machine code, if that is kept.
pub(super) fn file(name: &str) -> Option<PathBuf> {
    folder().map(|folder| folder.join(name))
}

/// `TENSORWRAPPER_CACHE`, or the user's folder for such things.
fn folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    variable("TENSORWRAPPER_CACHE").or_else(|| Some(of_user()?.join("tensorwrapper")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_threads_write_appears_whole() {
        const LENGTH: usize = 100_000;
        let folder = std::env::temp_dir().join(format!("tensorwrapper-kept-{}", std::process::id()));
        let kept = Kept(Some(folder.join("0-sm_90a-13.0.cubin")));
        std::thread::scope(|scope| {
            for number in 0..4 {
                let kept = &kept;
                scope.spawn(move || {
                    for _ in 0..50 {
                        kept.write(&[number; LENGTH]);
                        let found = kept.read().expect("it was just written");
                        assert!(found.len() == LENGTH && found.iter().all(|byte| *byte == found[0]));
                    }
                });
            }
        });
        let files = std::fs::read_dir(&folder).map(Iterator::count);
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(files.ok(), Some(1), "nothing is left beside it");
    }
}
