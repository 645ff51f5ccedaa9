//! What the expansions of the macros call. Nothing here is for users, and nothing else is reachable from expansions.

use std::any::type_name;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

pub use tensorwrapper_notation::Function;
pub use tensorwrapper_notation::syntax::{Factorisation as Decomposition, Operator, Reduction};

pub use crate::expr::{Factor, Index, IntoScalar, Node, Operand, Recorder, ScalarValue, TensorLike, Written};
pub use crate::shape::{
    AgreesWith, AxisByType, AxisByValue, AxisPair, CheckAtRunTime, FitsRank, Mark, RankCheckByValue, check_agreement, check_rank,
    mark_axis, meet, witness,
};

use crate::element::Element;
use crate::error::Error;
use crate::exec::{Context, evaluate};
use crate::expr::{Axis, Expr, Value};
use crate::shape::{Extent, Extents, Shape};
use crate::tensor::{AnyMut, AnyTensor, Tensor, TensorMut};

/// A tensor of the program as an operand.
pub fn operand<X: TensorLike + ?Sized>(tensor: &X) -> Operand<'_, X::Elem, X::Shape> {
    tensor.operand()
}

/// Element types that may meet in one equation: equal ones.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` and `{U}` do not mix in one equation",
    label = "elements of type `{U}`",
    note = "convert one of the tensors first: nothing is converted in silence"
)]
pub trait MixesWith<U> {}
impl<T: Element> MixesWith<T> for T {}

/// Checks at compile time that two operands have elements of one type.
pub fn same_element<T: MixesWith<U>, U>(_: PhantomData<T>, _: PhantomData<U>) {}

/// The element type of eigenvalues.
pub fn real<T: Element>(_: PhantomData<T>) -> PhantomData<T::Real> {
    PhantomData
}

/// A number of the program as a scalar of an equation.
pub fn scalar<T: Element, X: IntoScalar<T> + ?Sized>(_: PhantomData<T>, value: &X) -> ScalarValue<'_> {
    value.into_scalar()
}

/// The bounds of a range of indices.
pub fn range<R: RangeBounds<usize>>(range: &R) -> (usize, Option<usize>) {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => Some(end.saturating_add(1)),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => None,
    };
    (start, end)
}

/// A position or extent.
pub fn count(count: usize) -> usize {
    count
}

/// Starts the recording of an equation over elements of one type.
pub fn recorder<'n, T: Element>(_: PhantomData<T>, labels: &[&'n str]) -> Recorder<'n> {
    Recorder::new::<T>(labels)
}

/// The shape type that a tuple of marks makes.
pub trait Marks {
    /// The shape type.
    type Shape: Extents;
}

/// The mark of more axes than tuples have: the rank is known at run time.
#[derive(Debug)]
pub struct Unranked;

impl Marks for Unranked {
    type Shape = Shape;
}

macro_rules! marks {
    ($($($E:ident)*;)*) => { $(
        impl<$($E: Extent),*> Marks for ($(Mark<$E>,)*) {
            type Shape = ($($E,)*);
        }
    )* };
}
marks! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
    A B C D E F G H I J K L M N;
    A B C D E F G H I J K L M N O;
    A B C D E F G H I J K L M N O P;
}

/// Ends an equation: its recording, typed.
pub fn finish<'a, T: Element, M: Marks>(
    recorder: Recorder<'_>,
    node: Node<'a>,
    axes: &[Index<'_>],
    _: PhantomData<T>,
    _: M,
) -> Result<Expr<'a, T, M::Shape>, Error> {
    recorder.finish(node, axes)
}

/// Ends an equation that writes into the tensor `target`.
pub fn finish_write<'a, T: Element, S: Extents>(
    recorder: Recorder<'_>,
    node: Node<'a>,
    axes: &[Index<'_>],
    _target: &Operand<'a, T, S>,
    place: Node<'a>,
) -> Result<Written<'a, T, S>, Error> {
    recorder.finish_write(node, axes, place)
}

/// Types one result of a decomposition.
pub fn typed<'a, T: Element, M: Marks>(factor: Factor<'a>, _: PhantomData<T>, _: M) -> Expr<'a, T, M::Shape> {
    factor.typed()
}

/// The context of blocks that name none.
pub fn default_context() -> &'static Context {
    Context::global()
}

/// A recording that is to be computed.
#[derive(Clone, Debug)]
pub struct Sink<'a>(Arc<Value<'a>>);

/// A result that leaves the block.
pub fn sink<'a, T: Element, S: Extents>(expr: &Expr<'a, T, S>) -> Sink<'a> {
    Sink(Arc::clone(expr.value()))
}

/// The part of a tensor that the block writes.
pub fn part<'a, T, S>(written: &Written<'a, T, S>) -> Sink<'a> {
    Sink(Arc::clone(&written.part))
}

