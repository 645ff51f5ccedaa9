//! Means, variances and deviations: of all elements, and along axes; and the norm.

use tensorwrapper_core::Measured;
use tensorwrapper_core::backend::function::Unary;
use tensorwrapper_core::backend::{Binary, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::{Axes, divided};
use super::loops::device;
use super::methods;
use super::reductions::{sum, sum_along};
use crate::exec::einsum;
use crate::tensor::{Tensor, TensorRef};

/// A number of elements as an element.
fn count<T: Element>(number: usize) -> T {
    T::from_complex((number as f64).into())
}

/// How many elements are reduced to one.
fn terms<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, axes: &impl Axes) -> usize {
    axes.numbers().iter().filter_map(|&axis| view.extents().get(axis)).product()
}

/// A sum of numbers that are no integers, in the type of their means.
fn in_mean<T: Measured>(sum: T) -> T::Mean {
    T::Mean::from_complex(sum.to_constant())
}

/// The sum of integers, rounded once: it may be too large for their type.
fn sum_of_integers<T: Measured>(integers: impl Iterator<Item = T>) -> T::Mean {
    let sum: i128 = integers.filter_map(T::to_integer).sum();
    T::Mean::from_complex((sum as f64).into())
}

fn mean<T: Measured, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Mean {
    let sum = if T::IS_INTEGER { sum_of_integers(view.elements().copied()) } else { in_mean(sum(view)) };
    sum.quotient(count(view.len()))
}

fn mean_along<T: Measured, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T::Mean>, Error> {
    let number = count::<T::Mean>(terms(view, &axes));
    if !T::IS_INTEGER {
        return sum_along(view, axes)?.map(|sum| in_mean(sum).quotient(number));
    }
    let (order, kept) = divided(&axes, view.rank())?;
    let permuted = view.permute(&order)?;
    let layout = Strided::row_major(&permuted.extents()[..kept])?;
    let terms: usize = permuted.extents()[kept..].iter().product();
    let mut elements = permuted.elements().copied();
    let mut means = Owned::with_room(layout.len())?;
    for _ in 0..layout.len() {
        means.push(sum_of_integers(elements.by_ref().take(terms)).quotient(number));
    }
    Ok(Tensor::from_parts(means, layout))
}

/// Σ|x|² of one input, or Σ|x − y|² of two, over the reduced axes.
fn squares<T: Element>(nest: &LoopNest, inputs: &[Operand<'_>], layout: Strided) -> Result<Tensor<T>, Error> {
    let mut steps = vec![Instruction::Input(0)];
    if inputs.len() == 2 {
        steps.extend([Instruction::Input(1), Instruction::Combine(Binary::Subtract, 0, 1)]);
    }
    if T::DTYPE.is_complex() {
        steps.push(Instruction::Apply(Unary::Abs, steps.len() - 1));
    }
    let size = steps.len() - 1;
    steps.push(Instruction::Combine(Binary::Multiply, size, size));
    let mut squares = Owned::<T>::for_results(layout.len())?;
    let output = Output::new(T::erase_mut(&mut squares), &layout);
    device().map(nest, &Program::new(steps), Reduction::Sum, &[], inputs, output)?;
    Ok(Tensor::from_parts(squares, layout))
}

/// The sum of squared distances from the mean along axes, divided by so much less than the number of terms.
fn divided_squares<T: Element, S: Extents>(
    view: &TensorRef<'_, T, S>,
    axes: impl Axes,
    less: usize,
) -> Result<Tensor<T::Real>, Error> {
    let (order, kept) = divided(&axes, view.rank())?;
    let divisor = count::<T::Real>(terms(view, &axes).saturating_sub(less));
    let mean = mean_along(view, axes)?;
    let permuted = view.permute(&order)?;
    // The mean of each line, repeated along the axes that are reduced.
    let strides = [mean.strides(), &vec![0; order.len() - kept]].concat();
    let repeated = TensorRef::strided(permuted.extents(), &strides, 0, mean.as_slice())?;
    let ((x, x_layout), (of_lines, of_lines_layout)) = (permuted.parts(), repeated.parts());
    let inputs = [Operand::new(x, x_layout), Operand::new(of_lines, of_lines_layout)];
    let squares = squares::<T>(&LoopNest::new(permuted.extents(), kept), &inputs, mean.view().located().1.clone())?;
    squares.map(|sum| sum.re().quotient(divisor))
}

/// The same of all elements.
fn divided_square<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, less: usize) -> T::Real {
    let axes: Vec<usize> = (0..view.rank()).collect();
    // One element needs no memory that could be missing but a few bytes.
    divided_squares(view, axes, less).map_or(T::Real::ZERO.quotient(T::Real::ZERO), |var| var.as_slice()[0])
}

/// The roots of all elements.
fn roots<R: Element>(squares: Result<Tensor<R>, Error>) -> Result<Tensor<R>, Error> {
    let mut result = squares?;
    result.map_inplace(root);
    Ok(result)
}

fn var<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Real {
    divided_square(view, 0)
}

fn sample_var<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Real {
    divided_square(view, 1)
}

fn std<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Real {
    root(var(view))
}

fn sample_std<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Real {
    root(sample_var(view))
}

fn var_along<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T::Real>, Error> {
    divided_squares(view, axes, 0)
}

fn sample_var_along<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T::Real>, Error> {
    divided_squares(view, axes, 1)
}

fn std_along<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T::Real>, Error> {
    roots(var_along(view, axes))
}

