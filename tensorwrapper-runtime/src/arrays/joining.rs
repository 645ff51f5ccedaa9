//! Tensors put together, taken apart, and surrounded.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::{checked, same_extents};
use super::iteration::count;
use super::methods;
use super::operand::WholeOperand;
use crate::tensor::{Tensor, TensorRef, copy_between};

/// Elements of a run that is copied as one.
const RUN: usize = 16;

fn refuse<R>(message: String) -> Result<R, Error> {
    Err(Error::new(ErrorKind::Shape(message)))
}

/// Writes a view's elements where `from` says along each axis, in a tensor that has room for them.
fn write<T: Stored>(into: &mut Tensor<T>, from: &[usize], view: &TensorRef<'_, T>) -> Result<(), Error> {
    let mut target = into.view_mut();
    for (axis, (&start, &extent)) in from.iter().zip(view.extents()).enumerate() {
        target = target.slice(axis, start..start + extent)?;
    }
    let (elements, layout) = target.parts_mut();
    let (source, source_layout) = view.located();
    // Runs along the last axis, where both have such.
    let (last, run) = (view.rank().wrapping_sub(1), view.extents().last().copied().unwrap_or(1));
    if run >= RUN && layout.strides()[last] == 1 && source_layout.strides()[last] == 1 && !layout.is_empty() {
        let (to, from) = (layout.chip(last, 0), source_layout.chip(last, 0));
        let places = to.positions().zip(from.positions());
        places.for_each(|(to, from)| elements[to..to + run].copy_from_slice(&source[from..from + run]));
        return Ok(());
    }
    copy_between(source, source_layout, elements, layout)
}

/// The tensors one after the other along an axis that they have.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, concatenate};
/// let (a, b) = (Tensor::<f64>::filled([2, 2], 1.0)?, Tensor::<f64>::filled([2, 1], 2.0)?);
/// assert_eq!(concatenate(1, [&a, &b])?.as_slice(), [1.0, 1.0, 2.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Shape`] when there is no tensor, no such axis, or another axis has different extents; [`ErrorKind::Memory`] when the system
/// has no memory for the result.
#[doc(alias("concat", "cat", "hcat", "vcat", "hstack", "vstack", "append"))]
pub fn concatenate<T: Stored, R: WholeOperand<T>>(axis: usize, tensors: impl IntoIterator<Item = R>) -> Result<Tensor<T>, Error> {
    let tensors: Vec<R> = tensors.into_iter().collect();
    let views: Vec<TensorRef<'_, T>> = tensors.iter().map(|tensor| tensor.read()).collect();
    let Some(first) = views.first() else { return refuse("`concatenate` of no tensors".into()) };
    let mut extents = first.extents().to_vec();
    checked(axis, extents.len())?;
    extents[axis] = 0;
    for (n, view) in views.iter().enumerate() {
        let fits = |(other, (own, first)): (usize, (&usize, &usize))| other == axis || own == first;
        if view.rank() != first.rank() || !view.extents().iter().zip(first.extents()).enumerate().all(fits) {
            return refuse(format!(
                "`concatenate` along axis {axis}: tensor 0 has extents {:?}, tensor {n} has {:?}",
                first.extents(),
                view.extents()
            ));
        }
        extents[axis] = extents[axis].saturating_add(view.extents()[axis]);
    }
    let layout = Strided::row_major(&extents)?;
    // Each element is written below.
    let mut result = Tensor::from_parts(Owned::for_results(layout.len())?, layout);
    let mut at = vec![0; extents.len()];
    for view in &views {
        write(&mut result, &at, view)?;
        at[axis] += view.extents()[axis];
    }
    Ok(result)
}

/// The tensors, all of the same extents, along a new axis before axis `axis`.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, stack};
/// let (a, b) = (Tensor::from_array([1.0, 2.0])?, Tensor::from_array([3.0, 4.0])?);
/// assert_eq!(stack(0, [&a, &b])?, Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?);
/// assert_eq!(stack(1, [&a, &b])?, Tensor::from_array([[1.0, 3.0], [2.0, 4.0]])?);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Shape`] when there is no tensor, when the extents differ, or when the axis is beyond the rank; [`ErrorKind::Memory`] when the
/// system has no memory for the result.
#[doc(alias("dstack"))]
pub fn stack<T: Stored, R: WholeOperand<T>>(axis: usize, tensors: impl IntoIterator<Item = R>) -> Result<Tensor<T>, Error> {
    let tensors: Vec<R> = tensors.into_iter().collect();
    let views: Vec<TensorRef<'_, T>> = tensors.iter().map(|tensor| tensor.read()).collect();
    if let Some(other) = views.iter().position(|view| view.extents() != views[0].extents()) {
        let [first, found] = [0, other].map(|n| views[n].extents());
        return refuse(format!("`stack`: tensor 0 has extents {first:?}, tensor {other} has {found:?}"));
    }
    let longer: Vec<TensorRef<'_, T>> = views.iter().map(|view| view.repeat(axis, 1)).collect::<Result<_, _>>()?;
    concatenate(axis, &longer)
}

fn split<'a, T: Stored, S: Extents>(
    view: &TensorRef<'a, T, S>,
    axis: usize,
    parts: usize,
) -> Result<Vec<TensorRef<'a, T>>, Error> {
    let extent = view.extents()[checked(axis, view.rank())?];
    if parts == 0 || !extent.is_multiple_of(parts) {
        return refuse(format!(
            "axis {axis} of extent {extent} is not split into {parts} equal parts; `split_at` takes their ends"
        ));
    }
    let each = extent / parts;
    (0..parts).map(|n| view.slice(axis, n * each..(n + 1) * each)).collect()
}

