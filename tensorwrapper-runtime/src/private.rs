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
    AxisByType, AxisByValue, AxisPair, CompareAtRunTime, Compared, LaterPair, LocateAtRunTime, Located, Mark, Position,
    check_rank, mark_axis, meet,
};

use crate::element::Element;
use crate::error::Error;
use crate::exec::{Context, Graph, evaluate};
use crate::expr::{Axis, Expr, Value};
use crate::shape::{Extent, Extents, Shape};
use crate::tensor::{AnyMut, AnyTensor, Tensor, TensorMut};

/// Element types that may meet in one equation: equal ones.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` and `{U}` do not mix in one equation",
    label = "elements of type `{U}`",
    note = "convert one of the tensors first: nothing is converted in silence"
)]
pub trait MixesWith<U> {
    /// Checks at compile time that two operands have elements of one type.
    fn check(_: Elements<Self, U>) {}
}
impl<T: Element> MixesWith<T> for T {}

/// Two element types. One value of settled type, because rustc would infer the one from the other.
#[derive(Debug)]
pub struct Elements<T: ?Sized, U>(pub PhantomData<T>, pub PhantomData<U>);

/// The element type of eigenvalues.
pub fn real<T: Element>(_: PhantomData<T>) -> PhantomData<T::Real> {
    PhantomData
}

/// What a label is. A name that is a constant in scope is none, and rustc says so where it is bound to this.
#[derive(Debug)]
pub struct Label;

/// A range of indices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of indices",
    label = "not a range of `usize`",
    note = "a slice is written `i in 2..5`, with a range of `usize` after `in`; a single position is written `3` or `{{ n }}`"
)]
pub trait IndexRange {
    /// Its first index, and the one after its last.
    fn bounds(range: &Self) -> (usize, Option<usize>);
}
#[diagnostic::do_not_recommend]
impl<R: RangeBounds<usize>> IndexRange for R {
    fn bounds(range: &R) -> (usize, Option<usize>) {
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
}

/// A position or extent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position or an extent",
    label = "not a `usize`",
    note = "positions and extents are of type `usize`"
)]
pub trait Count {
    /// The number.
    fn count(self) -> usize;
}
#[diagnostic::do_not_recommend]
impl Count for usize {
    fn count(self) -> usize {
        self
    }
}

/// The exponent of `powi`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a whole exponent, which `powi` takes",
    label = "not an `i32`",
    note = "for a real exponent write `powf(X, p)`"
)]
pub trait WholeExponent {
    /// The exponent.
    fn exponent(self) -> i32;
}
#[diagnostic::do_not_recommend]
impl WholeExponent for i32 {
    fn exponent(self) -> i32 {
        self
    }
}

/// The exponent of `powf`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real exponent, which `powf` takes",
    label = "not an `f64`",
    note = "for a whole exponent write `powi(X, n)`"
)]
pub trait RealExponent {
    /// The exponent.
    fn exponent(self) -> f64;
}
#[diagnostic::do_not_recommend]
impl RealExponent for f64 {
    fn exponent(self) -> f64 {
        self
    }
}
#[diagnostic::do_not_recommend]
impl RealExponent for f32 {
    fn exponent(self) -> f64 {
        f64::from(self)
    }
}

/// Where a block may run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context to compute in",
    label = "not a `&Context` or `&Graph`",
    note = "a block starts with `in &context;`, where `context` is a `Context`, or a `Graph` that records it"
)]
pub trait IntoContext<'c> {
    /// What runs it.
    type Evaluator: Evaluator;
    /// The context.
    fn context(self) -> &'c Self::Evaluator;
}
#[diagnostic::do_not_recommend]
impl<'c> IntoContext<'c> for &'c Context {
    type Evaluator = Context;
    fn context(self) -> &'c Context {
        self
    }
}
impl<'c> IntoContext<'c> for &'c Graph {
    type Evaluator = Graph;
    fn context(self) -> &'c Graph {
        self
    }
}

/// What becomes of a block's recordings: tensors and numbers, or recordings still.
pub trait Evaluator {
    /// A result with brackets on its left side.
    type Tensor<'a, T: Element, S: Extents>;
    /// A result without.
    type Number<'a, T: Element>;
    /// Computes all sinks of a block together, if it computes.
    ///
    /// # Errors
    /// What the device reports.
    fn compute(&self, sinks: &[Sink<'_>]) -> Result<Results, Error>;
    /// The next result.
    fn take_tensor<'a, T: Element, S: Extents>(&self, expr: &Expr<'a, T, S>, results: &mut Results) -> Self::Tensor<'a, T, S>;
    /// The next result, of rank 0.
    fn take_number<'a, T: Element>(&self, expr: &Expr<'a, T, ()>, results: &mut Results) -> Self::Number<'a, T>;
}

