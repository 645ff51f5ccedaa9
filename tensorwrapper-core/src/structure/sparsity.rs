//! [`Sparsity`]: which parts of a tensor may be other than zero, said by elements, by parts or by norms.
//!
//! Knows nothing of symmetry and charges.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use tensorwrapper_notation::sentence::{are, counted};

use super::Structure;
use super::boxes::{Part, around, common, cut_out, is_empty, meet, same};
use crate::error::{Error, ErrorKind};
use crate::shape::{Shape, Tiling};

/// Which parts of a tensor may be other than zero. Everything else is zero. Two are equal if they say the same of each element, whatever
/// they were made of.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Shape, Sparsity, Structure, Tiling};
/// let shape = Shape::new([5, 5]);
/// let elements = Sparsity::elements(&shape, [[0, 0], [4, 1]])?;
/// let below = Sparsity::blocks(&shape, &[Shape::new([3, 2]).with_origin([2, 0])?])?;
/// assert!(elements.is_zero(&Shape::new([1, 5]).with_origin([1, 0])?)? && !elements.is_zero(&shape)?);
/// assert_eq!((elements.fraction(), below.fraction(), elements.union(&below)?.fraction()), (0.08, 0.24, 0.28));
///
/// let cut = Tiling::cuts([2, 3]);
/// let structure = Structure::new([&cut, &cut]).with_sparsity(&elements)?;
/// assert_eq!(structure.stored()?.iter().collect::<Vec<_>>(), [[0, 0], [1, 0]]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sparsity {
    whole: Part,
    /// Parts that do not overlap.
    parts: Vec<Part>,
}

impl Sparsity {
    /// These elements may be other than zero.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such index.
    pub fn elements(shape: &Shape, indices: impl IntoIterator<Item = impl AsRef<[usize]>>) -> Result<Sparsity, Error> {
        let whole = part_of(shape);
        let mut parts = Vec::new();
        for index in indices {
            let part: Part = index.as_ref().iter().map(|&index| index..index.saturating_add(1)).collect();
            check(&whole, &part)?;
            parts.push(part);
        }
        parts.sort_unstable_by(|one, other| one.iter().map(|range| range.start).cmp(other.iter().map(|range| range.start)));
        parts.dedup();
        Ok(Sparsity { whole, parts })
    }

