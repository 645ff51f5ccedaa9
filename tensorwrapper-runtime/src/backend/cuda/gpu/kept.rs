//! Machine code kept on disk, so that a kernel is compiled once for a machine.
//!
//! The file's name is made of all that decides what is in it: source, architecture, and the compiler's version. Whatever goes wrong
//! here costs time alone: what cannot be read is compiled, and what cannot be written is compiled again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compiler::version;
use crate::backend::cuda::hash::fnv;
use crate::error::Error;

/// Bytes of the sum behind the machine code: the driver, which is told no length, must not be given a part of it.
const SUM: usize = 8;

fn sum_of(cubin: &[u8]) -> [u8; SUM] {
    fnv(cubin.iter().copied()).to_le_bytes()
}

/// Where the machine code of a source is kept, if anywhere.
pub(super) struct Kept(Option<PathBuf>);

impl Kept {
    /// The place of a source.
    ///
    /// # Errors
    /// As [`version`].
    pub(super) fn new(source: &str, architecture: &str) -> Result<Kept, Error> {
        let (major, minor) = version()?;
        let sums = [fnv(source.bytes()), fnv(source.bytes().rev())];
        let name = format!("{:016x}{:016x}-{architecture}-{major}.{minor}.cubin", sums[0], sums[1]);
        Ok(Kept(folder().map(|folder| folder.join(name))))
    }

    /// The machine code, if it is there as it was written.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.0.as_ref()?).ok()?;
        let sum = bytes.split_off(bytes.len().checked_sub(SUM)?);
        (sum == sum_of(&bytes)).then_some(bytes)
    }

    /// Another program, or another device of this one, may be writing the same file: it appears whole or not at all.
    pub(super) fn write(&self, cubin: &[u8]) {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let Some(path) = &self.0 else { return };
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let own = path.with_extension(format!("{}-{number}.new", std::process::id()));
        let made = path.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
        if made && std::fs::write(&own, [cubin, &sum_of(cubin)].concat()).is_ok() {
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
    fn what_is_not_whole_is_not_read() {
        let file = std::env::temp_dir().join(format!("tensorwrapper-kept-whole-{}.cubin", std::process::id()));
        let kept = Kept(Some(file.clone()));
        kept.write(b"machine code");
        assert_eq!(kept.read().as_deref(), Some(&b"machine code"[..]));
        let whole = std::fs::read(&file).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(kept.read(), None, "{length} bytes");
        }
        std::fs::remove_file(&file).unwrap();
        assert_eq!(kept.read(), None);
    }

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
