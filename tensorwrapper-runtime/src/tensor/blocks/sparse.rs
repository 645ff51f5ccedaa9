//! Block tensors of single elements and back: coordinate lists and compressed rows.

use std::collections::{BTreeMap, HashSet};

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::ties::{picked, places};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::SignedPermutation;
use tensorwrapper_notation::sentence::{are, counted};

use super::erased::follows;
use super::{Blocks, Tensor};

/// Where rows begin in the list of elements, their columns, and the elements.
type CompressedRows<T> = (Vec<usize>, Vec<usize>, Vec<T>);

impl<T: Element> Blocks<T> {
    /// The tensor with these elements, each with its index, in any order; what is given twice is added. The structure says how
    /// axes are cut, and which symmetry and charge there is; of its blocks those are stored that have an element, and those at the
    /// end of rows that have extents of their own. With a symmetry, one element of those that follow from each other is enough.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Shape`] when there is no such index, when the structure has no element there, and
    /// when two elements that follow from each other do not agree.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Symmetry, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1])?)?;
    /// let a = Blocks::<f64>::from_coo(&symmetric, [([4, 1], 2.0), ([0, 0], 1.0), ([4, 1], 3.0)])?;
    /// assert_eq!((a.get(&[1, 4])?, a.get(&[0, 1])?, a.blocks()), (5.0, 0.0, vec![vec![0, 0], vec![0, 1]]));
    /// assert_eq!(a.to_coo()?, [(vec![0, 0], 1.0), (vec![1, 4], 5.0), (vec![4, 1], 5.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_coo<I: AsRef<[usize]>>(
        structure: &Structure,
        elements: impl IntoIterator<Item = (I, T)>,
    ) -> Result<Blocks<T>, Error> {
        let mut given: BTreeMap<Vec<usize>, T> = BTreeMap::new();
        for (index, element) in elements {
            *given.entry(index.as_ref().to_vec()).or_insert(T::ZERO) += element;
        }
        let mut canonical: BTreeMap<Vec<usize>, (T, &[usize])> = BTreeMap::new();
        let mut blocks: HashSet<Vec<usize>> = HashSet::new();
        for (index, &element) in &given {
            let block = block_of(structure, index)?;
            if structure.ties().is_some_and(|ties| ties.iter().enumerate().any(|(axis, &first)| index[axis] != index[first])) {
                return refused(format!("axes are tied, so that there is no element {index:?}"));
            }
            let Some(image) = structure.image(&block)? else {
                return refused(format!("the structure has no block {block:?}, where element {index:?} is"));
            };
            let contradicts = |by: &&SignedPermutation| by.image(index) == *index && !agree(follows(element, by), element);
            if let Some(by) = structure.symmetry().elements().iter().find(contradicts) {
                let other = follows(element, by).to_complex();
                return refused(format!("element {index:?} is {}, but by symmetry {other}", element.to_complex()));
            }
            let images = structure.symmetry().elements().iter().map(|by| (by.image(&block), by.image(index), by));
            let (_, mut at, by) =
                images.min_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1))).expect("the identity is one");
            if structure.has_equal_blocks() {
                let [own, first] = [&block, &structure.stored()?.block(image.number)].map(|block| structure.block_shape(block));
                let (own, first) = (own?, first?);
                let moved = at.iter().zip(own.origin()).zip(first.origin()).map(|((at, own), first)| at - own + first);
                at = moved.collect();
            }
            let own = follows(element, by);
            match canonical.get(&at) {
                Some((known, first)) if !agree(*known, own) => {
                    let message = format!("elements {first:?} and {index:?} follow from each other, but do not agree");
                    return Err(Error::new(ErrorKind::Shape(message)));
                }
                _ => canonical.insert(at, (own, index)),
            };
            blocks.insert(block);
        }
        let structure = structure.with_blocks_and_ends(blocks)?;
        Blocks::from_fn(&structure, |index| canonical.get(index).map_or(T::ZERO, |(element, _)| *element))
    }

    /// The matrix of compressed rows: row `i` has the elements from `starts[i]` up to, but not including, `starts[i + 1]`, each
    /// in its column. Otherwise as [`from_coo`](Blocks::from_coo).
    ///
    /// # Errors
    /// As [`from_coo`](Blocks::from_coo); and [`ErrorKind::Shape`] when the structure is not that of a matrix, and when the lists
    /// do not fit together.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let structure = Structure::new([&Tiling::cuts([1, 1]), &Tiling::whole(3)]);
    /// let a = Blocks::<f64>::from_csr(&structure, &[0, 0, 2], &[2, 0], &[7.0, 5.0])?;
    /// assert_eq!(a.to_dense()?.as_slice(), [0.0, 0.0, 0.0, 5.0, 0.0, 7.0]);
    /// assert_eq!(a.to_csr()?, (vec![0, 0, 2], vec![0, 2], vec![5.0, 7.0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_csr(structure: &Structure, starts: &[usize], columns: &[usize], elements: &[T]) -> Result<Blocks<T>, Error> {
        let rows = rows_of(structure)?;
        if starts.len() != rows + 1 {
            let (limits, given) = (counted(rows + 1, "number"), starts.len());
            return refused(format!("the beginnings and ends of {} are {limits}, not {given}", counted(rows, "row")));
        }
        if columns.len() != elements.len() {
            let (elements, numbers) = (counted(elements.len(), "element"), counted(columns.len(), "column"));
            return refused(format!("{elements}, but {numbers} {} given", are(columns.len())));
        }
        if starts[0] != 0 || starts[rows] != elements.len() || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            let (of, last) = (counted(elements.len(), "element"), elements.len());
            return refused(format!("rows of {of} begin at numbers that ascend from 0 to {last}"));
        }
        let of_row = |row: usize| (starts[row]..starts[row + 1]).map(move |at| ([row, columns[at]], elements[at]));
        Blocks::from_coo(structure, (0..rows).flat_map(of_row))
    }

    /// The blocks of a dense tensor that the structure has, without those whose Frobenius norm is at most `tau`: what
    /// [`from_dense`](Blocks::from_dense) and then [`truncated`](Blocks::truncated) make.
    ///
    /// # Errors
    /// As [`from_dense`](Blocks::from_dense) and [`truncated`](Blocks::truncated).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tensor, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let dense = Tensor::<f64>::from_slice([2, 2], &[1.0, 1e-9, 0.0, 2.0])?;
    /// let a = Blocks::from_dense_truncated(&dense, &Structure::new([&cut, &cut]), 1e-8)?;
    /// assert_eq!(a.blocks(), [[0, 0], [1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_dense_truncated(dense: &Tensor<T>, structure: &Structure, tau: f64) -> Result<Blocks<T>, Error> {
        check_tau(tau)?;
        Blocks::from_dense(dense, structure)?.truncated(tau)
    }
}

