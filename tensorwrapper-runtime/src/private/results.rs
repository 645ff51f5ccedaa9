//! What becomes of recordings: computed or kept, taken as results, written into places.

use std::any::type_name;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::element::Element;
use crate::error::Error;
use crate::exec::{Context, Graph, evaluate};
use crate::expr::{Axis, Expr, Value, Written};
use crate::shape::{Extents, StaticExtents};
use crate::tensor::{AnyMut, AnyTensor, StaticTensor, Tensor, TensorMut};

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
pub trait WritesTensors {
    /// The next result as a patch.
    fn take_patch<T: Element, S>(&self, written: &Written<'_, T, S>, results: &mut Results) -> <T as Patched>::Patch {
        Patch { part: results.next(), selection: written.selection.clone() }
    }
}
#[diagnostic::do_not_recommend]
impl WritesTensors for Context {}

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

#[diagnostic::do_not_recommend]
impl<T: Element, S: StaticExtents> WriteInto<StaticTensor<T, S>> for Patch<T> {
    fn write(self, target: &mut StaticTensor<T, S>) {
        copy(target.erase_mut(), &self);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, X> WriteInto<&mut X> for Patch<T>
where
    Patch<T>: WriteInto<X>,
{
    fn write(self, target: &mut &mut X) {
        self.write(&mut **target);
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
