//! The entry points of functions of square block matrices: inverses, systems of equations, exponentials, powers, triangles,
//! determinants and traces.

use tensorwrapper_core::backend::{Decomposition, Factorisation};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::stored::power;

use super::dense::of_squares;
use super::diagonal::{Diagonal, untied};
use super::factors::NewAxis;
use super::matrix::{BlockMatrix, ROWS};
use super::{square, triangle};
use crate::exec::context::Context;
use crate::tensor::Blocks;

/// Functions of square matrices: `rows` are the axes that are the rows, in this order, and the others, in ascending order, are
/// the columns. Each sector is a dense matrix; small ones of one size are computed together, and threads share
/// the others.
///
/// `inv_blocks` and `solve_blocks` need as many rows as columns in each sector, however they are cut. For the others the n-th
/// axis of the rows and that of the columns are cut alike, and rows without blocks take part as rows of zeros. Blocks that are
/// zero in every power of the matrix are not in a result, so that a matrix whose blocks make a triangle has an inverse whose
/// blocks do. Where all sectors of one size are upper triangles, or all lower ones, they are inverted and solved without elimination;
/// determinants of triangles are those of what is on the diagonal.
/// Of a matrix that stores its diagonal alone, as [`Blocks::diagonal`] does, they are computed element by element, and matrices are
/// diagonals again.
///
/// The inverse of a symmetric, antisymmetric or Hermitian matrix is one, too, and stores one of two blocks as the matrix does; so of
/// several axes, where an element of the symmetry exchanges rows and columns as wholes or permutes both. A power has it with the power of
/// its sign: the square of an antisymmetric matrix is symmetric. An exponential has what has the sign +. The factor of `cholesky`
/// and solutions have no symmetry.
impl Context {
    /// A⁻¹: its rows are the columns of A, and its columns are A's rows, so of a matrix `[i, j]` it is `[j, i]`. Charges flow
    /// the other way there: `einsum_blocks` contracts both.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when `rows` are no axes of the tensor, and when there are not as many rows
    /// as columns; [`ErrorKind::LinearAlgebra`](crate::ErrorKind::LinearAlgebra) for a singular matrix, for NaN and infinity;
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn inv_blocks<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<Blocks<T>, Error> {
        match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => diagonal.inverse("inv"),
            None => square::inverse(self, &untied(a)?, rows.as_ref()),
        }
    }

    /// The X of A·X = B: the first axes of B run along the rows of A, in the order of `rows`, and are cut like them. The axes of
    /// X are the columns of A, then the other axes of B. Sectors in which B has no block are not solved: X is zero there.
    ///
    /// # Errors
    /// As [`inv_blocks`](Context::inv_blocks); and [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the axes of B do not fit.
    pub fn solve_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
        b: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T>, Error> {
        let b = untied(b)?;
        match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => diagonal.solution(self, b),
            None => square::solution(self, &untied(a)?, rows.as_ref(), &b),
        }
    }

    /// exp A, with the axes of A. It conserves charges if A has the total charge 0.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when `rows` are no axes of the tensor, and when rows and columns are cut
    /// differently; [`ErrorKind::LinearAlgebra`](crate::ErrorKind::LinearAlgebra) for NaN and infinity;
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn expm_blocks<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<Blocks<T>, Error> {
        match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => diagonal.function("expm", |x| x.exp()),
            None => square::function(self, &of_squares(Factorisation::Expm), &untied(a)?, rows.as_ref()),
        }
    }

    /// Aⁿ, with the axes of A; of the inverse where n is negative. It conserves charges if A has the total charge 0.
    ///
    /// # Errors
    /// As [`expm_blocks`](Context::expm_blocks); and [`ErrorKind::LinearAlgebra`](crate::ErrorKind::LinearAlgebra) for negative
    /// powers of a singular matrix.
    pub fn matpow_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
        exponent: i32,
    ) -> Result<Blocks<T>, Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            return match exponent < 0 {
                true => Diagonal::of(&diagonal.reciprocal("matpow")?, rows.as_ref())
                    .expect("the inverse of a diagonal is one")
                    .function("matpow", |x| power(x, exponent.unsigned_abs())),
                false => diagonal.function("matpow", |x| power(x, exponent.unsigned_abs())),
            };
        }
        let call = Decomposition { exponent, ..of_squares(Factorisation::Matpow) };
        square::function(self, &call, &untied(a)?, rows.as_ref())
    }

    /// The L of A = L·Lᴴ, `[rows, k]`, of a Hermitian positive definite matrix, of which the lower triangle of each sector is
    /// read. The new axis has a tile for each sector, and in each L is a triangle. It carries charges as that of
    /// [`eigh_blocks`](Context::eigh_blocks) does.
    ///
    /// # Errors
    /// As [`expm_blocks`](Context::expm_blocks); and [`ErrorKind::LinearAlgebra`](crate::ErrorKind::LinearAlgebra) when the
    /// matrix is not positive definite.
    pub fn cholesky_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
    ) -> Result<Blocks<T>, Error> {
        if let Some(diagonal) = Diagonal::of(a, rows.as_ref()) {
            return diagonal.root();
        }
        let a = &untied(a)?;
        let matrix = BlockMatrix::new(&a.structure, rows.as_ref())?;
        let sectors = matrix.square_sectors("cholesky")?;
        let factors = square::cholesky_factors(self, &matrix, &sectors, a)?;
        let kept: Vec<usize> = sectors.iter().map(|sector| sector.extents[ROWS]).collect();
        NewAxis::new(&matrix, &sectors, &kept)?.factor(ROWS, &factors)
    }

    /// The determinant: the product of those of the sectors; a part of it that is too large for a number is infinite.
    ///
    /// # Errors
    /// As [`expm_blocks`](Context::expm_blocks), and where the determinant of one sector is too large for a number.
    pub fn det_blocks<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<T, Error> {
        match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => Ok(triangle::multiplied(diagonal.finite_elements("det")?).nearest()),
            None => square::determinant(self, &untied(a)?, rows.as_ref()),
        }
    }

    /// The phase of the determinant, and the logarithm of its absolute value, which may be large where the determinant itself
    /// would be infinite. Of a singular matrix they are 0 and −∞.
    ///
    /// # Errors
    /// As [`expm_blocks`](Context::expm_blocks).
    pub fn slogdet_blocks<T: Element>(
        &self,
        a: &Blocks<T, impl Extents>,
        rows: impl AsRef<[usize]>,
    ) -> Result<(T, T::Real), Error> {
        let all = match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => diagonal.finite_elements("slogdet")?.into_iter().map(triangle::phase_and_logarithm).collect(),
            None => square::slogdets(self, &untied(a)?, rows.as_ref())?,
        };
        Ok(triangle::together(all))
    }

    /// The sum of the diagonal.
    ///
    /// # Errors
    /// As [`expm_blocks`](Context::expm_blocks).
    pub fn trace_blocks<T: Element>(&self, a: &Blocks<T, impl Extents>, rows: impl AsRef<[usize]>) -> Result<T, Error> {
        let all = match Diagonal::of(a, rows.as_ref()) {
            Some(diagonal) => diagonal.elements()?,
            None => square::traces(self, &untied(a)?, rows.as_ref())?,
        };
        Ok(all.into_iter().fold(T::ZERO, |sum, trace| sum + trace))
    }
}