    /// These elements are zero.
    ///
    /// # Errors
    /// As [`elements`](Sparsity::elements).
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Shape, Sparsity};
    /// let corner = Sparsity::zero_elements(&Shape::new([2, 2]), [[1, 1]])?;
    /// assert_eq!((corner.fraction(), corner.is_zero(&Shape::new([1, 1]).with_origin([1, 1])?)?), (0.75, true));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn zero_elements(shape: &Shape, indices: impl IntoIterator<Item = impl AsRef<[usize]>>) -> Result<Sparsity, Error> {
        let Sparsity { whole, parts } = Sparsity::elements(shape, indices)?;
        let mut rest = Vec::new();
        around(&whole, &parts.iter().collect::<Vec<_>>(), &mut Vec::new(), &mut rest);
        Ok(Sparsity { whole, parts: rest })
    }

    /// These parts may be other than zero; they may overlap. A part is a shape that begins at its first index.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when a part is not in the shape.
    pub fn blocks<'p>(shape: &Shape, parts: impl IntoIterator<Item = &'p Shape>) -> Result<Sparsity, Error> {
        let mut found = Sparsity { whole: part_of(shape), parts: Vec::new() };
        for part in parts {
            let part = part_of(part);
            check(&found.whole, &part)?;
            found.add(part);
        }
        Ok(found)
    }

    /// These parts are zero.
    ///
    /// # Errors
    /// As [`blocks`](Sparsity::blocks).
    pub fn zero_blocks<'p>(shape: &Shape, parts: impl IntoIterator<Item = &'p Shape>) -> Result<Sparsity, Error> {
        Ok(Sparsity::blocks(shape, parts)?.dual())
    }

    /// The blocks of axes cut so whose norm is larger than `tau` may be other than zero. Norms are in the order of blocks, the
    /// last axis the fastest.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there are not as many norms as blocks, and when a norm or `tau` is negative or NaN.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Sparsity, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// assert_eq!(Sparsity::norms(&[&cut, &cut], &[1.0, 1e-9, 0.0, 2.0], 1e-8)?.fraction(), 0.5);
    /// let error = Sparsity::norms(&[&cut], &[1.0, f64::NAN], 0.0).unwrap_err();
    /// assert_eq!(error.to_string(), "the norm of block [1] is NaN");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn norms(tilings: &[&Tiling], norms: &[f64], tau: f64) -> Result<Sparsity, Error> {
        let counts: Shape = tilings.iter().map(|tiling| tiling.len()).collect();
        if norms.len() != counts.size()? {
            return refused(format!(
                "{} {} given for {}",
                counted(norms.len(), "norm"),
                are(norms.len()),
                counted(counts.size()?, "block")
            ));
        }
        if tau.is_nan() || tau < 0.0 {
            return refused(format!("norms are compared with a number from 0 on, not with {tau}"));
        }
        let (mut parts, whole) = (Vec::new(), tilings.iter().map(|tiling| 0..tiling.extent()).collect());
        for (block, &norm) in counts.indices().zip(norms) {
            if norm.is_nan() || norm < 0.0 {
                return refused(format!("the norm of block {:?} is {norm}", &block[..]));
            }
            if norm > tau {
                let ranges = tilings.iter().zip(&block[..]).map(|(tiling, &tile)| tiling.tile(tile));
                parts.push(ranges.collect::<Result<Part, Error>>()?);
            }
        }
        parts.retain(|part| !is_empty(part));
        Ok(Sparsity { whole, parts })
    }

    /// The shape of the whole tensor.
    pub fn shape(&self) -> Shape {
        shape_of(&self.whole)
    }

    /// The parts that may be other than zero, none of which meets another one.
    pub fn parts(&self) -> impl Iterator<Item = Shape> + '_ {
        self.parts.iter().map(shape_of)
    }

    /// Whether a part is zero: whether all of its elements are.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the part is not in the shape.
    pub fn is_zero(&self, part: &Shape) -> Result<bool, Error> {
        let part = part_of(part);
        check(&self.whole, &part)?;
        Ok(!self.parts.iter().any(|own| meet(own, &part)))
    }

    /// Whether the element at an index is zero.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape, Sparsity};
    /// let corner = Sparsity::blocks(&Shape::new([5, 5]), &[Shape::new([2, 2])])?;
    /// assert!(!corner.is_zero_at([1, 1])? && corner.is_zero_at([1, 2])? && corner.is_zero_at([5, 0]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such index.
    pub fn is_zero_at(&self, index: impl AsRef<[usize]>) -> Result<bool, Error> {
        let element: Part = index.as_ref().iter().map(|&index| index..index.saturating_add(1)).collect();
        check(&self.whole, &element)?;
        Ok(!self.parts.iter().any(|own| meet(own, &element)))
    }

    /// The same of blocks: where axes are cut so, everything in a block that has an element which may be other than zero may be so.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape, Sparsity, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let elements = Sparsity::elements(&Shape::new([5, 5]), [[0, 0], [1, 1], [4, 1]])?;
    /// assert_eq!(elements.blocked(&[&cut, &cut])?, Sparsity::blocks(&Shape::new([5, 5]), &[Shape::new([5, 2])])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Structure::with_sparsity`].
    pub fn blocked(&self, tilings: &[&Tiling]) -> Result<Sparsity, Error> {
        let cut = Structure::new(tilings.iter().copied()).with_sparsity(self)?;
        let mut parts = cut
            .stored()?
            .iter()
            .map(|block| cut.block_shape(&block).map(|block| part_of(&block)))
            .collect::<Result<Vec<_>, _>>()?;
        parts.retain(|part| !is_empty(part));
        Ok(Sparsity { whole: self.whole.clone(), parts })
    }

    /// The share of elements that may be other than zero.
    pub fn fraction(&self) -> f64 {
        let volume = |part: &Part| part.iter().map(|range| range.len() as f64).product::<f64>();
        self.parts.iter().map(volume).sum::<f64>() / volume(&self.whole).max(1.0)
    }

    /// How many elements may be other than zero, modulo 2¹²⁸.
    fn count(&self) -> u128 {
        let volume = |part: &Part| part.iter().fold(1u128, |volume, range| volume.wrapping_mul(range.len() as u128));
        self.parts.iter().map(volume).fold(0, u128::wrapping_add)
    }

    /// The parts in an order that does not depend on how they were added.
    pub(super) fn sorted(&self) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        parts.sort_unstable_by_key(|part| part.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>());
        parts
    }

    /// What may be other than zero by one or the other.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when their shapes differ.
    pub fn union(&self, other: &Sparsity) -> Result<Sparsity, Error> {
        self.check_same(other)?;
        let mut both = self.clone();
        other.parts.iter().for_each(|part| both.add(part.clone()));
        Ok(both)
    }

    /// What is zero by one or the other is zero: what may be other than zero is so by both, as in a product of elements.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape, Sparsity};
    /// let shape = Shape::new([5, 5]);
    /// let above = Sparsity::blocks(&shape, &[Shape::new([3, 5])])?;
    /// let left = Sparsity::blocks(&shape, &[Shape::new([5, 2])])?;
    /// assert_eq!(above.union_of_zeros(&left)?, Sparsity::blocks(&shape, &[Shape::new([3, 2])])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`union`](Sparsity::union).
    pub fn union_of_zeros(&self, other: &Sparsity) -> Result<Sparsity, Error> {
        self.check_same(other)?;
        // Parts of one do not overlap, so that those of the result do not either.
        let parts = self.parts.iter().flat_map(|one| other.parts.iter().filter_map(|other| common(one, other)));
        Ok(Sparsity { whole: self.whole.clone(), parts: parts.collect() })
    }

    fn check_same(&self, other: &Sparsity) -> Result<(), Error> {
        if self.whole == other.whole {
            return Ok(());
        }
        refused(format!("the tensors have indices {:?} and {:?}", self.whole, other.whole))
    }

    /// What is zero here may be other than zero there, and the other way round.
    fn dual(&self) -> Sparsity {
        let mut rest = if is_empty(&self.whole) { Vec::new() } else { vec![self.whole.clone()] };
        for part in &self.parts {
            cut_out(&mut rest, part);
        }
        Sparsity { whole: self.whole.clone(), parts: rest }
    }

    /// Adds a part, as far as it is not there.
    fn add(&mut self, part: Part) {
        let mut new = vec![part];
        for own in &self.parts {
            cut_out(&mut new, own);
        }
        self.parts.extend(new.into_iter().filter(|part| !is_empty(part)));
    }
}

