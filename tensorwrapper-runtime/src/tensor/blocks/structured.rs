//! Block tensors of well-known structures: diagonals, identities, block-diagonal matrices, packed triangles, and tensors of one
//! number.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::ties::firsts;
use tensorwrapper_core::shape::{Extents, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::sentence::counted;

use super::erased::follows;
use super::{Blocks, Tensor};

impl<T: Element> Blocks<T> {
    /// The diagonal matrix of a vector, which stores the vector alone. Where the vector's tiles carry charges, they enter by the
    /// rows and leave by the columns.
    ///
    /// Equations know that its axes are [tied](Structure::tied): `D[i, j] * B[j, k]` multiplies row `i` of `B` by element `i`,
    /// and products and sums of diagonals are diagonals, as are `inv`, `matpow`, `expm` and `cholesky` of one. Where a result is
    /// no diagonal, as in `D[i, j] + B[i, j]`, each tile of the diagonal becomes a block with its zeros: cut it, where it is
    /// long.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the tensor has not one axis.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling, einsum_blocks};
    /// let cut = Tiling::cuts([2, 1]);
    /// let d = Blocks::diagonal(Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| (1 + i[0]) as f64)?)?;
    /// assert_eq!((d.get(&[2, 2])?, d.get(&[1, 2])?, d.bytes()), (3.0, 0.0, 3 * 8));
    /// let twice = einsum_blocks("ij,jk->ik", &[&d, &d])?;
    /// assert_eq!((twice.get(&[2, 2])?, twice.structure()), (9.0, d.structure()));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diagonal(d: Blocks<T>) -> Result<Blocks<T>, Error> {
        let [tiling] = d.structure.tilings() else {
            let message = format!("a diagonal is made of a vector, not of a tensor of rank {}", d.structure.rank());
            return Err(Error::new(ErrorKind::Shape(message)));
        };
        let blocks = d.structure.stored()?.iter().map(|block| [block[0]; 2]);
        let tied = Structure::new([tiling; 2]).tied([0, 1])?;
        let tied = if d.structure.stored()?.len() == tiling.len() { tied } else { tied.with_blocks(blocks)? };
        let structure = match tiling.charges() {
            Some(charges) => tied.flow([1, -1], charges.group().neutral())?,
            None => tied,
        };
        Ok(Blocks::from_slab(d.slab, structure))
    }

    /// The identity matrix of an axis that is cut so: a [diagonal](Blocks::diagonal) of ones.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Tiling};
    /// let one = Blocks::<f64>::identity(&Tiling::whole(100_000))?;
    /// assert_eq!((one.get(&[7, 7])?, one.get(&[7, 8])?, one.bytes()), (1.0, 0.0, 800_000));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn identity(tiling: &Tiling) -> Result<Blocks<T>, Error> {
        Blocks::diagonal(Blocks::filled(&Structure::new([tiling]), T::ONE)?)
    }

    /// One number, wherever the structure has an element: 0 or the number's real part where a symmetry says so.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 2]);
    /// let lower = Blocks::<f64>::filled(&Structure::new([&cut, &cut]).lower()?, 2.0)?;
    /// assert_eq!((lower.get(&[2, 0])?, lower.get(&[0, 1])?), (2.0, 0.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn filled(structure: &Structure, number: T) -> Result<Blocks<T>, Error> {
        let mut blocks = Blocks::zeros(structure)?;
        blocks.slab.fill(number);
        blocks.make_consistent()?;
        Ok(blocks)
    }

    /// The matrix with these matrices along its diagonal: block `[n, n]` is the n-th of them. They need not be square.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when one of them is no matrix; [`ErrorKind::Memory`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Tensor};
    /// let (a, b) = (Tensor::<f64>::from_slice([1, 2], &[1.0, 2.0])?, Tensor::from_slice([1, 1], &[3.0])?);
    /// let both = Blocks::block_diagonal([&a, &b])?;
    /// assert_eq!(both.to_dense()?.as_slice(), [1.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
    /// assert_eq!(both.blocks(), [[0, 0], [1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn block_diagonal<'t>(matrices: impl IntoIterator<Item = &'t Tensor<T>>) -> Result<Blocks<T>, Error> {
        let matrices: Vec<&Tensor<T>> = matrices.into_iter().collect();
        if let Some((n, other)) = matrices.iter().enumerate().find(|(_, matrix)| matrix.extents().len() != 2) {
            let message =
                format!("blocks of a block-diagonal matrix are matrices, but block {n} has rank {}", other.extents().len());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let [rows, columns] = [0, 1].map(|axis| Tiling::cuts(matrices.iter().map(|matrix| matrix.extents()[axis])));
        let structure = Structure::new([&rows, &columns]).with_blocks((0..matrices.len()).map(|n| [n, n]))?;
        let mut result = Blocks::zeros(&structure)?;
        let stored = structure.stored()?;
        for (n, matrix) in matrices.iter().enumerate() {
            result.slab[stored.start(n)..][..stored.size(n)].copy_from_slice(matrix.as_slice());
        }
        Ok(result)
    }

    /// The matrix of one of its triangles, packed as LAPACK packs them, column after column: from each column's first row down to
    /// the diagonal where `is_upper`, or else from the diagonal down to the last row. Where the structure has a symmetry, the
    /// other triangle follows; else it is zero.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the structure is not that of a square matrix, and when there are not as many elements as a
    /// triangle has.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Error, Structure, Symmetry, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1])?)?;
    /// let a = Blocks::<f64>::from_packed(&symmetric, false, &[1.0, 2.0, 3.0])?;
    /// assert_eq!(a.to_dense()?.as_slice(), [1.0, 2.0, 2.0, 3.0]);
    /// assert_eq!(a.to_packed(true)?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_packed(structure: &Structure, is_upper: bool, packed: &[T]) -> Result<Blocks<T>, Error> {
        let rows = square(structure)?;
        if packed.len() != rows * (rows + 1) / 2 {
            let (needed, given) = (rows * (rows + 1) / 2, packed.len());
            let (rows, needed) = (counted(rows, "row"), counted(needed, "element"));
            let message = format!("a packed triangle of {rows} has {needed}, not {given}");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let exchange = structure.symmetry().elements().iter().find(|by| by.axis(0) == 1);
        Blocks::from_fn(structure, |index| {
            let (row, column) = (index[0], index[1]);
            match (packed_at(rows, is_upper, row, column), packed_at(rows, is_upper, column, row), exchange) {
                (Some(at), ..) => packed[at],
                (None, Some(at), Some(by)) => follows(packed[at], by),
                _ => T::ZERO,
            }
        })
    }
}

