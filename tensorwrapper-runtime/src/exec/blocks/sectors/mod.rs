//! Linear algebra over block tensors: sector by sector, each a dense matrix for the device.
//!
//! `matrix` reads a tensor as a matrix and finds its sectors, `each` goes through them, `dense` factorises one, `truncation` says
//! what is kept, `factors` cuts factors into blocks. This file has the entry points of decompositions, `square` and `functions` those
//! of functions of a square matrix, whose results `assembled` cuts into blocks. `explained` says what they will do.

mod assembled;
mod dense;
mod diagonal;
mod each;
mod explained;
mod factors;
mod functions;
mod inherited;
mod matrix;
mod square;
#[cfg(test)]
mod tests;
mod triangle;
mod truncation;

use num_complex::Complex;
use tensorwrapper_core::backend::{Device, Factorisation};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::shape::Extents;

use self::diagonal::{Diagonal, phase, untied};
use self::factors::NewAxis;
use self::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};
pub use self::truncation::Truncation;
use super::super::context::Context;
use super::operand::BlockOperand;
use crate::tensor::Blocks;

/// U, s and V of [`Context::svd_blocks`].
type Svd<T> = (Blocks<T>, Blocks<<T as Element>::Real>, Blocks<T>);

/// Linear algebra over block tensors: `rows` are the axes that are the rows of a matrix, in this order; the other axes, in
/// ascending order, are its columns.
///
/// Rows and columns that blocks connect make a sector. Where the tensor conserves a charge, a sector is what rows of one charge
/// and their columns make. Each sector is factorised as a dense matrix. The new axis has a tile for each one, ascending by
/// charge, or else in the order of their first rows.
///
/// The tiles of the new axis carry the charges of the rows: the factor of the rows has the total charge 0, and the new axis the
/// sign −1 there; the factor of the columns has the tensor's total, and the new axis the sign +1. So `einsum_blocks` contracts
/// them. Operands with a symmetry are read through it; results have none. The same operand gives the same results.
///
/// Factors of a matrix whose axes are [tied](tensorwrapper_core::structure::Structure::tied) are diagonals that store their diagonal alone,
/// if nothing is cut off; what is left of them otherwise are columns and rows, found without the matrix. The new axis is that of the rows
/// then, with the charges that they have, and values stand in the order of the diagonal; tiles without a block take part, with zeros.
impl Context {
    /// A = U·diag(s)·V: U `[rows, k]`, s `[k]`, V `[k, columns]`. In each tile of `k`, s descends.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when `rows` are no axes of the tensor;
    /// [`ErrorKind::LinearAlgebra`](crate::ErrorKind::LinearAlgebra) for NaN and infinity, and when an iteration does not
    /// converge; [`ErrorKind::Limit`](crate::ErrorKind::Limit) when the matrices and factors of the sectors need more memory than the
    /// context allows; [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn svd_blocks<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<Svd<T>, Error> {
        let (u, s, v, _) = self.svd_cut_blocks(a, rows, &Truncation::none())?;
        Ok((u, s, v))
    }

    /// [`svd_blocks`](Context::svd_blocks) with the largest singular values of all sectors, and the discarded weight: the sum
    /// of the squares of the values that are not kept, divided by the sum of the squares of all. A sector of which nothing is
    /// kept has no tile.
    ///
    /// # Errors
    /// As [`svd_blocks`](Context::svd_blocks); and [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the tolerance is negative
    /// or NaN.
    #[allow(clippy::type_complexity, reason = "the results, as those of the dense function")]
    pub fn svd_cut_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
        truncation: &Truncation,
    ) -> Result<(Blocks<T>, Blocks<T::Real>, Blocks<T>, f64), Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            let s = diagonal.values("svd", |x| x.norm())?;
            let sizes = diagonal.sizes(&s)?;
            let (kept, discarded) = truncation.kept(&sizes)?;
            if sizes.iter().map(Vec::len).eq(kept) {
                return Ok((diagonal.factor("svd", |_| Complex::ONE)?, s, diagonal.factor("svd", phase)?, discarded));
            }
            return self.svd_cut_diagonal(&diagonal, rows.as_ref(), truncation);
        }
        let a = &untied(a)?;
        let matrix = BlockMatrix::new(&a.structure, rows.as_ref())?;
        let sectors = matrix.sectors()?;
        let (mut u, mut s, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for (left, values, right) in self.each_sector(&matrix, &sectors, a, dense::svd)? {
            u.push(left);
            s.push(values);
            v.push(right);
        }
        let values: Vec<Vec<f64>> = s.iter().map(|s| s.iter().map(|s| s.to_complex().re).collect()).collect();
        let (kept, discarded) = truncation.kept(&values)?;
        let new = NewAxis::new(&matrix, &sectors, &kept)?;
        Ok((new.factor(ROWS, &u)?, new.values(&s)?, new.factor(COLUMNS, &v)?, discarded))
    }

    /// The same of a diagonal of which something is cut off: columns of the identity, and rows of it times the phases of the elements. The
    /// zeros beside the diagonal are stored nowhere.
    #[allow(clippy::type_complexity, reason = "as above")]
    fn svd_cut_diagonal<T: Element>(
        &self,
        diagonal: &Diagonal<'_, T>,
        rows: &[usize],
        truncation: &Truncation,
    ) -> Result<(Blocks<T>, Blocks<T::Real>, Blocks<T>, f64), Error> {
        let whole = diagonal.whole_blocks()?;
        let matrix = BlockMatrix::new(&whole, rows)?;
        let sectors = matrix.sectors()?;
        let elements: Vec<_> = sectors.iter().map(|sector| diagonal.descending(sector)).collect::<Result<_, Error>>()?;
        let sizes: Vec<Vec<f64>> = elements.iter().map(|all| all.iter().map(|(_, _, x)| x.norm()).collect()).collect();
        let (kept, discarded) = truncation.kept(&sizes)?;
        let factors = sectors.iter().zip(&kept).map(|(sector, kept)| (sector.extents[ROWS] + sector.extents[COLUMNS] + 1) * kept);
        self.check_sectors::<T>(&sectors, 2 * factors.sum::<usize>())?;
        let (mut u, mut s, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for ((sector, all), &kept) in sectors.iter().zip(&elements).zip(&kept) {
            let [rows, columns] = sector.extents;
            let (mut left, mut right) = (zeros(rows * kept)?, zeros(kept * columns)?);
            for (n, &(row, column, x)) in all[..kept].iter().enumerate() {
                left[row * kept + n] = T::ONE;
                right[n * columns + column] = T::from_complex(phase(x));
            }
            s.push(all[..kept].iter().map(|(_, _, x)| T::Real::from_complex(x.norm().into())).collect());
            u.push(left);
            v.push(right);
        }
        let new = NewAxis::new(&matrix, &sectors, &kept)?;
        Ok((new.factor(ROWS, &u)?, new.values(&s)?, new.factor(COLUMNS, &v)?, discarded))
    }

    /// A = Q·R: Q `[rows, k]` with orthonormal columns, R `[k, columns]`, in each sector a triangle.
    ///
    /// # Errors
    /// As [`svd_blocks`](Context::svd_blocks).
    pub fn qr_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
    ) -> Result<(Blocks<T>, Blocks<T>), Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            return Ok((diagonal.factor("qr", phase)?, diagonal.factor("qr", |x| x.norm().into())?));
        }
        self.two_factors(untied(a)?, rows.as_ref(), Factorisation::Qr)
    }

    /// A = L·Q: L `[rows, k]`, in each sector a triangle, Q `[k, columns]` with orthonormal rows.
    ///
    /// # Errors
    /// As [`svd_blocks`](Context::svd_blocks).
    pub fn lq_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
    ) -> Result<(Blocks<T>, Blocks<T>), Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            return Ok((diagonal.factor("lq", |x| x.norm().into())?, diagonal.factor("lq", phase)?));
        }
        self.two_factors(untied(a)?, rows.as_ref(), Factorisation::Lq)
    }

    /// Eigenvalues `[k]`, ascending in each tile of `k`, and eigenvectors `[rows, k]` of a Hermitian matrix. In each sector the
    /// lower triangle is read. Rows without blocks take part, with eigenvalues 0. The new axis carries charges if the tensor
    /// conserves them and has the total 0: a matrix that changes the charge has eigenvectors of several charges.
    ///
    /// # Errors
    /// As [`svd_blocks`](Context::svd_blocks); and [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the n-th axis of the rows
    /// and that of the columns are cut differently.
    pub fn eigh_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
    ) -> Result<(Blocks<T::Real>, Blocks<T>), Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            return Ok((diagonal.values("eigh", |x| x.re)?, diagonal.factor("eigh", |_| Complex::ONE)?));
        }
        let a = &untied(a)?;
        let matrix = BlockMatrix::new(&a.structure, rows.as_ref())?;
        let sectors = matrix.square_sectors("eigh")?;
        let found = self.each_sector(&matrix, &sectors, a, |device, elements, [rows, _]| dense::eigh(device, elements, rows))?;
        let (values, vectors): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let kept: Vec<usize> = sectors.iter().map(|sector| sector.extents[ROWS]).collect();
        let new = NewAxis::new(&matrix, &sectors, &kept)?;
        Ok((new.values(&values)?, new.factor(ROWS, &vectors)?))
    }

    fn two_factors<T: Element>(
        &self,
        a: BlockOperand<'_, T>,
        rows: &[usize],
        kind: Factorisation,
    ) -> Result<(Blocks<T>, Blocks<T>), Error> {
        let matrix = BlockMatrix::new(&a.structure, rows)?;
        let sectors = matrix.sectors()?;
        let factors = |device: &dyn Device, elements: &[T], extents| dense::two_factors(device, kind, elements, extents);
        let (left, right): (Vec<_>, Vec<_>) = self.each_sector(&matrix, &sectors, &a, factors)?.into_iter().unzip();
        let kept: Vec<usize> = sectors.iter().map(|sector| sector.extents[ROWS].min(sector.extents[COLUMNS])).collect();
        let new = NewAxis::new(&matrix, &sectors, &kept)?;
        Ok((new.factor(ROWS, &left)?, new.factor(COLUMNS, &right)?))
    }

    /// Whether the memory limit allows so many elements beside the operand.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`], about the largest sector.
    fn check_sectors<T: Element>(&self, sectors: &[Sector<'_>], elements: usize) -> Result<(), Error> {
        let bytes = |elements: usize| elements as u128 * size_of::<T>() as u128;
        let needed = bytes(elements);
        let Some(allowed) = self.choices.memory.map(|bytes| bytes as u128).filter(|&allowed| needed > allowed) else {
            return Ok(());
        };
        let Some(largest) = sectors.iter().max_by_key(|sector| sector.elements()) else { return Ok(()) };
        let error = Error::new(ErrorKind::Limit {
            labels: Vec::new(),
            extents: largest.extents.to_vec(),
            is_result: false,
            bytes: bytes(largest.elements()),
            needed,
            allowed,
            parts: None,
        });
        Err(largest.named(error))
    }
}

