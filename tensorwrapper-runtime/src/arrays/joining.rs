//! Tensors put together, taken apart, and surrounded.

use smallvec::SmallVec;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;
use tensorwrapper_notation::sentence::{are, counted};

use super::axes::checked;
use super::loops::{written, zip_in_order};
use super::methods;
use super::operand::WholeOperand;
use super::runs::{Runs, in_runs};
use crate::tensor::{Tensor, TensorRef, copy_between};

/// Elements of a run, on average, from which on runs are worth being copied as such.
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
    copy_between(source, source_layout, elements, layout)
}

/// Appends the elements of tensors one after the other along an axis: for each index of the axes before it, those of all tensors. `starts`
/// has the positions of the elements of each.
fn append<T: Stored>(parts: &[Runs<'_, T>], level: usize, axis: usize, starts: &[usize], into: &mut Owned<T>) {
    if level == axis {
        parts.iter().zip(starts).for_each(|(part, &start)| part.append_to(axis, start, into));
        return;
    }
    let mut starts = SmallVec::<[usize; 8]>::from(starts);
    for _ in 0..parts[0].extents[level] {
        append(parts, level + 1, axis, &starts, into);
        starts.iter_mut().zip(parts).for_each(|(start, part)| *start = part.position(level, *start, 1));
    }
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
    let parts: SmallVec<[_; 8]> = views.iter().filter(|view| !view.is_empty()).map(Runs::new).collect();
    let length: usize = parts.iter().map(|part| part.length(axis)).sum();
    if length >= RUN * parts.len() && parts.iter().all(Runs::are_together) {
        let mut elements = Owned::with_room(layout.len())?;
        if !parts.is_empty() {
            let starts: SmallVec<[usize; 8]> = parts.iter().map(|part| part.start).collect();
            append(&parts, 0, axis, &starts, &mut elements);
        }
        return Ok(Tensor::from_parts(elements, layout));
    }
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
/// [`ErrorKind::Shape`] when there is no tensor, when the extents differ, or when the axis is beyond the rank; [`ErrorKind::Memory`] when
/// the system has no memory for the result.
#[doc(alias("dstack"))]
pub fn stack<T: Stored, R: WholeOperand<T>>(axis: usize, tensors: impl IntoIterator<Item = R>) -> Result<Tensor<T>, Error> {
    let tensors: Vec<R> = tensors.into_iter().collect();
    let views: Vec<TensorRef<'_, T>> = tensors.iter().map(|tensor| tensor.read()).collect();
    if let Some(other) = views.iter().position(|view| view.extents() != views[0].extents()) {
        let [first, found] = [0, other].map(|n| views[n].extents());
        return refuse(format!("`stack`: tensor 0 has extents {first:?}, tensor {other} has {found:?}"));
    }
    // Two along a new last axis lie by turns: both are read in order, and the result is written in order.
    if let [a, b] = &views[..]
        && axis == a.rank()
        && let (Some(first), Some(second)) = (a.as_slice(), b.as_slice())
    {
        let layout = Strided::row_major(&[a.extents(), &[2]].concat())?;
        let elements = written(layout.len(), |to| zip_in_order(first, second, to.as_chunks_mut().0, |x, y| [x, y]))?;
        return Ok(Tensor::from_parts(elements, layout));
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
        let (pairs, are) = (counted(widths.len(), "pair"), are(widths.len()));
        return refuse(format!("{pairs} of widths {are} given for a tensor of rank {rank}: one for each axis"));
    }
    let wider = |(&extent, &(before, after)): (&usize, &(usize, usize))| extent.saturating_add(before).saturating_add(after);
    let extents: Vec<usize> = view.extents().iter().zip(widths).map(wider).collect();
    let layout = Strided::row_major(&extents)?;
    let mut elements = Owned::with_room(layout.len())?;
    in_runs(view, |source| {
        Surrounded { source, widths, strides: layout.strides(), value }.append(0, source.start, &mut elements)
    })?;
    Ok(Tensor::from_parts(elements, layout))
}

/// A tensor surrounded by a value, and the strides of the result.
struct Surrounded<'a, T> {
    source: &'a Runs<'a, T>,
    widths: &'a [(usize, usize)],
    strides: &'a [isize],
    value: T,
}

impl<T: Stored> Surrounded<'_, T> {
    /// Appends the elements of the axes from this one on, of which the tensor's first one is at this position.
    fn append(&self, axis: usize, start: usize, into: &mut Owned<T>) {
        let Some(&(before, after)) = self.widths.get(axis) else {
            return self.source.append_to(axis, start, into);
        };
        let around = |width: usize| std::iter::repeat_n(self.value, width * self.strides[axis] as usize);
        into.extend(around(before));
        if self.widths[axis + 1..].iter().all(|&widths| widths == (0, 0)) {
            self.source.append_to(axis, start, into);
        } else {
            (0..self.source.extents[axis]).for_each(|n| self.append(axis + 1, self.source.position(axis, start, n), into));
        }
        into.extend(around(after));
    }
}

