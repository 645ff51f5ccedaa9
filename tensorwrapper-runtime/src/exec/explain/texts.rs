//! Trees of recorded values as text, over values that have names.

use std::collections::HashMap;

use tensorwrapper_notation::syntax::{Operator, Reduction};

use super::words::{constant, is_one, is_product, number, reduction_name, repeats_all, without_word};
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;

/// What stands for the values of an index.
pub(super) const IOTA: &str = "iota";

/// The names of values.
#[derive(Default)]
pub(super) struct Texts {
    /// By the address of a value.
    pub(super) names: HashMap<usize, String>,
    /// Whether each equation is to stand for itself: left sides have no names, and extents are told behind it.
    pub(super) is_apart: bool,
}

/// The labels of an equation, as they are written.
#[derive(Clone)]
pub(super) struct Labels<'l> {
    pub(super) extents: &'l [usize],
    pub(super) names: Vec<String>,
    /// The type of its elements.
    pub(super) dtype: Dtype,
}

impl Labels<'_> {
    /// How axes of these extents are read.
    fn read(&self, axes: &[Axis], extents: &[usize]) -> Vec<String> {
        let axis = |(axis, &extent): (&Axis, &usize)| match axis {
            Axis::Label { label, start } if *start == 0 && self.extents[*label] == extent => self.names[*label].clone(),
            Axis::Label { label, start } => format!("{} in {start}..{}", self.names[*label], start + self.extents[*label]),
            Axis::Chip(position) => position.to_string(),
            Axis::Fused(all) => {
                let all: Vec<&str> = all.iter().map(|&label| &self.names[label][..]).collect();
                format!("({})", all.join(", "))
            }
        };
        axes.iter().zip(extents).map(axis).collect()
    }
}

impl Texts {
    pub(super) fn name(&self, value: &Link<Value<'_>>) -> &str {
        &self.names[&Link::address(value).addr()]
    }

    /// The name of a tensor; nothing for a number, which stands for itself.
    pub(super) fn tensor(&self, value: &Link<Value<'_>>) -> Option<&str> {
        Some(self.name(value)).filter(|name| name.starts_with(char::is_alphabetic))
    }

    /// A term: sums over labels that several factors have need no word.
    pub(super) fn term(&self, tree: &Tree<'_>, axes: &[usize], labels: &Labels<'_>) -> Option<String> {
        let mut own = Vec::new();
        let body = match tree {
            Tree::Reduce(Reduction::Sum, over, inner) if is_product(inner) && repeats_all(inner, over) => {
                own.extend(over.iter().copied());
                inner
            }
            other => other,
        };
        own.extend(axes);
        let mut read = Vec::new();
        body.free_labels(&mut read);
        let spread: Vec<&str> =
            axes.iter().filter(|label| !read.contains(label)).map(|&label| &labels.names[label][..]).collect();
        let text = self.tree(body, labels, 2)?;
        Some(match (spread.is_empty(), body) {
            (true, _) => text,
            (false, Tree::Constant(value)) if value.im == 0.0 && value.re >= 0.0 => {
                format!("{}[{}]", number(value.re), spread.join(", "))
            }
            (false, _) => format!("{text} * 1[{}]", spread.join(", ")),
        })
    }

    /// An expression. `binds` tells what surrounds it: 1 a sum, 2 a product, 3 what is on the right of a division.
    fn tree(&self, tree: &Tree<'_>, labels: &Labels<'_>, binds: u8) -> Option<String> {
        let inner = |tree: &Tree<'_>, binds| self.tree(tree, labels, binds);
        let parenthesised = |text: String, own: u8| if own < binds { format!("({text})") } else { text };
        Some(match tree {
            Tree::Operand(value, axes) => self.operand(value, axes, labels),
            Tree::Constant(value) => constant(*value),
            Tree::Negate(of) => format!("(-{})", inner(of, 2)?),
            Tree::Binary(Operator::Add, left, right) => parenthesised(format!("{} + {}", inner(left, 1)?, inner(right, 1)?), 1),
            Tree::Binary(Operator::Subtract, left, right) => {
                parenthesised(format!("{} - {}", inner(left, 1)?, inner(right, 2)?), 1)
            }
            Tree::Binary(Operator::Multiply, left, right) if is_one(right) => inner(left, binds)?,
            Tree::Binary(Operator::Multiply, left, right) if is_one(left) => inner(right, binds)?,
            Tree::Binary(Operator::Multiply, left, right) => {
                parenthesised(format!("{} * {}", inner(left, 2)?, inner(right, 3)?), 2)
            }
            Tree::Binary(Operator::Divide, left, right) => {
                parenthesised(format!("{} / {}", inner(left, 2)?, inner(right, 3)?), 2)
            }
            Tree::Reduce(reduction, over, of) => {
                let over: Vec<&str> = over.iter().map(|&label| &labels.names[label][..]).collect();
                format!("{}({}; {})", reduction_name(*reduction), over.join(", "), inner(of, 1)?)
            }
            Tree::Map(..) => return None,
            Tree::Apply(function @ (Unary::Sign | Unary::IsZero | Unary::IsPositive), of) => {
                without_word(*function, &inner(of, 1)?, labels.dtype.is_complex())
            }
            Tree::Apply(function, of) => format!("{}({})", function.name(), inner(of, 1)?),
            Tree::Select(condition, values) => {
                let written = condition.try_map(&mut |side| inner(side, 1).ok_or(())).ok()?;
                let [chosen, other] = &**values;
                format!("select({}; {}, {})", written.text(&mut String::clone), inner(chosen, 1)?, inner(other, 1)?)
            }
            // Numbers are of any element type.
            Tree::Cast(_, of) if !has_operands(of) => inner(of, binds)?,
            Tree::Cast(dtype, of) => {
                let inner = Labels { dtype: *dtype, ..labels.clone() };
                // Where no operand of the equation has its type, the type has to be named.
                format!("cast({}; {})", labels.dtype, self.tree(of, &inner, 1)?)
            }
            Tree::PowerInteger(of, exponent) => format!("powi({}, {exponent})", inner(of, 1)?),
            Tree::PowerReal(of, exponent) => format!("powf({}, {exponent:?})", inner(of, 1)?),
        })
    }

    fn operand(&self, value: &Link<Value<'_>>, read: &[Axis], labels: &Labels<'_>) -> String {
        if let (IOTA, [Axis::Label { label, start }]) = (self.name(value), read) {
            let index = format!("{IOTA}[{}]", labels.names[*label]);
            return if *start == 0 { index } else { format!("({index} + {})", number(*start as f64)) };
        }
        if read.is_empty() {
            // A number as it is, and a tensor without axes.
            let tensor = self.tensor(value).filter(|_| self.is_apart);
            return tensor.map_or_else(|| self.name(value).to_string(), |name| format!("{name}[]"));
        }
        format!("{}[{}]", self.name(value), labels.read(read, &value.extents).join(", "))
    }
}

fn has_operands(tree: &Tree<'_>) -> bool {
    let mut found = false;
    tree.operands(&mut |_, _| found = true);
    found
}
