//! One checked equation → its text, and a closure that types it: compile-time checks, numbers, and a ticket for each
//! result.
//!
//! What the equation computes is in the text alone, which the run reads with the same grammar. See `private/block.rs` of
//! the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use tensorwrapper_notation::syntax::Statement;
use tensorwrapper_notation::{Equation, Left, LeftAxis, Use, write};

use super::checks;
use super::scene::Scene;

/// One equation of a block.
pub(super) struct Recorded {
    /// Code that passes the equation's numbers to the block; its value is the tickets of the results.
    pub(super) code: TokenStream,
    /// The recipe for the run.
    pub(super) recipe: TokenStream,
}

/// Emits one equation of a scene, whose first result has the number `first`.
pub(super) fn record(scene: &Scene<'_>, statement: &Statement, equation: &Equation, first: usize) -> Recorded {
    let operands: Vec<Ident> = equation.operands().iter().map(|operand| scene.operand(&operand.hole)).collect();
    let elements = elements(scene, equation, &operands);
    let checks = checks::checks(scene, equation, &operands);
    let constants = checks::labels_are_no_constants(scene, equation);
    let pass = pass(scene, equation);
    let tickets = tickets(equation, &operands, first);
    let code = emit! {
        {
            #constants
            #elements
            #checks
            #pass
            #tickets
        }
    };
    let text = write(statement, equation);
    let numbers = equation.operands().iter().map(|operand| scene.number(&operand.hole));
    Recorded { code, recipe: emit!(__tw::Recipe(#text, &[#(#numbers),*])) }
}

/// The first operand of the same spelling: equal spellings are one value.
pub(super) fn shared(equation: &Equation, operand: usize) -> usize {
    let operands = equation.operands();
    operands.iter().position(|known| known.hole.text == operands[operand].hole.text).unwrap_or(operand)
}

/// The element type that all operands have.
fn elements(scene: &Scene<'_>, equation: &Equation, operands: &[Ident]) -> TokenStream {
    let mut code = TokenStream::new();
    for (n, operand) in equation.operands().iter().enumerate().filter(|(n, _)| shared(equation, *n) == *n) {
        let (name, span) = (&operands[n], scene.host.blame(&operand.hole));
        code.extend(if n == 0 {
            emit!(let __element = #name.element();)
        } else {
            let check = quote_spanned!(span=> <_ as __tw::MixesWith<_>>::check);
            // Settled first, because rustc would infer the one from the other.
            emit! {
                let __elements = __tw::Elements(__element, #name.element());
                #check(__elements);
            }
        });
    }
    if equation.operands().is_empty() {
        code.extend(emit!(let __element = ::core::marker::PhantomData::<__tw::f64>;));
    }
    code
}

/// Passes what the equation takes from the program beside tensors.
fn pass(scene: &Scene<'_>, equation: &Equation) -> TokenStream {
    let (mut scalars, mut numbers) = (Vec::new(), Vec::new());
    for (hole, role) in equation.holes() {
        match role {
            Use::Tensor => {}
            Use::Scalar => scalars.push(scene.scalar(hole)),
            Use::Range | Use::Count | Use::Whole | Use::Real => numbers.push(scene.passed(hole, role)),
        }
    }
    if scalars.is_empty() && numbers.is_empty() {
        return emit!(__block.equation(__element););
    }
    emit!(__block.equation_with(__element, [#(#scalars),*], [#(#numbers),*]);)
}

/// The marks of a result's axes, from which its shape type is made.
fn marks(left: &Left) -> TokenStream {
    // Tuples end at 16; beyond, and with `..`, the rank is known at run time.
    if left.axes().len() > 16 || left.axes().contains(&LeftAxis::Rest) {
        return emit!(__tw::Unranked);
    }
    let marks = left.axes().iter().map(|axis| match axis {
        LeftAxis::Label(label) => {
            let extent = checks::extent(*label);
            emit!(#extent)
        }
        // A product of extents is no constant that stable Rust can name.
        LeftAxis::Fused(_) | LeftAxis::Rest => emit!(__tw::Mark::dynamic()),
    });
    emit!((#(#marks,)*))
}

/// The tickets of the results: one, or those of a decomposition.
fn tickets(equation: &Equation, operands: &[Ident], first: usize) -> TokenStream {
    if let Some((place, _)) = equation.place() {
        let target = &operands[place.0];
        return emit!(#target.after(#first));
    }
    let last = equation.left().len() - 1;
    let tickets = equation.left().iter().enumerate().map(|(n, left)| {
        let (marks, number) = (marks(left), first + n);
        // Eigenvalues are real, whatever the matrix is.
        let element = if n < last { emit!(__tw::real(__element)) } else { emit!(__element) };
        emit!(__tw::ticket(#element, #marks, #number))
    });
    let tickets: Vec<_> = tickets.collect();
    if let [one] = tickets.as_slice() { one.clone() } else { emit!((#(#tickets),*)) }
}