fn roll<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, by: isize, axis: usize) -> Result<Tensor<T, S>, Error> {
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
        let (numbers, are) = (counted(times.len(), "number"), are(times.len()));
        return refuse(format!("{numbers} {are} given for a tensor of rank {rank}: how often it stands along each axis"));
    }
    let extents: Vec<usize> = view.extents().iter().zip(times).map(|(&extent, &times)| extent.saturating_mul(times)).collect();
    let layout = Strided::row_major(&extents)?;
    let mut elements = Owned::for_results(layout.len())?;
    if !layout.is_empty() {
        in_runs(view, |source| repeat(source, times, 0, source.start, &mut elements, 0))?;
    }
    Ok(Tensor::from_parts(elements, layout))
}

/// Writes the elements of the axes from this one on, each so many times as its number says, from a place on, and results in the place
/// behind them. What is repeated is copied from where it was just written, which the caches still have.
fn repeat<T: Stored>(source: &Runs<'_, T>, times: &[usize], axis: usize, start: usize, to: &mut [T], first: usize) -> usize {
    let mut end = first;
    if times[axis..].iter().skip(1).all(|&times| times == 1) {
        source.each(axis, start, &mut |run| {
            to[end..end + run.len()].copy_from_slice(run);
            end += run.len();
        });
    } else {
        for n in 0..source.extents[axis] {
            end = repeat(source, times, axis + 1, source.position(axis, start, n), to, end);
        }
    }
    let once = first..end;
    for _ in 1..times.get(axis).copied().unwrap_or(1) {
        to.copy_within(once.clone(), end);
        end += once.len();
    }
    end
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
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1, 2, 3, 4, 5])?;
    /// let parts = a.split_at(0, &[2, 4])?;
    /// let lists = parts.iter().map(|part| part.to_tensor().map(Tensor::into_vec)).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(lists, [vec![1, 2], vec![3, 4], vec![5]]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
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
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is not one pair for each axis,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("padarray"))]
    fn pad(widths: &[(usize, usize)], value: T) -> Result<Tensor<T>, Error> = pad;

    /// The elements moved by so many places along an axis, those that leave it at one end entering at the other. The number of places comes
    /// first, as in NumPy.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1, 2, 3, 4])?;
    /// assert_eq!((a.roll(1, 0)?.as_slice(), a.roll(-1, 0)?.as_slice()), (&[4, 1, 2, 3][..], &[2, 3, 4, 1][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the
    /// system has no memory for the result.
    #[doc(alias("circshift", "shift"))]
    fn roll(by: isize, axis: usize) -> Result<Tensor<T, S>, Error> = roll;

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
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is not one number for each axis,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("repeat", "repmat"))]
    fn tile(times: &[usize]) -> Result<Tensor<T>, Error> = tile;
});