impl<T: Element, S: Extents> Blocks<T, S> {
    /// One triangle of a square matrix, packed as [`from_packed`](Blocks::from_packed) reads it.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when it is no square matrix.
    pub fn to_packed(&self, is_upper: bool) -> Result<Vec<T>, Error> {
        let rows = square(&self.structure)?;
        let mut packed = Vec::with_capacity(rows * (rows + 1) / 2);
        for column in 0..rows {
            for row in if is_upper { 0..column + 1 } else { column..rows } {
                packed.push(self.get(&[row, column])?);
            }
        }
        Ok(packed)
    }

    /// The same without [ties](Structure::tied): what is stored for a diagonal is written into blocks with its zeros.
    ///
    /// # Errors
    /// As [`zeros`](Blocks::zeros).
    pub fn untied(&self) -> Result<Blocks<T, S>, Error> {
        let mut result = Blocks { origin: self.origin.clone(), ..Blocks::zeros_like(&self.structure.untied()?)? };
        untie(&self.structure, &self.slab, &mut result.slab)?;
        Ok(result)
    }
}

/// Writes what is stored of tied axes into whole blocks, which are zero.
///
/// # Errors
/// As [`Structure::stored`].
pub(crate) fn untie<T: Element>(structure: &Structure, slab: &[T], out: &mut [T]) -> Result<(), Error> {
    let (whole, core) = (structure.untied()?, structure.core()?);
    let Some(ties) = structure.ties() else {
        out.copy_from_slice(slab);
        return Ok(());
    };
    let (whole, stored) = (whole.stored()?, core.stored()?);
    for number in 0..stored.len() {
        let extents = structure.block_shape(&whole.block(number))?;
        // The stride of each stored axis is the sum of those of the axes that are tied to it.
        let (mut strides, mut stride) = (vec![0; ties.len()], 1);
        for (axis, &extent) in extents.extents().iter().enumerate().rev() {
            strides[ties[axis]] += stride;
            stride *= extent;
        }
        let strides: Vec<usize> = firsts(ties).map(|axis| strides[axis]).collect();
        let mut at = stored.start(number);
        core.block_shape(&stored.block(number))?.offsets().for_each(|offset| {
            let place: usize = offset.iter().zip(&strides).map(|(offset, stride)| offset * stride).sum();
            out[whole.start(number) + place] = slab[at];
            at += 1;
        });
    }
    Ok(())
}

/// The rows of a square matrix.
fn square(structure: &Structure) -> Result<usize, Error> {
    match *structure.shape().extents() {
        [rows, columns] if rows == columns => Ok(rows),
        _ => {
            let message =
                format!("a triangle is packed of a square matrix, not of a tensor of extents {:?}", structure.shape().extents());
            Err(Error::new(ErrorKind::Shape(message)))
        }
    }
}

/// Where an element is in a packed triangle, if it is in it.
fn packed_at(rows: usize, is_upper: bool, row: usize, column: usize) -> Option<usize> {
    match is_upper {
        true => (row <= column).then(|| row + column * (column + 1) / 2),
        false => (row >= column).then(|| row + column * (2 * rows - column - 1) / 2),
    }
}