fn split_at<'a, T: Stored, S: Extents>(
    view: &TensorRef<'a, T, S>,
    axis: usize,
    ends: &[usize],
) -> Result<Vec<TensorRef<'a, T>>, Error> {
    let extent = view.extents()[checked(axis, view.rank())?];
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied().chain([extent])).map(|(start, end)| view.slice(axis, start..end)).collect()
}

fn pad<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, widths: &[(usize, usize)], value: T) -> Result<Tensor<T>, Error> {
    let rank = view.rank();
    if widths.len() != rank {
        return refuse(format!("{} pairs of widths are given for a tensor of rank {rank}: one for each axis", widths.len()));
    }
    let wider = |(&extent, &(before, after)): (&usize, &(usize, usize))| extent.saturating_add(before).saturating_add(after);
    let extents: Vec<usize> = view.extents().iter().zip(widths).map(wider).collect();
    let mut result = Tensor::filled(&extents[..], value)?;
    let starts: Vec<usize> = widths.iter().map(|&(before, _)| before).collect();
    write(&mut result, &starts, &view.clone().into_dyn())?;
    Ok(result)
}

fn roll<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize, by: isize) -> Result<Tensor<T, S>, Error> {
    let extent = view.extents()[checked(axis, view.rank())?];
    if extent == 0 {
        return view.to_tensor();
    }
    // The element at this index comes first.
    let first = (-(by as i128)).rem_euclid(extent as i128) as usize;
    concatenate(axis, [view.slice(axis, first..)?, view.slice(axis, ..first)?])?.into_typed()
}

fn tile<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, times: &[usize]) -> Result<Tensor<T>, Error> {
    let rank = view.rank();
    if times.len() != rank {
        return refuse(format!(
            "{} numbers are given for a tensor of rank {rank}: how often it stands along each axis",
            times.len()
        ));
    }
    // Each axis becomes two: how often, and the axis itself.
    let mut repeated = view.clone().into_dyn();
    for (axis, &times) in times.iter().enumerate() {
        repeated = repeated.repeat(2 * axis, times)?;
    }
    let extents: Vec<usize> = view.extents().iter().zip(times).map(|(&extent, &times)| extent.saturating_mul(times)).collect();
    Ok(repeated.to_tensor()?.reshape(&extents[..])?.0)
}

fn compress<T: Stored, S: Extents>(
    view: &TensorRef<'_, T, S>,
    mask: impl WholeOperand<bool>,
) -> Result<Tensor<T, (Dyn,)>, Error> {
    let mask = mask.read();
    same_extents("`compress` by a mask", view.extents(), mask.extents())?;
    let count = count(&mask);
    // One element more than are kept, so that each is written before it is known whether it is.
    let mut elements = Owned::for_results(count + 1)?;
    let mut next = 0;
    for (x, &is_kept) in view.elements().zip(mask.elements()) {
        elements[next] = *x;
        next += usize::from(is_kept);
    }
    let mut elements = elements.into_vec();
    elements.truncate(count);
    let layout = Strided::row_major(&[elements.len()])?;
    Ok(Tensor::from_parts(elements, layout))
}

methods!(impl[T: Stored] {
    /// Equal parts along an axis, as views.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(a.split(0, 2)?[1], a.view().slice(0, 2..4)?);
    /// assert_eq!(a.split_at(0, &[1, 2])?.len(), 3); // elements 0..1, 1..2 and 2..4
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, or its extent is no multiple of the number of parts.
    #[doc(alias("array_split", "hsplit", "vsplit", "chunk"))]
    fn split(axis: usize, parts: usize) -> Result<Vec<TensorRef<'_, T>>, Error> = split;

    /// The parts along an axis that end at these indices, and the one behind them, as views.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis or an end is before the one before it,
    /// [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) when one is outside of the axis.
    #[doc(alias("array_split"))]
    fn split_at(axis: usize, ends: &[usize]) -> Result<Vec<TensorRef<'_, T>>, Error> = split_at;

    /// The tensor surrounded by a value: along each axis so many times before it and so many times after it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2]])?;
    /// assert_eq!(a.pad(&[(0, 1), (1, 0)], 0)?, Tensor::from_array([[0, 1, 2], [0, 0, 0]])?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is not one pair for each axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory)
    /// when the system has no memory for the result.
    #[doc(alias("padarray"))]
    fn pad(widths: &[(usize, usize)], value: T) -> Result<Tensor<T>, Error> = pad;

    /// The elements moved along an axis by so many places, those that leave it at one end entering at the other.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1, 2, 3, 4])?;
    /// assert_eq!((a.roll(0, 1)?.as_slice(), a.roll(0, -1)?.as_slice()), (&[4, 1, 2, 3][..], &[2, 3, 4, 1][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system
    /// has no memory for the result.
    #[doc(alias("circshift", "shift"))]
    fn roll(axis: usize, by: isize) -> Result<Tensor<T, S>, Error> = roll;

    /// The tensor so many times beside itself along each axis.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2]])?;
    /// assert_eq!(a.tile(&[2, 2])?, Tensor::from_array([[1, 2, 1, 2], [1, 2, 1, 2]])?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is not one number for each axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory)
    /// when the system has no memory for the result.
    #[doc(alias("repeat", "repmat"))]
    fn tile(times: &[usize]) -> Result<Tensor<T>, Error> = tile;

    /// The elements at which a mask of the same extents is true, in C order: NumPy's `a[mask]`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, -2.0, 3.0])?;
    /// assert_eq!(a.compress(a.greater(0.0)?)?.as_slice(), [1.0, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system
    /// has no memory for the result.
    #[doc(alias("mask", "filter", "extract", "boolean_mask"))]
    fn compress(mask: impl WholeOperand<bool>) -> Result<Tensor<T, (Dyn,)>, Error> = compress;
});
