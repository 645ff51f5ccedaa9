//! Functions and factors of diagonal matrices that store their diagonal alone, element by element.

use std::borrow::Cow;

use num_complex::Complex;
use tensorwrapper_core::backend::linear::are_finite;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::structure::Structure;

use super::super::operand::BlockOperand;
use super::super::slices::without_ties;
use super::super::tree::quotient;
use super::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};
use super::square::frame_of_solution;
use crate::exec::context::Context;
use crate::tensor::Blocks;

/// A tensor whose axes are not tied: the same, or the same with its zeros.
///
/// # Errors
/// Memory.
pub(super) fn untied<T: Element, S: Extents>(a: &Blocks<T, S>) -> Result<BlockOperand<'_, T>, Error> {
    without_ties(read(a))
}

/// What is read of a tensor, whatever the compiler knows of its extents.
fn read<T: Element, S: Extents>(a: &Blocks<T, S>) -> BlockOperand<'_, T> {
    BlockOperand { structure: a.structure().clone(), slab: Cow::Borrowed(a.slab()), is_dense: false }
}

/// A diagonal matrix.
pub(super) struct Diagonal<'d, T: Element> {
    a: BlockOperand<'d, T>,
    /// Which of its two axes are the rows.
    row: usize,
}

impl<'d, T: Element> Diagonal<'d, T> {
    /// The matrix of these rows, if it is a diagonal one.
    pub(super) fn of<S: Extents>(a: &'d Blocks<T, S>, rows: &[usize]) -> Option<Diagonal<'d, T>> {
        let is_diagonal = a.structure().rank() == 2 && a.structure().ties().is_some();
        match *rows {
            [row] if is_diagonal && row < 2 => Some(Diagonal { a: read(a), row }),
            _ => None,
        }
    }

    /// The tensor, copied.
    fn copied(&self) -> Blocks<T> {
        Blocks::from_slab(self.a.slab[..].into(), self.a.structure.clone())
    }

    /// The inverse, whose rows are the columns.
    ///
    /// # Errors
    /// As [`reciprocal`](Diagonal::reciprocal).
    pub(super) fn inverse(&self, name: &str) -> Result<Blocks<T>, Error> {
        self.oriented(self.reciprocal(name)?)
    }

    /// The inverse, with the axes as they are.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`] when it is singular.
    pub(super) fn reciprocal(&self, name: &str) -> Result<Blocks<T>, Error> {
        let singular = |why: String| wrong(format!("the matrix of `{name}` is singular: {why}"));
        if let Some(tile) = self.missing()? {
            return Err(singular(format!("the row of tiles [{tile}] has no block")));
        }
        if let Some(block) = self.block_with(|x| x == T::ZERO)? {
            return Err(singular(format!("its block {block:?} has a zero on the diagonal")));
        }
        self.mapped(name, self.copied(), |x| quotient(Complex::ONE, x))
    }

    /// The same with the rows as the first axis: charges that leave by one axis enter by the other.
    fn oriented(&self, a: Blocks<T>) -> Result<Blocks<T>, Error> {
        match a.structure().charge_flow().filter(|_| self.row != 0) {
            Some(flow) => {
                let structure = a.structure().flow([flow.signs()[1], flow.signs()[0]], flow.total().to_vec())?;
                Ok(Blocks::from_slab(a.slab().into(), structure))
            }
            None => Ok(a),
        }
    }

    /// The X of A·X = B.
    ///
    /// # Errors
    /// As [`inverse`](Diagonal::inverse), and when the right side does not fit.
    pub(super) fn solution(&self, context: &Context, b: BlockOperand<'_, T>) -> Result<Blocks<T>, Error> {
        frame_of_solution(&BlockMatrix::new(&self.a.structure, &[self.row])?, &b.structure)?;
        let inverse = self.reciprocal("solve")?;
        let (structure, slab) = (inverse.structure().core()?, Cow::Borrowed(inverse.slab()));
        let factors = BlockOperand { structure, slab, is_dense: false };
        let labels: String =
            (0..b.structure.rank()).map(|axis| char::from_u32('a' as u32 + axis as u32).unwrap_or('_')).collect();
        context.einsum_operands(&format!("a,{labels}->{labels}"), &[factors, b])
    }

    /// A function of it, of which zeros are rows, too.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`] for NaN and infinity, and when a result is too large.
    pub(super) fn function(&self, name: &str, of: impl Fn(Complex<f64>) -> Complex<f64>) -> Result<Blocks<T>, Error> {
        self.mapped(name, self.copied().widened(&self.whole([0, 1])?)?, of)
    }

    /// The structure of all tiles, with the axes in this order.
    fn whole(&self, axes: [usize; 2]) -> Result<Structure, Error> {
        let plain = Structure::new(self.a.structure.tilings()).tied([0, 1])?;
        match self.a.structure.charge_flow() {
            Some(flow) => plain.flow(axes.map(|axis| flow.signs()[axis]), flow.total().to_vec()),
            None => Ok(plain),
        }
    }

    /// A factor, which has the rows and then the columns, one of both the new axis: a function of each element, those of tiles without a
    /// block included.
    ///
    /// # Errors
    /// As [`function`](Diagonal::function).
    pub(super) fn factor(&self, name: &str, of: impl Fn(Complex<f64>) -> Complex<f64>) -> Result<Blocks<T>, Error> {
        let factor = self.function(name, of)?;
        // Blocks on the diagonal stand in the same places, whichever axis is the first.
        Ok(Blocks::from_slab(factor.slab().into(), self.whole([self.row, 1 - self.row])?))
    }

    /// Real numbers along the new axis: a function of each element.
    ///
    /// # Errors
    /// As [`function`](Diagonal::function).
    pub(super) fn values(&self, name: &str, of: impl Fn(Complex<f64>) -> f64) -> Result<Blocks<T::Real>, Error> {
        let values = self.function(name, |x| of(x).into())?;
        let mut result = Blocks::<T::Real>::zeros(&Structure::new(&self.a.structure.tilings()[..1]))?;
        let numbers = values.slab().iter().map(|x| T::Real::from_complex(x.to_complex()));
        result.slab_mut().iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
        Ok(result)
    }

    /// The absolute values of all elements of each tile, in descending order.
    ///
    /// # Errors
    /// As [`function`](Diagonal::function).
    pub(super) fn sizes(&self, values: &Blocks<T::Real>) -> Result<Vec<Vec<f64>>, Error> {
        let stored = values.structure().stored()?;
        let descending = |number: usize| {
            let own = &values.slab()[stored.start(number)..][..stored.size(number)];
            let mut sizes: Vec<f64> = own.iter().map(|x| x.to_complex().re).collect();
            sizes.sort_by(|one, other| other.total_cmp(one));
            sizes
        };
        Ok((0..stored.len()).map(descending).collect())
    }

    /// The structure with whole blocks.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn whole_blocks(&self) -> Result<Structure, Error> {
        self.a.structure.untied()
    }

