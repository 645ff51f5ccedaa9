//! Digests of texts and of machine code. They name kernels and files, and show whether a file is intact.
//!
//! The digest must be cryptographic: equations may come from untrusted input, and with a weaker one somebody could write an
//! equation whose kernel is mistaken for another one.

use std::fmt::{self, Debug, Display};

use sha2::{Digest as _, Sha256};

/// SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// The digest of several pieces. The length of each goes in front of it, so that the borders count.
    pub(crate) fn new<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Digest {
        let mut sum = Sha256::new();
        for piece in pieces {
            sum.update((piece.len() as u64).to_le_bytes());
            sum.update(piece);
        }
        Digest(sum.finalize().into())
    }

    pub(crate) fn of_text(text: &str) -> Digest {
        Digest::new([text.as_bytes()])
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The first half, as two numbers.
    pub(crate) fn numbers(&self) -> [u64; 2] {
        [0, 8].map(|at| u64::from_be_bytes(std::array::from_fn(|n| self.0[at + n])))
    }

    /// The first half in hexadecimal digits, which is enough for names.
    pub(crate) fn name(&self) -> String {
        self.numbers().map(|number| format!("{number:016x}")).concat()
    }
}

impl Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_their_borders_count() {
        let digests =
            [Digest::new([&b"ab"[..], b"c"]), Digest::new([&b"a"[..], b"bc"]), Digest::new([&b"abc"[..]]), Digest::of_text("")];
        for (n, digest) in digests.iter().enumerate() {
            assert!(!digests[..n].contains(digest));
            assert_eq!((digest.to_string().len(), digest.to_string().get(..32)), (64, Some(&*digest.name())));
        }
        // Eight bytes of zeros, as `sha256sum` has it: the length of no text.
        let empty = "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc";
        assert_eq!(Digest::of_text("").to_string(), empty);
    }
}
