//! Forms with a generator of their own: plain products, fused axes, exchanges.

use tensorwrapper::Element;

use super::{Maker, Scope, Site};
use crate::property::group::as_grouped;
use crate::property::tree::{Comparison, Equation, Exchange, Fold, Function, Index, Join, Op, Tree};

impl<T: Element> Maker<T> {
    /// A product of operands with labels alone, which every door can write.
    pub(super) fn plain_product(&mut self) -> Equation {
        let (count, most) = (self.below(4), 1 + self.below(4));
        let left = self.fresh(&Scope::new(), count);
        let own = self.fresh(&left, most);
        let scope: Scope = left.iter().chain(&own).copied().collect();
        let factors = 1 + self.below(4);
        let mut lists: Vec<Scope> = vec![Scope::new(); factors];
        for &label in &scope {
            lists[self.below(factors)].push(label);
        }
        for list in &mut lists {
            for _ in 0..self.below(3) {
                if let (false, true) = (scope.is_empty(), list.len() < 5) {
                    let label = scope[self.below(scope.len())];
                    list.insert(self.below(list.len() + 1), label);
                }
            }
        }
        let with_rest = self.below(factors);
        let mut operands = Vec::new();
        for (n, list) in lists.into_iter().enumerate() {
            let indices: Vec<Index> = list.iter().map(|(name, _)| Index::Label(name)).collect();
            let mut extents: Vec<usize> = list.iter().map(|(_, extent)| *extent).collect();
            if !extents.is_empty() && self.chance(0.03) {
                extents[0] += 1;
            }
            operands.push(self.with_rest(indices, extents, n == with_rest, false));
        }
        let product = operands.into_iter().reduce(|a, b| Tree::Binary(Op::Multiply, Box::new(a), Box::new(b)));
        // Now and then a label that no factor has.
        let stray = usize::from(self.chance(0.02));
        let stray = self.fresh(&scope, stray);
        let left: Scope = left.into_iter().chain(stray).collect();
        let left = self.left_side(&left, false);
        Equation { left, right: product.expect("there is a factor"), declared: Vec::new() }
    }

    /// An operand with two labels on one axis, whose extents are declared where nothing else may tell them.
    pub(super) fn fused_operand(&mut self, scope: &Scope, positive: bool) -> Tree {
        if scope.len() < 2 || self.steady.is_none() {
            return self.operand(scope, positive);
        }
        let first = self.below(scope.len());
        let second = (first + 1 + self.below(scope.len() - 1)) % scope.len();
        let (a, b) = (scope[first], scope[second]);
        for label in [a, b] {
            if self.zeros || !self.chance(0.5) {
                self.declared.push(label);
            }
        }
        let (mut indices, mut extents) = (vec![Index::Fused(vec![a.0, b.0])], vec![a.1 * b.1 + usize::from(self.chance(0.02))]);
        if self.chance(0.5) {
            let (name, extent) = scope[self.below(scope.len())];
            let at = self.below(2);
            indices.insert(at, Index::Label(name));
            extents.insert(at, extent);
        }
        Tree::Operand(self.tensor(extents, positive), indices)
    }

    /// An expression and its twin with labels of equal extents exchanged.
    pub(super) fn exchange(&mut self, scope: &Scope, site: Site) -> Tree {
        let slip = self.chance(0.03);
        let mut labels = scope.clone();
        let mut groups = [Vec::new(), Vec::new()];
        while let (Some((a, extent)), true) = (labels.pop(), groups[0].is_empty() || self.chance(0.4)) {
            if let Some(other) = labels.iter().position(|(_, e)| *e == extent || slip) {
                groups[0].push(a);
                groups[1].push(labels.remove(other).0);
            }
        }
        if groups[0].is_empty() {
            return self.operand(scope, site.positive);
        }
        let kind = if site.positive || self.chance(0.5) { Exchange::Sym } else { Exchange::Asym };
        Tree::Exchange(kind, groups, Box::new(self.sum(scope, site)))
    }

