//! The last steps of a block: recorded values are computed or kept, taken as results, and written into tensors.

mod there;

use std::sync::Arc;

use super::block::{Block, Taken};
use super::evaluator::{Computes, ComputesExtents};
use super::mask::{MaskNumbers, RecordedMask};
use super::ticket::Ticket;
use crate::exec::{Context, Graph, KeptPlan};
use crate::expr::{Axis, Expr, Form, Operand, Target, Truth};
use crate::link::Link;
use crate::tensor::{AnyBlocks, Blocks, StaticTensor, Tensor, TensorMut, copy_between};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::storage::Owned;

/// Types that can be the context of a block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context to compute in",
    label = "not a `&Context` or `&Graph`",
    note = "a block starts with `in &context;`, where `context` is a `Context`, or a `Graph` that records it"
)]
pub trait IntoContext<'c> {
    /// The type that runs the block.
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

/// Contexts of blocks, which decide the types of a block's results: tensors and numbers, or recorded values.
pub trait Evaluator: ComputesExtents + Sized {
    /// A result with brackets on its left side.
    type Tensor<'a, F: Form, T: Numeric, S: Extents>;
    /// A result without brackets on its left side.
    type Number<'a, F: Form, T: Numeric>;
    /// Truth values of the program as equations read them.
    type Mask<'a, S>;
    /// Makes truth values ready to be read.
    fn mask<'a, S>(mask: Operand<'a, f32, S, Truth>) -> Self::Mask<'a, S>;
    /// Computes all results of a block together; a [`Graph`] only records them.
    ///
    /// # Errors
    /// Faults of the equations, and what the device reports.
    fn run(block: &mut Block<'_, '_, Self>) -> Result<(), Error>;
    /// Whether the block's equations must be recorded, because no earlier run has made a plan that fits.
    fn is_new(block: &mut Block<'_, '_, Self>) -> bool;
    /// The next result.
    fn take_tensor<'a, F: Form, T: Numeric, S: Extents>(
        block: &mut Block<'_, 'a, Self>,
        ticket: &Ticket<T, S, F>,
    ) -> Self::Tensor<'a, F, T, S>;
    /// The next result, of rank 0.
    fn take_number<'a, F: Form, T: Numeric>(block: &mut Block<'_, 'a, Self>, ticket: &Ticket<T, (), F>)
    -> Self::Number<'a, F, T>;
}

impl Evaluator for Context {
    type Tensor<'a, F: Form, T: Numeric, S: Extents> = F::Computed<T, S>;
    type Number<'a, F: Form, T: Numeric> = F::Number<T>;
    type Mask<'a, S> = MaskNumbers<'a, S>;

    fn mask<'a, S>(mask: Operand<'a, f32, S, Truth>) -> MaskNumbers<'a, S> {
        MaskNumbers::new(mask)
    }

    fn run(block: &mut Block<'_, '_, Self>) -> Result<(), Error> {
        block.compute()
    }

    fn is_new(block: &mut Block<'_, '_, Self>) -> bool {
        block.is_new()
    }

    fn take_tensor<'a, F: Form, T: Numeric, S: Extents>(
        block: &mut Block<'_, 'a, Self>,
        _: &Ticket<T, S, F>,
    ) -> F::Computed<T, S> {
        block.take::<F, T, S>()
    }

    fn take_number<'a, F: Form, T: Numeric>(block: &mut Block<'_, 'a, Self>, _: &Ticket<T, (), F>) -> F::Number<T> {
        F::number(block.take_number())
    }
}

impl Evaluator for Graph {
    type Tensor<'a, F: Form, T: Numeric, S: Extents> = Expr<'a, T, S>;
    type Number<'a, F: Form, T: Numeric> = Expr<'a, T, ()>;
    type Mask<'a, S> = RecordedMask<'a, S>;

    fn mask<'a, S>(mask: Operand<'a, f32, S, Truth>) -> RecordedMask<'a, S> {
        RecordedMask(mask)
    }

    fn run(block: &mut Block<'_, '_, Self>) -> Result<(), Error> {
        block.refuse_recorded_integers()?;
        block.record_all()
    }

    fn is_new(_: &mut Block<'_, '_, Self>) -> bool {
        true
    }

    fn take_tensor<'a, F: Form, T: Numeric, S: Extents>(
        block: &mut Block<'_, 'a, Self>,
        ticket: &Ticket<T, S, F>,
    ) -> Expr<'a, T, S> {
        Expr::new(Link::clone(block.result(ticket.number)))
    }

    fn take_number<'a, F: Form, T: Numeric>(block: &mut Block<'_, 'a, Self>, ticket: &Ticket<T, (), F>) -> Expr<'a, T, ()> {
        Expr::new(Link::clone(block.result(ticket.number)))
    }
}