    /// The elements of the diagonal in a sector of [whole blocks](Diagonal::whole_blocks), the largest first: the row and the column of
    /// each in the sector's matrix. Equal ones stand in the order of the diagonal.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn descending(&self, sector: &Sector<'_>) -> Result<Vec<(usize, usize, Complex<f64>)>, Error> {
        let stored = self.a.structure.stored()?;
        // Rows and columns of a sector are those of its blocks, each of which is on the diagonal.
        let mut found = Vec::new();
        for image in &sector.blocks {
            let first = |side: usize| {
                let line = sector.lines[side].iter().find(|line| line.tiles[..] == image.block[..1]);
                line.expect("a sector has its blocks' lines").first
            };
            let elements = &self.a.slab[stored.start(image.number)..][..stored.size(image.number)];
            let (row, column) = (first(ROWS), first(COLUMNS));
            found.extend(elements.iter().enumerate().map(|(n, x)| (row + n, column + n, x.to_complex())));
        }
        found.sort_by(|one, other| other.2.norm().total_cmp(&one.2.norm()).then(one.0.cmp(&other.0)));
        Ok(found)
    }

    /// The root, which is positive.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`] when an element of the diagonal is not positive.
    pub(super) fn root(&self) -> Result<Blocks<T>, Error> {
        let wrong = |which: String| wrong(format!("the matrix of `cholesky` is not positive definite: {which}"));
        if let Some(tile) = self.missing()? {
            return Err(wrong(format!("the row of tiles [{tile}] has no block")));
        }
        if let Some(block) = self.block_with(|x| x.to_complex().re <= 0.0)? {
            return Err(wrong(format!("an element of the diagonal in its block {block:?} is not positive")));
        }
        self.oriented(self.mapped("cholesky", self.copied(), |x| x.re.sqrt().into())?)
    }

    /// The same where all are finite.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`] for NaN and infinity, and memory.
    pub(super) fn finite_elements(&self, name: &str) -> Result<Vec<T>, Error> {
        let elements = self.elements()?;
        if are_finite(&elements) { Ok(elements) } else { Err(not_finite(name)) }
    }

    /// The elements of the diagonal, and zeros for blocks that are not there.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn elements(&self) -> Result<Vec<T>, Error> {
        let core: Blocks<T> = Blocks::from_slab(self.a.slab[..].into(), self.a.structure.core()?);
        Ok(core.to_dense()?.as_slice().to_vec())
    }

    /// The first stored block with an element of which a condition holds. Places between blocks, which hold no elements, are not read.
    fn block_with(&self, holds: impl Fn(T) -> bool) -> Result<Option<Vec<usize>>, Error> {
        let stored = self.a.structure.stored()?;
        let has = |&number: &usize| self.a.slab[stored.start(number)..][..stored.size(number)].iter().any(|&x| holds(x));
        Ok((0..stored.len()).find(has).map(|number| stored.block(number)))
    }

    /// The first tile that has indices, but no block.
    fn missing(&self) -> Result<Option<usize>, Error> {
        let stored = self.a.structure.stored()?;
        let mut extents = self.a.structure.tilings()[0].extents().enumerate();
        Ok(extents.find(|&(tile, extent)| extent > 0 && stored.find(&[tile; 2]).is_none()).map(|(tile, _)| tile))
    }

    fn mapped(&self, name: &str, mut a: Blocks<T>, of: impl Fn(Complex<f64>) -> Complex<f64>) -> Result<Blocks<T>, Error> {
        let stored = a.structure().clone();
        let stored = stored.stored()?;
        for number in 0..stored.len() {
            for x in &mut a.slab_mut()[stored.start(number)..][..stored.size(number)] {
                if !x.to_complex().is_finite() {
                    return Err(not_finite(name));
                }
                *x = T::from_complex(of(x.to_complex()));
                if !x.to_complex().is_finite() {
                    return Err(wrong(format!(
                        "the result of `{name}` of a diagonal matrix is larger than the numbers of its type"
                    )));
                }
            }
        }
        Ok(a)
    }
}

fn not_finite(name: &str) -> Error {
    wrong(format!("the diagonal matrix of `{name}` holds NaN or infinity"))
}

/// The number of modulus one that an element is its absolute value times; 1 for zero.
pub(super) fn phase(x: Complex<f64>) -> Complex<f64> {
    let size = x.norm();
    if size == 0.0 { Complex::ONE } else { x / size }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::LinearAlgebra { message })
}
