//! The language of tensorwrapper: tokens, grammar, meaning. No dependencies.
//!
//! The macros and the functions that read equations at run time share this crate, so that an equation means the same everywhere: tokens →
//! [`parse`] → [`syntax`] → [`check`] → [`Equation`]. Only [`check`] makes an [`Equation`]. So the labels of an equation are right, and
//! no other crate checks them again.

#![forbid(unsafe_code)]

mod check;
mod claim;
mod condition;
mod diagnostic;
mod einsum;
mod equation;
mod factorisation;
mod fraction;
mod function;
mod holes;
mod leaves;
mod lex;
mod names;
mod nearest;
mod parse;
mod parts;
mod product;
mod relabel;
pub mod sentence;
mod spelling;
pub mod syntax;
#[cfg(test)]
mod testing;
mod token;
mod traversal;
mod written;

pub use check::{check, header};
pub use condition::{Comparison, Condition, ConditionBuilder};
pub use diagnostic::{Diagnostic, Fault, Warning};
pub use einsum::{contraction, einsum, numbered_operands};
pub use equation::{
    Cast, CastId, Claimed, Equation, Exponent, Extent, Factorise, FunctionId, Index, LabelId, Left, LeftAxis, Mapped, Operand,
    OperandId, ScalarId,
};
pub use fraction::{Fraction, fractions};
pub use function::Function;
pub use holes::{InnermostCasts, Use};
pub use lex::{DEEPEST_GROUPS, lex, too_deep};
pub use parse::{MOST_ARGUMENTS, Recovered, axes, einsum_call, parse, recover};
pub use product::Product;
pub use token::{Delimiter, Span, Token, Tree, text};
pub use traversal::{Builder, Right};
pub use written::{read, write};