/// A context in which blocks may write tensors: one that computes.
#[diagnostic::on_unimplemented(
    message = "a block that is only recorded cannot write into a tensor",
    label = "recorded, not computed",
    note = "let the result out, evaluate it, and assign it then; or compute the block, without `in &graph;`"
)]
pub trait WritesTensors: Sized {
    /// The next result as a patch.
    fn take_patch<T: Numeric, S, F>(block: &mut Block<'_, '_, Self>, _: &Ticket<T, S, F>) -> <T as Patched>::Patch;
}
#[diagnostic::do_not_recommend]
impl WritesTensors for Context {
    fn take_patch<T: Numeric, S, F>(block: &mut Block<'_, '_, Self>, _: &Ticket<T, S, F>) -> <T as Patched>::Patch {
        block.take_patch()
    }
}

impl<E: Computes> Block<'_, '_, E> {
    /// The next result as a patch.
    fn take_patch<T: Numeric>(&mut self) -> Patch<T> {
        let typed = |elements| T::of_buffer(elements).unwrap_or_else(|_| unreachable!("a result of {} was recorded", T::NAME));
        let part = |elements, place| Patch(Written::Part(Part { elements, place }));
        if let Some((elements, kept, number)) = self.take_planned() {
            return part(typed(elements), Place::Planned(kept, number));
        }
        match self.take_made() {
            Taken::Part(tensor, target) => {
                let (elements, layout) = tensor.into_buffer();
                part(typed(elements), Place::Own(Box::new((layout, target))))
            }
            Taken::Integers(integers, Some(target)) => {
                let (elements, layout) = integers.typed();
                part(elements, Place::Own(Box::new((layout, target))))
            }
            Taken::Blocks(blocks) => Patch(Written::Blocks(Box::new(blocks))),
            Taken::Dense(_) | Taken::Integers(_, None) => unreachable!("what is written has a place"),
        }
    }
}

/// What is written into a tensor. It is moved several times before it is written, so it is small.
#[derive(Debug)]
pub struct Patch<T: Numeric>(Written<T>);

#[derive(Debug)]
enum Written<T: Numeric> {
    Part(Part<T>),
    /// All blocks of a block tensor.
    Blocks(Box<AnyBlocks>),
}

/// A computed part of a tensor and where it goes.
#[derive(Debug)]
struct Part<T: Numeric> {
    elements: Owned<T>,
    place: Place,
}

/// How a part lies, and where in a tensor it goes.
#[derive(Debug)]
enum Place {
    /// As the plan says for its write of this number.
    Planned(Arc<KeptPlan>, usize),
    Own(Box<(Strided, Target)>),
}

impl Place {
    fn layout(&self) -> &Strided {
        match self {
            Place::Planned(kept, number) => &kept.plan.results[*number],
            Place::Own(own) => &own.0,
        }
    }

    fn target(&self) -> &Target {
        match self {
            Place::Planned(kept, number) => &kept.writes[*number],
            Place::Own(own) => &own.1,
        }
    }
}

impl<T: Numeric> Patch<T> {
    fn into_part(self) -> Part<T> {
        match self.0 {
            Written::Part(part) => part,
            Written::Blocks(_) => unreachable!("blocks are written into block tensors"),
        }
    }
}

impl<T: Numeric> Part<T> {
    /// Checks the extents of the place. A place is evaluated twice, to read its extents and to write it; both give the same
    /// tensor, unless an `IndexMut` of the program returns another one.
    #[track_caller]
    fn check(&self, extents: &[usize]) {
        let whole = &self.place.target().whole;
        assert!(
            whole == extents,
            "the place of an assignment had extents {whole:?} when it was read, and has {extents:?} where it is written: \
             it is another tensor now"
        );
    }
}

