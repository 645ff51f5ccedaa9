//! What is asked of vectors and matrices by name: transposes, triangles, diagonals and products. The decompositions are in `linalg`.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extent, Extents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Numeric, Stored};

use super::elementwise::FEW;
use super::methods;
use super::operand::WholeOperand;
use crate::exec::einsum;
use crate::tensor::{Tensor, TensorRef};

fn transpose<'a, T: Stored, S: Extents>(view: &TensorRef<'a, T, S>) -> TensorRef<'a, T> {
    let backwards: Vec<usize> = (0..view.rank()).rev().collect();
    view.permute(&backwards).unwrap_or_else(|error| unreachable!("each axis is named once: {error}"))
}

/// The extents of the matrices that the last two axes are.
fn matrix<T: Stored, S: Extents>(what: &str, view: &TensorRef<'_, T, S>) -> Result<(usize, usize), Error> {
    match *view.extents() {
        [.., rows, columns] => Ok((rows, columns)),
        _ => Err(Error::new(ErrorKind::Shape(format!("`{what}` of extents {:?}, which are no matrix", view.extents())))),
    }
}

/// The last two axes as matrices, with zeros where an element is not kept.
fn kept<T: Stored, S: Extents>(
    view: &TensorRef<'_, T, S>,
    (rows, columns): (usize, usize),
    is_kept: impl Fn(isize, isize) -> bool,
) -> Result<Tensor<T, S>, Error> {
    let mut result = view.to_tensor()?;
    if rows * columns > 0 {
        for matrix in result.as_mut_slice().chunks_exact_mut(rows * columns) {
            for (i, row) in matrix.chunks_exact_mut(columns).enumerate() {
                let outside = row.iter_mut().enumerate().filter(|(j, _)| !is_kept(i as isize, *j as isize));
                outside.for_each(|(_, x)| *x = T::NOTHING);
            }
        }
    }
    Ok(result)
}

fn tril<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, offset: isize) -> Result<Tensor<T, S>, Error> {
    kept(view, matrix("tril", view)?, |i, j| j <= i.saturating_add(offset))
}

fn triu<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, offset: isize) -> Result<Tensor<T, S>, Error> {
    kept(view, matrix("triu", view)?, |i, j| j >= i.saturating_add(offset))
}

fn diag<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T>, Error> {
    match *view.extents() {
        [extent] => {
            let mut result = Tensor::zeros([extent, extent])?;
            let places = result.as_mut_slice().iter_mut().step_by(extent + 1);
            places.zip(view.elements()).for_each(|(place, x)| *place = *x);
            Ok(result)
        }
        [rows, columns] => {
            let shorter = rows.min(columns);
            view.slice(0, ..shorter)?.slice(1, ..shorter)?.diagonal(0, 1)?.to_tensor()
        }
        _ => Err(Error::new(ErrorKind::Shape(format!(
            "`diag` of extents {:?}, which are neither a vector nor a matrix; `view().diagonal(…)` takes any two axes",
            view.extents()
        )))),
    }
}

/// So many letters, beginning at one that the other operand does not have.
fn letters(from: usize, count: usize) -> Result<String, Error> {
    const ALL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    match ALL.get(from..from + count) {
        Some(letters) => Ok(letters.to_string()),
        None => Err(Error::new(ErrorKind::Unsupported(format!(
            "a product of tensors with more than {} axes by name; `contract` labels any number",
            ALL.len()
        )))),
    }
}

fn dot<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> {
    let other = other.read();
    let (Some(summed), Some(first)) = (view.extents().last(), other.extents().first()) else {
        return Err(Error::new(ErrorKind::Shape("`dot` of a tensor of rank 0; `*` multiplies by numbers".into())));
    };
    if summed != first {
        return Err(Error::new(ErrorKind::Shape(format!(
            "`dot`: the last axis of extents {:?} and the first of {:?} are summed together, and differ",
            view.extents(),
            other.extents()
        ))));
    }
    let left = letters(0, view.rank())?;
    let right = letters(view.rank() - 1, other.rank())?;
    einsum(&format!("{left},{right}->{}{}", &left[..view.rank() - 1], &right[1..]), &[view, &other])
}

