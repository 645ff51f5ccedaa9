//! Sorted lines, running sums, and the different elements of a tensor.
//!
//! Elements are ordered by `<`; NaN comes last, as in NumPy.

use std::cmp::Ordering;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Numeric, Stored};

use super::axes::checked;
use super::side_by_side::{self, Lines};
use super::{loops, methods};
use crate::tensor::{Tensor, TensorRef};

fn is_nan<T: PartialOrd>(x: &T) -> bool {
    x.partial_cmp(x).is_none()
}

/// A total order: by `<`, and NaN behind everything.
fn order<T: PartialOrd>(x: &T, y: &T) -> Ordering {
    x.partial_cmp(y).unwrap_or_else(|| is_nan(x).cmp(&is_nan(y)))
}

/// Sorts by `<`, NaN last.
fn sort<T: Stored + PartialOrd>(elements: &mut [T]) {
    // Without NaN the order needs one comparison, which sorting asks without a branch.
    let mut end = elements.len();
    for n in (0..elements.len()).rev() {
        if is_nan(&elements[n]) {
            end -= 1;
            elements.swap(n, end);
        }
    }
    elements[..end].sort_unstable_by(|x, y| {
        if x < y {
            Ordering::Less
        } else if y < x {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    });
}

/// A tensor of the same extents, made from each line along an axis by a function.
fn by_lines<T: Stored, S: Extents, U: Stored>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    write: impl Fn(&[T], &mut [U]),
) -> Result<Tensor<U, S>, Error> {
    let rank = view.rank();
    checked(axis, rank)?;
    // With the lines as the last axis, and back.
    let order: Vec<usize> = (0..rank).filter(|&other| other != axis).chain([axis]).collect();
    let lines = view.permute(&order)?.to_tensor()?;
    let (extent, layout) = (view.extents()[axis], Strided::row_major(lines.extents())?);
    let mut result: Tensor<U> = Tensor::from_parts(Owned::for_results(layout.len())?, layout);
    if extent > 0 {
        let to = result.as_mut_slice().chunks_exact_mut(extent);
        lines.as_slice().chunks_exact(extent).zip(to).for_each(|(line, to)| write(line, to));
    }
    if axis + 1 == rank {
        return result.into_typed();
    }
    let back: Vec<usize> = (0..axis).chain([rank - 1]).chain(axis..rank - 1).collect();
    result.view().permute(&back)?.to_tensor()?.into_typed()
}

/// The order of axes that has one of them first, and the order that puts it back.
fn first_and_back(axis: usize, rank: usize) -> (Vec<usize>, Vec<usize>) {
    let first = [axis].into_iter().chain((0..rank).filter(|&other| other != axis)).collect();
    let back = (1..=axis).chain([0]).chain(axis + 1..rank).collect();
    (first, back)
}

/// A tensor of the same extents, made from the lines along an axis by a function for all of them, if it pays to sort them side by side and
/// there is no NaN.
fn by_all_lines<T: Stored, S: Extents, U: Stored>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    write: impl FnOnce((&[T], usize, Lines), &mut [U]) -> Result<bool, Error>,
) -> Result<Option<Tensor<U, S>>, Error> {
    let rank = view.rank();
    let extent = view.extents()[checked(axis, rank)?];
    if view.is_empty() || !side_by_side::pays(extent, view.len() / extent) {
        return Ok(None);
    }
    // The last axis stays where it is, as the first one does, and any other one comes first.
    let is_last = axis + 1 == rank;
    let (order, lines) =
        if is_last { ((0..rank).collect(), Lines::Rows) } else { (first_and_back(axis, rank).0, Lines::Columns) };
    let view = view.permute(&order)?;
    let copied = if view.as_slice().is_none() { Some(view.to_tensor()?) } else { None };
    let from = view.as_slice().or(copied.as_ref().map(Tensor::as_slice)).expect("a copy is stored in order");
    let layout = Strided::row_major(view.extents())?;
    let mut to = Owned::for_results(layout.len())?;
    if !write((from, extent, lines), &mut to)? {
        return Ok(None);
    }
    put_back(Tensor::from_parts(to, layout), if is_last { 0 } else { axis }).map(Some)
}

/// Puts the first axis where it was.
fn put_back<T: Stored, S: Extents>(columns: Tensor<T>, axis: usize) -> Result<Tensor<T, S>, Error> {
    if axis == 0 {
        return columns.into_typed();
    }
    columns.view().permute(&first_and_back(axis, columns.rank()).1)?.to_tensor()?.into_typed()
}

fn sort_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    if let Some(sorted) = by_all_lines(view, axis, side_by_side::sort)? {
        return Ok(sorted);
    }
    by_lines(view, axis, |line, to| {
        to.copy_from_slice(line);
        sort(to);
    })
}

fn argsort_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<i64, S>, Error> {
    if let Some(places) = by_all_lines(view, axis, side_by_side::argsort)? {
        return Ok(places);
    }
    by_lines(view, axis, |line, to| {
        let mut pairs: Vec<(T, i64)> = line.iter().copied().zip(0..).collect();
        pairs.sort_unstable_by(|(x, n), (y, m)| order(x, y).then(n.cmp(m)));
        to.iter_mut().zip(pairs).for_each(|(to, (_, n))| *to = n);
    })
}

