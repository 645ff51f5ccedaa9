//! One checked equation → the type that computes it over static tensors, a tree of nodes of `private/static_expr/` of the runtime.
//!
//! Syntax alone decides whether an equation has a static form, so that the type of a result is no surprise: every extent must
//! be in the type of an operand or a literal. These have no static form: `..`, a fused axis, a range whose end is not a
//! literal, a `where` that is not a literal, `map`, `cast`, an equation among others in a block, and a decomposition whose
//! extents are known only at run time. No checks are emitted here: the recording, which is emitted beside the static form, has
//! them.

mod numbered;

use numbered::numbered;
use proc_macro2::TokenStream;
use quote::format_ident;
use tensorwrapper_notation::syntax::{
    Block, BlockValue, Count, Elements, Factorisation, Hole, Operator, Range, Reduction, Role, Scalar, Target, Word,
};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Comparison, Condition, Equation, Factorise, Function, FunctionId, Index, LabelId, LeftAxis, Mapped,
    Operand, OperandId, Right, ScalarId, Span, Use,
};

use super::environment::Environment;
use super::failure::Failure;

/// The most axes of a static tensor.
const MOST_AXES: usize = 8;

/// The most operands and numbers of a static form.
const MOST_CAPTURES: usize = 16;

/// The static form of a block's only equation: code that gives the type its operands.
pub(super) struct StaticForm(TokenStream);

