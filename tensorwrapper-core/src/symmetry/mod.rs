//! [`Symmetry`]: which elements of a tensor follow from others. A closed group of permutations of axes, each with a sign, some with
//! conjugation.
//!
//! Knows nothing of extents, of how axes are cut, or of elements.

mod closure;
mod permutation;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::sync::Arc;

use tensorwrapper_notation::sentence::counted;

pub use self::permutation::{Sign, SignedPermutation};

use self::closure::closed;
use crate::error::{Error, ErrorKind};
use crate::shape::Shape;

/// The symmetry of a tensor: a group of signed permutations of its axes.
///
/// A permutation `p` with a sign says `T[x] = sign · T[y]` for all indices `x`, where `y` has the index `x[p[n]]` on axis `n`; with
/// conjugation, `T[x] = sign · conj(T[y])`. All products of what is said hold, too: the group is closed when it is made. The
/// element at the smallest index of those that follow from each other is the canonical one.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Sign, Symmetry};
/// // ⟨pq||rs⟩: antisymmetric in each pair, and symmetric when the pairs change places.
/// let integrals = Symmetry::none(4).antisymmetric([0, 1])?.antisymmetric([2, 3])?.exchange(&[0, 1], &[2, 3], Sign::Plus)?;
/// assert_eq!(integrals.order(), 8);
/// assert_eq!(integrals.sign(&[1, 0, 2, 3])?, Some(Sign::Minus)); // minus the element at [0, 1, 2, 3]
/// assert_eq!(integrals.sign(&[1, 1, 2, 3])?, None); // zero
/// assert!(integrals.is_unique(&[0, 1, 2, 3])? && !integrals.is_unique(&[2, 3, 0, 1])?);
///
/// let error = Symmetry::none(3).symmetric([0, 1])?.antisymmetric([0, 2]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "these symmetries make every element zero: axes 1, 0, 2 have sign + and sign -"
/// );
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Symmetry {
    rank: usize,
    /// What the group was made of: products of these are all elements.
    generators: Arc<[SignedPermutation]>,
    /// In ascending order; the identity is the first.
    elements: Arc<[SignedPermutation]>,
}

impl Symmetry {
    /// No symmetry of a tensor of this rank: each element stands for itself.
    ///
    /// # Panics
    /// As [`SignedPermutation::identity`].
    pub fn none(rank: usize) -> Symmetry {
        Symmetry { rank, generators: [].into(), elements: [SignedPermutation::identity(rank)].into() }
    }

