//! Symmetries as text, written and read: `Display` and `FromStr` are inverse.
//!
//! Knows nothing of tensors.

use std::fmt;

use super::permutation::{Sign, SignedPermutation};
use super::{Symmetry, closed};
use crate::error::Error;
use crate::reader::{Reader, fault, from_str, placed};

from_str! {
    SignedPermutation: |reader| reader.permutation();
    Symmetry: |reader| reader.symmetry();
}

/// Written as `-(1, 0)`, with conjugation as `-(1, 0)*`. Such text can be read again.
impl fmt::Display for SignedPermutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Written as permutations that generate the group, the same ones for equal groups: `[-(1, 0)]`. Without a symmetry this is the identity.
/// Such text can be read again, and any permutations may be written.
///
/// ```
/// # use tensorwrapper_core::{Error, Symmetry};
/// let pairs: Symmetry = "[-(1, 0, 2, 3), +(2, 3, 0, 1)]".parse()?;
/// assert_eq!(pairs.order(), 8);
/// assert_eq!(pairs.to_string().parse::<Symmetry>()?, pairs);
/// assert_eq!(Symmetry::none(2).to_string(), "[+(0, 1)]");
///
/// let error = "[-(1, 0), +(2, 1)]".parse::<Symmetry>().unwrap_err();
/// assert_eq!(error.to_string(), "[2, 1] is no permutation of 2 axes (at byte 11)");
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (n, generator) in self.fewest().iter().enumerate() {
            write!(f, "{}{generator}", if n > 0 { ", " } else { "" })?;
        }
        f.write_str("]")
    }
}

impl Symmetry {
    /// Permutations that generate the group: from the first on each that those before it do not. Their number is at most the logarithm of
    /// that of the group.
    fn fewest(&self) -> Vec<SignedPermutation> {
        let mut found = Vec::new();
        let mut group = vec![self.elements[0].clone()];
        while let Some(new) = self.elements.iter().find(|element| group.binary_search(element).is_err()) {
            found.push(new.clone());
            group = closed(self.rank, &found).unwrap_or_else(|_| self.elements.to_vec());
        }
        if found.is_empty() { group } else { found }
    }
}

impl Reader<'_> {
    fn permutation(&mut self) -> Result<SignedPermutation, Error> {
        let Some(sign) = [Sign::Plus, Sign::Minus].into_iter().find(|sign| self.take(&sign.to_string())) else {
            return self.expected("`+` or `-`");
        };
        let start = self.place();
        self.need("(")?;
        let axes = self.list(")", |reader| reader.index("an axis"))?;
        if axes.len() > usize::from(u16::MAX) {
            return fault(start, format!("a permutation has at most {} axes", u16::MAX));
        }
        let permutation = placed(start, SignedPermutation::new(&axes, sign))?;
        Ok(if self.take("*") { permutation.conjugating() } else { permutation })
    }

    pub(crate) fn symmetry(&mut self) -> Result<Symmetry, Error> {
        let start = self.place();
        self.need("[")?;
        let generators = self.list("]", Reader::permutation)?;
        match generators.first() {
            Some(first) => placed(start, Symmetry::none(first.rank()).generated(generators.iter().cloned())),
            None => fault(start, "a symmetry needs a permutation, which says how many axes there are"),
        }
    }
}