fn sample_std_along<T: Element, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T::Real>, Error> {
    roots(sample_var_along(view, axes))
}

fn norm<T: Element, S: Extents>(view: &TensorRef<'_, T, S>) -> T::Real {
    let (x, layout) = view.parts();
    let sum = match view.as_slice().filter(|_| !T::DTYPE.is_complex()) {
        // Products with themselves are read faster than they are squared.
        Some(x) => TensorRef::<T>::strided([x.len()], &[1], 0, x).and_then(|x| einsum("i,i->", &[&x, &x])),
        None => {
            let nest = LoopNest::new(view.extents(), 0);
            Strided::row_major(&[]).and_then(|one| squares::<T>(&nest, &[Operand::new(x, layout)], one))
        }
    };
    // One element needs no memory that could be missing but a few bytes.
    let sum = sum.map_or(f64::NAN, |sum| sum.as_slice()[0].to_complex().re);
    let (least, most) = match size_of::<T::Real>() {
        4 => (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
        _ => (f64::MIN_POSITIVE, f64::MAX),
    };
    // Squares below the normal numbers have lost digits; there may be as many of them as there are elements, and digits enough to lose.
    if (least * 1e16 * view.len() as f64..=most).contains(&sum) || sum.is_nan() {
        return T::Real::from_complex(sum.sqrt().into());
    }
    let size = |x: &T| x.to_complex().norm();
    let largest = view.elements().map(size).fold(0.0, f64::max);
    if largest == 0.0 || largest.is_infinite() {
        return T::Real::from_complex(largest.into());
    }
    let scaled: f64 = view.elements().map(|x| (size(x) / largest).powi(2)).sum();
    T::Real::from_complex((largest * scaled.sqrt()).into())
}

/// The square root, rounded once: that of a number in double precision is the number's own in single precision.
fn root<R: Element>(number: R) -> R {
    R::from_complex(number.to_complex().re.sqrt().into())
}

methods!(impl[T: Measured] {
    /// The mean of all elements; NaN if there is none. That of integers is an `f64`, and their sum does not wrap around for it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.mean(), 2.5);
    /// assert_eq!(Tensor::from_array([i32::MAX, i32::MAX, 0])?.mean(), f64::from(i32::MAX) * 2.0 / 3.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("average"))]
    fn mean() -> T::Mean = mean;

    /// The means along axes, which disappear; NaN over no elements. Those of integers are of type `f64`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.mean_along(1)?.as_slice(), [1.5, 3.5]);
    /// assert_eq!(Tensor::from_array([[1u8, 200], [3, 250]])?.mean_along(0)?.as_slice(), [2.0, 225.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn mean_along(axes: impl Axes) -> Result<Tensor<T::Mean>, Error> = mean_along;
});

methods!(impl[T: Element] {
    /// The variance of all elements, Σ|x − mean|² / n, as those of a whole population; see [`sample_var`](Tensor::sample_var). NaN where
    /// there are none.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!((a.var(), a.sample_var()), (1.25, 5.0 / 3.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("variance"))]
    fn var() -> T::Real = var;

    /// The sample variance, Σ|x − mean|² / (n − 1). NaN where there are fewer than two elements.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, 5.0])?;
    /// assert_eq!((a.sample_var(), a.sample_std()), (8.0, 8.0_f64.sqrt()));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("ddof", "unbiased"))]
    fn sample_var() -> T::Real = sample_var;

    /// The standard deviation: the root of [`var`](Tensor::var).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, 5.0])?;
    /// assert_eq!(a.std(), 2.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("stddev", "standard_deviation"))]
    fn std() -> T::Real = std;

    /// The sample standard deviation: the root of [`sample_var`](Tensor::sample_var).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::from_array([1.0, 5.0, 9.0])?.sample_std(), 4.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    fn sample_std() -> T::Real = sample_std;

    /// The variances along axes, which disappear; see [`var`](Tensor::var).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.var_along(1)?.as_slice(), [0.25, 0.25]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn var_along(axes: impl Axes) -> Result<Tensor<T::Real>, Error> = var_along;

    /// The sample variances along axes, which disappear; see [`sample_var`](Tensor::sample_var).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.sample_var_along(0)?.as_slice(), [2.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn sample_var_along(axes: impl Axes) -> Result<Tensor<T::Real>, Error> = sample_var_along;

    /// The standard deviations along axes, which disappear.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.std_along(0)?.as_slice(), [1.0, 1.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn std_along(axes: impl Axes) -> Result<Tensor<T::Real>, Error> = std_along;

    /// The sample standard deviations along axes, which disappear; see [`sample_std`](Tensor::sample_std).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 3.0, 5.0], [0.0, 0.0, 0.0]])?;
    /// assert_eq!(a.sample_std_along(1)?.as_slice(), [2.0, 0.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn sample_std_along(axes: impl Axes) -> Result<Tensor<T::Real>, Error> = sample_std_along;

    /// The root of the sum of all squares, √Σ|x|², without overflow and underflow on the way: of a vector its length, of a matrix the
    /// Frobenius norm. [`linalg::norm`](crate::linalg::norm) is that of each matrix of a batch.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::from_array([[3.0, 0.0], [0.0, 4.0]])?.norm(), 5.0);
    /// assert!((Tensor::<f64, _>::from_array([3e200, 4e200])?.norm() / 5e200 - 1.0).abs() < 1e-15);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("frobenius", "nrm2", "magnitude"))]
    fn norm() -> T::Real = norm;
});
