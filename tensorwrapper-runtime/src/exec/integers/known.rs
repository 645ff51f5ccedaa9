//! Tensors of integers that equations read: as they are, rounded, and their largest value. It must not know of plans.

use std::sync::{Arc, OnceLock};

use num_complex::Complex;

use super::largest;
use super::map::CHUNK;
use super::reader::{Input, Reader};
use crate::expr::{ExactIntegers, Integers, Numbers, OperandData, Value, rounded};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Owned, SliceRef};
use tensorwrapper_core::stored::IntegersRef;

/// A tensor of integers that equations read: as it is, and as recordings read it.
#[derive(Clone, Debug)]
pub(crate) struct KnownIntegers<'a> {
    pub(super) exact: Exact<'a>,
    /// Whether other equations than those over integers read it, too, so that a recording needs its elements.
    is_read_rounded: bool,
    /// What recordings read, once there is one: the rounded tensor, or memory for one whose elements mean nothing.
    recorded: OnceLock<Arc<AnyTensor>>,
    /// The rounded tensor, once it was needed.
    rounded: OnceLock<Arc<AnyTensor>>,
    /// The largest absolute value, once it was needed.
    largest: OnceLock<f64>,
}

/// Where the integers of a tensor are.
#[derive(Clone, Debug)]
pub(super) enum Exact<'a> {
    /// In the program.
    Given(IntegersRef<'a>, &'a Strided),
    /// In an earlier result, in C order.
    Made(Arc<ExactIntegers>, Strided),
    /// In the rounded tensor, which holds them.
    Rounded(Arc<AnyTensor>),
}

impl<'a> KnownIntegers<'a> {
    /// A tensor of the program, which holds integers. `is_read_rounded` says that other equations than those over integers read it, too.
    pub(crate) fn of(given: &OperandData<'a>, is_read_rounded: bool) -> KnownIntegers<'a> {
        let &OperandData::Integers(data, layout) = given else { unreachable!("tensors of integers are nothing else") };
        KnownIntegers::new(Exact::Given(data, layout), is_read_rounded)
    }

    /// A number of the program, which is the sum of both parts.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn number(parts: Complex<f64>) -> Result<KnownIntegers<'a>, Error> {
        let number = (parts.re as i64).wrapping_add(parts.im as i64);
        let exact = ExactIntegers { extents: Vec::new(), numbers: Numbers::I64(Owned::filled(1, number)?) };
        KnownIntegers::made(&Integers::Exact(Arc::new(exact)), true)
    }

    /// A result; `is_read_rounded` as above.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn made(integers: &Integers, is_read_rounded: bool) -> Result<KnownIntegers<'a>, Error> {
        let exact = match integers {
            Integers::Double(tensor) => Exact::Rounded(Arc::clone(tensor)),
            Integers::Exact(exact) => Exact::Made(Arc::clone(exact), Strided::row_major(&exact.extents)?),
        };
        Ok(KnownIntegers::new(exact, is_read_rounded))
    }

    fn new(exact: Exact<'a>, is_read_rounded: bool) -> KnownIntegers<'a> {
        let rounded = if let Exact::Rounded(tensor) = &exact { OnceLock::from(Arc::clone(tensor)) } else { OnceLock::new() };
        KnownIntegers { exact, is_read_rounded, recorded: rounded.clone(), rounded, largest: OnceLock::new() }
    }

    /// The largest absolute value.
    pub(super) fn largest(&self) -> f64 {
        *self.largest.get_or_init(|| match &self.exact {
            Exact::Given(data, layout) => largest_of(&Input { numbers: *data, layout: (*layout).clone() }),
            Exact::Made(made, layout) => largest_of(&Input { numbers: made.numbers.erase(), layout: layout.clone() }),
            Exact::Rounded(tensor) => largest::of_rounded(tensor.erase().data),
        })
    }

    /// The tensor as a value of a recording.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn value<'v>(&self) -> Result<Link<Value<'v>>, Error> {
        if let Some(recorded) = self.recorded.get() {
            return Ok(Value::computed(Arc::clone(recorded)));
        }
        let recorded = match self.exact.as_they_lie().filter(|_| !self.is_read_rounded) {
            Some((_, layout)) => {
                let memory = Owned::for_results(layout.len())?;
                Arc::new(Tensor::<f64>::from_parts(memory, Strided::row_major(layout.extents())?).into())
            }
            None => Arc::clone(self.rounded()?),
        };
        Ok(Value::computed(Arc::clone(self.recorded.get_or_init(|| recorded))))
    }

    /// Whether recordings read this tensor where they mean these integers.
    pub(crate) fn is_recorded_as(&self, tensor: &Arc<AnyTensor>) -> bool {
        self.recorded.get().is_some_and(|recorded| Arc::ptr_eq(recorded, tensor))
    }

    /// The rounded tensor.
    ///
    /// # Errors
    /// Memory.
    fn rounded(&self) -> Result<&Arc<AnyTensor>, Error> {
        if let (None, Some((data, layout))) = (self.rounded.get(), self.exact.as_they_lie()) {
            // Another thread may have been faster, with the same numbers.
            let _ = self.rounded.set(Arc::new(rounded(data, layout)?.into()));
        }
        Ok(self.rounded.get().unwrap_or_else(|| unreachable!("it has just been made, or was there from the first")))
    }

    /// The rounded elements in C order.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn rounded_elements(&self) -> Result<SliceRef<'_>, Error> {
        Ok(self.rounded()?.erase().data)
    }
}

/// The largest absolute value of integers, wherever they are.
fn largest_of(input: &Input<'_>) -> f64 {
    let mut reader = Reader::new(input, CHUNK);
    let chunks = (0..input.layout.len()).step_by(CHUNK).map(|start| CHUNK.min(input.layout.len() - start));
    chunks.fold(0.0, |largest, len| largest.max(largest::of_integers(reader.next(len))))
}

impl Exact<'_> {
    /// The integers as they lie, unless they are rounded.
    pub(super) fn as_they_lie(&self) -> Option<(IntegersRef<'_>, &Strided)> {
        match self {
            Exact::Given(data, layout) => Some((*data, layout)),
            Exact::Made(made, layout) => Some((made.numbers.erase(), layout)),
            Exact::Rounded(_) => None,
        }
    }
}
