//! Machine code on disk, so that a kernel is compiled once on a machine.
//!
//! The name of a file is a digest of everything that the code depends on: source, architecture, and the compiler's version and
//! options. No error is reported here: code that cannot be read or written is compiled again.

use std::path::PathBuf;

use super::compiler::{options, version};
use crate::disk;
use crate::hash::Digest;
use tensorwrapper_core::error::Error;

/// The first bytes of a file, which name its format.
const FORMAT: &[u8; 8] = b"tw-code1";

/// The length of the head of a file: the format, the digest of what the code was made of, and that of the code itself. They make
/// sure that the code is complete and the right one, which the driver cannot check: it does not even get the length.
const HEAD: usize = FORMAT.len() + 2 * 32;

/// Longer files are not read. The longest code of a kernel has some hundred kilobytes.
const MAX_BYTES: u64 = 64 << 20;

/// The place for the machine code of a source.
pub(super) struct CachedCode {
    file: Option<PathBuf>,
    /// The digest of everything that the code depends on.
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

    /// The machine code, if it is there and intact.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = disk::read(self.file.as_ref()?, MAX_BYTES)?;
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

    /// The head of a file with this code.
    fn head(&self, cubin: &[u8]) -> Vec<u8> {
        [FORMAT, self.made_of.bytes(), Digest::new([cubin]).bytes()].concat()
    }
}

/// The path of a file in the folder of the cache, if there is one.
pub(super) fn file(name: &str) -> Option<PathBuf> {
    folder().map(|folder| folder.join(name))
}

/// The folder that `TENSORWRAPPER_CACHE` names, or one in the user's cache.
fn folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    variable("TENSORWRAPPER_CACHE").or_else(|| Some(of_user()?.join("tensorwrapper")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cached(test: &str) -> (PathBuf, CachedCode) {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-kept-{test}-{}", std::process::id()));
        (folder.clone(), CachedCode { file: Some(folder.join("0-sm_90a-13.0.cubin")), made_of: Digest::of_text("source") })
    }

    #[test]
    fn damaged_code_is_not_read() {
        let (folder, cached) = cached("whole");
        cached.write(b"machine code");
        assert_eq!(cached.read().as_deref(), Some(&b"machine code"[..]));
        let file = cached.file.clone().unwrap();
        let whole = std::fs::read(&file).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(cached.read(), None, "{length} bytes");
            let mut other = whole.clone();
            other[length] ^= 1;
            std::fs::write(&file, &other).unwrap();
            assert_eq!(cached.read(), None, "another byte {length}");
        }
        // Code of another source is not used, whatever its file is called.
        std::fs::write(&file, &whole).unwrap();
        assert!(cached.read().is_some());
        let other = CachedCode { file: Some(file.clone()), made_of: Digest::of_text("another source") };
        assert_eq!(other.read(), None);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(cached.read(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn concurrent_writes_appear_whole() {
        const LENGTH: usize = 100_000;
        let (folder, cached) = cached("threads");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let cached = &cached;
                scope.spawn(move || {
                    for _ in 0..20 {
                        cached.write(&[number; LENGTH]);
                        let found = cached.read().expect("it was just written");
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
