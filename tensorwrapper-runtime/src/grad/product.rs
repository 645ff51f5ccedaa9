//! Products of many factors as products of two, so that all their derivatives together cost a few times as much as the product.
//!
//! The derivative by one of N factors is a product of N factors, so that all of them, each by itself, cost about N times the product. Along
//! a tree of pairs each factor's derivative reads what the others share.

use tensorwrapper_notation::syntax::Operator;

use super::build::{Labels, labels, negated, sum, times};
use crate::expr::Tree;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_order::{Search, find};

/// Products of more factors are cut into pairs. Others are left to the passes, which look at all halves of so many factors and find what
/// the derivatives share, with the value too.
const MOST_FACTORS: usize = 6;

/// The labels that a term sums and its body, with pairs of factors as values of their own if there are many.
pub(super) fn cut<'a>(
    (mut bound, body): (Vec<usize>, Tree<'a>),
    names: &mut Labels,
    axes: &[usize],
    dtype: Dtype,
) -> (Vec<usize>, Tree<'a>) {
    if let Tree::Negate(inner) = body {
        let (bound, body) = cut((bound, *inner), names, axes, dtype);
        return (bound, negated(body));
    }
    let mut factors = Vec::new();
    factors_of(&body, &mut factors);
    if factors.len() <= MOST_FACTORS {
        return (bound, body);
    }
    let labels_of = |tree: &Tree<'a>| {
        let mut found = Vec::new();
        tree.labels(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    };
    let inputs: Vec<Vec<usize>> = factors.iter().map(|tree| labels_of(tree)).collect();
    let output: Vec<usize> = axes.iter().copied().filter(|axis| inputs.iter().any(|input| input.contains(axis))).collect();
    // A product that cannot be ordered, because it has too many labels, stays whole.
    let Ok(found) = find(&inputs, &output, &names.extents, &Search::new()) else { return (bound, body) };
    let mut open: Vec<Option<Tree<'a>>> = factors.into_iter().map(|tree| Some(tree.clone())).collect();
    let last = found.pairs.len() - 1;
    for (n, (left, right)) in found.pairs.into_iter().enumerate() {
        let (Some(left), Some(right)) = (open[left].take(), open[right].take()) else { unreachable!("a factor is used once") };
        let product = times(left, right);
        if n == last {
            return (bound, product);
        }
        let own = labels_of(&product);
        let is_needed =
            |label: &usize| output.contains(label) || open.iter().flatten().any(|tree| labels_of(tree).contains(label));
        let kept: Vec<usize> = own.iter().copied().filter(is_needed).collect();
        let over: Vec<usize> = own.into_iter().filter(|label| !kept.contains(label)).collect();
        bound.retain(|label| !over.contains(label));
        let value = names.value(sum(over, product), kept.clone(), dtype);
        open.push(Some(Tree::Operand(value, labels(kept))));
    }
    unreachable!("several factors have a last pair")
}

/// The factors of a product; signs stay with theirs.
fn factors_of<'t, 'a>(tree: &'t Tree<'a>, found: &mut Vec<&'t Tree<'a>>) {
    let mut open = vec![tree];
    while let Some(next) = open.pop() {
        match next {
            Tree::Binary(Operator::Multiply, left, right) => open.extend([&**right, &**left]),
            other => found.push(other),
        }
    }
}