fn matmul<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> {
    let other = other.read();
    let (left, right) = (view.extents(), other.extents());
    let (Some(summed), Some(first)) = (left.last(), right.get(right.len().saturating_sub(2))) else {
        return Err(Error::new(ErrorKind::Shape("`matmul` of a tensor of rank 0; `*` multiplies by numbers".into())));
    };
    // Vectors have no axis for rows, or for columns.
    let batches = [left, right].map(|extents| &extents[..extents.len().saturating_sub(2)]);
    let of_both = batches[0].iter().rev().zip(batches[1].iter().rev());
    if summed != first || of_both.clone().any(|(l, r)| l != r) {
        return Err(Error::new(ErrorKind::Shape(format!(
            "`matmul` of extents {left:?} and {right:?}: the last axis of the first and the last but one of the second (the only one of a \
             vector) must have the same extent, and so must the axes before the matrices; axes of extent 1 are not repeated"
        ))));
    }
    let names = letters(0, batches[0].len().max(batches[1].len()) + 3)?;
    let (matrix, batch) = names.split_at(3);
    let [of_left, of_right] = batches.map(|extents| &batch[batch.len() - extents.len()..]);
    let (rows, columns) = (if left.len() > 1 { &matrix[..1] } else { "" }, if right.len() > 1 { &matrix[2..] } else { "" });
    let summed = &matrix[1..2];
    einsum(&format!("{of_left}{rows}{summed},{of_right}{summed}{columns}->{batch}{rows}{columns}"), &[view, &other])
}

fn outer<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> {
    let other = other.read();
    if let (Some(left), Some(right)) = (view.as_slice(), other.as_slice())
        && left.len().saturating_mul(right.len()) <= FEW
    {
        let mut elements = Owned::with_room(left.len() * right.len())?;
        left.iter().for_each(|&x| elements.extend(right.iter().map(|&y| x.times(y))));
        let layout = Strided::row_major(&[view.extents(), other.extents()].concat())?;
        return Ok(Tensor::from_parts(elements, layout));
    }
    let (left, right) = (letters(0, view.rank())?, letters(view.rank(), other.rank())?);
    einsum(&format!("{left},{right}->{left}{right}"), &[view, &other])
}

fn kron<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> {
    let other = other.read();
    let rank = view.rank();
    if rank != other.rank() {
        return Err(Error::new(ErrorKind::Shape(format!(
            "`kron` of extents {:?} and {:?}, which are of different ranks",
            view.extents(),
            other.extents()
        ))));
    }
    let (left, right) = (letters(0, rank)?, letters(rank, rank)?);
    let both: String = left.chars().zip(right.chars()).flat_map(|(l, r)| [l, r]).collect();
    let extents: Vec<usize> = view.extents().iter().zip(other.extents()).map(|(&l, &r)| l.saturating_mul(r)).collect();
    einsum(&format!("{left},{right}->{both}"), &[view, &other])?.reshape(&extents[..])
}

methods!(impl[T: Stored] {
    /// The axes in reverse order, as a view: the transpose of a matrix. [`permute`](Tensor::permute) takes any order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_fn([2, 3, 4], |i| i[2] as f64)?;
    /// let t = a.transpose();
    /// assert_eq!((t.extents(), t[[3, 0, 0]]), (&[4, 3, 2][..], 3.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("T"))]
    fn transpose() -> TensorRef<'_, T> = transpose;

    /// The matrix of the last two axes with zeros above a diagonal: the main one (0), or one above (1, 2, …) or below (−1, …) it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2], [3, 4]])?;
    /// assert_eq!((a.tril(0)?.as_slice(), a.triu(1)?.as_slice()), (&[1, 0, 3, 4][..], &[0, 2, 0, 0][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there are fewer than two axes, [`ErrorKind::Memory`](crate::ErrorKind::Memory)
    /// when the system has no memory for the result.
    #[doc(alias("LowerTriangular"))]
    fn tril(offset: isize) -> Result<Tensor<T, S>, Error> = tril;

    /// The matrix of the last two axes with zeros below a diagonal; see [`tril`](Tensor::tril).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2], [3, 4]])?;
    /// assert_eq!(a.triu(0)?.as_slice(), [1, 2, 0, 4]);
    /// assert_eq!(a.triu(-1)?.as_slice(), [1, 2, 3, 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`tril`](Tensor::tril).
    #[doc(alias("UpperTriangular"))]
    fn triu(offset: isize) -> Result<Tensor<T, S>, Error> = triu;

    /// Of a vector the matrix with it as its diagonal; of a matrix its diagonal.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1, 2])?.diag()?;
    /// assert_eq!((a.as_slice(), a.diag()?.as_slice()), (&[1, 0, 0, 2][..], &[1, 2][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for any other rank, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system
    /// has no memory for the result.
    #[doc(alias("diagm", "diagflat", "Diagonal"))]
    fn diag() -> Result<Tensor<T>, Error> = diag;
});

