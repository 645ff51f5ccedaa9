//! Random equations over random tensors. Most are right; those that are not must be refused, and the oracle knows which.

mod forms;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tensorwrapper::{Element, Tensor};

use crate::property::group::{as_grouped, is_group, right_operand};
use crate::property::tree::{Equation, Fold, Function, Index, Name, Op, Tree};

const NAMES: [Name; 8] = ["i", "j", "k", "l", "m", "n", "p", "α"];
const MOST_LABELS: usize = 6;

/// An equation and its tensors, each with the order in which its axes lie in memory.
pub struct Case<T: Element> {
    pub equation: Equation,
    pub tensors: Vec<(Tensor<T>, Vec<usize>)>,
}

/// Labels in scope with their extents.
type Scope = Vec<(Name, usize)>;

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Site {
    /// Nested parentheses, functions and reductions left.
    depth: usize,
    /// Only what keeps positive numbers positive: denominators, logarithms.
    positive: bool,
    /// Whether terms may sum over labels of their own.
    sums: bool,
}

/// What an equation computes with.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Any,
    /// Whole numbers, and what integers have.
    Whole,
    /// Conditions alone.
    Mask,
}

/// The equation of a number, always the same.
pub fn case<T: Element>(number: u64) -> Case<T> {
    case_of(Kind::Any, number)
}

/// The equation of a number and a kind.
pub fn case_of<T: Element>(kind: Kind, number: u64) -> Case<T> {
    let rng = StdRng::seed_from_u64(number);
    let is_whole = kind == Kind::Whole;
    let (tensors, declared) = (Vec::new(), Vec::new());
    let mut maker: Maker<T> = Maker { rng, is_whole, tensors, zeros: false, steady: None, rest: None, declared };
    maker.zeros = maker.chance(0.12);
    if maker.chance(0.5) {
        maker.steady = Some(NAMES.map(|_| maker.extent()));
    }
    if kind != Kind::Mask && maker.chance(0.15) {
        let count = maker.below(3);
        maker.rest = Some((0..count).map(|_| maker.extent()).collect());
    }
    let equation = match kind {
        Kind::Mask => maker.mask(),
        _ if maker.chance(0.15) => maker.plain_product(),
        _ => maker.equation(),
    };
    Case { equation, tensors: maker.tensors.into_iter().map(|given| (given.tensor, given.order)).collect() }
}

struct Given<T: Element> {
    tensor: Tensor<T>,
    order: Vec<usize>,
    extents: Vec<usize>,
    positive: bool,
}

struct Maker<T: Element> {
    rng: StdRng,
    /// Whether every number is whole, and every operation one that integers have.
    is_whole: bool,
    tensors: Vec<Given<T>>,
    /// Whether extents may be 0.
    zeros: bool,
    /// One extent for each name, wherever it stands: then names can be on fused axes and in a `where`.
    steady: Option<[usize; NAMES.len()]>,
    /// Extents of the axes that `..` stands for, in an equation that has it.
    rest: Option<Vec<usize>>,
    /// Names with an extent of their own.
    declared: Vec<(Name, usize)>,
}

