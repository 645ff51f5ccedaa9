//! Machine code kept on disk, so that a kernel is compiled once for a machine.
//!
//! The file's name is a digest of all that decides what is in it: source, architecture, the compiler's version and options. Whatever goes
//! wrong here costs time alone: what cannot be read is compiled, and what cannot be written is compiled again.

use std::path::PathBuf;

use super::compiler::{options, version};
use crate::disk;
use crate::hash::Digest;
use tensorwrapper_core::error::Error;

/// What a file begins with: the form of what follows.
const FORM: &[u8; 8] = b"tw-code1";

/// In front of the code: the form, the digest of what it was made of, and that of the code itself. The driver, which is told no length, must
/// be given neither a part of it nor another's.
const HEAD: usize = FORM.len() + 2 * 32;

/// Longer files are not read. The longest code of a kernel has some hundred kilobytes.
const MOST: u64 = 64 << 20;

/// Where the machine code of a source is kept, if anywhere.
pub(super) struct CachedCode {
    file: Option<PathBuf>,
    /// Of all that decides what the code is.
    made_of: Digest,
}

impl CachedCode {
    /// The place of a source.
    ///
    /// # Errors
    /// As [`version`].
    pub(super) fn new(source: &str, architecture: &str) -> Result<CachedCode, Error> {
        let (major, minor) = version()?;
        let version = format!("{major}.{minor}");
        let options = options(architecture, (major, minor)).join("\n");
        let made_of = Digest::new([source, architecture, &version, &options].map(str::as_bytes));
        Ok(CachedCode { file: file(&format!("{made_of}-{architecture}-{version}.cubin")), made_of })
    }

    /// The machine code, if it is there as it was written.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = disk::read(self.file.as_ref()?, MOST)?;
        if bytes.len() < HEAD {
            return None;
        }
        let code = bytes.split_off(HEAD);
        (bytes == self.head(&code)).then_some(code)
    }

    pub(super) fn write(&self, cubin: &[u8]) {
        if let Some(file) = &self.file {
            disk::write(file, &[&self.head(cubin), cubin]);
        }
    }

    /// What stands in front of this code.
    fn head(&self, cubin: &[u8]) -> Vec<u8> {
        [FORM, self.made_of.bytes(), Digest::new([cubin]).bytes()].concat()
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

    fn kept(test: &str) -> (PathBuf, CachedCode) {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-kept-{test}-{}", std::process::id()));
        (folder.clone(), CachedCode { file: Some(folder.join("0-sm_90a-13.0.cubin")), made_of: Digest::of_text("source") })
    }

    #[test]
    fn what_is_not_whole_is_not_read() {
        let (folder, kept) = kept("whole");
        kept.write(b"machine code");
        assert_eq!(kept.read().as_deref(), Some(&b"machine code"[..]));
        let file = kept.file.clone().unwrap();
        let whole = std::fs::read(&file).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(kept.read(), None, "{length} bytes");
            let mut other = whole.clone();
            other[length] ^= 1;
            std::fs::write(&file, &other).unwrap();
            assert_eq!(kept.read(), None, "another byte {length}");
        }
        // What was made of another source is not taken, whatever its file is called.
        std::fs::write(&file, &whole).unwrap();
        assert!(kept.read().is_some());
        let other = CachedCode { file: Some(file.clone()), made_of: Digest::of_text("another source") };
        assert_eq!(other.read(), None);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(kept.read(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_several_threads_write_appears_whole() {
        const LENGTH: usize = 100_000;
        let (folder, kept) = kept("threads");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let kept = &kept;
                scope.spawn(move || {
                    for _ in 0..20 {
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