    /// The group that these permutations and all that is known so far generate.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when a permutation is of another rank, when together they make every element zero, and when the group has
    /// more than 40 320 elements.
    pub fn generated(&self, generators: impl IntoIterator<Item = SignedPermutation>) -> Result<Symmetry, Error> {
        let generators: Vec<_> = self.generators.iter().cloned().chain(generators).collect();
        if let Some(other) = generators.iter().find(|other| other.rank() != self.rank) {
            let message = format!("a symmetry of {} cannot have a permutation of {}", counted(self.rank, "axis"), other.rank());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let elements = closed(self.rank, &generators)?.into();
        Ok(Symmetry { rank: self.rank, generators: generators.into(), elements })
    }

    /// Adds permutations to the group one after the other. Those that the group has already are left out, so that few generators are kept
    /// where many permutations are given.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Symmetry};
    /// let all = Symmetry::none(3).symmetric([0, 1, 2])?;
    /// let mut again = Symmetry::none(3);
    /// again.extend_by(all.elements().iter().cloned())?;
    /// assert!(again == all && again.generators().len() == 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`generated`](Symmetry::generated), at the first permutation that cannot be added. The group has those before it then: it is a
    /// part of what all of them would generate.
    pub fn extend_by(&mut self, permutations: impl IntoIterator<Item = SignedPermutation>) -> Result<(), Error> {
        for permutation in permutations {
            if !self.contains(&permutation) {
                *self = self.generated([permutation])?;
            }
        }
        Ok(())
    }

    /// Elements do not change when these axes are permuted in any way.
    ///
    /// # Errors
    /// As [`generator`](Symmetry::generator). A single axis has nothing to change places with, and no symmetry.
    pub fn symmetric(&self, axes: impl AsRef<[usize]>) -> Result<Symmetry, Error> {
        self.all_of(axes.as_ref(), Sign::Plus)
    }

    /// Elements change their sign with each exchange of two of these axes.
    ///
    /// # Errors
    /// As [`symmetric`](Symmetry::symmetric).
    pub fn antisymmetric(&self, axes: impl AsRef<[usize]>) -> Result<Symmetry, Error> {
        self.all_of(axes.as_ref(), Sign::Minus)
    }

    /// Elements are conjugated when these two axes are exchanged.
    ///
    /// # Errors
    /// As [`generator`](Symmetry::generator).
    pub fn hermitian(&self, first: usize, second: usize) -> Result<Symmetry, Error> {
        let exchange = SignedPermutation::exchange(self.rank, &[first], &[second], Sign::Plus)?;
        self.generated([exchange.conjugating()])
    }

    /// Elements take this sign when two groups of axes change places: the first of one with the first of the other, and so on.
    ///
    /// # Errors
    /// As [`generator`](Symmetry::generator), and when the groups have different lengths or share an axis.
    pub fn exchange(&self, first: &[usize], second: &[usize], sign: Sign) -> Result<Symmetry, Error> {
        self.generated([SignedPermutation::exchange(self.rank, first, second, sign)?])
    }

    /// `T[x] = sign · T[y]` with `y[n] = x[axes[n]]`, conjugated if `conjugate` says so.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when `axes` is no permutation of all axes, when the symmetries make every element zero, and when the group
    /// has more than 40 320 elements.
    pub fn generator(&self, axes: &[usize], sign: Sign, conjugate: bool) -> Result<Symmetry, Error> {
        let permutation = SignedPermutation::new(axes, sign)?;
        self.generated([if conjugate { permutation.conjugating() } else { permutation }])
    }

    fn all_of(&self, axes: &[usize], sign: Sign) -> Result<Symmetry, Error> {
        if let Some(axis) = axes.iter().find(|&&axis| axis >= self.rank) {
            return Err(Error::new(ErrorKind::Shape(format!("there is no axis {axis} among {}", self.rank))));
        }
        let exchanges = axes.windows(2).map(|pair| SignedPermutation::exchange(self.rank, &pair[..1], &pair[1..], sign));
        self.generated(exchanges.collect::<Result<Vec<_>, _>>()?)
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of elements of the group, the identity included.
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// Whether each element stands for itself.
    pub fn is_none(&self) -> bool {
        self.order() == 1
    }

    /// All elements of the group, the identity first.
    pub fn elements(&self) -> &[SignedPermutation] {
        &self.elements
    }

    /// What the group was made of: its elements are all products of these. Equal groups may have been made of others.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Symmetry};
    /// let all = Symmetry::none(3).symmetric([0, 1, 2])?;
    /// assert_eq!((all.generators().len(), all.elements().len()), (2, 6));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn generators(&self) -> &[SignedPermutation] {
        &self.generators
    }

    /// Whether the group has an element.
    pub fn contains(&self, element: &SignedPermutation) -> bool {
        self.elements.binary_search(element).is_ok()
    }

    /// The canonical index of an element, the smallest one that it follows from, and how it follows: the element of the group with
    /// `T[index] = sign · T[canonical]`.
    ///
    /// # Panics
    /// When the index is of another rank.
    pub fn canonical(&self, index: &[usize]) -> (Vec<usize>, &SignedPermutation) {
        assert_eq!(index.len(), self.rank, "an index has one number for each axis");
        let mut best = (index.to_vec(), &self.elements[0]);
        for element in &self.elements[1..] {
            // Most permutations differ early: no index is written before it is known to be smaller.
            if element.axes().map(|axis| index[axis]).lt(best.0.iter().copied()) {
                best = (element.image(index), element);
            }
        }
        best
    }

    /// Elements of the group that leave an index where it is.
    ///
    /// # Panics
    /// When the index has fewer numbers than there are axes.
    pub fn stabiliser<'a>(&'a self, index: &'a [usize]) -> impl Iterator<Item = &'a SignedPermutation> {
        self.elements.iter().filter(move |element| element.axes().map(|axis| index[axis]).eq(index.iter().copied()))
    }

    /// Whether an element is stored rather than implied: it is the canonical one, and need not be zero.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when the index is of another rank.
    pub fn is_unique(&self, index: &[usize]) -> Result<bool, Error> {
        Ok(self.sign(index)?.is_some() && self.canonical(index).0 == index)
    }

    /// The sign with which an element follows from the canonical one; nothing where it can only be zero.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when the index is of another rank.
    pub fn sign(&self, index: &[usize]) -> Result<Option<Sign>, Error> {
        if index.len() != self.rank {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank, given: index.len() }));
        }
        let vanishes = self.stabiliser(index).any(|element| element.sign() == Sign::Minus && !element.conjugates());
        Ok((!vanishes).then(|| self.canonical(index).1.sign()))
    }

    /// How many elements of a tensor of these extents are [unique](Symmetry::is_unique).
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when axes of different extents are exchanged, and when the number exceeds `usize::MAX`;
    /// [`ErrorKind::Unsupported`] for groups in which both signs and conjugation occur, beyond 2²⁴ elements.
    pub fn unique_count(&self, extents: &[usize]) -> Result<usize, Error> {
        self.check_extents(extents)?;
        let vanishing = |element: &SignedPermutation| element.sign() == Sign::Minus && !element.conjugates();
        if self.elements.iter().any(SignedPermutation::conjugates) && self.elements.iter().any(vanishing) {
            return self.counted(extents);
        }
        // Burnside's lemma, with signs. Where elements are conjugated and none vanishes, all signs count as +.
        let mut sum = 0i128;
        let too_many =
            || Error::new(ErrorKind::Shape(format!("a tensor of extents {extents:?} has more than {} elements", usize::MAX)));
        for element in self.elements.iter() {
            let fixed = element.cycles().try_fold(1i128, |fixed, axis| fixed.checked_mul(extents[axis] as i128));
            let fixed = fixed.ok_or_else(too_many)?;
            let signed = if vanishing(element) { -fixed } else { fixed };
            sum = sum.checked_add(signed).ok_or_else(too_many)?;
        }
        usize::try_from(sum / self.order() as i128).map_err(|_| too_many())
    }

    /// The same, one index after the other.
    fn counted(&self, extents: &[usize]) -> Result<usize, Error> {
        const MOST: usize = 1 << 24;
        let shape = Shape::new(extents);
        if shape.size()? > MOST {
            let message = format!("unique elements of a conjugating group with signs are counted up to {MOST} elements");
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        let mut count = 0;
        shape.indices().visit(|index| count += usize::from(self.is_unique(index) == Ok(true)));
        Ok(count)
    }

    /// Whether axes that change places have the same extents.
    fn check_extents(&self, extents: &[usize]) -> Result<(), Error> {
        if extents.len() != self.rank {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank, given: extents.len() }));
        }
        for element in self.elements.iter() {
            if let Some((first, second)) = element.axes().enumerate().find(|&(n, axis)| extents[n] != extents[axis]) {
                let message = format!(
                    "axes {} and {} cannot be exchanged: their extents are {} and {}",
                    first.min(second),
                    first.max(second),
                    extents[first.min(second)],
                    extents[first.max(second)]
                );
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
        Ok(())
    }
}

/// Whether they are the same group, whatever it was made of.
impl PartialEq for Symmetry {
    fn eq(&self, other: &Symmetry) -> bool {
        self.elements == other.elements
    }
}

impl Eq for Symmetry {}

impl std::hash::Hash for Symmetry {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.elements.hash(state);
    }
}

/// Printed as its elements: `Symmetry[+(0, 1), -(1, 0)]`, conjugating ones with a star.
impl fmt::Debug for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Symmetry")?;
        f.debug_list().entries(self.elements.iter()).finish()
    }
}