impl<T: Element> Maker<T> {
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end)
    }

    fn extent(&mut self) -> usize {
        if self.zeros && self.chance(0.25) { 0 } else { 1 + self.below(4) }
    }

    /// A multiple of 1/4, which every element type holds; 1 or 2 among whole numbers.
    fn number(&mut self, positive: bool) -> f64 {
        let magnitude = if self.is_whole { (1 + self.below(2)) as f64 } else { 0.25 * (1 + self.below(8)) as f64 };
        if !positive && self.chance(0.3) { -magnitude } else { magnitude }
    }

    fn fresh(&mut self, scope: &Scope, count: usize) -> Scope {
        let mut found = Scope::new();
        for _ in 0..count {
            let name = NAMES[self.below(NAMES.len())];
            if scope.iter().chain(&found).all(|(known, _)| *known != name) && scope.len() + found.len() < MOST_LABELS {
                let steady = self.steady.map(|all| all[NAMES.iter().position(|known| *known == name).expect("a known name")]);
                let extent = steady.unwrap_or_else(|| self.extent());
                found.push((name, extent));
            }
        }
        found
    }

    /// Labels as the axes of a result: now and then one twice, several fused, the remaining axes among them.
    fn left_side(&mut self, scope: &Scope, fuses: bool) -> Vec<Index> {
        let mut left: Vec<Index> = scope.iter().map(|(name, _)| Index::Label(name)).collect();
        let fused = fuses && left.len() > 1 && self.chance(0.2);
        if fused {
            let at = self.below(left.len() - 1);
            left[at] = Index::Fused(vec![scope[at].0, scope[at + 1].0]);
            left.remove(at + 1);
        }
        if !left.is_empty() && self.chance(if fused { 0.02 } else { 0.12 }) {
            let (from, to) = (self.below(left.len()), self.below(left.len() + 1));
            left.insert(to, left[from].clone());
        }
        if self.rest.is_some() && !self.chance(0.02) {
            let at = self.below(left.len() + 1);
            left.insert(at, Index::Rest);
        }
        left
    }

    fn equation(&mut self) -> Equation {
        let count = self.below(4);
        let scope = self.fresh(&Scope::new(), count);
        let left = self.left_side(&scope, true);
        for &(name, extent) in &scope {
            if self.steady.is_some() && self.chance(0.06) {
                let wrong = usize::from(self.chance(0.05));
                self.declared.push((name, extent + wrong));
            }
        }
        let site = Site { depth: 3, positive: false, sums: true };
        let mut right = self.top_term(&scope, site);
        for _ in 0..self.below(3) {
            let op = if self.chance(0.5) { Op::Add } else { Op::Subtract };
            let term = self.top_term(&scope, site);
            right = Tree::Binary(op, Box::new(right), Box::new(right_operand(term)));
        }
        let mut declared: Vec<(Name, usize)> = Vec::new();
        for (name, extent) in std::mem::take(&mut self.declared) {
            // Once each, and only what occurs.
            if declared.iter().all(|(known, _)| *known != name) {
                declared.push((name, extent));
            }
        }
        Equation { left, right: as_grouped(right), declared }
    }

    /// A term that has every label in scope, but for a slip now and then.
    fn top_term(&mut self, scope: &Scope, site: Site) -> Tree {
        let mut term = self.term(scope, site);
        let negated = matches!(&term, Tree::Negate(inner) if self.rest.is_some() && matches!(**inner, Tree::Parentheses(_)));
        if matches!(term, Tree::Parentheses(_)) || negated {
            // At the top nothing would keep the parentheses.
            term = Tree::Binary(Op::Multiply, Box::new(term), Box::new(Tree::Number(self.number(false))));
        }
        if is_group(&term) {
            // Its addends would be terms, which have every label.
            let factor = Tree::Operand(self.tensor(Vec::new(), false), Vec::new());
            term = Tree::Binary(Op::Multiply, Box::new(term), Box::new(factor));
        }
        if self.rest.is_some() && !self.chance(0.01) {
            let rest = self.with_rest(Vec::new(), Vec::new(), true, false);
            term = Tree::Binary(Op::Multiply, Box::new(term), Box::new(rest));
        }
        let missing: Vec<Name> = scope.iter().map(|(name, _)| *name).filter(|name| !term.has(name)).collect();
        if missing.is_empty() || self.chance(0.01) {
            return term;
        }
        // Half of the time by a constant, otherwise by a tensor.
        let factor = if self.chance(0.3) {
            Tree::Spread(self.number(false), missing)
        } else {
            let indices = missing.iter().map(|name| Index::Label(name)).collect();
            let extents = missing.iter().map(|name| extent_of(scope, name)).collect();
            Tree::Operand(self.tensor(extents, false), indices)
        };
        Tree::Binary(Op::Multiply, Box::new(term), Box::new(factor))
    }

    fn sum(&mut self, scope: &Scope, site: Site) -> Tree {
        let mut found = self.term(scope, site);
        for _ in 0..self.below(3) {
            let op = if site.positive || self.chance(0.5) { Op::Add } else { Op::Subtract };
            let term = self.term(scope, site);
            found = Tree::Binary(op, Box::new(found), Box::new(right_operand(term)));
        }
        found
    }

    /// A product or quotient of one to four factors.
    fn term(&mut self, scope: &Scope, site: Site) -> Tree {
        let own = if site.sums && self.chance(0.6) || self.chance(0.01) { 1 + self.below(2) } else { 0 };
        let own = self.fresh(scope, own);
        let inner: Scope = scope.iter().chain(&own).copied().collect();
        let mut found = self.factor(&inner, site);
        if matches!(found, Tree::Number(_) | Tree::Variable(_)) {
            found = Tree::Spread(self.number(site.positive), Vec::new());
        }
        for _ in 0..self.below(3) {
            let below = self.chance(0.2) && !self.is_whole;
            let there = if below { Site { positive: true, sums: self.chance(0.02), ..site } } else { site };
            let factor = self.factor(&inner, there);
            let op = if below { Op::Divide } else { Op::Multiply };
            found = Tree::Binary(op, Box::new(found), Box::new(right_operand(factor)));
        }
        // What is summed by this term stands in it for all to see.
        let hidden: Vec<Name> = own.iter().map(|(name, _)| *name).filter(|name| !found.shows(name)).collect();
        if !hidden.is_empty() && self.chance(0.95) {
            let indices = hidden.iter().map(|name| Index::Label(name)).collect();
            let extents = hidden.iter().map(|name| extent_of(&own, name)).collect();
            let operand = Tree::Operand(self.tensor(extents, site.positive), indices);
            found = Tree::Binary(Op::Multiply, Box::new(found), Box::new(operand));
        }
        if !site.positive && self.chance(0.15) {
            found = Tree::Negate(Box::new(right_operand(found)));
        }
        found
    }

    fn factor(&mut self, scope: &Scope, site: Site) -> Tree {
        let deeper = Site { depth: site.depth.saturating_sub(1), ..site };
        match self.below(if site.depth == 0 { 13 } else { 26 }) {
            0..10 => self.operand(scope, site.positive),
            10 if self.chance(0.5) => Tree::Variable(self.number(site.positive)),
            10 => Tree::Number(self.number(site.positive)),
            11 => {
                let number = self.number(site.positive);
                let mut names: Vec<Name> = scope.iter().map(|(name, _)| *name).collect();
                names.retain(|_| self.chance(0.5));
                match names.first() {
                    // It is zero at first.
                    Some(name) if !site.positive && self.chance(0.5) => Tree::Iota(name),
                    _ => Tree::Spread(number, names),
                }
            }
            12 => self.fused_operand(scope, site.positive),
            13..16 => Tree::Parentheses(Box::new(self.sum(scope, deeper))),
            16 | 17 => self.function(scope, deeper),
            18 => self.exchange(scope, deeper),
            19 => self.select(scope, deeper),
            20 => self.clip(scope, deeper),
            _ => self.reduction(scope, deeper),
        }
    }

    fn function(&mut self, scope: &Scope, site: Site) -> Tree {
        use Function::{Abs, Conj, Cos, Exp, Im, Ln, Powf, Powi, Re, Recip, Sin, Sqrt, Tan, Tanh};
        let anywhere = [Exp, Abs, Sin, Cos, Tan, Tanh, Conj, Re, Im, Powi(2), Powi(3), Powi(0)];
        let positive = [Ln, Sqrt, Recip, Powi(-2), Powf(0.5), Powf(-1.25), Powf(2.0)];
        let stays_positive = [Sqrt, Recip, Exp, Re, Powi(2), Conj];
        let (function, inside) = if self.is_whole {
            ([Abs, Powi(2), Powi(3)][self.below(if site.positive { 2 } else { 3 })], site.positive)
        } else if site.positive {
            (stays_positive[self.below(stays_positive.len())], true)
        } else if self.chance(0.6) {
            (anywhere[self.below(anywhere.len())], false)
        } else {
            (positive[self.below(positive.len())], true)
        };
        let linear = matches!(function, Conj | Re | Im);
        let sums = linear && site.sums || self.chance(0.02);
        let argument = self.sum(scope, Site { positive: inside, sums, ..site });
        Tree::Apply(function, Box::new(argument))
    }

    fn reduction(&mut self, scope: &Scope, site: Site) -> Tree {
        let fold = match self.below(12) {
            0..3 => Fold::Sum,
            3 => Fold::Prod,
            // Integers have no means.
            4 if !self.is_whole => Fold::Mean,
            5 if !self.is_whole && !site.positive => Fold::Var,
            6 if !self.is_whole && !site.positive => Fold::Std,
            // An order is asked of complex numbers only to be refused.
            _ if T::DTYPE.is_complex() && !self.chance(0.1) => Fold::Sum,
            7 if !site.positive => return self.place(scope, Fold::Argmax),
            8 if !site.positive => return self.place(scope, Fold::Argmin),
            9 | 10 => Fold::Max,
            _ => Fold::Min,
        };
        let count = 1 + self.below(2);
        let mut bound = self.fresh(scope, count);
        if bound.is_empty() {
            return self.operand(scope, site.positive);
        }
        let inner: Scope = scope.iter().chain(&bound).copied().collect();
        let sums = matches!(fold, Fold::Sum | Fold::Mean) && site.sums || self.chance(0.02);
        let mut body = self.sum(&inner, Site { sums, ..site });
        let (has, lacks): (Scope, Scope) = bound.iter().partition(|(name, _)| body.has(name));
        if has.is_empty() {
            // A factor with the bound labels, of all terms together.
            let indices = lacks.iter().map(|(name, _)| Index::Label(name)).collect();
            let operand = Tree::Operand(self.tensor(lacks.iter().map(|(_, extent)| *extent).collect(), site.positive), indices);
            body = Tree::Binary(Op::Multiply, Box::new(operand), Box::new(right_operand(body)));
        } else if !self.chance(0.02) {
            bound = has;
        }
        Tree::Reduce(fold, bound.iter().map(|(name, _)| *name).collect(), Box::new(body))
    }

    /// A tensor of rank 0 to 4 with labels in scope, slices of them, and positions.
    fn operand(&mut self, scope: &Scope, positive: bool) -> Tree {
        let rank = self.below(5);
        let (mut indices, mut extents) = (Vec::new(), Vec::new());
        for _ in 0..rank {
            if scope.is_empty() || self.chance(0.06) {
                let extent = 1 + self.below(4);
                indices.push(Index::Chip(self.below(extent)));
                extents.push(extent);
                continue;
            }
            let (name, extent) = scope[self.below(scope.len())];
            if self.chance(0.12) {
                let (start, rest) = (self.below(3), self.below(2));
                let end = if rest > 0 || self.chance(0.5) { Some(start + extent) } else { None };
                indices.push(Index::Slice(name, start, end));
                extents.push(start + extent + rest);
            } else {
                indices.push(Index::Label(name));
                extents.push(extent);
            }
        }
        let has_rest = self.rest.is_some() && self.chance(0.3);
        self.with_rest(indices, extents, has_rest, positive)
    }

    /// An operand with these indices and, where asked for, the remaining axes among them; of a factor now and then only
    /// the last ones.
    fn with_rest(&mut self, mut indices: Vec<Index>, mut extents: Vec<usize>, has_rest: bool, positive: bool) -> Tree {
        if let (Some(mut rest), true) = (self.rest.clone(), has_rest) {
            if self.chance(0.1) && !rest.is_empty() {
                rest.remove(0);
            }
            let at = self.below(indices.len() + 1);
            indices.insert(at, Index::Rest);
            extents.splice(at..at, rest);
        }
        Tree::Operand(self.tensor(extents, positive), indices)
    }

    /// A tensor of these extents, now and then one that is there already.
    fn tensor(&mut self, extents: Vec<usize>, positive: bool) -> usize {
        let known = self.tensors.iter().position(|t| t.extents == extents && (t.positive || !positive));
        if let Some(known) = known
            && self.chance(0.3)
        {
            return known;
        }
        let mut order: Vec<usize> = (0..extents.len()).collect();
        if self.chance(0.3) {
            for n in (1..order.len()).rev() {
                order.swap(n, self.below(n + 1));
            }
        }
        let elements: usize = extents.iter().product();
        let elements = (0..elements).map(|_| self.element(positive)).collect();
        let in_memory: Vec<usize> = order.iter().map(|&axis| extents[axis]).collect();
        let tensor = Tensor::from_vec(in_memory, elements).expect("memory for a small tensor");
        self.tensors.push(Given { tensor, order, extents, positive });
        self.tensors.len() - 1
    }

    fn element(&mut self, positive: bool) -> T {
        let (re, im) = if self.is_whole {
            (f64::from(self.rng.random_range(if positive { 1 } else { -3 }..=3)), 0.0)
        } else if positive {
            (self.rng.random_range(0.5..1.5), self.rng.random_range(-0.1..0.1))
        } else {
            (self.rng.random_range(-1.0..1.0), self.rng.random_range(-1.0..1.0))
        };
        T::from_complex(num_complex::Complex::new(re, im))
    }
}

fn extent_of(scope: &Scope, name: &str) -> usize {
    scope.iter().find(|(known, _)| *known == name).expect("the label is in scope").1
}