/// Computed results, in the order of the sinks.
#[derive(Debug)]
pub struct Results(VecDeque<AnyTensor>);

impl Results {
    fn next<T: Element>(&mut self) -> Tensor<T> {
        let result = self.0.pop_front().expect("there is a result for each sink");
        result.into_tensor().unwrap_or_else(|_| unreachable!("a sink of {} was recorded", type_name::<T>()))
    }
}

/// Computes all sinks of a block together.
///
/// # Errors
/// What the device reports.
pub fn compute(context: &Context, sinks: &[Sink<'_>]) -> Result<Results, Error> {
    let values: Vec<_> = sinks.iter().map(|sink| Arc::clone(&sink.0)).collect();
    evaluate(context, &values).map(|results| Results(results.into()))
}

/// The next result as a tensor of the recording's type.
pub fn take_tensor<T: Element, S: Extents>(_: &Expr<'_, T, S>, results: &mut Results) -> Tensor<T, S> {
    results.next::<T>().into_typed().unwrap_or_else(|error| unreachable!("the recording was checked: {error}"))
}

/// The next result as a number.
pub fn take_number<T: Element, S: Extents>(_: &Expr<'_, T, S>, results: &mut Results) -> T {
    results.next::<T>().as_slice()[0]
}

/// A computed part of a tensor and where it goes.
#[derive(Debug)]
pub struct Patch<T: Element> {
    part: Tensor<T>,
    selection: Vec<Axis>,
}

/// The next result as a patch.
pub fn take_patch<T: Element, S>(written: &Written<'_, T, S>, results: &mut Results) -> Patch<T> {
    Patch { part: results.next(), selection: written.selection.clone() }
}

/// A tensor that can be written. A method, so that it serves `mut c: Tensor` and `c: &mut Tensor` alike.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be assigned to in `tensor!`",
    label = "not a tensor that can be written"
)]
pub trait PlaceExt {
    /// The element type.
    type Elem: Element;
    /// Borrows the tensor for writing.
    fn __place(&mut self) -> PlaceMut<'_, Self::Elem>;
}

impl<T: Element, S: Extents> PlaceExt for Tensor<T, S> {
    type Elem = T;
    fn __place(&mut self) -> PlaceMut<'_, T> {
        PlaceMut(Target::Owned(Box::new(|patch| whole_or_part(self, patch))))
    }
}

impl<T: Element, S: Extents> PlaceExt for TensorMut<'_, T, S> {
    type Elem = T;
    fn __place(&mut self) -> PlaceMut<'_, T> {
        PlaceMut(Target::View(self.erase_mut()))
    }
}

/// A tensor borrowed for writing.
pub struct PlaceMut<'a, T: Element>(Target<'a, T>);

enum Target<'a, T: Element> {
    Owned(Box<dyn FnOnce(Patch<T>) + 'a>),
    View(AnyMut<'a>),
}

/// Writes a computed part into its place; extents were checked when it was recorded.
pub fn write<T: Element>(place: PlaceMut<'_, T>, patch: Patch<T>) {
    match place.0 {
        Target::Owned(write) => write(patch),
        Target::View(view) => copy(view, &patch),
    }
}

/// Moves a whole result in, and copies a part.
fn whole_or_part<T: Element, S: Extents>(tensor: &mut Tensor<T, S>, patch: Patch<T>) {
    let in_order = patch.selection.iter().enumerate().all(|(n, axis)| *axis == Axis::Label { label: n, start: 0 });
    if in_order && patch.part.extents() == tensor.extents() {
        tensor.replace_elements(patch.part.into_vec());
    } else {
        copy(tensor.erase_mut(), &patch);
    }
}

/// Copies a part into the selected elements.
fn copy<T: Element>(view: AnyMut<'_>, patch: &Patch<T>) {
    let mut layout = view.layout;
    // From the last axis, so that removing one leaves the numbers of those before it.
    let mut labels = Vec::new();
    for (axis, selected) in patch.selection.iter().enumerate().rev() {
        match *selected {
            Axis::Chip(position) => layout = layout.chip(axis, position),
            Axis::Fused(_) => unreachable!("what is written through fused axes is written whole"),
            Axis::Label { label, start } => {
                layout = layout.slice(axis, start, patch.part.extents()[label]);
                labels.insert(0, label);
            }
        }
    }
    let (layout, target) =
        (layout.gather(&labels, patch.part.extents()), T::typed_mut(view.data).expect("the element type was checked"));
    for (&element, position) in patch.part.as_slice().iter().zip(layout.positions()) {
        target[position] = element;
    }
}

/// The value, or a panic with the error's sentences at the caller's line.
///
/// # Panics
/// On an error.
#[track_caller]
pub fn unwrap<V>(result: Result<V, Error>) -> V {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
