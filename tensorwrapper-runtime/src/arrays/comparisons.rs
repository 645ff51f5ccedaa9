//! Comparisons, whose results are tensors of truth values, and what is done with such tensors.

use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::stored::Stored;

use super::axes::same_extents;
use super::iteration::{contains, count, each, each_pair};
use super::loops;
use super::methods;
use super::operand::{ElementwiseOperand, Right};
use crate::tensor::{Tensor, TensorRef};

fn compared<T: Stored, S: Extents>(
    name: &str,
    view: &TensorRef<'_, T, S>,
    with: &impl ElementwiseOperand<T>,
    holds: impl Fn(&T, &T) -> bool + Copy + Sync,
) -> Result<Tensor<bool, S>, Error> {
    match with.right() {
        Right::Number(number) => each(view, move |x| holds(&x, &number)),
        Right::Tensor(other) => {
            same_extents(&format!("`{name}` of two tensors"), view.extents(), other.extents())?;
            each_pair(view, &other, move |x, y| holds(&x, &y))
        }
    }
}

macro_rules! comparisons {
    ($($name:ident [$Bound:path]: $holds:expr, $found:expr, $doc:literal;)*) => { $(
        fn $name<T: Stored + $Bound, S: Extents>(view: &TensorRef<'_, T, S>, with: impl ElementwiseOperand<T>) -> Result<Tensor<bool, S>, Error> {
            compared(stringify!($name), view, &with, $holds)
        }
        methods!(impl[T: Stored + $Bound] {
            #[doc = $doc]
            ///
            /// ```
            /// # use tensorwrapper_runtime as tensorwrapper;
            /// use tensorwrapper::Tensor;
            /// let (a, b) = (Tensor::from_array([1.0, 2.0, 3.0])?, Tensor::from_array([3.0, 2.0, 1.0])?);
            #[doc = concat!("assert_eq!(a.", stringify!($name), "(&b)?.as_slice(), ", stringify!($found), ");")]
            #[doc = concat!("assert_eq!(a.", stringify!($name), "(2.0)?.as_slice(), ", stringify!($found), ");")]
            /// # Ok::<(), tensorwrapper_runtime::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when
            /// the system has no memory for the result.
            fn $name(with: impl ElementwiseOperand<T>) -> Result<Tensor<bool, S>, Error> = $name;
        });
    )* };
}
comparisons! {
    less [PartialOrd]: |x, y| x < y, [true, false, false], "Whether each element is less than a number, or than the other tensor's.";
    less_equal [PartialOrd]: |x, y| x <= y, [true, true, false], "Whether each element is at most a number, or the other tensor's.";
    greater [PartialOrd]: |x, y| x > y, [false, false, true], "Whether each element is greater than a number, or than the other tensor's.";
    greater_equal [PartialOrd]: |x, y| x >= y, [false, true, true], "Whether each element is at least a number, or the other tensor's.";
    equal [PartialEq]: |x, y| x == y, [false, true, false], "Whether each element equals a number, or the other tensor's. NaN equals nothing. `a == b` compares whole tensors.";
    not_equal [PartialEq]: |x, y| x != y, [true, false, true], "Whether each element differs from a number, or from the other tensor's.";
}

/// Elements of `X` where the mask is true, and of `Y` elsewhere; each is a number or a tensor of the mask's extents. NumPy calls it
/// `where`.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, select};
/// let a = Tensor::from_array([1.0, -2.0, 3.0])?;
/// assert_eq!(select(&a.greater(0.0)?, &a, 0.0)?.as_slice(), [1.0, 0.0, 3.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system
/// has no memory for the result.
#[doc(alias("where", "ifelse", "choose"))]
pub fn select<T: Stored, S: Extents>(
    mask: &Tensor<bool, S>,
    where_true: impl ElementwiseOperand<T>,
    where_false: impl ElementwiseOperand<T>,
) -> Result<Tensor<T, S>, Error> {
    let sides = [where_true.right(), where_false.right()];
    for side in &sides {
        if let Right::Tensor(side) = side {
            same_extents("`select` by a mask", mask.extents(), side.extents())?;
        }
    }
    let layout = Strided::row_major(mask.extents())?;
    let elements = loops::written(layout.len(), |to| choose(&mask.view().into_dyn(), &sides, to))?;
    Ok(Tensor::from_parts(elements, layout))
}

/// Writes what a mask chooses of two sides.
fn choose<T: Stored>(mask: &TensorRef<'_, bool>, sides: &[Right<'_, T>; 2], to: &mut [T]) {
    fn slice<'s, T: Stored>(side: &Right<'s, T>) -> Option<&'s [T]> {
        if let Right::Tensor(tensor) = side { tensor.as_slice() } else { None }
    }
    match (mask.as_slice(), sides, sides.each_ref().map(slice)) {
        (Some(mask), &[Right::Number(x), Right::Number(y)], _) => {
            loops::map(mask, to, move |is_chosen| if is_chosen { x } else { y })
        }
        (Some(mask), &[_, Right::Number(y)], [Some(x), _]) => {
            loops::zip(mask, x, to, move |is_chosen, x| if is_chosen { x } else { y })
        }
        (Some(mask), &[Right::Number(x), _], [_, Some(y)]) => {
            loops::zip(mask, y, to, move |is_chosen, y| if is_chosen { x } else { y })
        }
        (Some(mask), _, [Some(x), Some(y)]) => loops::choose(mask, [x, y], to),
        _ => {
            // One side everywhere, then the other one where it is chosen.
            match &sides[1] {
                Right::Number(y) => to.fill(*y),
                Right::Tensor(y) => to.iter_mut().zip(y.elements()).for_each(|(to, y)| *to = *y),
            }
            let places = to.iter_mut().zip(mask.elements());
            match &sides[0] {
                Right::Number(x) => places.filter(|(_, is_chosen)| **is_chosen).for_each(|(to, _)| *to = *x),
                Right::Tensor(x) => {
                    let chosen = places.zip(x.elements()).filter(|((_, is_chosen), _)| **is_chosen);
                    chosen.for_each(|((to, _), x)| *to = *x);
                }
            }
        }
    }
}

impl<S: Extents> Tensor<bool, S> {
    /// Whether all elements are true; so it is if there is none.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, -2.0, 3.0])?;
    /// let (small, positive) = (a.less(2.0)?, a.greater(0.0)?);
    /// assert_eq!((small.all(), small.any(), small.count()), (false, true, 2));
    /// assert_eq!((small & positive).as_slice(), [true, false, false]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn all(&self) -> bool {
        !contains(&self.view(), false)
    }

    /// Whether an element is true.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert!(a.less(0.0)?.any() && !a.less(-2.0)?.any());
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn any(&self) -> bool {
        contains(&self.view(), true)
    }

    /// How many elements are true.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert_eq!(a.greater(0.0)?.count(), 2);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("count_nonzero", "nnz"))]
    pub fn count(&self) -> usize {
        count(&self.view())
    }
}
