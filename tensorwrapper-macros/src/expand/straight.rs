//! One checked equation → the tree that computes it over static tensors, in `private/straight/` of the runtime.
//!
//! An equation has a straight form by its syntax alone, so that the type of a result is no surprise: its extents stand in
//! the types of its operands or are literals. It has none with `..`, a fused axis, a range whose end is no literal, a
//! `where` that is no literal, `map`, `cast`, or in a block; nor has a decomposition whose extents only the run knows.
//! Emits no checks: the recording beside it has them.

use proc_macro2::TokenStream;
use quote::format_ident;
use tensorwrapper_notation::syntax::{
    Block, BlockValue, Count, Elements, Factorisation, Hole, Operator, Range, Reduction, Role, Scalar, Target, Word,
};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Equation, Factorise, Function, FunctionId, Index, LabelId, LeftAxis, Mapped, Operand, OperandId,
    Right, ScalarId, Span, Use,
};

use super::Failure;
use super::scene::Scene;

/// Static tensors have so many axes at most.
const AXES: usize = 8;

/// Straight code has so many operands and numbers at most.
const GIVEN: usize = 16;

/// The straight form of a block's only equation.
pub(super) struct Straight(TokenStream);

/// The straight form, if the block is one equation that has one.
pub(super) fn straight(scene: &Scene<'_>, block: &Block, equation: &Equation) -> Option<Straight> {
    let first = equation.operands().first()?;
    let is_alone = match (block.statements.as_slice(), &block.value) {
        ([], BlockValue::Equation(_)) => true,
        ([statement], BlockValue::Nothing) => matches!(statement.target, Target::Place(..)),
        _ => false,
    };
    let is_alone = is_alone && block.context.is_none();
    if !is_alone || equation.left().iter().any(|left| left.axes().len() > AXES) || scene.count_given() > GIVEN {
        return None;
    }
    if equation.labels().iter().any(|label| matches!(label.declared, Some(Count::Hole(_)))) {
        return None;
    }
    // An equation that is left of a faulty block may read what the faulty ones would have made.
    if equation.holes().into_iter().any(|(hole, _)| scene.is_made(hole)) {
        return None;
    }
    let mut emitter = Emitter { scene, equation, is_straight: true };
    let (labels, first, (_, operands)) = (equation.labels().len(), scene.place(&first.hole, Use::Tensor), scene.scrutinee());
    let tree = match equation.build(&mut emitter) {
        Right::Expression(value) => {
            let target = emitter.target();
            emit!(__straight::straight::<#labels, #first, #target, #value, _>(#operands))
        }
        Right::Factorise(call, arguments) => {
            let (operation, arguments, results) = emitter.factorised(call, &arguments)?;
            emit!(__straight::factorised::<#labels, #first, #operation, #arguments, #results, _>(#operands))
        }
    };
    emitter.is_straight.then_some(Straight(tree))
}

/// Code that records and computes, or computes the straight form where all operands are static.
pub(super) fn call(straight: Option<&Straight>, recorded: TokenStream, failure: Failure) -> TokenStream {
    let Some(Straight(form)) = straight else { return recorded };
    let take = match failure {
        Failure::Panic => emit!(take),
        Failure::Return => emit!(try_take),
    };
    emit! {{
        #[allow(unused_imports)]
        use __tw::{RecordInstead as _, straight as __straight};
        let __choice = #form.__choose();
        let __recorded = if __choice.records() {
            ::core::option::Option::Some(#recorded)
        } else {
            ::core::option::Option::None
        };
        __choice.#take(__recorded)
    }}
}

struct Emitter<'s, 'h> {
    scene: &'s Scene<'h>,
    equation: &'s Equation,
    is_straight: bool,
}

impl Emitter<'_, '_> {
    fn no_straight_form(&mut self) -> TokenStream {
        self.is_straight = false;
        TokenStream::new()
    }

    /// A number of the program.
    fn given(&self, hole: &Hole, how: Use) -> TokenStream {
        let number = self.scene.place(hole, how);
        emit!(__straight::Given<#number>)
    }

    /// What becomes of the values.
    fn target(&mut self) -> TokenStream {
        let left = &self.equation.left()[0];
        let labels: Vec<_> = left.labels().into_iter().map(|label| self.over(label)).collect();
        if let Some((id, _)) = self.equation.place() {
            let place = &self.equation.operands()[id.0];
            let (all, indices, number) =
                (self.equation.labels().len(), self.indices(&place.indices), self.scene.place(&place.hole, Use::Tensor));
            return emit!(__straight::ToPlace<#all, (#(#labels,)*), #number, #indices>);
        }
        if left.axes().is_empty() {
            return emit!(__straight::ToNumber);
        }
        if left.is_plain() {
            return emit!(__straight::ToTensor<(#(#labels,)*)>);
        }
        let (mut runs, mut extents) = (Vec::new(), Vec::new());
        for axis in left.axes() {
            let LeftAxis::Label(label) = axis else { return self.no_straight_form() };
            let number = label.0;
            runs.push(emit!(__straight::Run<#number>));
            extents.push(self.over(*label));
        }
        emit!(__straight::ToDiagonal<(#(#labels,)*), (#(#runs,)*), (#(#extents,)*)>)
    }

    /// An operation of linear algebra, its arguments, and what its results become.
    fn factorised(&mut self, call: &Factorise, arguments: &[TokenStream]) -> Option<(TokenStream, TokenStream, TokenStream)> {
        // How much of a decomposition is kept, only the run knows.
        if call.options().cuts() && call.kind() == Factorisation::Svd {
            return None;
        }
        let kind =
            Factorisation::ALL.iter().position(|known| *known == call.kind()).expect("every operation is in the list of all");
        let words = [
            (Word::Full, emit!(__straight::FULL)),
            (Word::Upper, emit!(__straight::UPPER)),
            (Word::Unit, emit!(__straight::UNIT)),
        ];
        let words = words.into_iter().filter(|(word, _)| call.options().has(*word)).map(|(_, bit)| bit);
        let exponent = self.whole(call.options().exponent.as_ref().unwrap_or(&Scalar::Literal(1.0, Span::default())));
        let operation = emit!(__straight::Act<#kind, { 0 #(| #words)* }, #exponent>);
        let form = call.form();
        let matrices = arguments.iter().zip(form.arguments).enumerate().map(|(n, (value, roles))| {
            let (batch, rows) = (call.batch().len(), call.labels(roles[0]).len());
            let labels: Vec<_> = call.argument_axes(n).into_iter().map(|label| self.over(label)).collect();
            emit!(__straight::Matrix<(#(#labels,)*), #batch, #rows, #value>)
        });
        let matrices: Vec<_> = matrices.collect();
        let results = self.equation.left().iter().zip(form.results).enumerate().map(|(n, (left, result))| {
            let elements = match result.elements {
                Elements::Same => emit!(__straight::SameElements),
                Elements::Real => emit!(__straight::RealElements),
                Elements::Complex => emit!(__straight::ComplexElements),
            };
            let computed: Vec<_> = call.result_axes(n).into_iter().map(|label| self.over(label)).collect();
            let labels: Vec<_> = left.labels();
            let becomes = if left.axes().is_empty() {
                emit!(__straight::ToNumber)
            } else {
                let runs = labels.iter().map(|label| label.0);
                let extents: Vec<_> = labels.iter().map(|label| self.over(*label)).collect();
                emit!(__straight::ToAxes<(#(__straight::Run<#runs>,)*), (#(#extents,)*)>)
            };
            emit!(__straight::Made<#elements, (#(#computed,)*), #becomes>)
        });
        let results: Vec<_> = results.collect();
        Some((operation, emit!((#(#matrices,)*)), emit!((#(#results,)*))))
    }

    /// The extent of a new axis, where rows and columns are one label each.
    fn new_extent(&mut self, label: LabelId) -> Option<TokenStream> {
        let call = self.equation.factorise()?;
        let role = [Role::New, Role::NewRow, Role::NewColumn].into_iter().find(|&role| call.labels(role).contains(&label))?;
        let ([row], [column]) = (call.labels(Role::Row), call.labels(Role::Column)) else {
            return Some(self.no_straight_form());
        };
        let (row, column) = (self.extent(*row), self.extent(*column));
        Some(match role {
            Role::NewRow => row,
            Role::NewColumn => column,
            _ => emit!(__straight::ShorterOf<#row, #column>),
        })
    }

    /// A label and what gives it its extent.
    fn over(&mut self, label: LabelId) -> TokenStream {
        let (number, extent) = (label.0, self.extent(label));
        emit!(__straight::Over<#number, #extent>)
    }

    /// What gives a label its extent: an axis that runs with it, or a literal.
    fn extent(&mut self, label: LabelId) -> TokenStream {
        if let Some(extent) = self.new_extent(label) {
            return extent;
        }
        let number = label.0;
        let operands = self.equation.operands().iter();
        let mut places = operands.flat_map(|operand| operand.indices.iter().enumerate().map(move |place| (operand, place)));
        let whole = places.clone().find(|(_, (_, index))| matches!(index, Index::Label(found, _) if *found == label));
        match whole {
            Some((operand, (axis, _))) => {
                let number = self.scene.place(&operand.hole, Use::Tensor);
                emit!(__straight::AxisOf<#number, #axis>)
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
                emit!(__tw::Const<#length>)
            }
        }
    }

    /// A whole exponent.
    fn whole(&self, exponent: &Scalar) -> TokenStream {
        match exponent {
            Scalar::Literal(value, _) => {
                let value = *value as i32;
                emit!(__straight::Whole<#value>)
            }
            Scalar::Hole(hole) => self.given(hole, Use::Whole),
        }
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
            Index::Label(LabelId(label), _) => emit!(__straight::Run<#label>),
            Index::Slice(LabelId(label), Range::Literal(start, Some(end), _), _) => {
                emit!(__straight::Part<#label, #start, #end>)
            }
            Index::Chip(count) => match count {
                Count::Literal(position, _) => emit!(__straight::At<#position>),
                Count::Hole(hole) => {
                    let number = self.scene.place(hole, Use::Count);
                    emit!(__straight::AtGiven<#number>)
                }
            },
            Index::Slice(..) | Index::Fused(..) | Index::Rest => self.no_straight_form(),
        }
    }
}

impl Builder for Emitter<'_, '_> {
    type Value = TokenStream;

    fn operand(&mut self, _: OperandId, operand: &Operand) -> TokenStream {
        let (given, indices) = (self.scene.place(&operand.hole, Use::Tensor), self.indices(&operand.indices));
        emit!(__straight::Read<#given, #indices>)
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> TokenStream {
        match scalar {
            Scalar::Literal(value, _) => {
                let bits = value.to_bits();
                emit!(__straight::Literal<#bits>)
            }
            Scalar::Hole(hole) => self.given(hole, Use::Scalar),
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> TokenStream {
        self.scalar(id, scalar)
    }

    fn negate(&mut self, value: TokenStream) -> TokenStream {
        emit!(__straight::Negate<#value>)
    }

    fn binary(&mut self, operator: Operator, left: TokenStream, right: TokenStream) -> TokenStream {
        // The variant's name is its debug text.
        let variant = format_ident!("{operator:?}");
        emit!(__straight::Binary<__straight::#variant, #left, #right>)
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: TokenStream) -> TokenStream {
        let variant = format_ident!("{reduction:?}");
        labels.iter().rev().fold(value, |value, label| {
            let over = self.over(*label);
            emit!(__straight::Fold<__straight::#variant, #over, #value>)
        })
    }

    fn apply(&mut self, function: Function, value: TokenStream) -> TokenStream {
        let number = Function::ALL.iter().position(|known| *known == function);
        let number = number.expect("every function is in the list of all");
        emit!(__straight::Apply<#number, #value>)
    }

    fn map(&mut self, _: FunctionId, _: &Mapped, _: Vec<TokenStream>) -> TokenStream {
        self.no_straight_form()
    }

    fn begin_cast(&mut self, _: CastId, _: &Cast) {
        self.is_straight = false;
    }

    fn cast(&mut self, _: CastId, _: TokenStream) -> TokenStream {
        self.no_straight_form()
    }

    fn power_integer(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = self.whole(exponent);
        emit!(__straight::PowerInteger<#value, #exponent>)
    }

    fn power_real(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = match exponent {
            Scalar::Literal(value, _) => {
                let bits = value.to_bits();
                emit!(__straight::Real<#bits>)
            }
            Scalar::Hole(hole) => self.given(hole, Use::Real),
        };
        emit!(__straight::PowerReal<#value, #exponent>)
    }
}
