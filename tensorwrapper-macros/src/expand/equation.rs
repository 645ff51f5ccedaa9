//! One checked equation → its text, and a block of code that types it: compile-time checks, numbers, and a ticket for
//! each result.
//!
//! Only the text says what the equation computes. The run time reads it with the same grammar; see `private/block.rs` of the
//! runtime.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use tensorwrapper_notation::syntax::{Elements, Hole, Scalar, Statement};
use tensorwrapper_notation::{CastId, Equation, Fraction, Left, LeftAxis, Mapped, Use, fractions, write};

use super::checks;
use super::environment::{Environment, first_of_spelling};
use super::hygiene::own;

/// One equation of a block.
pub(super) struct Recorded {
    /// Code that passes the equation's numbers to the block. Its value is the tickets of the results.
    pub(super) code: TokenStream,
    /// What the run time reads of the equation.
    pub(super) recipe: TokenStream,
}

/// Emits one equation, whose first result has the number `first`.
pub(super) fn record(environment: &Environment<'_>, statement: &Statement, equation: &Equation, first: usize) -> Recorded {
    let operands: Vec<Ident> = equation.operands().iter().map(|operand| environment.operand(&operand.hole)).collect();
    let elements = elements(environment, equation, &operands);
    let fractions = fractional(environment, statement, equation);
    let checks = checks::checks(environment, equation, &operands);
    let constants = checks::labels_are_no_constants(environment, equation);
    let pass = pass(environment, equation);
    let tickets = tickets(statement, equation, &operands, first);
    let code = emit! {
        {
            #constants
            #elements
            #fractions
            #checks
            #pass
            #tickets
        }
    };
    let text = write(statement, equation);
    let numbers = equation.operands().iter().map(|operand| environment.value_number(&operand.hole));
    Recorded { code, recipe: emit!(__tw::Recipe(#text, &[#(#numbers),*])) }
}

/// The variable that holds the element type of an equation, or of what a cast converts.
fn element(part: Option<CastId>) -> Ident {
    match part {
        None => format_ident!("__element", span = Span::mixed_site()),
        Some(CastId(n)) => own("element", n),
    }
}

/// The element types of the equation and of what each cast converts.
fn elements(environment: &Environment<'_>, equation: &Equation, operands: &[Ident]) -> TokenStream {
    let mut code = TokenStream::new();
    let (mut known, mut compared) = (HashSet::new(), HashSet::new());
    // A number that is differentiated is real although its derivatives may be complex.
    let differentiated = equation.gradients().iter().map(|[value, _]| value.0);
    let numbers: Vec<usize> = differentiated.filter(|&n| equation.operands()[n].indices.is_empty()).collect();
    for (n, operand) in equation.operands().iter().enumerate() {
        if numbers.contains(&n) || !compared.insert((operand.cast, first_of_spelling(equation, n))) {
            continue;
        }
        let (name, element, span) = (&operands[n], element(operand.cast), environment.host.blame(&operand.hole));
        code.extend(if known.insert(operand.cast) {
            emit!(let #element = #name.element();)
        } else {
            agree(&element, &emit!(#name.element()), span)
        });
    }
    for n in numbers {
        let operand = &equation.operands()[n];
        let (name, element, span) = (&operands[n], element(operand.cast), environment.host.blame(&operand.hole));
        let check = quote_spanned!(span=> <_ as __tw::HasGradient<_>>::check);
        code.extend(checked(&check, &emit!(#name.element()), &emit!(#element)));
    }
    code.extend(casts(environment, equation, &mut known));
    if let Some((place, _)) = equation.place()
        && equation.operands().len() > 1
    {
        let (name, element, span) =
            (&operands[place.0], element(None), environment.host.blame(&equation.operands()[place.0].hole));
        let check = quote_spanned!(span=> <_ as __tw::WrittenInto<_>>::check);
        code.extend(checked(&check, &emit!(#element), &emit!(#name.element())));
    }
    code
}

/// Code for the element types that casts name, and checks that there are such casts. `known` are the parts of the equation that have
/// a type from an operand.
fn casts(environment: &Environment<'_>, equation: &Equation, known: &mut HashSet<Option<CastId>>) -> TokenStream {
    let mut code = TokenStream::new();
    // Where nothing tells a type, as around truth values alone, numbers are of double precision.
    let named = |part: Option<CastId>| equation.casts().iter().any(|cast| cast.outer == part && cast.named.is_some());
    let parts = (0..equation.casts().len()).map(|n| Some(CastId(n))).chain([None]);
    for part in parts.filter(|&part| !known.contains(&part) && !named(part)) {
        let element = element(part);
        code.extend(emit!(let #element = ::core::marker::PhantomData::<__tw::f64>;));
    }
    for cast in equation.casts() {
        let Some(named) = &cast.named else { continue };
        let (element, named, span) = (element(cast.outer), environment.host.tokens(named), environment.host.blame(named));
        let named = emit!(::core::marker::PhantomData::<#named>);
        code.extend(if known.insert(cast.outer) { emit!(let #element = #named;) } else { agree(&element, &named, span) });
    }
    // Truth values are 1 and 0 in every type.
    let is_mask = |n: usize| equation.operands().iter().any(|operand| operand.is_mask && operand.cast == Some(CastId(n)));
    for (n, cast) in equation.casts().iter().enumerate().filter(|(n, cast)| !cast.is_real && !is_mask(*n)) {
        let (from, to) = (element(Some(CastId(n))), element(cast.outer));
        let check = quote_spanned!(environment.host.span(cast.span)=> <() as __tw::Casts<_, _>>::check);
        code.extend(checked(&check, &emit!(#from), &emit!(#to)));
    }
    code
}

/// Code that checks that what integers do not have, such as a division, is not asked of them.
fn fractional(environment: &Environment<'_>, statement: &Statement, equation: &Equation) -> TokenStream {
    let check = |place: Fraction| {
        let part = equation.casts().iter().position(|cast| Some(cast.span) == place.cast).map(CastId);
        let element = element(part);
        let check = quote_spanned!(environment.host.span(place.span)=> <_ as __tw::Fractional>::check);
        emit!(#check(#element);)
    };
    fractions(statement).into_iter().map(check).collect()
}

/// Code for the element type of an equation over elements of two types.
fn agree(element: &Ident, other: &TokenStream, span: Span) -> TokenStream {
    // All of it at the place of the operand, so that rustc reports types that do not mix once.
    let span = span.resolved_at(Span::mixed_site());
    quote_spanned! {span=>
        let __elements = __tw::Elements(#element, #other);
        let #element = <_ as __tw::MixesWith<_>>::check(__elements);
    }
}

/// Code that checks two element types.
fn checked(check: &TokenStream, first: &TokenStream, second: &TokenStream) -> TokenStream {
    // In a value of its own, because rustc would else infer one type from the other.
    emit! {
        let __elements = __tw::Elements(#first, #second);
        #check(__elements);
    }
}

/// Code that passes what the equation captures beside tensors: numbers, functions and element types of casts.
fn pass(environment: &Environment<'_>, equation: &Equation) -> TokenStream {
    let (mut scalars, mut numbers) = (Vec::new(), Vec::new());
    let casts = equation.innermost_casts();
    let part_of = |hole: &Hole| {
        let same = |scalar: &Scalar| matches!(scalar, Scalar::Hole(known) if known.span == hole.span);
        equation.scalars().iter().position(same).and_then(|n| casts.scalars[n])
    };
    for (hole, role) in equation.holes() {
        match role {
            Use::Tensor | Use::Function => {}
            Use::Scalar => scalars.push(environment.scalar(hole, &element(part_of(hole)))),
            Use::Range | Use::Count | Use::Whole | Use::Real => {
                // Several equations may use one.
                let number = environment.number_variable(hole, role);
                numbers.push(emit!(#number.clone()));
            }
        }
    }
    if equation.functions().is_empty() && equation.casts().is_empty() {
        return match scalars.is_empty() && numbers.is_empty() {
            true => emit!(__block.equation(__element);),
            false => emit!(__block.equation_with(__element, [#(#scalars),*], [#(#numbers),*]);),
        };
    }
    let (lookups, callbacks): (Vec<_>, Vec<_>) = equation
        .functions()
        .iter()
        .zip(&casts.functions)
        .enumerate()
        .map(|(n, (function, part))| callback(environment, n, function, *part))
        .unzip();
    let casts = (0..equation.casts().len()).map(|n| element(Some(CastId(n))));
    emit! {
        #(#lookups)*
        __block.equation_of(__element, [#(#scalars),*], [#(#numbers),*], [#(#callbacks),*], [#(__tw::dtype(#casts)),*]);
    }
}

/// Code that checks a function, and code for the function without its type.
fn callback(environment: &Environment<'_>, number: usize, function: &Mapped, part: Option<CastId>) -> (TokenStream, TokenStream) {
    let (captured, span) = (environment.function(&function.hole), environment.host.function(&function.hole));
    let (count, lookup) = (function.arguments, format_ident!("__function{}", function.arguments));
    let check = quote_spanned!(span=> <_ as __tw::Shared<_>>::check);
    let fits = quote_spanned!(span=> <_ as __tw::MapFunction<_, #count>>::check);
    let callback = quote_spanned!(span=> <_ as __tw::Repeated<_, #count>>::callback);
    let (asked, element) = (own("asked", number), element(part));
    let code = emit! {
        #check(__tw::called(#captured), __tw::unwritten);
        let #asked = __tw::candidate(#captured, #element).__share();
        let #asked = #asked.#lookup();
        let #asked = #fits(#asked);
    };
    (code, emit!(#callback(#asked)))
}

/// The marks of a result's axes, from which its shape type is made.
fn marks(left: &Left) -> TokenStream {
    // Shape types have up to 16 axes. Beyond that, and with `..`, the rank is known at run time.
    if left.axes().len() > 16 || left.axes().contains(&LeftAxis::Rest) {
        return emit!(__tw::Unranked);
    }
    let marks = left.axes().iter().map(|axis| match axis {
        LeftAxis::Label(label) => {
            let extent = checks::extent(*label);
            emit!(#extent)
        }
        LeftAxis::Fused(labels) => checks::product(labels),
        LeftAxis::Rest => emit!(__tw::Mark::dynamic()),
    });
    emit!((#(#marks,)*))
}

/// Code for the form of the results: dense, unless an operand is a block tensor.
fn form(equation: &Equation, operands: &[Ident]) -> TokenStream {
    // Truth values choose among numbers, whose form they have no part in.
    let is_number = |n: usize| !equation.operands()[n].is_mask;
    let firsts = (0..operands.len()).filter(|&n| first_of_spelling(equation, n) == n && is_number(n));
    let mut firsts = firsts.map(|n| &operands[n]);
    let Some(first) = firsts.next() else { return emit!(::core::marker::PhantomData::<__tw::Whole>) };
    firsts.fold(emit!(#first.form()), |known, operand| emit!(__tw::joined(#known, &#operand)))
}

/// Code for the tickets of the results.
fn tickets(statement: &Statement, equation: &Equation, operands: &[Ident], first: usize) -> TokenStream {
    if let Some((place, _)) = equation.place() {
        let target = &operands[place.0];
        return emit!(#target.after(#first));
    }
    let form = form(equation, operands);
    let tickets = equation.left().iter().enumerate().map(|(n, left)| {
        let (marks, number) = (marks(left), first + n);
        let elements = equation.factorise().map_or(Elements::Same, |call| call.form().results[n].elements);
        let element = match elements {
            Elements::Same => emit!(__element),
            Elements::Real => emit!(__tw::real(__element)),
            Elements::Complex => emit!(__tw::complex(__element)),
        };
        let ticket = emit!(__tw::ticket(#element, #marks, #form, #number));
        if statement.is_truth() { emit!(__tw::truth(#ticket)) } else { ticket }
    });
    let tickets: Vec<_> = tickets.collect();
    if let [one] = tickets.as_slice() { one.clone() } else { emit!((#(#tickets),*)) }
}