/// Running sums or products along an axis.
fn running<T: Numeric, S: Extents>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    function: impl Fn(T, T) -> T + Copy + Sync,
) -> Result<Tensor<T, S>, Error> {
    checked(axis, view.rank())?;
    let mut result = view.to_tensor()?;
    let (extent, columns) = (view.extents()[axis], view.extents()[axis + 1..].iter().product::<usize>());
    if result.is_empty() {
        return Ok(result);
    }
    for lines in result.as_mut_slice().chunks_exact_mut(extent * columns) {
        if columns == 1 {
            let mut total = lines[0];
            for x in &mut lines[1..] {
                total = function(total, *x);
                *x = total;
            }
            continue;
        }
        for n in 1..extent {
            let (before, from) = lines.split_at_mut(n * columns);
            loops::update_by(&mut from[..columns], &before[(n - 1) * columns..], move |x, total| function(total, x));
        }
    }
    Ok(result)
}

fn cumsum_along<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    running(view, axis, T::plus)
}

fn cumprod_along<T: Numeric, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    running(view, axis, T::times)
}

/// The different elements, in any order, if there are few of them: in a table, each where its bits say or, if that is taken, behind it.
/// Zeros of both signs may both be among them.
#[allow(clippy::eq_op, reason = "NaN differs from itself")]
fn few<'t, T: Stored + PartialOrd>(elements: impl Iterator<Item = &'t T>) -> Option<Vec<T>> {
    // A quarter of the table is taken at most, so that most elements are where their bits say. Numbers of elements make it small enough
    // for the first cache.
    const BITS: u32 = 11;
    const MOST: usize = (1 << BITS) / 4;
    const FREE: u16 = u16::MAX;
    let mut slots = [FREE; 1 << BITS];
    let (mut found, mut nan) = (Vec::new(), None);
    for &x in elements {
        if x != x {
            // It equals nothing, so that a table would have it again and again.
            nan = Some(x);
            continue;
        }
        let mut word = [0; 8];
        let bytes = x.to_bytes();
        let bytes = bytes.as_ref();
        word[..bytes.len()].copy_from_slice(bytes);
        // Fibonacci hashing: Knuth, The Art of Computer Programming, volume 3, section 6.4.
        let mut at = (u64::from_le_bytes(word).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize;
        while slots[at] != FREE && found[usize::from(slots[at])] != x {
            at = (at + 1) % slots.len();
        }
        if slots[at] == FREE {
            if found.len() == MOST {
                return None;
            }
            slots[at] = found.len() as u16;
            found.push(x);
        }
    }
    found.extend(nan);
    Some(found)
}

fn unique<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, (Dyn,)>, Error> {
    /// Elements from which on a table is worth being cleared.
    const MANY: usize = 256;
    let few = if view.len() < MANY { None } else { few(view.elements()) };
    let mut elements = few.unwrap_or_else(|| view.elements().copied().collect());
    sort(&mut elements);
    elements.dedup_by(|x, y| order(x, y).is_eq());
    Tensor::from_vec((elements.len(),), elements)
}

methods!(impl[T: Stored + PartialOrd] {
    /// The same elements in ascending order along an axis, NaN last. Zeros of both signs are equal, in any order; `argsort_along` leaves
    /// equal elements in theirs.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[3.0, 1.0, 2.0], [0.5, 4.0, 0.0]])?;
    /// assert_eq!(a.sort_along(1)?.as_slice(), [1.0, 2.0, 3.0, 0.0, 0.5, 4.0]);
    /// assert_eq!(a.argsort_along(1)?.as_slice(), [1, 2, 0, 2, 0, 1]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the
    /// system has no memory for the result.
    #[doc(alias("sort"))]
    fn sort_along(axis: usize) -> Result<Tensor<T, S>, Error> = sort_along;

    /// Where along an axis the elements are that [`sort_along`](Tensor::sort_along) puts there.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[3.0, 1.0, 2.0]])?;
    /// let order = a.argsort_along(1)?;
    /// assert_eq!(order.as_slice(), [1, 2, 0]);
    /// assert_eq!(a.take_along(1, &order)?, a.sort_along(1)?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    #[doc(alias("argsort", "sortperm"))]
    fn argsort_along(axis: usize) -> Result<Tensor<i64, S>, Error> = argsort_along;

    /// The different elements in ascending order, each once; NaN last, and once.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[3, 1], [1, 2]])?;
    /// assert_eq!(a.unique()?.as_slice(), [1, 2, 3]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("distinct"))]
    fn unique() -> Result<Tensor<T, (Dyn,)>, Error> = unique;
});

methods!(impl[T: Numeric] {
    /// The running sums along an axis: each element and all before it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.cumsum_along(1)?.as_slice(), [1, 3, 6, 4, 9, 15]);
    /// assert_eq!(a.cumprod_along(0)?.as_slice(), [1, 2, 3, 4, 10, 18]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    #[doc(alias("cumsum"))]
    fn cumsum_along(axis: usize) -> Result<Tensor<T, S>, Error> = cumsum_along;

    /// The running products along an axis.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.cumprod_along(1)?.as_slice(), [1, 2, 6, 4, 20, 120]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    #[doc(alias("cumprod"))]
    fn cumprod_along(axis: usize) -> Result<Tensor<T, S>, Error> = cumprod_along;
});