/// The static form, if the block is one equation that has one.
pub(super) fn static_form(environment: &Environment<'_>, block: &Block, equation: &Equation) -> Option<StaticForm> {
    if equation.operands().is_empty() {
        return None;
    }
    let is_alone = match (block.statements.as_slice(), &block.value) {
        // Truth values are the result of a recording.
        ([], BlockValue::Equation(statement)) => !statement.is_truth(),
        ([statement], BlockValue::Nothing) => matches!(statement.target, Target::Place(..)),
        _ => false,
    };
    let is_alone = is_alone && block.context.is_none();
    if !is_alone || equation.left().iter().any(|left| left.axes().len() > MOST_AXES) || environment.captures() > MOST_CAPTURES {
        return None;
    }
    if !equation.claims().is_empty() || equation.labels().iter().any(|label| matches!(label.declared, Some(Count::Hole(_)))) {
        return None;
    }
    // What is left of a faulty block may read results of its faulty equations.
    if equation.holes().into_iter().any(|(hole, _)| environment.is_block_result(hole)) {
        return None;
    }
    let mut emitter = Emitter { environment, equation, has_static_form: true };
    let (labels, element, (_, operands)) = (equation.labels().len(), element(environment, equation), environment.scrutinee());
    let tree = match equation.build(&mut emitter) {
        Right::Expression(value) => {
            let target = emitter.target();
            emit!(__static::expr::<#labels, #element, #target, #value, _>(#operands))
        }
        Right::Factorise(call, arguments) => {
            let (operation, arguments, results) = emitter.factorised(call, &arguments)?;
            emit!(__static::factorisation::<#labels, #element, #operation, #arguments, #results, _>(#operands))
        }
    };
    emitter.has_static_form.then_some(StaticForm(tree))
}

/// The type that determines the element type from those of the operands.
fn element(environment: &Environment<'_>, equation: &Equation) -> TokenStream {
    let mut known: Vec<usize> = Vec::new();
    for operand in equation.operands() {
        let position = environment.position(&operand.hole, Use::Tensor);
        if !known.contains(&position) {
            known.push(position);
        }
    }
    let mut positions = known.into_iter();
    let first = positions.next().map(|first| numbered("ElementOfOperand", &[first], None)).unwrap_or_default();
    positions.fold(first, |element, position| numbered("MixedWith", &[position], Some(element)))
}

/// Code that computes the static form where all operands are static, and else records the equation and computes that.
pub(super) fn choose(form: Option<&StaticForm>, recorded: TokenStream, failure: Failure) -> TokenStream {
    let Some(StaticForm(form)) = form else { return recorded };
    let take = match failure {
        Failure::Panic => emit!(take),
        Failure::Return => emit!(try_take),
    };
    emit! {{
        #[allow(unused_imports)]
        use __tw::{RecordInstead as _, static_expr as __static};
        let __choice = #form.__choose();
        let __recorded = if __choice.records() {
            __tw::Some(#recorded)
        } else {
            __tw::None
        };
        __choice.#take(__recorded)
    }}
}

struct Emitter<'s, 'h> {
    environment: &'s Environment<'h>,
    equation: &'s Equation,
    has_static_form: bool,
}

impl Emitter<'_, '_> {
    fn no_static_form(&mut self) -> TokenStream {
        self.has_static_form = false;
        TokenStream::new()
    }

    /// A number of the program.
    fn captured(&self, hole: &Hole, role: Use) -> TokenStream {
        let number = self.environment.position(hole, role);
        emit!(__static::Capture<#number>)
    }

    /// The type of the left side: what becomes of the computed values.
    fn target(&mut self) -> TokenStream {
        let left = &self.equation.left()[0];
        let labels: Vec<_> = left.labels().into_iter().map(|label| self.label_extent(label)).collect();
        if let Some((id, _)) = self.equation.place() {
            let place = &self.equation.operands()[id.0];
            let (all, indices, number) =
                (self.equation.labels().len(), self.indices(&place.indices), self.environment.position(&place.hole, Use::Tensor));
            return emit!(__static::ToPlace<#all, (#(#labels,)*), #number, #indices>);
        }
        if left.axes().is_empty() {
            return emit!(__static::ToNumber);
        }
        if left.is_plain() {
            return emit!(__static::ToTensor<(#(#labels,)*)>);
        }
        let (mut indices, mut extents) = (Vec::new(), Vec::new());
        for axis in left.axes() {
            let LeftAxis::Label(label) = axis else { return self.no_static_form() };
            indices.push(numbered("LabelIndex", &[label.0], None));
            extents.push(self.label_extent(*label));
        }
        emit!(__static::ToDiagonal<(#(#labels,)*), (#(#indices,)*), (#(#extents,)*)>)
    }

    /// An operation of linear algebra, its arguments, and what its results become.
    fn factorised(&mut self, call: &Factorise, arguments: &[TokenStream]) -> Option<(TokenStream, TokenStream, TokenStream)> {
        // Only the run knows how many singular values are kept.
        if call.options().cuts() && call.kind() == Factorisation::Svd {
            return None;
        }
        let kind =
            Factorisation::ALL.iter().position(|known| *known == call.kind()).expect("every operation is in the list of all");
        let words =
            [(Word::Full, emit!(__static::FULL)), (Word::Upper, emit!(__static::UPPER)), (Word::Unit, emit!(__static::UNIT))];
        let words = words.into_iter().filter(|(word, _)| call.options().has(*word)).map(|(_, bit)| bit);
        let exponent = self.whole(call.options().exponent.as_ref().unwrap_or(&Scalar::Literal(1.0, Span::default())));
        let operation = emit!(__static::LinearOperation<#kind, { 0 #(| #words)* }, #exponent>);
        let form = call.form();
        let matrices = arguments.iter().zip(form.arguments).enumerate().map(|(n, (value, roles))| {
            let (batch, rows) = (call.batch().len(), call.labels(roles[0]).len());
            let labels: Vec<_> = call.argument_axes(n).into_iter().map(|label| self.label_extent(label)).collect();
            emit!(__static::Matrix<(#(#labels,)*), #batch, #rows, #value>)
        });
        let matrices: Vec<_> = matrices.collect();
        let results = self.equation.left().iter().zip(form.results).enumerate().map(|(n, (left, result))| {
            let elements = match result.elements {
                Elements::Same => emit!(__static::SameElements),
                Elements::Real => emit!(__static::RealElements),
                Elements::Complex => emit!(__static::ComplexElements),
            };
            let computed: Vec<_> = call.result_axes(n).into_iter().map(|label| self.label_extent(label)).collect();
            let labels: Vec<_> = left.labels();
            let becomes = if left.axes().is_empty() {
                emit!(__static::ToNumber)
            } else {
                let indices = labels.iter().map(|label| numbered("LabelIndex", &[label.0], None));
                let extents: Vec<_> = labels.iter().map(|label| self.label_extent(*label)).collect();
                emit!(__static::ToAxes<(#(#indices,)*), (#(#extents,)*)>)
            };
            emit!(__static::LinearResult<#elements, (#(#computed,)*), #becomes>)
        });
        let results: Vec<_> = results.collect();
        Some((operation, emit!((#(#matrices,)*)), emit!((#(#results,)*))))
    }

    /// The extent of a new axis, where rows and columns are one label each.
    fn new_extent(&mut self, label: LabelId) -> Option<TokenStream> {
        let call = self.equation.factorise()?;
        let role = [Role::New, Role::NewRow, Role::NewColumn].into_iter().find(|&role| call.labels(role).contains(&label))?;
        let ([row], [column]) = (call.labels(Role::Row), call.labels(Role::Column)) else {
            return Some(self.no_static_form());
        };
        let (row, column) = (self.extent(*row), self.extent(*column));
        Some(match role {
            Role::NewRow => row,
            Role::NewColumn => column,
            _ => emit!(__static::MinExtent<#row, #column>),
        })
    }

    /// A label with the source of its extent.
    fn label_extent(&mut self, label: LabelId) -> TokenStream {
        let extent = self.extent(label);
        numbered("LabelExtent", &[label.0], Some(extent))
    }

    /// The source of a label's extent: an axis that runs with it, or a literal.
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
                let number = self.environment.position(&operand.hole, Use::Tensor);
                numbered("AxisExtent", &[number, axis], None)
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
                let Some(length) = part.or(declared) else { return self.no_static_form() };
                emit!(__tw::Const<#length>)
            }
        }
    }

    /// A whole exponent.
    fn whole(&self, exponent: &Scalar) -> TokenStream {
        match exponent {
            Scalar::Literal(value, _) => {
                let value = *value as i32;
                emit!(__static::ConstInteger<#value>)
            }
            Scalar::Hole(hole) => self.captured(hole, Use::Whole),
        }
    }

    fn indices(&mut self, indices: &[Index]) -> TokenStream {
        if indices.len() > MOST_AXES {
            return self.no_static_form();
        }
        let terms: Vec<_> = indices.iter().map(|index| self.index(index)).collect();
        emit!((#(#terms,)*))
    }

    fn index(&mut self, index: &Index) -> TokenStream {
        match index {
            Index::Label(LabelId(label), _) => numbered("LabelIndex", &[*label], None),
            Index::Slice(LabelId(label), Range::Literal(start, Some(end), _), _) => {
                emit!(__static::SliceIndex<#label, #start, #end>)
            }
            Index::Chip(count) => match count {
                Count::Literal(position, _) => emit!(__static::ConstIndex<#position>),
                Count::Hole(hole) => {
                    let number = self.environment.position(hole, Use::Count);
                    emit!(__static::CaptureIndex<#number>)
                }
            },
            Index::Slice(..) | Index::Fused(..) | Index::Rest => self.no_static_form(),
        }
    }
}

impl Builder for Emitter<'_, '_> {
    type Value = TokenStream;

    fn operand(&mut self, _: OperandId, operand: &Operand) -> TokenStream {
        if !operand.layers.is_empty() {
            return self.no_static_form();
        }
        let (capture, indices) = (self.environment.position(&operand.hole, Use::Tensor), self.indices(&operand.indices));
        numbered("Read", &[capture], Some(indices))
    }

    fn gradient(&mut self, _: (OperandId, &Operand), _: (OperandId, &Operand)) -> TokenStream {
        self.no_static_form()
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> TokenStream {
        match scalar {
            Scalar::Literal(value, _) => {
                let bits = value.to_bits();
                emit!(__static::Literal<#bits>)
            }
            Scalar::Hole(hole) => self.captured(hole, Use::Scalar),
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> TokenStream {
        self.scalar(id, scalar)
    }

    fn iota(&mut self, LabelId(label): LabelId) -> TokenStream {
        emit!(__static::LabelValue<#label>)
    }

    fn extent(&mut self, label: LabelId) -> TokenStream {
        let of = self.label_extent(label);
        emit!(__static::LabelLength<#of>)
    }

    fn negate(&mut self, value: TokenStream) -> TokenStream {
        emit!(__static::Negate<#value>)
    }

    fn binary(&mut self, operator: Operator, left: TokenStream, right: TokenStream) -> TokenStream {
        // The variant's name is its debug text.
        let variant = format_ident!("{operator:?}");
        emit!(__static::Binary<__static::#variant, #left, #right>)
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: TokenStream) -> TokenStream {
        let variant = format_ident!("{reduction:?}");
        labels.iter().rev().fold(value, |value, label| {
            let over = self.label_extent(*label);
            emit!(__static::ReduceOver<__static::#variant, #over, #value>)
        })
    }

    fn apply(&mut self, function: Function, value: TokenStream) -> TokenStream {
        let number = Function::ALL.iter().position(|known| *known == function);
        let number = number.expect("every function is in the list of all");
        emit!(__static::Apply<#number, #value>)
    }

    fn map(&mut self, _: &[(FunctionId, &Mapped)], _: Vec<TokenStream>) -> TokenStream {
        self.no_static_form()
    }

    fn select(&mut self, condition: Condition<TokenStream>, chosen: TokenStream, other: TokenStream) -> TokenStream {
        let condition = holds(condition);
        emit!(__static::Select<#condition, #chosen, #other>)
    }

    fn begin_cast(&mut self, _: CastId, _: &Cast) {
        self.has_static_form = false;
    }

    fn cast(&mut self, _: CastId, _: TokenStream) -> TokenStream {
        self.no_static_form()
    }

    fn power_integer(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = self.whole(exponent);
        emit!(__static::PowerInteger<#value, #exponent>)
    }

    fn power_real(&mut self, value: TokenStream, _: ScalarId, exponent: &Scalar) -> TokenStream {
        let exponent = match exponent {
            Scalar::Literal(value, _) => {
                let bits = value.to_bits();
                emit!(__static::ConstReal<#bits>)
            }
            Scalar::Hole(hole) => self.captured(hole, Use::Real),
        };
        emit!(__static::PowerReal<#value, #exponent>)
    }
}

/// A condition as 1 or 0.
fn holds(condition: Condition<TokenStream>) -> TokenStream {
    let number = |value: f64| {
        let bits = value.to_bits();
        emit!(__static::Literal<#bits>)
    };
    let (yes, no) = (number(1.0), number(0.0));
    match condition {
        Condition::Compare(comparison, sides) => {
            let place = Comparison::ALL.iter().position(|known| *known == comparison);
            let place = place.expect("every comparison is in the list of all");
            let [left, right] = *sides;
            emit!(__static::Compare<#place, #left, #right>)
        }
        Condition::Holds(of) => *of,
        Condition::Both(parts) => {
            let [first, second] = parts.map(holds);
            emit!(__static::Select<#first, #second, #no>)
        }
        Condition::Either(parts) => {
            let [first, second] = parts.map(holds);
            emit!(__static::Select<#first, #yes, #second>)
        }
        Condition::Not(inner) => {
            let inner = holds(*inner);
            emit!(__static::Select<#inner, #no, #yes>)
        }
    }
}
