//! One checked equation → the tree that computes it over static tensors, in `private/straight/` of the runtime.
//!
//! An equation has a straight form by its syntax alone, so that the type of a result is no surprise: its extents stand in
//! the types of its operands or are literals. It has none with `..`, a fused axis, a range whose end is no literal, a
//! `where` that is no literal, a decomposition, or in a block. Emits no checks: the recording beside it has them.

use proc_macro2::TokenStream;
use quote::format_ident;
use tensorwrapper_notation::syntax::{Block, BlockValue, Count, Operator, Range, Reduction, Scalar, Target};
use tensorwrapper_notation::{Builder, Equation, Function, Index, LabelId, LeftAxis, Operand, OperandId, Right, ScalarId};

use super::Failure;
use super::scene::Scene;

/// Static tensors have so many axes at most.
const AXES: usize = 8;

/// The straight form of a block's only equation.
pub(super) struct Straight {
    tree: TokenStream,
    /// Whether something in it may fail when the program runs.
    may_fail: bool,
}

/// The straight form, if the block is one equation that has one.
pub(super) fn straight(scene: &Scene<'_>, block: &Block, equation: &Equation) -> Option<Straight> {
    let first = equation.operands().first()?;
    let [left] = equation.left() else { return None };
    let is_alone = match (block.statements.as_slice(), &block.value) {
        ([], BlockValue::Equation(_)) => true,
        ([statement], BlockValue::Nothing) => matches!(statement.target, Target::Place(..)),
        _ => false,
    };
    let is_alone = is_alone && block.context.is_none();
    if !is_alone || equation.factorise().is_some() || left.axes().len() > AXES {
        return None;
    }
    if equation.labels().iter().any(|label| matches!(label.declared, Some(Count::Hole(_)))) {
        return None;
    }
    let mut emitter = Emitter { scene, equation, may_fail: false, is_straight: true };
    let target = emitter.target();
    let Right::Expression(value) = equation.build(&mut emitter) else { return None };
    let (labels, first) = (equation.labels().len(), scene.borrowed(&first.hole));
    let tree = emit!(::tensorwrapper::__private::Straight::<#labels, _, _, _>(#first, #target, #value));
    emitter.is_straight.then_some(Straight { tree, may_fail: emitter.may_fail })
}

/// Calls a closure that records and computes, or computes the straight form where all operands are static.
pub(super) fn call(straight: Option<&Straight>, record: &TokenStream, failure: Failure) -> TokenStream {
    let Some(Straight { tree, may_fail }) = straight else { return emit!((#record)()) };
    let compute = match (failure, may_fail) {
        (Failure::Panic, false) => emit!(__compute),
        (Failure::Panic, true) => emit!(__compute_fitting),
        (Failure::Return, false) => emit!(__try_compute),
        (Failure::Return, true) => emit!(__try_compute_fitting),
    };
    emit! {{
        #[allow(unused_imports)]
        use ::tensorwrapper::__private::RecordInstead as _;
        #tree.#compute(#record)
    }}
}

struct Emitter<'s, 'h> {
    scene: &'s Scene<'h>,
    equation: &'s Equation,
    may_fail: bool,
    is_straight: bool,
}

impl Emitter<'_, '_> {
    fn no_straight_form(&mut self) -> TokenStream {
        self.is_straight = false;
        TokenStream::new()
    }

    /// What becomes of the values.
    fn target(&mut self) -> TokenStream {
        let left = &self.equation.left()[0];
        let labels: Vec<_> = left.labels().into_iter().map(|label| self.over(label)).collect();
        if let Some((id, _)) = self.equation.place() {
            let place = &self.equation.operands()[id.0];
            let (number, indices, place) =
                (self.equation.labels().len(), self.indices(&place.indices), self.scene.borrowed(&place.hole));
            return emit!(::tensorwrapper::__private::ToPlace::<#number, _, _, _>((#(#labels,)*), #place, #indices));
        }
        if left.axes().is_empty() {
            return emit!(::tensorwrapper::__private::ToNumber);
        }
        if left.is_plain() {
            return emit!(::tensorwrapper::__private::ToTensor((#(#labels,)*)));
        }
        let (mut runs, mut extents) = (Vec::new(), Vec::new());
        for axis in left.axes() {
            let LeftAxis::Label(label) = axis else { return self.no_straight_form() };
            let number = label.0;
            runs.push(emit!(::tensorwrapper::__private::Run::<#number>));
            extents.push(self.over(*label));
        }
        emit!(::tensorwrapper::__private::ToDiagonal((#(#labels,)*), (#(#runs,)*), (#(#extents,)*)))
    }

    /// A label and what gives it its extent: an axis that runs with it, or a literal.
    fn over(&mut self, label: LabelId) -> TokenStream {
        let number = label.0;
        let operands = self.equation.operands().iter();
        let mut places = operands.flat_map(|operand| operand.indices.iter().enumerate().map(move |place| (operand, place)));
        let whole = places.clone().find(|(_, (_, index))| matches!(index, Index::Label(found, _) if *found == label));
        let extent = match whole {
            Some((operand, (axis, _))) => {
                let given = self.scene.borrowed(&operand.hole);
                emit!(::tensorwrapper::__private::axis_of::<#axis, _>(#given))
            }
            None => {
                let part = places.find_map(|(_, (_, index))| match index {
                    Index::Slice(found, Range::Literal(start, Some(end), _), _) if *found == label => Some(end - start),
                    _ => None,
                });
                let declared = match &self.equation.labels()[number].declared {
                    Some(Count::Literal(extent, _)) => Some(*extent),
                    Some(Count::Hole(_)) | None => None,
                };
                let Some(length) = part.or(declared) else { return self.no_straight_form() };
                emit!(::tensorwrapper::Const::<#length>)
            }
        };
        emit!(::tensorwrapper::__private::Over::<#number, _>(#extent))
    }

    fn indices(&mut self, indices: &[Index]) -> TokenStream {
        if indices.len() > AXES {
            return self.no_straight_form();
        }
        let terms: Vec<_> = indices.iter().map(|index| self.index(index)).collect();
        emit!((#(#terms,)*))
    }

    fn index(&mut self, index: &Index) -> TokenStream {
        match index {
            Index::Label(LabelId(label), _) => emit!(::tensorwrapper::__private::Run::<#label>),
            Index::Slice(LabelId(label), Range::Literal(start, Some(end), _), _) => {
                self.may_fail = true;
                emit!(::tensorwrapper::__private::Part::<#label, #start, #end>)
            }
            Index::Chip(count) => {
                self.may_fail = true;
                let position = self.scene.count(count);
                emit!(::tensorwrapper::__private::Fixed(#position))
            }
            Index::Slice(..) | Index::Fused(..) | Index::Rest => self.no_straight_form(),
        }
    }
}

impl Builder for Emitter<'_, '_> {
    type Value = TokenStream;

    fn operand(&mut self, _: OperandId, operand: &Operand) -> TokenStream {
        let (given, indices) = (self.scene.borrowed(&operand.hole), self.indices(&operand.indices));
        emit!(::tensorwrapper::__private::Read(#given, #indices))
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> TokenStream {
        match scalar {
            Scalar::Literal(value, _) => emit!(::tensorwrapper::__private::Literal(#value)),
            Scalar::Hole(hole) => {
                let given = self.scene.borrowed(hole);
                emit!(::tensorwrapper::__private::Given(#given))
            }
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> TokenStream {
        self.scalar(id, scalar)
    }

    fn negate(&mut self, value: TokenStream) -> TokenStream {
        emit!(::tensorwrapper::__private::Negate(#value))
    }

    fn binary(&mut self, operator: Operator, left: TokenStream, right: TokenStream) -> TokenStream {
        // The variant's name is its debug text.
        let variant = format_ident!("{operator:?}");
        emit!(::tensorwrapper::__private::Binary(::tensorwrapper::__private::Operator::#variant, #left, #right))
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: TokenStream) -> TokenStream {
        self.may_fail |= matches!(reduction, Reduction::Max | Reduction::Min);
        let variant = format_ident!("{reduction:?}");
        labels.iter().rev().fold(value, |value, label| {
            let over = self.over(*label);
            emit!(::tensorwrapper::__private::Fold(::tensorwrapper::__private::Reduction::#variant, #over, #value))
        })
    }

    fn apply(&mut self, function: Function, value: TokenStream) -> TokenStream {
        let variant = format_ident!("{function:?}");
        emit!(::tensorwrapper::__private::Apply(::tensorwrapper::__private::Function::#variant, #value))
    }

    fn power_integer(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = match exponent {
            Scalar::Literal(value, _) => {
                let value = *value as i32;
                emit!(#value)
            }
            Scalar::Hole(hole) => self.scene.whole(hole),
        };
        emit!(::tensorwrapper::__private::PowerInteger(#value, #exponent))
    }

    fn power_real(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = match exponent {
            Scalar::Literal(value, _) => emit!(#value),
            Scalar::Hole(hole) => self.scene.real(hole),
        };
        emit!(::tensorwrapper::__private::PowerReal(#value, #exponent))
    }
}
