//! Converts elements to numbers of another type.

use std::any::{Any, TypeId};
use std::ops::RangeInclusive;

use super::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::CastInto;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::{Owned, SliceRef};
use tensorwrapper_core::stored::Stored;

impl<T: Stored, S: Extents> TensorRef<'_, T, S> {
    /// A tensor of the same elements as numbers of type `U`; see [`Tensor::cast`].
    ///
    /// # Errors
    /// As [`Tensor::cast`].
    #[doc(alias("astype", "convert"))]
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        if let Some(range) = range::<U>() {
            self.check_range(U::NAME, &range)?;
        }
        let layout = Strided::row_major(self.extents())?;
        let mut elements = Owned::with_room(layout.len())?;
        match self.as_slice() {
            Some(slice) => elements.extend(slice.iter().map(|x| x.cast_into())),
            None => elements.extend(self.elements().map(|x| x.cast_into())),
        }
        Ok(Tensor::from_located(self.located.with_both(elements, layout)))
    }

    /// Whether all elements, once they have lost their fractions, lie in the range of an integer type.
    ///
    /// # Errors
    /// The first one that does not.
    fn check_range(&self, name: &str, range: &RangeInclusive<i64>) -> Result<(), Error> {
        let outside = match self.numbers() {
            Some((SliceRef::F32(data), layout)) => first_outside(data, layout, range),
            Some((SliceRef::F64(data), layout)) => first_outside(data, layout, range),
            _ => self.first_integer_outside(range),
        };
        let Some((mut place, number)) = outside else { return Ok(()) };
        let mut index = vec![0; self.rank()];
        for (index, &extent) in index.iter_mut().zip(self.extents()).rev() {
            (*index, place) = (place % extent, place / extent);
        }
        let message =
            format!("element {index:?} is {number}, and `{name}` holds whole numbers from {} to {}", range.start(), range.end());
        let help = "limit the elements before, `a.clip(low, high)?`, and give those that are NaN a value";
        Err(Error::new(ErrorKind::Undefined(message)).with_help(help))
    }

    /// The first element outside of a range, if the elements are integers, and its place in C order.
    fn first_integer_outside(&self, range: &RangeInclusive<i64>) -> Option<(usize, String)> {
        let outside = |x: &T| integer(x).filter(|x| !range.contains(x));
        let has_none = |slice: &[T]| slice.iter().all(|x| outside(x).is_none());
        if self.as_slice().is_some_and(has_none) {
            return None;
        }
        self.elements().enumerate().find_map(|(place, x)| outside(x).map(|x| (place, x.to_string())))
    }
}

/// An element that is an integer.
fn integer<T: Stored>(x: &T) -> Option<i64> {
    let x: &dyn Any = x;
    x.downcast_ref::<i64>().copied().or_else(|| x.downcast_ref::<i32>().map(|&x| x.into()))
}

/// What an integer type holds.
fn range<U: Stored>() -> Option<RangeInclusive<i64>> {
    let ranges = [
        (TypeId::of::<i32>(), i32::MIN.into()..=i32::MAX.into()),
        (TypeId::of::<i64>(), i64::MIN..=i64::MAX),
        (TypeId::of::<u8>(), 0..=u8::MAX.into()),
    ];
    ranges.into_iter().find_map(|(known, range)| (known == TypeId::of::<U>()).then_some(range))
}

/// The first number that is outside of a range once it has lost its fraction, and its place in C order. NaN is in none.
fn first_outside<R: Copy + Into<f64>>(data: &[R], layout: &Strided, range: &RangeInclusive<i64>) -> Option<(usize, String)> {
    if layout.is_empty() {
        return None;
    }
    // Double precision has the least number and the one after the largest.
    let range = *range.start() as f64..*range.end() as f64 + 1.0;
    let is_inside = |number: R| range.contains(&number.into().trunc());
    if layout.is_row_major() && data[layout.start()..][..layout.len()].iter().all(|&number| is_inside(number)) {
        return None;
    }
    let mut numbers = layout.positions().map(|place| data[place]).enumerate();
    numbers.find(|&(_, number)| !is_inside(number)).map(|(place, number)| (place, number.into().to_string()))
}

impl<T: Stored, S: Extents> TensorMut<'_, T, S> {
    /// A tensor of the same elements as numbers of type `U`; see [`Tensor::cast`].
    ///
    /// # Errors
    /// As [`Tensor::cast`].
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        self.view().cast()
    }
}

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// A tensor of the same elements converted to type `U`: to another precision, from real to complex, or from and to integers. Inside
    /// an equation, `cast(A[i, j])` converts elements as they are read; it makes no integers.
    ///
    /// * Real numbers become integers without their fraction, towards zero: 2.7 is 2, and -2.7 is -2. `round`, `floor` and `ceil` do
    ///   otherwise, before.
    /// * Integers become the nearest real number. `f64` has all of `i32` and `u8`, and those of `i64` up to 2⁵³; `f32` has those up to 2²⁴.
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) when a number is NaN or outside of what the integer type `U` holds, and
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let single = Tensor::<f32>::from_slice([2], &[0.5, 2.0])?;
    /// let double = single.cast::<f64>()?;
    /// assert_eq!(double.as_slice(), [0.5, 2.0]);
    ///
    /// let counts = Tensor::<f64>::from_slice([3], &[2.7, -2.7, 3e9])?;
    /// assert_eq!(counts.cast::<i64>()?.as_slice(), [2, -2, 3_000_000_000]);
    /// let error = counts.cast::<i32>().unwrap_err();
    /// assert!(error.to_string().starts_with("element [2] is 3000000000, and `i32` holds whole numbers from -2147483648 to 2147483647"));
    /// assert!(Tensor::<i32>::from_slice([2], &[-1, 300])?.cast::<u8>().is_err());
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("astype", "convert"))]
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        self.view().cast()
    }
}
