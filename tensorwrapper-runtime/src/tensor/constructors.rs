//! Constructors of [`Tensor`]: from a shape and a source of elements.
//!
//! Every constructor checks the extents against the shape type and returns an error if the system refuses the memory.

use std::ops::Range;

use super::dense::Tensor;
use super::extents::{row_major, row_major_of};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extents, IntoShape, NestedArray, StaticExtents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Numeric, Stored};
use tensorwrapper_cpu::{Loops, vectorised};

/// Constructors. See [`IntoShape`] for what can be given as a shape.
impl<T: Stored, S: Extents> Tensor<T, S> {
    /// A tensor of zeros.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let any_rank: Tensor<f64> = Tensor::zeros([2, 3])?;
    /// let rank_two: Tensor<f64, Shape![_, _]> = Tensor::zeros((2, 3))?;
    /// assert_eq!(any_rank, rank_two);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S`,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias("empty", "undef"))]
    pub fn zeros(shape: impl IntoShape<S>) -> Result<Self, Error> {
        let layout = row_major(shape)?;
        Ok(Tensor::from_parts(Owned::zeros(layout.len())?, layout))
    }

    /// A tensor of ones.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::ones([2, 3])?;
    /// assert_eq!(a.sum(), 6.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`filled`](Tensor::filled).
    pub fn ones(shape: impl IntoShape<S>) -> Result<Self, Error> {
        Tensor::filled(shape, T::UNIT)
    }

    /// A tensor whose elements are all the same.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let a: Tensor<i32, Shape![_, _]> = Tensor::filled((2, 2), 7)?;
    /// assert_eq!(a.as_slice(), [7; 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S`,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias = "full")]
    pub fn filled(shape: impl IntoShape<S>, value: T) -> Result<Self, Error> {
        let layout = row_major(shape)?;
        Ok(Tensor::from_parts(Owned::filled(layout.len(), value)?, layout))
    }

    /// A tensor whose elements are computed from their indices, in C order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Const, Tensor};
    /// let unit = Tensor::<f64, _>::from_fn((Const::<3>, Const::<3>), |i| if i[0] == i[1] { 1.0 } else { 0.0 })?;
    /// assert_eq!(unit.as_slice(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S`,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias("fromfunction", "from_function", "build"))]
    pub fn from_fn(shape: impl IntoShape<S>, mut element: impl FnMut(&[usize]) -> T) -> Result<Self, Error> {
        let layout = row_major(shape)?;
        let mut elements = Owned::with_room(layout.len())?;
        let mut index = vec![0; layout.rank()];
        for _ in 0..layout.len() {
            elements.push(element(&index));
            for (i, &extent) in index.iter_mut().zip(layout.extents()).rev() {
                *i += 1;
                if *i < extent {
                    break;
                }
                *i = 0;
            }
        }
        Ok(Tensor::from_parts(elements, layout))
    }

    /// A tensor of these elements in C order: the last index runs fastest. No element is copied.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(a[[1, 0]], 3.0);
    /// let error = Tensor::<f64>::from_vec([2, 2], vec![1.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "extents [2, 2] need 4 elements, but 1 is given");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S` or need another number of elements.
    #[doc(alias("frombuffer"))]
    pub fn from_vec(shape: impl IntoShape<S>, elements: Vec<T>) -> Result<Self, Error> {
        let layout = row_major_of(shape, elements.len())?;
        Ok(Tensor::from_parts(elements, layout))
    }

    /// As [`from_vec`](Tensor::from_vec), copying the elements.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let numbers = [1.0, 2.0, 3.0, 4.0];
    /// let a = Tensor::<f64>::from_slice([2, 2], &numbers)?;
    /// assert_eq!(a[[1, 0]], 3.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S` or need another number of elements,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    pub fn from_slice(shape: impl IntoShape<S>, elements: &[T]) -> Result<Self, Error> {
        let layout = row_major_of(shape, elements.len())?;
        let mut copy = Owned::with_room(elements.len())?;
        copy.extend(elements.iter().copied());
        Ok(Tensor::from_parts(copy, layout))
    }
}