methods!(impl[T: Numeric] {
    /// The sum of products over the last axis of this tensor and the first of the other one: the product of two matrices, of a matrix and
    /// a vector, of two vectors (a tensor of rank 0).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, x) = (Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?, Tensor::from_array([1.0, -1.0])?);
    /// assert_eq!(a.dot(&x)?.as_slice(), [-1.0, -1.0]);
    /// assert_eq!(x.dot(&x)?[[]], 2.0);
    /// assert_eq!(Tensor::from_array([1, 2])?.dot(&Tensor::from_array([3, 4])?)?[[]], 11);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when these axes do not exist or differ,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("inner", "tensordot"))]
    fn dot(other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> = dot;

    /// The product of matrices, of which the last two axes count rows and columns, for all values of the axes before them: `[…, i, k]` and
    /// `[…, k, j]` give `[…, i, j]`. A tensor of rank 1 is a row on the left and a column on the right. If one tensor has fewer axes, it is
    /// the same for those that it lacks; axes of extent 1 are not repeated.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, x) = (Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?, Tensor::from_array([1.0, -1.0])?);
    /// assert_eq!(a.matmul(&a)?.as_slice(), [7.0, 10.0, 15.0, 22.0]);
    /// assert_eq!(a.matmul(&x)?.as_slice(), [-1.0, -1.0]);
    /// let batch = Tensor::from_array([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]]])?;
    /// assert_eq!(batch.matmul(&a)?.as_slice(), [1.0, 2.0, 3.0, 4.0, 2.0, 4.0, 6.0, 8.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the summed axes do not exist or differ, or those before the matrices differ,
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for more than 52 axes, and [`ErrorKind::Memory`](crate::ErrorKind::Memory)
    /// when the system has no memory for the result.
    #[doc(alias("mm", "bmm", "mul"))]
    fn matmul(other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> = matmul;

    /// All products of an element of this tensor and one of the other: its axes are those of both.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, b) = (Tensor::from_array([1.0, 2.0])?, Tensor::from_array([1.0, 10.0, 100.0])?);
    /// let c = a.outer(&b)?;
    /// assert_eq!((c.extents(), c[[1, 2]]), (&[2, 3][..], 200.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("tensor_product"))]
    fn outer(other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> = outer;

    /// The Kronecker product: each axis is as long as those of both together, and this tensor's index is the slower one.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, b) = (Tensor::from_array([1.0, 2.0])?, Tensor::from_array([1.0, 10.0])?);
    /// assert_eq!(a.kron(&b)?.as_slice(), [1.0, 10.0, 2.0, 20.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the ranks differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system
    /// has no memory for the result.
    fn kron(other: impl WholeOperand<T>) -> Result<Tensor<T>, Error> = kron;
});

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// The axes in another order, as a view: axis `n` of the view is axis `axes[n]` of the tensor.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_fn([2, 3, 4], |i| (100 * i[0] + 10 * i[1] + i[2]) as f64)?;
    /// let b = a.permute(&[0, 2, 1])?;
    /// assert_eq!((b.extents(), b[[1, 3, 2]]), (&[2, 4, 3][..], 123.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when not every axis is named once.
    #[doc(alias("swapaxes", "moveaxis", "permutedims"))]
    pub fn permute(&self, axes: &[usize]) -> Result<TensorRef<'_, T>, Error> {
        self.view().permute(axes)
    }
}

impl<T: Stored, R: Extent, C: Extent> Tensor<T, (R, C)> {
    /// The transpose of a matrix, as a view.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor, TensorRef};
    /// let a = Tensor::from_array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// let t: TensorRef<'_, f64, Shape![3, 2]> = a.t();
    /// assert_eq!(t[[2, 1]], 6.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn t(&self) -> TensorRef<'_, T, (C, R)> {
        self.view().t()
    }
}

impl<'a, T: Stored, R: Extent, C: Extent> TensorRef<'a, T, (R, C)> {
    /// The transpose of a matrix; see [`Tensor::t`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.view().t()[[0, 1]], 3.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn t(&self) -> TensorRef<'a, T, (C, R)> {
        transpose(self).into_typed().unwrap_or_else(|error| unreachable!("the extents change places: {error}"))
    }
}

impl<T: Stored> Tensor<T> {
    /// The transpose of a matrix, and of any tensor the view with its axes in reverse order, as [`transpose`](Tensor::transpose).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// let a = tensorwrapper::Tensor::<f64>::from_fn([2, 3], |i| (10 * i[0] + i[1]) as f64)?;
    /// assert_eq!(a.t()[[2, 1]], 12.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn t(&self) -> TensorRef<'_, T> {
        self.transpose()
    }
}

impl<'a, T: Stored> TensorRef<'a, T> {
    /// The view with its axes in reverse order; see [`transpose`](Tensor::transpose).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_fn([2, 3], |i| (10 * i[0] + i[1]) as f64)?;
    /// assert_eq!(a.view().t().extents(), [3, 2]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn t(&self) -> TensorRef<'a, T> {
        transpose(self)
    }
}