    /// A choice between two values.
    pub(super) fn select(&mut self, scope: &Scope, site: Site) -> Tree {
        let condition = self.condition(scope, 2);
        let site = Site { sums: self.chance(0.01), ..site };
        let (chosen, other) = (self.sum(scope, site), self.operand(scope, site.positive));
        let (chosen, other) = if self.chance(0.5) { (chosen, other) } else { (other, chosen) };
        Tree::Select(Box::new([condition, chosen, other]))
    }

    /// A comparison of elements, or their real parts, and numbers, which have no rounding errors: every door chooses alike. Or
    /// several of them.
    fn condition(&mut self, scope: &Scope, depth: usize) -> Tree {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        if depth > 0 && self.chance(0.3) {
            let first = self.condition(scope, depth - 1);
            let join = match self.below(3) {
                0 => return Tree::Not(Box::new(first)),
                1 => Join::Both,
                _ => Join::Either,
            };
            return Tree::Join(join, Box::new([first, self.condition(scope, depth - 1)]));
        }
        let all = [Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual];
        let comparison = all[self.below(all.len())];
        let is_ordered = !matches!(comparison, Equal | NotEqual);
        let left = self.compared(scope, is_ordered);
        let right = if self.chance(0.5) { Tree::Number(self.number(false)) } else { self.compared(scope, is_ordered) };
        Tree::Compare(comparison, Box::new([left, right]))
    }

    /// A value within bounds, of which the lower one is the lower one everywhere.
    pub(super) fn clip(&mut self, scope: &Scope, site: Site) -> Tree {
        let site = Site { sums: self.chance(0.01), ..site };
        let of = self.sum(scope, site);
        let of = real_part::<T>(of);
        let least = if self.is_whole { 1.0 } else { 0.25 };
        let low = if site.positive { least } else { -self.number(true) };
        // What is drawn as positive is from 1/2 on.
        let high = if self.chance(0.5) { Tree::Number(self.number(true)) } else { real_part::<T>(self.operand(scope, true)) };
        Tree::Clip(Box::new([of, Tree::Number(low), high]))
    }

    /// Where an operand, which has no rounding errors, is largest or smallest along one of its axes.
    pub(super) fn place(&mut self, scope: &Scope, fold: Fold) -> Tree {
        let bound = self.fresh(scope, 1);
        let Some(&(name, extent)) = bound.first() else { return self.operand(scope, false) };
        let (mut indices, mut extents) = (Vec::new(), Vec::new());
        for _ in 0..self.below(3) {
            if !scope.is_empty() {
                let (name, extent) = scope[self.below(scope.len())];
                indices.push(Index::Label(name));
                extents.push(extent);
            }
        }
        let at = self.below(indices.len() + 1);
        indices.insert(at, Index::Label(name));
        extents.insert(at, extent);
        let operand = Tree::Operand(self.tensor(extents, false), indices);
        Tree::Reduce(fold, vec![name], Box::new(operand))
    }

    /// A condition as a right side, which has every label.
    pub(super) fn mask(&mut self) -> Equation {
        let count = self.below(4);
        let scope = self.fresh(&Scope::new(), count);
        let left = self.left_side(&scope, true);
        let mut right = self.condition(&scope, 2);
        let missing: Scope = scope.iter().copied().filter(|(name, _)| !right.has(name)).collect();
        if !missing.is_empty() {
            let (names, extents): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
            let indices = names.into_iter().map(Index::Label).collect();
            let operand = Tree::Operand(self.tensor(extents, false), indices);
            let compared = Tree::Compare(Comparison::Greater, Box::new([operand, Tree::Number(self.number(false))]));
            right = Tree::Join(if self.chance(0.5) { Join::Both } else { Join::Either }, Box::new([right, compared]));
        }
        Equation { left, right: as_grouped(right), declared: Vec::new() }
    }

    fn compared(&mut self, scope: &Scope, is_ordered: bool) -> Tree {
        let operand = self.operand(scope, false);
        if is_ordered { real_part::<T>(operand) } else { operand }
    }
}

/// What may be ordered: complex numbers have no order.
fn real_part<T: Element>(of: Tree) -> Tree {
    if T::DTYPE.is_complex() { Tree::Apply(Function::Re, Box::new(of)) } else { of }
}
