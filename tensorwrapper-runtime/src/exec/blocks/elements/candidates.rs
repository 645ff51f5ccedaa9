//! Which blocks of a result may have elements, from the blocks that its operands have: a grid of many tiles, few of which are there, is not
//! visited tile by tile.

use std::collections::HashSet;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::Operator;

use super::super::tree::{Tree, keeps_zero};
use super::super::zeros::of_zeros;
use super::Planner;

/// The most blocks that are collected.
const MOST: usize = 1 << 24;

/// Factors, by their numbers: wherever the expression has elements, one of these has.
type Cover = Vec<usize>;

impl Planner<'_> {
    /// A frame, with those of its blocks alone that may be there where these are few.
    ///
    /// # Errors
    /// As [`Structure::with_blocks`].
    pub(super) fn candidates(&self, frame: &Structure) -> Result<Structure, Error> {
        let all = frame.tilings().iter().fold(1, |all: usize, tiling| all.saturating_mul(tiling.len()));
        // To collect a block costs more than to pass by it. The tiles of axes that are tied follow from each other.
        let is_worth_it = |count: usize| count <= MOST && count.saturating_mul(8) < all && frame.ties().is_none();
        let few = self.cover(self.tree, &mut 0).filter(|cover| is_worth_it(self.blocks_of(cover)));
        let Some(cover) = few else { return Ok(frame.clone()) };
        let mut blocks = HashSet::new();
        for factor in cover {
            self.add_blocks(factor, frame, &mut blocks);
        }
        if let Some(flow) = frame.charge_flow() {
            blocks.retain(|block| flow.allows(frame.tilings(), block));
        }
        frame.with_blocks(blocks)
    }

    /// How many blocks the factors of a cover lead to, at most.
    fn blocks_of(&self, cover: &Cover) -> usize {
        let of = |&factor: &usize| {
            let (labels, pieces) = &self.pieces[factor];
            let others = self.left.iter().filter(|label| !labels.contains(label)).map(|&label| self.cuts.result(label).len());
            others.fold(pieces.len(), usize::saturating_mul)
        };
        cover.iter().map(of).fold(0, usize::saturating_add)
    }

    /// The cover that leads to the fewest blocks.
    fn least(&self, covers: [Option<Cover>; 2]) -> Option<Cover> {
        covers.into_iter().flatten().min_by_key(|cover| self.blocks_of(cover))
    }

    /// Adds the blocks of the result in which a factor has elements: along labels that it does not have, those of all tiles.
    fn add_blocks(&self, factor: usize, frame: &Structure, blocks: &mut HashSet<Vec<usize>>) {
        let (labels, pieces) = &self.pieces[factor];
        for parts in pieces.keys() {
            let mut found = vec![Vec::with_capacity(self.left.len())];
            for (label, tiling) in self.left.iter().zip(frame.tilings()) {
                let own = labels.iter().position(|own| own == label);
                let own = own.map(|own| self.cuts.in_result(*label, parts[own]).tile);
                let tiles = own.map_or(0..tiling.len(), |tile| tile..tile + 1);
                found =
                    found.into_iter().flat_map(|block| tiles.clone().map(move |tile| [&block[..], &[tile]].concat())).collect();
            }
            blocks.extend(found);
        }
    }

    /// The cover of an expression that leads to the fewest blocks, where it has one; `next` is the number of its first factor. Nothing
    /// where a block without elements may divide: that is an error, wherever it is.
    fn cover(&self, tree: &Tree, next: &mut usize) -> Option<Cover> {
        match tree {
            Tree::Factor(_) => {
                *next += 1;
                Some(vec![*next - 1])
            }
            Tree::Number(value) => (*value == num_complex::Complex::ZERO).then(Vec::new),
            Tree::Negate(inner) | Tree::Sum(_, inner) | Tree::Fold(_, _, inner) => self.cover(inner, next),
            Tree::Apply(function, inner) => self.cover(inner, next).filter(|_| keeps_zero(*function) == Some(true)),
            Tree::PowerInteger(inner, exponent) => self.cover(inner, next).filter(|_| *exponent > 0),
            Tree::PowerReal(inner, exponent) => self.cover(inner, next).filter(|_| *exponent > 0.0),
            Tree::Binary(operator, left, right) => {
                let covers = [self.cover(left, next), self.cover(right, next)];
                let never_fails = |tree: &Tree| !divides(tree);
                match (operator, covers) {
                    (Operator::Add | Operator::Subtract, [Some(one), Some(other)]) => Some([one, other].concat()),
                    (Operator::Multiply, covers) if never_fails(left) && never_fails(right) => self.least(covers),
                    (Operator::Divide, [of_dividend, _]) if never_fails(right) => of_dividend,
                    _ => None,
                }
            }
            Tree::Select(condition, values) => {
                let first = *next;
                *next += condition.expressions().iter().map(|side| side.factors().len()).sum::<usize>();
                let of_condition: Cover = (first..*next).collect();
                let [one, other] = [self.cover(&values[0], next), self.cover(&values[1], next)];
                // Where the condition has nothing of its factors, it may be known which value is chosen.
                let decided = of_zeros(condition, self.presence.dtype).map(|holds| if holds { &one } else { &other });
                let chosen = decided.and_then(|value| Some([&of_condition[..], &value.as_ref()?[..]].concat()));
                let either = one.as_ref().zip(other.as_ref()).map(|(one, other)| [&one[..], &other[..]].concat());
                self.least([chosen, either])
            }
        }
    }
}

/// Whether there may be an error in a block that has no elements of some factors.
fn divides(tree: &Tree) -> bool {
    tree.any(&|part| match part {
        Tree::Binary(Operator::Divide, _, divisor) => divisor.number().is_none_or(|number| number == num_complex::Complex::ZERO),
        Tree::Apply(function, _) => keeps_zero(*function).is_none(),
        Tree::PowerInteger(_, exponent) => *exponent < 0,
        Tree::PowerReal(_, exponent) => *exponent < 0.0,
        _ => false,
    })
}
