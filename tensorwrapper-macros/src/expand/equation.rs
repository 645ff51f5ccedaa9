//! One checked equation → an expression that records it: `Result<Expr<'_, T, S>, Error>` or its like.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};
use tensorwrapper_notation::syntax::{Factorisation, Operator, Range, Reduction, Scalar};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Equation, Factorise, Function, FunctionId, Index, LabelId, Left, LeftAxis, Mapped, Operand, OperandId,
    Right, ScalarId,
};

use super::checks;
use super::own;
use super::scene::Scene;

/// Code that records an equation.
pub(super) struct Recorded {
    pub(super) code: TokenStream,
}

/// Emits the recording of one equation of a scene.
pub(super) fn record(scene: &Scene<'_>, equation: &Equation) -> Recorded {
    let operands = operands(scene, equation);
    let checks = checks::checks(scene, equation);
    let labels: Vec<&str> = equation.labels().iter().map(|label| label.name.as_str()).collect();
    let constants = checks::labels_are_no_constants(scene, equation);
    let declared = equation.labels().iter().enumerate().filter_map(|(n, label)| {
        let extent = scene.count(label.declared.as_ref()?);
        Some(emit!(__recorder.declare(#n, #extent);))
    });
    let mut emitter = Emitter { scene, equation, statements: TokenStream::new(), nodes: 0, casts: Vec::new() };
    // The place of a plain `=` is no part of the right side, but its extents count, and it is written first.
    let place = equation.place().map(|(id, _)| emitter.operand(id, &equation.operands()[id.0]));
    let right = equation.build(&mut emitter);
    let nodes = emitter.statements;
    let finish = match right {
        Right::Expression(node) => finish(equation, &node, place.as_ref()),
        Right::Factorise(factorise, arguments) => finish_factorise(equation, factorise, &arguments),
    };
    let code = emit! {
        (|| {
            #[allow(unused_imports)]
            use ::tensorwrapper::__private::{
                AxisByType as _, AxisByValue as _, CompareAtRunTime as _, DivideAtRunTime as _, LocateAtRunTime as _,
                ProductAtRunTime as _, QuotientAtRunTime as _, RefuseFunction as _,
                RefuseSharing as _,
            };
            #constants
            #operands
            #checks
            let mut __recorder = ::tensorwrapper::__private::recorder(__element, &[#(#labels),*]);
            #(#declared)*
            #nodes
            #finish
        })()
    };
    Recorded { code }
}

/// The first operand of the same spelling: equal spellings are one value.
pub(super) fn shared(equation: &Equation, operand: usize) -> usize {
    let operands = equation.operands();
    operands.iter().position(|known| known.hole.text == operands[operand].hole.text).unwrap_or(operand)
}

/// The variable that holds the element type of an equation, or of what a cast converts.
fn element(part: Option<CastId>) -> Ident {
    match part {
        None => format_ident!("__element", span = proc_macro2::Span::mixed_site()),
        Some(CastId(n)) => own("element", n),
    }
}

/// The operands as values of the recording, and the element type of the equation and of each part of it that is cast.
fn operands(scene: &Scene<'_>, equation: &Equation) -> TokenStream {
    let mut code = TokenStream::new();
    let (mut known, mut compared) = (HashSet::new(), HashSet::new());
    for (n, operand) in equation.operands().iter().enumerate() {
        let (first, span) = (shared(equation, n), scene.host.blame(&operand.hole));
        let (name, element) = (own("operand", first), element(operand.cast));
        if first == n {
            let given = scene.borrowed(&operand.hole);
            // A path of the user's place: rustc blames its `_`, which stands for the operand's type.
            let read = match scene.recorded(&operand.hole.text) {
                Some(_) => quote_spanned!(span=> ::tensorwrapper::__private::local(#given)),
                None => quote_spanned!(span=> <_ as ::tensorwrapper::__private::TensorLike>::operand(#given)),
            };
            code.extend(emit!(let #name = #read;));
        }
        if !compared.insert((operand.cast, first)) {
            continue;
        }
        code.extend(if known.insert(operand.cast) {
            emit!(let #element = #name.element();)
        } else {
            agree(&element, &emit!(#name.element()), span)
        });
    }
    code.extend(casts(scene, equation, &mut known));
    if equation.operands().is_empty() {
        code.extend(emit!(let __element = ::core::marker::PhantomData::<::core::primitive::f64>;));
    }
    code
}

/// The element types that casts name, and whether there is such a cast; `known` are the parts whose type operands tell.
fn casts(scene: &Scene<'_>, equation: &Equation, known: &mut HashSet<Option<CastId>>) -> TokenStream {
    let mut code = TokenStream::new();
    for cast in equation.casts() {
        let Some(named) = &cast.named else { continue };
        let (element, named, span) = (element(cast.outer), scene.host.tokens(named), scene.host.blame(named));
        let named = emit!(::core::marker::PhantomData::<#named>);
        code.extend(if known.insert(cast.outer) { emit!(let #element = #named;) } else { agree(&element, &named, span) });
    }
    for (n, cast) in equation.casts().iter().enumerate().filter(|(_, cast)| !cast.is_real) {
        let (from, to) = (element(Some(CastId(n))), element(cast.outer));
        let check = quote_spanned!(scene.host.span(cast.span)=> <() as ::tensorwrapper::__private::Casts<_, _>>::check);
        code.extend(emit! {
            let __elements = ::tensorwrapper::__private::Elements(#from, #to);
            #check(__elements);
        });
    }
    code
}

/// Two element types are one.
fn agree(element: &Ident, other: &TokenStream, span: proc_macro2::Span) -> TokenStream {
    let check = quote_spanned!(span=> <_ as ::tensorwrapper::__private::MixesWith<_>>::check);
    emit! {
        let __elements = ::tensorwrapper::__private::Elements(#element, #other);
        #check(__elements);
    }
}

fn numbers(labels: &[LabelId]) -> Vec<usize> {
    labels.iter().map(|label| label.0).collect()
}

/// The path of an index form of the recorder.
fn index_path() -> TokenStream {
    emit!(::tensorwrapper::__private::Index)
}

/// The axes of a result, for the recorder.
fn axes(left: &Left) -> TokenStream {
    let path = index_path();
    let axes = left.axes().iter().map(|axis| match axis {
        LeftAxis::Label(LabelId(label)) => emit!(#path::Label(#label)),
        LeftAxis::Fused(labels) => {
            let labels = numbers(labels);
            emit!(#path::Fused(&[#(#labels),*]))
        }
        LeftAxis::Rest => emit!(#path::Rest),
    });
    emit!(&[#(#axes),*])
}

/// The marks of a result's axes, from which its shape type is made.
fn marks(left: &Left) -> TokenStream {
    // Tuples end at 16; beyond, and with `..`, the rank is known at run time.
    if left.axes().len() > 16 || left.axes().contains(&LeftAxis::Rest) {
        return emit!(::tensorwrapper::__private::Unranked);
    }
    let marks = left.axes().iter().map(|axis| match axis {
        LeftAxis::Label(label) => {
            let extent = checks::extent(*label);
            emit!(#extent)
        }
        LeftAxis::Fused(labels) => checks::product(labels),
        LeftAxis::Rest => emit!(::tensorwrapper::__private::Mark::dynamic()),
    });
    emit!((#(#marks,)*))
}

fn finish(equation: &Equation, node: &Ident, place: Option<&Ident>) -> TokenStream {
    let left = &equation.left()[0];
    let axes = axes(left);
    match place {
        None => {
            let marks = marks(left);
            emit!(::tensorwrapper::__private::finish(__recorder, #node, #axes, __element, #marks))
        }
        Some(place) => {
            let target = own("operand", shared(equation, equation.place().expect("a place was emitted").0.0));
            emit!(::tensorwrapper::__private::finish_write(__recorder, #node, #axes, &#target, #place))
        }
    }
}

fn finish_factorise(equation: &Equation, factorise: &Factorise, arguments: &[Ident]) -> TokenStream {
    let kind = match factorise.kind() {
        Factorisation::Cholesky => emit!(Cholesky),
        Factorisation::Eigh => emit!(Eigh),
    };
    let argument_axes = numbers(&factorise.argument_axes());
    let matrix = factorise.matrix_labels().map(|label| label.0);
    let results = factorise.result_axes().into_iter().zip(equation.left()).map(|(computed, left)| {
        let (computed, wanted) = (numbers(&computed), numbers(&left.labels()));
        emit!((&[#(#computed),*], &[#(#wanted),*]))
    });
    // Eigenvalues are real, whatever the matrix is.
    let last = equation.left().len() - 1;
    let typed = equation.left().iter().enumerate().map(|(n, left)| {
        let marks = marks(left);
        let element = if n < last { emit!(::tensorwrapper::__private::real(__element)) } else { emit!(__element) };
        emit!(::tensorwrapper::__private::typed(__factors.remove(0), #element, #marks))
    });
    let typed: Vec<_> = typed.collect();
    let value = if let [one] = typed.as_slice() { one.clone() } else { emit!((#(#typed),*)) };
    emit! {
        __recorder
            .finish_factorise(
                ::tensorwrapper::__private::Decomposition::#kind,
                ::std::vec![#(#arguments),*],
                &[#(#argument_axes),*],
                [#(#matrix),*],
                &[#(#results),*],
            )
            .map(|mut __factors| #value)
    }
}

/// Emits one call of the recorder for each node, bound to a name.
struct Emitter<'s, 'h> {
    scene: &'s Scene<'h>,
    equation: &'s Equation,
    statements: TokenStream,
    nodes: usize,
    /// The casts that are being recorded, the innermost last.
    casts: Vec<CastId>,
}

impl Emitter<'_, '_> {
    fn bind(&mut self, call: &TokenStream) -> Ident {
        let name = own("node", self.nodes);
        self.nodes += 1;
        self.statements.extend(emit!(let #name = #call;));
        name
    }

    /// The variable that holds the element type of what is being recorded.
    fn element(&self) -> Ident {
        element(self.casts.last().copied())
    }

    fn index(&self, index: &Index) -> TokenStream {
        let private = index_path();
        match index {
            Index::Label(LabelId(label), _) => emit!(#private::Label(#label)),
            Index::Slice(LabelId(label), Range::Literal(start, end, _), _) => {
                let end = match end {
                    Some(end) => emit!(::core::option::Option::Some(#end)),
                    None => emit!(::core::option::Option::None),
                };
                emit!(#private::Slice(#label, #start, #end))
            }
            Index::Slice(LabelId(label), Range::Hole(hole), _) => {
                let range = self.scene.range(hole);
                emit!(#private::Slice(#label, #range.0, #range.1))
            }
            Index::Chip(count) => {
                let position = self.scene.count(count);
                emit!(#private::Chip(#position))
            }
            Index::Fused(labels, _) => {
                let labels = numbers(labels);
                emit!(#private::Fused(&[#(#labels),*]))
            }
            Index::Rest => emit!(#private::Rest),
        }
    }
}

impl Builder for Emitter<'_, '_> {
    type Value = Ident;

    fn operand(&mut self, id: OperandId, operand: &Operand) -> Ident {
        let (name, text) = (own("operand", shared(self.equation, id.0)), &operand.hole.text);
        let indices: Vec<_> = operand.indices.iter().map(|index| self.index(index)).collect();
        self.bind(&emit!(__recorder.operand(&#name, #text, &[#(#indices),*])))
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> Ident {
        match scalar {
            Scalar::Literal(value, _) => self.bind(&emit!(__recorder.literal(#value))),
            Scalar::Hole(hole) => {
                let (given, element) = (self.scene.borrowed(hole), self.element());
                let span = self.scene.host.blame(hole);
                let read = match self.scene.recorded(&hole.text) {
                    Some(_) => quote_spanned!(span=> ::tensorwrapper::__private::local_scalar),
                    None => quote_spanned!(span=> <_ as ::tensorwrapper::__private::IntoScalar<_>>::scalar),
                };
                self.bind(&emit!(__recorder.scalar(#read(#element, #given))))
            }
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> Ident {
        // Labels have their extents from elsewhere, and a number does not change along them.
        self.scalar(id, scalar)
    }

    fn negate(&mut self, value: Ident) -> Ident {
        self.bind(&emit!(__recorder.negate(#value)))
    }

    fn binary(&mut self, operator: Operator, left: Ident, right: Ident) -> Ident {
        let operator = match operator {
            Operator::Add => emit!(Add),
            Operator::Subtract => emit!(Subtract),
            Operator::Multiply => emit!(Multiply),
            Operator::Divide => emit!(Divide),
        };
        self.bind(&emit!(__recorder.binary(::tensorwrapper::__private::Operator::#operator, #left, #right)))
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Ident) -> Ident {
        let reduction = match reduction {
            Reduction::Sum => emit!(Sum),
            Reduction::Product => emit!(Product),
            Reduction::Max => emit!(Max),
            Reduction::Min => emit!(Min),
        };
        let labels = numbers(labels);
        self.bind(&emit!(__recorder.reduce(::tensorwrapper::__private::Reduction::#reduction, &[#(#labels),*], #value)))
    }

    fn apply(&mut self, function: Function, value: Ident) -> Ident {
        // The variant's name is its debug text.
        let variant = format_ident!("{function:?}");
        self.bind(&emit!(__recorder.apply(::tensorwrapper::__private::Function::#variant, #value)))
    }

    fn map(&mut self, _: FunctionId, function: &Mapped, arguments: Vec<Ident>) -> Ident {
        let given = self.scene.function(&function.hole);
        let span = self.scene.host.function(&function.hole);
        let (count, lookup) = (function.arguments, format_ident!("__function{}", function.arguments));
        let check = quote_spanned!(span=> <_ as ::tensorwrapper::__private::Shared>::check);
        let callback = quote_spanned!(span=> <_ as ::tensorwrapper::__private::MapFunction<_, #count>>::callback);
        let (asked, element) = (own("asked", self.nodes), self.element());
        self.statements.extend(emit! {
            #check(#given);
            let #asked = ::tensorwrapper::__private::candidate(#given, #element).__share();
            let #asked = #asked.#lookup();
        });
        self.bind(&emit!(__recorder.map(#callback(#asked), ::std::vec![#(#arguments),*])))
    }

    fn begin_cast(&mut self, id: CastId, _: &Cast) {
        self.casts.push(id);
        let element = self.element();
        self.statements.extend(emit!(__recorder.begin_cast(#element);));
    }

    fn cast(&mut self, _: CastId, value: Ident) -> Ident {
        self.casts.pop();
        self.bind(&emit!(__recorder.cast(#value)))
    }

    fn power_integer(&mut self, value: Ident, _: ScalarId, exponent: &Scalar) -> Ident {
        let exponent = match exponent {
            Scalar::Literal(value, _) => {
                let value = *value as i32;
                emit!(#value)
            }
            Scalar::Hole(hole) => self.scene.whole(hole),
        };
        self.bind(&emit!(__recorder.power_integer(#value, #exponent)))
    }

    fn power_real(&mut self, value: Ident, _: ScalarId, exponent: &Scalar) -> Ident {
        let exponent = match exponent {
            Scalar::Literal(value, _) => emit!(#value),
            Scalar::Hole(hole) => self.scene.real(hole),
        };
        self.bind(&emit!(__recorder.power_real(#value, #exponent)))
    }
}