impl PartialEq for Sparsity {
    fn eq(&self, other: &Sparsity) -> bool {
        if self.whole != other.whole || self.count() != other.count() {
            return false;
        }
        let is_element = |part: &Part| part.iter().all(|range| range.len() == 1);
        if self.sorted() == other.sorted() {
            return true;
        }
        // Elements are cut in one way only.
        !self.parts.iter().chain(&other.parts).all(is_element) && same(&self.parts, &other.parts, &self.whole, 0)
    }
}

impl Eq for Sparsity {}

impl Hash for Sparsity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Parts are not hashed: the same elements may be cut into parts in many ways.
        self.whole.hash(state);
        self.count().hash(state);
    }
}

impl Structure {
    /// The same with those of its blocks alone that have an element that may be other than zero, and their images. Rows that have extents
    /// of their own keep them: the blocks at their ends stay.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the sparsity is that of another shape; and as [`with_blocks`](Structure::with_blocks).
    pub fn with_sparsity(&self, sparsity: &Sparsity) -> Result<Structure, Error> {
        let whole: Part = self.tilings().iter().map(|tiling| 0..tiling.extent()).collect();
        if whole != sparsity.whole {
            return refused(format!("the tensor has indices {whole:?}, but the sparsity {:?}", sparsity.whole));
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for part in &sparsity.parts {
            let tiles: Vec<Range<usize>> = self.tilings().iter().zip(part).map(|(tiling, range)| tiles(tiling, range)).collect();
            let counts: Shape = tiles.iter().map(Range::len).collect();
            blocks.extend(counts.indices().map(|n| n.iter().zip(&tiles).map(|(n, tiles)| tiles.start + n).collect::<Vec<_>>()));
        }
        blocks.retain(|block| self.allows(block));
        self.with_blocks_and_ends(blocks)
    }

    /// Whether a block may be there, or follow from one: whether it is given, conserves the charge and has one tile on axes that are tied.
    fn allows(&self, block: &[usize]) -> bool {
        let is_given = |given: &Vec<Vec<usize>>| {
            let (canonical, _) = self.symmetry().canonical(block);
            given.binary_search_by(|own| own[..].cmp(self.first_of(&canonical))).is_ok()
        };
        self.check_charge(block).is_ok() && self.check_tied(block).is_ok() && self.0.given.as_ref().is_none_or(is_given)
    }
}

/// The tiles that have indices of a range, which is not empty.
fn tiles(tiling: &Tiling, range: &Range<usize>) -> Range<usize> {
    let tile = |index: usize| tiling.bounds().partition_point(|&begin| begin <= index) - 1;
    tile(range.start)..tile(range.end - 1) + 1
}

fn part_of(shape: &Shape) -> Part {
    shape.origin().iter().zip(shape.extents()).map(|(&first, &extent)| first..first + extent).collect()
}

fn shape_of(part: &Part) -> Shape {
    let shape: Shape = part.iter().map(Range::len).collect();
    // A part ends within a tensor, whose ends are numbers.
    shape.with_origin(part.iter().map(|range| range.start).collect::<Vec<_>>()).expect("a part is a shape")
}

fn check(whole: &Part, part: &Part) -> Result<(), Error> {
    let is_in = |(whole, part): (&Range<usize>, &Range<usize>)| whole.start <= part.start && part.end <= whole.end;
    match whole.len() == part.len() && whole.iter().zip(part).all(is_in) {
        true => Ok(()),
        false => refused(format!("{part:?} is no part of a tensor with indices {whole:?}")),
    }
}

fn refused<R>(message: String) -> Result<R, Error> {
    Err(Error::new(ErrorKind::Shape(message)))
}