impl Evaluator for Context {
    type Tensor<'a, T: Element, S: Extents> = Tensor<T, S>;
    type Number<'a, T: Element> = T;

    fn compute(&self, sinks: &[Sink<'_>]) -> Result<Results, Error> {
        let values: Vec<_> = sinks.iter().map(|sink| Arc::clone(&sink.0)).collect();
        evaluate(self, &values).map(|results| Results(results.into()))
    }

    fn take_tensor<'a, T: Element, S: Extents>(&self, _: &Expr<'a, T, S>, results: &mut Results) -> Tensor<T, S> {
        results.next::<T>().into_typed().unwrap_or_else(|error| unreachable!("the recording was checked: {error}"))
    }

    fn take_number<'a, T: Element>(&self, _: &Expr<'a, T, ()>, results: &mut Results) -> T {
        results.next::<T>().as_slice()[0]
    }
}

impl Evaluator for Graph {
    type Tensor<'a, T: Element, S: Extents> = Expr<'a, T, S>;
    type Number<'a, T: Element> = Expr<'a, T, ()>;

    fn compute(&self, _: &[Sink<'_>]) -> Result<Results, Error> {
        Ok(Results(VecDeque::new()))
    }

    fn take_tensor<'a, T: Element, S: Extents>(&self, expr: &Expr<'a, T, S>, _: &mut Results) -> Expr<'a, T, S> {
        expr.clone()
    }

    fn take_number<'a, T: Element>(&self, expr: &Expr<'a, T, ()>, _: &mut Results) -> Expr<'a, T, ()> {
        expr.clone()
    }
}

/// A context in which blocks may write tensors: one that computes.
#[diagnostic::on_unimplemented(
    message = "a block that is only recorded cannot write into a tensor",
    label = "recorded, not computed",
    note = "let the result out, evaluate it, and assign it then; or compute the block, without `in &graph;`"
)]
pub trait WritesTensors {}
impl WritesTensors for Context {}

/// A block's own result as an operand of a later equation; unlike a given tensor, it may leave the block.
pub fn local<'a, T: Element, S: Extents>(expr: &Expr<'a, T, S>) -> Operand<'a, T, S> {
    Operand::recorded(expr)
}

/// Shapes of results that may be numbers.
#[diagnostic::on_unimplemented(
    message = "a result with axes cannot be a number in an equation",
    label = "write its indices, as in `W[i, j]`"
)]
pub trait NumberShape: Extents {}
impl NumberShape for () {}

/// A block's own result as a number of a later equation.
pub fn local_scalar<'a, T: Element, S: NumberShape>(_: PhantomData<T>, expr: &Expr<'a, T, S>) -> ScalarValue<'a> {
    ScalarValue::recorded(expr)
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

/// A computed part of a tensor and where it goes.
#[derive(Debug)]
pub struct Patch<T: Element> {
    part: Tensor<T>,
    selection: Vec<Axis>,
}

/// The patch of an element type. By way of a trait, so that nothing is known of the patch of an unknown element type:
/// what is no tensor is reported as such, and not for being written too.
pub trait Patched {
    /// The patch.
    type Patch;
}
impl<T: Element> Patched for T {
    type Patch = Patch<T>;
}

/// The next result as a patch.
pub fn take_patch<C: WritesTensors, T: Element, S>(
    _: &C,
    written: &Written<'_, T, S>,
    results: &mut Results,
) -> <T as Patched>::Patch {
    Patch { part: results.next(), selection: written.selection.clone() }
}

/// Borrows what is assigned to. A method, so that it serves `mut c: Tensor` and `c: &mut Tensor` alike.
pub trait BorrowPlace {
    #[allow(missing_docs)]
    fn __place(&mut self) -> &mut Self {
        self
    }
}
impl<X: ?Sized> BorrowPlace for X {}

/// A computed part that goes into a tensor of type `X`. The part is the subject, so that rustc offers no borrowing.
#[diagnostic::on_unimplemented(
    message = "`{X}` cannot be assigned to",
    label = "not a tensor that can be written",
    note = "what is assigned to is a `mut` variable of type `Tensor` or `TensorMut`, or a `&mut` reference to one"
)]
pub trait WriteInto<X: ?Sized> {
    /// Writes a computed part into its place; extents were checked when it was recorded.
    fn write(self, target: &mut X);
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> WriteInto<Tensor<T, S>> for Patch<T> {
    fn write(self, target: &mut Tensor<T, S>) {
        whole_or_part(target, self);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> WriteInto<TensorMut<'_, T, S>> for Patch<T> {
    fn write(self, target: &mut TensorMut<'_, T, S>) {
        copy(target.erase_mut(), &self);
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