impl<T: Stored> Tensor<T, (Dyn, Dyn)> {
    /// The unit matrix of so many rows.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::<f64, _>::eye(2)?.as_slice(), [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias = "identity")]
    pub fn eye(rows: usize) -> Result<Self, Error> {
        let mut unit = Tensor::zeros((rows, rows))?;
        unit.as_mut_slice().iter_mut().step_by(rows + 1).for_each(|element| *element = T::UNIT);
        Ok(unit)
    }
}

impl<T: Numeric> Tensor<T, (Dyn,)> {
    /// The whole numbers of a range, in order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::<f64, _>::arange(2..5)?.as_slice(), [2.0, 3.0, 4.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias("range", "iota"))]
    pub fn arange(numbers: Range<i64>) -> Result<Self, Error> {
        let count = usize::try_from(numbers.end.saturating_sub(numbers.start)).unwrap_or(0);
        let layout = Strided::row_major(&[count])?;
        let mut elements = Owned::with_room(count)?;
        elements.extend(numbers.take(count).map(T::whole));
        Ok(Tensor::from_parts(elements, layout))
    }
}

impl<T: Element> Tensor<T, (Dyn,)> {
    /// So many numbers at equal distances, from the first to the last one, both included. One number alone is the first.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::<f64, _>::linspace(0.0, 1.0, 5)?.as_slice(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias("range"))]
    pub fn linspace(first: T, last: T, count: usize) -> Result<Self, Error> {
        let steps = count.saturating_sub(1).max(1);
        let layout = Strided::row_major(&[count])?;
        let mut elements = Owned::for_results(count)?;
        vectorised(Spaced { to: &mut elements, first, distance: last - first, steps: steps as f64 });
        if count > 1 {
            // The last number is not the first one and a sum.
            elements[steps] = last;
        }
        Ok(Tensor::from_parts(elements, layout))
    }
}

impl<T: Stored, S: StaticExtents> Tensor<T, S> {
    /// A tensor of the elements of nested arrays, which tell its extents.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let t: Tensor<f64, Shape![2, 3]> = Tensor::from_array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// assert_eq!(t[[1, 0]], 4.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system refuses the memory.
    #[doc(alias = "array")]
    pub fn from_array<A>(elements: A) -> Result<Self, Error>
    where
        A: NestedArray<Elem = T, Extents = S>,
        S: StaticExtents<Nested<T> = A>,
    {
        let elements = S::slice::<T>(&elements);
        let mut copy = Owned::with_room(elements.len())?;
        copy.extend(elements.iter().copied());
        Ok(Tensor::from_parts(copy, Strided::row_major(S::EXTENTS)?))
    }
}

/// Numbers at equal distances.
struct Spaced<'l, T> {
    to: &'l mut [T],
    first: T,
    /// Of the last number from the first one, which is so many steps away.
    distance: T,
    steps: f64,
}

impl<T: Element> Loops for Spaced<'_, T> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        // Vectors have conversions of short integers.
        let mut before = 0.0;
        for piece in self.to.chunks_mut(1 << 16) {
            let end = before + piece.len() as f64;
            for (to, n) in piece.iter_mut().zip(0_u32..) {
                *to = self.first + self.distance * real::<T>((before + f64::from(n)) / self.steps);
            }
            before = end;
        }
    }
}

/// A real number as an element.
fn real<T: Element>(number: f64) -> T {
    T::from_complex(number.into())
}

impl<T: Stored> Tensor<T, ()> {
    /// A tensor of rank 0, which holds one number.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// assert_eq!(Tensor::scalar(2.5)[[]], 2.5);
    /// ```
    #[must_use]
    pub fn scalar(value: T) -> Self {
        // No extents can neither overflow nor disagree with the type.
        let layout = Strided::row_major(&[]).unwrap_or_else(|_| unreachable!("a scalar has one element"));
        Tensor::from_parts(vec![value], layout)
    }
}