/// Functions of square matrices in the global context; what rows and columns are is said at [`Context::inv_blocks`] and in the
/// documentation of its block of methods.
impl<T: Element, S: Extents> Blocks<T, S> {
    /// [`Context::inv_blocks`].
    ///
    /// # Errors
    /// As [`Context::inv_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// // Two blocks below the other make a triangle; so do those of the inverse.
    /// let cut = Tiling::cuts([1, 1]);
    /// let lower = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 0], [1, 1]])?;
    /// let a = Blocks::<f64>::from_fn(&lower, |i| [[2.0, 0.0], [1.0, 4.0]][i[0]][i[1]])?;
    /// let x = a.inv([0])?;
    /// assert_eq!((x.blocks(), x.get(&[0, 0])?, x.get(&[1, 0])?), (a.blocks(), 0.5, -0.125));
    ///
    /// let no_row = Blocks::<f64>::zeros(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [0, 1]])?)?;
    /// let error = no_row.inv([0]).unwrap_err();
    /// assert_eq!(error.to_string(), "the matrix of `inv` is singular: the row of tiles [1] has no block");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn inv(&self, rows: impl AsRef<[usize]>) -> Result<Blocks<T>, Error> {
        Context::global().inv_blocks(self, rows)
    }

    /// [`Context::solve_blocks`].
    ///
    /// # Errors
    /// As [`Context::solve_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let spin = Tiling::cuts([1, 2]).charged([-1, 1])?;
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&spin, &spin]).flow([1, -1], [0])?, |i| if i[0] == i[1] { 2.0 } else { 1.0 })?;
    /// let b = Blocks::<f64>::from_fn(&Structure::new([&spin]).flow([1], [1])?, |_| 3.0)?;
    /// let x = a.solve([0], &b)?;
    /// assert_eq!(x.structure(), b.structure());
    /// assert_eq!((x.get(&[0])?, x.get(&[1])?, x.get(&[2])?), (0.0, 1.0, 1.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn solve(&self, rows: impl AsRef<[usize]>, b: &Blocks<T, impl Extents>) -> Result<Blocks<T>, Error> {
        Context::global().solve_blocks(self, rows, b)
    }

    /// [`Context::expm_blocks`].
    ///
    /// # Errors
    /// As [`Context::expm_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 1, 1]);
    /// let up = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 1]])?, |_| 3.0)?;
    /// let x = up.expm([0])?; // 1 on the diagonal, of the row without blocks, too
    /// assert_eq!((x.get(&[0, 1])?, x.get(&[2, 2])?, x.blocks().len()), (3.0, 1.0, 4));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn expm(&self, rows: impl AsRef<[usize]>) -> Result<Blocks<T>, Error> {
        Context::global().expm_blocks(self, rows)
    }

    /// [`Context::matpow_blocks`].
    ///
    /// # Errors
    /// As [`Context::matpow_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?, |i| [2.0, 3.0][i[0]])?;
    /// assert_eq!((a.matpow([0], 3)?.get(&[1, 1])?, a.matpow([0], -1)?.get(&[0, 0])?), (27.0, 0.5));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matpow(&self, rows: impl AsRef<[usize]>, exponent: i32) -> Result<Blocks<T>, Error> {
        Context::global().matpow_blocks(self, rows, exponent)
    }

    /// [`Context::cholesky_blocks`].
    ///
    /// # Errors
    /// As [`Context::cholesky_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?, |i| [4.0, 9.0][i[0]])?;
    /// assert_eq!(a.cholesky([0])?.get(&[1, 1])?, 3.0);
    /// let not = Blocks::<f64>::from_fn(a.structure(), |i| [4.0, -9.0][i[0]])?;
    /// let text = not.cholesky([0]).unwrap_err().to_string();
    /// assert!(text.contains("not positive definite") && text.contains("the sector with blocks [1, 1]"), "{text}");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cholesky(&self, rows: impl AsRef<[usize]>) -> Result<Blocks<T>, Error> {
        Context::global().cholesky_blocks(self, rows)
    }

    /// [`Context::det_blocks`].
    ///
    /// # Errors
    /// As [`Context::det_blocks`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let turned = Structure::new([&cut, &cut]).with_blocks([[0, 1], [1, 0]])?;
    /// let a = Blocks::<f64>::from_fn(&turned, |i| [2.0, 3.0][i[0]])?;
    /// assert_eq!((a.det([0])?, a.slogdet([0])?, a.trace([0])?), (-6.0, (-1.0, 6.0_f64.ln()), 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn det(&self, rows: impl AsRef<[usize]>) -> Result<T, Error> {
        Context::global().det_blocks(self, rows)
    }

    /// [`Context::slogdet_blocks`].
    ///
    /// # Errors
    /// As [`Context::slogdet_blocks`].
    pub fn slogdet(&self, rows: impl AsRef<[usize]>) -> Result<(T, T::Real), Error> {
        Context::global().slogdet_blocks(self, rows)
    }

    /// [`Context::trace_blocks`].
    ///
    /// # Errors
    /// As [`Context::trace_blocks`].
    pub fn trace(&self, rows: impl AsRef<[usize]>) -> Result<T, Error> {
        Context::global().trace_blocks(self, rows)
    }
}
