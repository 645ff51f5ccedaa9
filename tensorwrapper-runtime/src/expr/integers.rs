//! Integers of the program as numbers that equations compute with, and back.

use std::any::Any;
use std::sync::Arc;

use crate::tensor::{AnyRef, AnyTensor, Tensor, extend_from};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::IntegersRef;

/// A computed tensor of integers.
#[derive(Debug)]
pub enum Integers {
    /// Numbers of double precision, which holds all of them.
    Double(Arc<AnyTensor>),
    /// Integers in C order.
    Exact(Arc<ExactIntegers>),
}

/// Integers in C order.
#[derive(Debug)]
pub struct ExactIntegers {
    pub(crate) extents: Vec<usize>,
    pub(crate) numbers: Numbers,
}

/// Integers as they were computed.
#[derive(Debug)]
pub(crate) enum Numbers {
    /// In 32 bits, which hold all of them.
    I32(Owned<i32>),
    /// In 64 bits.
    I64(Owned<i64>),
}

impl Numbers {
    /// Without their type.
    pub(crate) fn erase(&self) -> IntegersRef<'_> {
        match self {
            Numbers::I32(numbers) => IntegersRef::I32(numbers),
            Numbers::I64(numbers) => IntegersRef::I64(numbers),
        }
    }
}

impl Integers {
    /// Elements as a type holds them, where what it does not hold wraps around, and their layout.
    pub(crate) fn typed<T: Numeric>(&self) -> (Owned<T>, Strided) {
        match self {
            Integers::Double(tensor) => {
                let AnyRef { data, layout: from } = tensor.erase();
                let data = f64::typed(data).unwrap_or_else(|| unreachable!("integers are computed in double precision"));
                let mut elements = room(from.len());
                extend_from(&mut elements, data, &from, |number| T::whole(number as i64));
                (elements, layout(tensor.extents()))
            }
            Integers::Exact(exact) => {
                let from = layout(&exact.extents);
                let mut elements = room(from.len());
                match exact.numbers.erase() {
                    IntegersRef::I32(numbers) => elements.extend(numbers.iter().map(|&number| T::whole(number.into()))),
                    IntegersRef::I64(numbers) => elements.extend(numbers.iter().map(|&number| T::whole(number))),
                    IntegersRef::U8(numbers) => elements.extend(numbers.iter().map(|&number| T::whole(number.into()))),
                }
                (elements, from)
            }
        }
    }

    /// The same of a result that nothing else reads: where it was computed in this type, its memory is the tensor's.
    pub(crate) fn into_typed<T: Numeric>(integers: Arc<Integers>) -> (Owned<T>, Strided) {
        match Arc::try_unwrap(integers).map(Integers::into_exact) {
            Ok(Ok(ExactIntegers { extents, mut numbers })) => {
                let own: &mut dyn Any = match &mut numbers {
                    Numbers::I32(numbers) => numbers,
                    Numbers::I64(numbers) => numbers,
                };
                match own.downcast_mut::<Owned<T>>() {
                    Some(own) => (std::mem::take(own), layout(&extents)),
                    None => Integers::Exact(Arc::new(ExactIntegers { extents, numbers })).typed(),
                }
            }
            Ok(Err(integers)) => integers.typed(),
            Err(shared) => shared.typed(),
        }
    }

    /// Integers that nothing else reads.
    fn into_exact(self) -> Result<ExactIntegers, Integers> {
        match self {
            Integers::Exact(exact) => Arc::try_unwrap(exact).map_err(Integers::Exact),
            other => Err(other),
        }
    }

    /// The first one, as a type holds it.
    pub(crate) fn first<T: Numeric>(&self) -> T {
        self.typed::<T>().0[0]
    }
}

/// The layout of a tensor that was computed.
fn layout(extents: &[usize]) -> Strided {
    Strided::row_major(extents).unwrap_or_else(|_| unreachable!("a tensor has a layout"))
}

/// Memory for the elements of a result, that of dropped tensors if there is some.
///
/// # Panics
/// Without memory, as any vector.
fn room<T: Numeric>(len: usize) -> Owned<T> {
    Owned::with_room(len).unwrap_or_else(|_| Vec::with_capacity(len).into())
}

/// Something of each integer, in C order.
///
/// # Errors
/// Memory.
fn each<R: Numeric>(data: IntegersRef<'_>, layout: &Strided, of: impl Fn(i64) -> R) -> Result<Owned<R>, Error> {
    let mut results = Owned::with_room(layout.len())?;
    match data {
        IntegersRef::I32(data) => extend_from(&mut results, data, layout, |number| of(number.into())),
        IntegersRef::I64(data) => extend_from(&mut results, data, layout, of),
        IntegersRef::U8(data) => extend_from(&mut results, data, layout, |number| of(number.into())),
    }
    Ok(results)
}

/// Integers as numbers of double precision, rounded where these do not hold them.
///
/// # Errors
/// Memory.
pub(crate) fn rounded(data: IntegersRef<'_>, layout: &Strided) -> Result<Tensor<f64>, Error> {
    Ok(Tensor::from_parts(each(data, layout, |number| number as f64)?, Strided::row_major(layout.extents())?))
}

/// Integers in C order, in 64 bits.
///
/// # Errors
/// Memory.
pub(crate) fn exact(data: IntegersRef<'_>, layout: &Strided) -> Result<Owned<i64>, Error> {
    each(data, layout, |number| number)
}

/// The first integer of a tensor that has one.
pub(super) fn first(data: IntegersRef<'_>, layout: &Strided) -> i64 {
    match data {
        IntegersRef::I32(data) => data[layout.start()].into(),
        IntegersRef::I64(data) => data[layout.start()],
        IntegersRef::U8(data) => data[layout.start()].into(),
    }
}