/// The patch type of an element type. It goes through a trait, so that rustc knows nothing about the patch of an unknown
/// element type: a value that is not a tensor is then reported once, and not a second time because it is written.
pub trait Patched {
    /// The patch.
    type Patch;
}
impl<T: Numeric> Patched for T {
    type Patch = Patch<T>;
}

/// Borrows the tensor that is assigned to. It is a method, so that it works for both `mut c: Tensor` and `c: &mut Tensor`.
pub trait BorrowPlace {
    #[allow(missing_docs)]
    fn __place(&mut self) -> &mut Self {
        self
    }
}
impl<X: ?Sized> BorrowPlace for X {}

/// A computed part that can be written into a tensor of type `X`. The trait is implemented for the part, so that rustc does not
/// suggest a borrow.
#[diagnostic::on_unimplemented(
    message = "`{X}` cannot be assigned to",
    label = "not a tensor that can be written",
    note = "what is assigned to is a `mut` variable of type `Tensor`, `TensorMut` or `Blocks`, or a `&mut` reference to one"
)]
pub trait WriteInto<X: ?Sized> {
    /// Writes a computed part into its place; extents were checked when it was recorded.
    ///
    /// # Panics
    /// If the place has other extents than when the part was recorded.
    #[track_caller]
    fn write(self, target: &mut X);
}

#[diagnostic::do_not_recommend]
impl<T: Numeric, S: Extents> WriteInto<Tensor<T, S>> for Patch<T> {
    #[track_caller]
    fn write(self, target: &mut Tensor<T, S>) {
        let part = self.into_part();
        part.check(target.extents());
        whole_or_part(target, part);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Numeric, S: Extents> WriteInto<TensorMut<'_, T, S>> for Patch<T> {
    #[track_caller]
    fn write(self, target: &mut TensorMut<'_, T, S>) {
        let part = self.into_part();
        part.check(target.extents());
        copy(target.parts_mut(), &part);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: StaticExtents> WriteInto<StaticTensor<T, S>> for Patch<T> {
    fn write(self, target: &mut StaticTensor<T, S>) {
        let (elements, layout) = target.parts_mut();
        copy((elements, &layout), &self.into_part());
    }
}

/// The blocks of the result replace those of the target.
#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> WriteInto<Blocks<T, S>> for Patch<T> {
    #[track_caller]
    fn write(self, target: &mut Blocks<T, S>) {
        let Written::Blocks(blocks) = self.0 else { unreachable!("a block tensor is written by blocks") };
        let (whole, found) = (blocks.structure.shape(), target.structure().shape());
        assert!(
            whole == found,
            "the place of an assignment had extents {whole:?} when it was read, and has {found:?} where it is written: \
             it is another tensor now"
        );
        *target = Blocks::of_any(*blocks);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Numeric, X> WriteInto<&mut X> for Patch<T>
where
    Patch<T>: WriteInto<X>,
{
    #[track_caller]
    fn write(self, target: &mut &mut X) {
        self.write(&mut **target);
    }
}

/// Moves a whole result in, and copies a part.
fn whole_or_part<T: Numeric, S: Extents>(tensor: &mut Tensor<T, S>, patch: Part<T>) {
    let selection = &patch.place.target().selection;
    let in_order = selection.iter().enumerate().all(|(n, axis)| *axis == Axis::Label { label: n, start: 0 });
    if in_order && tensor.is_plain() && patch.place.layout().extents() == tensor.extents() {
        tensor.replace_elements(patch.elements);
    } else {
        copy(tensor.parts_mut(), &patch);
    }
}

/// Copies a part into the selected elements.
fn copy<T: Numeric>((target, layout): (&mut [T], &Strided), patch: &Part<T>) {
    let (mut layout, lies) = (layout.clone(), patch.place.layout());
    // From the last axis, so that removing one leaves the numbers of those before it.
    let mut labels = Vec::new();
    for (axis, selected) in patch.place.target().selection.iter().enumerate().rev() {
        match *selected {
            Axis::Chip(position) => layout = layout.chip(axis, position),
            Axis::Fused(_) => unreachable!("a fused axis is one axis of what is written"),
            Axis::Label { label, start } => {
                layout = layout.slice(axis, start, lies.extents()[label]);
                labels.insert(0, label);
            }
        }
    }
    let layout = layout.gather(&labels, lies.extents());
    let copied = copy_between(&patch.elements, lies, target, &layout);
    copied.expect("a copy of what exists needs no memory of its own");
}
