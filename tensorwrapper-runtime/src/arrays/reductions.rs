//! Sums, products, largest and smallest elements: of all elements, and along axes.
//!
//! The numbers of equations are reduced by the processor's device, whose sums are as precise as those of equations; integers and truth
//! values in loops.

use tensorwrapper_core::backend::{Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Numeric, Stored};

use super::axes::{Axes, divided};
use super::loops::device;
use super::methods;
use crate::tensor::{Tensor, TensorRef};

/// How elements are folded that no device reduces.
struct Fold<T> {
    reduction: Reduction,
    /// The value over no elements, if there is one.
    start: Option<T>,
    function: fn(T, T) -> T,
}

impl<T: Numeric> Fold<T> {
    const SUM: Fold<T> = Fold { reduction: Reduction::Sum, start: Some(T::NOTHING), function: T::plus };
    const PRODUCT: Fold<T> = Fold { reduction: Reduction::Product, start: Some(T::UNIT), function: T::times };
}

impl<T: Stored + PartialOrd> Fold<T> {
    const MAX: Fold<T> = Fold { reduction: Reduction::Max, start: None, function: |x, y| if y > x { y } else { x } };
    const MIN: Fold<T> = Fold { reduction: Reduction::Min, start: None, function: |x, y| if y < x { y } else { x } };
}

/// Folds the elements along some axes, which disappear.
///
/// # Errors
/// [`ErrorKind::Shape`] for axes that are none, [`ErrorKind::Undefined`] for the largest or smallest of no elements, [`ErrorKind::Memory`].
fn folded<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, axes: &impl Axes, fold: &Fold<T>) -> Result<Tensor<T>, Error> {
    let (order, kept) = divided(axes, view.rank())?;
    let permuted = view.permute(&order)?;
    let layout = Strided::row_major(&permuted.extents()[..kept])?;
    if fold.start.is_none() && permuted.is_empty() && !layout.is_empty() {
        let which = if fold.reduction == Reduction::Max { "largest" } else { "smallest" };
        return Err(Error::new(ErrorKind::Undefined(format!(
            "extents {:?} have no {which} element along {:?}",
            view.extents(),
            axes.numbers()
        ))));
    }
    if let Some((elements, strides)) = permuted.numbers() {
        let nest = LoopNest::new(permuted.extents(), kept);
        let mut result = Owned::<T>::for_results(layout.len())?;
        if let Some(output) = T::numbers_mut(&mut result) {
            let program = Program::new(vec![Instruction::Input(0)]);
            let (input, output) = (Operand::new(elements, strides), Output::new(output, &layout));
            device().map(&nest, &program, fold.reduction, &[], &[input], output)?;
        }
        return Ok(Tensor::from_parts(result, layout));
    }
    let terms: usize = permuted.extents()[kept..].iter().product();
    let mut elements = permuted.elements().copied();
    let mut result = Owned::with_room(layout.len())?;
    for _ in 0..layout.len() {
        let value = elements.by_ref().take(terms).reduce(fold.function);
        result.push(value.or(fold.start).unwrap_or_default());
    }
    Ok(Tensor::from_parts(result, layout))
}

/// Folds all elements; `None` for the largest or smallest of none.
fn folded_all<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, fold: &Fold<T>) -> Option<T> {
    if view.is_empty() {
        return fold.start;
    }
    let axes: Vec<usize> = (0..view.rank()).collect();
    // One element needs no memory that could be missing but a few bytes.
    folded(view, &axes, fold).ok().map(|result| result.as_slice()[0])
}

pub(super) fn sum<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>) -> T {
    folded_all(view, &Fold::SUM).unwrap_or(T::NOTHING)
}

fn prod<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>) -> T {
    folded_all(view, &Fold::PRODUCT).unwrap_or(T::UNIT)
}

pub(super) fn sum_along<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T>, Error> {
    folded(view, &axes, &Fold::SUM)
}

fn prod_along<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T>, Error> {
    folded(view, &axes, &Fold::PRODUCT)
}

fn max<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<T> {
    if let Some(elements) = view.as_slice() {
        return tensorwrapper_cpu::best(elements, |x, y| x > y);
    }
    folded_all(view, &Fold::MAX)
}

fn min<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<T> {
    if let Some(elements) = view.as_slice() {
        return tensorwrapper_cpu::best(elements, |x, y| x < y);
    }
    folded_all(view, &Fold::MIN)
}

fn max_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T>, Error> {
    folded(view, &axes, &Fold::MAX)
}

fn min_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axes: impl Axes) -> Result<Tensor<T>, Error> {
    folded(view, &axes, &Fold::MIN)
}

methods!(impl[T: Numeric] {
    /// The sum of all elements; 0 if there is none.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!((a.sum(), a.mean(), a.max(), a.argmax()), (10.0, 2.5, Some(4.0), Some([1, 1].into())));
    /// assert_eq!(a.sum_along(0)?.as_slice(), [4.0, 6.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("total", "reduce"))]
    fn sum() -> T = sum;

    /// The product of all elements; 1 if there is none.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.prod(), 24.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("product"))]
    fn prod() -> T = prod;

    /// The sums along axes, which disappear: `sum_along(0)`, `sum_along([0, 2])`. `a.at("i,j").sum("j")` does the same by labels.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])?;
    /// assert_eq!(a.sum_along(2)?.as_slice(), [3, 7, 11, 15]);
    /// assert_eq!(a.sum_along([0, 2])?.as_slice(), [14, 22]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis or one is named twice,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn sum_along(axes: impl Axes) -> Result<Tensor<T>, Error> = sum_along;

    /// The products along axes, which disappear.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.prod_along(0)?.as_slice(), [3.0, 8.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along).
    fn prod_along(axes: impl Axes) -> Result<Tensor<T>, Error> = prod_along;
});

methods!(impl[T: Stored + PartialOrd] {
    /// The largest element; `None` if there is none. If an element is NaN, so is the result.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, 3.0, 2.0])?;
    /// assert_eq!(a.max(), Some(3.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("maximum", "amax"))]
    fn max() -> Option<T> = max;

    /// The smallest element; `None` if there is none. If an element is NaN, so is the result.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([2.0, 1.0, f64::NAN])?;
    /// assert!(a.min().is_some_and(f64::is_nan));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("minimum", "amin"))]
    fn min() -> Option<T> = min;

    /// The largest elements along axes, which disappear. If an element is NaN, so is the largest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.max_along(1)?.as_slice(), [2.0, 4.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sum_along`](Tensor::sum_along), and [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) for the largest of no elements.
    #[doc(alias("maximum", "amax"))]
    fn max_along(axes: impl Axes) -> Result<Tensor<T>, Error> = max_along;

    /// The smallest elements along axes, which disappear. If an element is NaN, so is the smallest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.min_along(0)?.as_slice(), [1.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`max_along`](Tensor::max_along).
    #[doc(alias("minimum", "amin"))]
    fn min_along(axes: impl Axes) -> Result<Tensor<T>, Error> = min_along;
});