impl<T: Element, S: Extents> Blocks<T, S> {
    /// All elements that are not zero, each with its index, in ascending order; those that follow by symmetry are among them.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub fn to_coo(&self) -> Result<Vec<(Vec<usize>, T)>, Error> {
        if self.structure.has_equal_blocks() {
            return self.without_equal_blocks()?.to_coo();
        }
        let (stored, core) = (self.structure.stored()?, self.structure.core()?);
        let mut found: Vec<(Vec<usize>, T)> = Vec::new();
        // Of each axis the one of what is stored that its index is read from.
        let places: Vec<usize> = match self.structure.ties() {
            Some(ties) => places(ties),
            None => (0..self.structure.rank()).collect(),
        };
        for number in 0..stored.len() {
            let mut at = stored.start(number);
            // Elements of the group that lead to different blocks: within a block all elements are stored.
            let orbit = self.structure.orbit(number)?;
            core.block_shape(&core.stored()?.block(number))?.indices().visit(|index| {
                let element = self.slab[at];
                at += 1;
                if element != T::ZERO {
                    let whole = picked(index, &places);
                    found.extend(orbit.iter().map(|(_, by)| (by.preimage(&whole), follows(element, by))));
                }
            });
        }
        found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(found)
    }

    /// The elements of a matrix that are not zero as compressed rows: where each row begins, with the end of the last one; the
    /// column of each element, ascending in each row; and the elements.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when it is no matrix.
    pub fn to_csr(&self) -> Result<CompressedRows<T>, Error> {
        let rows = rows_of(&self.structure)?;
        let (mut starts, mut columns, mut elements) = (vec![0; rows + 1], Vec::new(), Vec::new());
        for (index, element) in self.to_coo()? {
            starts[index[0] + 1] += 1;
            columns.push(index[1]);
            elements.push(element);
        }
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        Ok((starts, columns, elements))
    }

    /// The same without blocks whose Frobenius norm is at most `tau`: with 0, without those that are zero. Rows that have extents of their
    /// own keep them: the blocks at their ends stay.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when `tau` is negative or NaN, and [`ErrorKind::Memory`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tensor, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let dense = Tensor::<f64>::from_slice([2, 2], &[1.0, 1e-9, 0.0, 2.0])?;
    /// let a = Blocks::from_dense(&dense, &Structure::new([&cut, &cut]))?;
    /// assert_eq!((a.truncated(0.0)?.blocks().len(), a.truncated(1e-8)?.blocks().len()), (3, 2));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn truncated(&self, tau: f64) -> Result<Blocks<T, S>, Error> {
        check_tau(tau)?;
        let stored = self.structure.stored()?;
        let mut kept = Vec::new();
        for block in stored.iter() {
            let norm = self.norm(&block)?;
            // What is no number is no small one.
            if norm > tau || norm.is_nan() {
                kept.push(block);
            }
        }
        self.with_pattern_of(&self.structure.with_blocks_and_ends(&kept)?)
    }
}

/// Whether norms can be compared with it.
fn check_tau(tau: f64) -> Result<(), Error> {
    match tau.is_nan() || tau < 0.0 {
        true => refused(format!("blocks are left out below a number from 0 on, not {tau}")),
        false => Ok(()),
    }
}

/// Whether two elements are equal, or both are no numbers.
pub(super) fn agree<T: Element>(one: T, other: T) -> bool {
    one == other || one.to_complex().is_nan() && other.to_complex().is_nan()
}

/// The block of an index.
pub(super) fn block_of(structure: &Structure, index: &[usize]) -> Result<Vec<usize>, Error> {
    let rank = structure.rank();
    if index.len() != rank {
        return Err(Error::new(ErrorKind::Rank { operand: format!("{structure:?}"), rank, given: index.len() }));
    }
    structure.tilings().iter().zip(index).map(|(tiling, &index)| tiling.locate(index).map(|(tile, _)| tile)).collect()
}

/// The rows of a matrix.
fn rows_of(structure: &Structure) -> Result<usize, Error> {
    match structure.shape().extents() {
        [rows, _] => Ok(*rows),
        _ => refused(format!("compressed rows are those of a matrix, not of a tensor of rank {}", structure.rank())),
    }
}

fn refused<R>(message: String) -> Result<R, Error> {
    Err(Error::new(ErrorKind::Shape(message)))
}