/// Linear algebra in the global context; what rows, columns and the new axis are is said at [`Context::svd_blocks`] and in the
/// documentation of its block of methods.
impl<T: Element, S: Extents> Blocks<T, S> {
    /// [`Context::svd_blocks`].
    ///
    /// # Errors
    /// As [`Context::svd_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling, einsum_blocks};
    /// let spin = Tiling::cuts([1, 1]).charged([1, -1])?;
    /// let bond = Tiling::cuts([1, 2, 1]).charged([-1, 0, 1])?;
    /// // What enters by the first two axes leaves by the last two.
    /// let structure = Structure::new([&bond, &spin, &spin, &bond]).flow([1, 1, -1, -1], [0])?;
    /// let theta = Blocks::<f64>::from_fn(&structure, |i| (1 + i[0] + 2 * i[1] + 3 * i[2] * i[3]) as f64)?;
    /// let (u, s, v) = theta.svd([0, 1])?;
    /// assert_eq!(s.structure().tilings()[0], Tiling::cuts([1, 2, 2, 2, 1]).charged([-2, -1, 0, 1, 2])?);
    /// let again = einsum_blocks("ask,k,ktb->astb", &[&u, &s, &v])?;
    /// assert!((again.get(&[1, 0, 1, 3])? - theta.get(&[1, 0, 1, 3])?).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn svd(&self, rows: impl AsRef<[usize]>) -> Result<Svd<T>, Error> {
        Context::global().svd_blocks(self, rows)
    }

    /// [`Context::svd_cut_blocks`].
    ///
    /// # Errors
    /// As [`Context::svd_cut_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling, Truncation};
    /// let cut = Tiling::cuts([1, 1, 1]);
    /// let diagonal = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1], [2, 2]])?;
    /// let a = Blocks::<f64>::from_fn(&diagonal, |i| [3.0, 1.0, 2.0][i[0]])?;
    /// let (u, s, _, discarded) = a.svd_cut([0], &Truncation::none().max(2))?;
    /// assert_eq!((s.get(&[0])?, s.get(&[1])?), (3.0, 2.0));
    /// assert!((discarded - 1.0 / 14.0).abs() < 1e-15);
    /// assert_eq!(u.blocks(), [[0, 0], [2, 1]]); // of the row in the middle nothing is kept
    /// # Ok::<(), Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "as above")]
    pub fn svd_cut(
        &self,
        rows: impl AsRef<[usize]>,
        truncation: &Truncation,
    ) -> Result<(Blocks<T>, Blocks<T::Real>, Blocks<T>, f64), Error> {
        Context::global().svd_cut_blocks(self, rows, truncation)
    }

    /// [`Context::qr_blocks`].
    ///
    /// # Errors
    /// As [`Context::qr_blocks`].
    pub fn qr(&self, rows: impl AsRef<[usize]>) -> Result<(Blocks<T>, Blocks<T>), Error> {
        Context::global().qr_blocks(self, rows)
    }

    /// [`Context::lq_blocks`].
    ///
    /// # Errors
    /// As [`Context::lq_blocks`].
    pub fn lq(&self, rows: impl AsRef<[usize]>) -> Result<(Blocks<T>, Blocks<T>), Error> {
        Context::global().lq_blocks(self, rows)
    }

    /// [`Context::eigh_blocks`].
    ///
    /// # Errors
    /// As [`Context::eigh_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let spin = Tiling::cuts([1, 2]).charged([0, 1])?;
    /// let h = Blocks::<f64>::from_fn(&Structure::new([&spin, &spin]).flow([1, -1], [0])?, |i| (i[0] + i[1]) as f64)?;
    /// let (values, vectors) = h.eigh([0])?;
    /// assert_eq!(values.structure().tilings(), &h.structure().tilings()[..1]);
    /// assert!((values.get(&[1])? + values.get(&[2])? - 6.0).abs() < 1e-13 && vectors.blocks() == [[0, 0], [1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eigh(&self, rows: impl AsRef<[usize]>) -> Result<(Blocks<T::Real>, Blocks<T>), Error> {
        Context::global().eigh_blocks(self, rows)
    }
}
