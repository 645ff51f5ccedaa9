//! Products in straight code: what of a tree is one, so that a kernel of that size computes it, or pairs in the best order do.
//!
//! All of it is constants: a tree says what it reads by how far each label moves it, and a sum of products of two such is
//! matched with a kernel's problem, one of more with an order of pairs (`pairs.rs`). What does not match keeps its loops.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::Node;
use super::indices::Loops;
use super::pairs::{self, Plan};
use crate::tensor::StaticTensor;
use tensorwrapper_core::element::{Dtype, Element, EveryDtype};
use tensorwrapper_core::shape::StaticExtents;
use tensorwrapper_cpu::fixed::{Axis, Factors, Fixed, MOST_OUTER, MOST_TURNED, Problem, Term};

/// Labels that are told apart.
pub(super) const LABELS: usize = 16;

/// Labels of a sum.
pub(super) const SUMMED: usize = 8;

/// Factors of a product.
pub(super) const FACTORS: usize = 5;

/// Products of so many multiplications are loops where they stand: a call takes longer.
pub(super) const INLINE: usize = 64;

/// Where an operand is read: how much further for the next index of each label.
#[derive(Clone, Copy, Debug)]
pub struct Steps(pub(super) [usize; LABELS]);

impl Steps {
    pub(super) const NONE: Steps = Steps([0; LABELS]);
}

/// A label that is summed over, and its extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summed {
    pub(super) label: usize,
    pub(super) extent: usize,
}

/// What a tree computes, as far as that makes it a product.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number,
    /// Elements of one operand, or of several, multiplied.
    Elements(Contraction),
    /// Such products, summed.
    Sum(Contraction),
    /// Something else.
    Other,
}

/// A sum of products of elements of operands.
#[derive(Clone, Copy, Debug)]
pub struct Contraction {
    pub(super) steps: [Steps; FACTORS],
    /// Number of operands.
    pub(super) count: usize,
    pub(super) summed: [Option<Summed>; SUMMED],
}

/// All values of a node, for the indices of all labels of a left side.
#[inline(always)]
pub(super) fn values<T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
) -> <G::Shape as StaticExtents>::Nested<T> {
    // One call, and the loops inside of it: between two the compiler would copy the result.
    if const { V::INSIDE.is_called::<G>(T::DTYPE) } {
        return StaticTensor::<T, G::Shape>::written(|place| V::write::<G, L>(operands, place)).into_nested();
    }
    G::fill::<T, O, V, L>(operands, [0; L])
}

/// The same by loops, where the processor has no kernel.
#[cold]
#[inline(never)]
fn loops<T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(operands: &O) -> <G::Shape as StaticExtents>::Nested<T> {
    G::fill::<T, O, V, L>(operands, [0; L])
}

/// The same, into memory.
#[inline(always)]
pub(super) fn fill<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    place.write_copy_of_slice(<G::Shape as StaticExtents>::slice(&G::fill::<T, O, V, L>(operands, [0; L])))
}

/// The values of a sum of products, into memory: by a kernel where there is one for it.
#[inline(always)]
pub(super) fn contract<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    (const { Way::<T, O, G, V, L>::CHOSEN })(operands, place)
}

/// Computes values into memory for them.
pub(super) type Compute<T, O> = for<'p> fn(&O, &'p mut [MaybeUninit<T>]) -> &'p mut [T];

/// How a node's values are computed.
struct Way<T, O, G, V, const L: usize>(PhantomData<(T, O, G, V)>);

impl<T: Element, O, G: Loops, V: Node<T, O>, const L: usize> Way<T, O, G, V, L> {
    /// A function in a constant, so that the compiler looks at what is chosen alone: the others are many, for every equation.
    const CHOSEN: Compute<T, O> = if V::FORM.has_kernel::<G>(T::DTYPE) {
        multiplied::<T, O, G, V, L>
    } else if V::FORM.plan::<G>().is_some() {
        paired::<T, O, G, V, L>
    } else {
        fill::<T, O, G, V, L>
    };
}

/// The values by a kernel.
#[inline(always)]
fn multiplied<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    match factors::<T, O, G, V, L>(operands) {
        Some(factors) => scaled::<T, O, V>(operands, factors.product(place)),
        None => place.write_copy_of_slice(<G::Shape as StaticExtents>::slice(&loops::<T, O, G, V, L>(operands))),
    }
}

/// The values by pairs.
#[inline(always)]
fn paired<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    scaled::<T, O, V>(operands, pairs::product::<T, O, G, V, L>(operands, place))
}

/// Values of a product without its numbers, with them.
#[inline(always)]
fn scaled<'p, T: Element, O, V: Node<T, O>>(operands: &O, values: &'p mut [T]) -> &'p mut [T] {
    if const { V::IS_SCALED } {
        let scale = V::scale(operands);
        values.iter_mut().for_each(|value| *value = scale * *value);
    }
    values
}

/// The factors of a product that there is a kernel for, unless the processor has none.
#[inline(always)]
fn factors<'o, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(operands: &'o O) -> Option<FactorsOf<'o, V, G, T, O>> {
    let (left, right) = (V::factor::<L>(operands, 0), V::factor::<L>(operands, 1));
    let is_swapped = const { V::FORM.matched::<G>(T::DTYPE).1 };
    if is_swapped { Factors::new(right, left) } else { Factors::new(left, right) }
}

/// The factors of a node.
type FactorsOf<'o, V, G, T, O> = Factors<'o, Matched<V, G, (T, O)>, T>;

/// The problem that a node is.
struct Matched<V, G, X>(PhantomData<(V, G, X)>);
impl<T: Element, O, G: Loops, V: Node<T, O>> Fixed for Matched<V, G, (T, O)> {
    const PROBLEM: Problem = V::FORM.matched::<G>(T::DTYPE).0;
}

impl Kind {
    /// An operand in C order whose axes run with these labels.
    pub(super) const fn elements(extents: &[usize], labels: &[Option<usize>]) -> Kind {
        let (mut steps, mut step, mut axis) = ([0; LABELS], 1, extents.len());
        while axis > 0 {
            axis -= 1;
            match labels[axis] {
                Some(label) if label >= LABELS => return Kind::Other,
                Some(label) => steps[label] += step,
                None => {}
            }
            step *= extents[axis];
        }
        let mut contraction = Contraction { steps: [Steps::NONE; FACTORS], count: 1, summed: [None; SUMMED] };
        contraction.steps[0] = Steps(steps);
        Kind::Elements(contraction)
    }

    /// The product of two trees. A number is no part of its form, but scales what is computed. A sum in it may be drawn over all of
    /// it: its labels are nobody else's.
    pub(super) const fn times(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Number, form) | (form, Kind::Number) => form,
            (Kind::Elements(a), Kind::Elements(b)) => match a.times(&b) {
                Some(all) => Kind::Elements(all),
                None => Kind::Other,
            },
            (Kind::Elements(a) | Kind::Sum(a), Kind::Elements(b) | Kind::Sum(b)) => match a.times(&b) {
                Some(all) => Kind::Sum(all),
                None => Kind::Other,
            },
            (Kind::Other, _) | (_, Kind::Other) => Kind::Other,
        }
    }

    /// The sum over a label.
    pub(super) const fn sum(self, label: usize, extent: usize) -> Kind {
        let mut contraction = match self {
            Kind::Elements(contraction) | Kind::Sum(contraction) => contraction,
            Kind::Number | Kind::Other => return Kind::Other,
        };
        if contraction.sums(Summed { label, extent }) { Kind::Sum(contraction) } else { Kind::Other }
    }

    /// The one of two that is a sum of products, that of more factors first.
    pub(super) const fn or(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Sum(a), Kind::Sum(b)) if b.count > a.count => other,
            (Kind::Sum(_), _) => self,
            (Kind::Number | Kind::Elements(_) | Kind::Other, _) => other,
        }
    }

    /// Number of operands that are multiplied.
    pub(super) const fn count(self) -> usize {
        match self {
            Kind::Elements(contraction) | Kind::Sum(contraction) => contraction.count,
            Kind::Number | Kind::Other => 0,
        }
    }

    /// Whether it is a sum of products.
    pub(super) const fn is_sum(self) -> bool {
        matches!(self, Kind::Sum(_))
    }

    /// Whether all its values together are better computed than each by itself.
    pub(super) const fn is_called<G: Loops>(self, dtype: Dtype) -> bool {
        self.has_kernel::<G>(dtype) || self.plan::<G>().is_some()
    }

    /// The pairs that it is made of as the value of a tensor with these labels, in the best order. Nothing for two factors, and where
    /// loops serve as well.
    pub(super) const fn plan<G: Loops>(self) -> Option<Plan> {
        match self {
            Kind::Sum(contraction) => Plan::new(&contraction, G::LABELS, <G::Shape as StaticExtents>::EXTENTS),
            Kind::Number | Kind::Elements(_) | Kind::Other => None,
        }
    }

    /// Whether there is a kernel for it as the value of a tensor with these labels.
    pub(super) const fn has_kernel<G: Loops>(self, dtype: Dtype) -> bool {
        self.problem::<G>(dtype).is_some()
    }

    /// The problem that there is a kernel for; any, where there is none.
    const fn matched<G: Loops>(self, dtype: Dtype) -> (Problem, bool) {
        match self.problem::<G>(dtype) {
            Some(matched) => matched,
            None => (Problem::ONE, false),
        }
    }

    /// The kernel's problem that it is as the value of a tensor with these labels, and whether the operand on the right
    /// comes first in it. Nothing where loops serve as well or better.
    const fn problem<G: Loops>(self, dtype: Dtype) -> Option<(Problem, bool)> {
        let Kind::Sum(contraction) = self else { return None };
        contraction.kernel(G::LABELS, <G::Shape as StaticExtents>::EXTENTS, dtype)
    }
}

impl Contraction {
    /// The operands of both, and the labels that either is summed over.
    const fn times(&self, other: &Contraction) -> Option<Contraction> {
        let (mut all, mut n) = (*self, 0);
        while n < other.count {
            if all.count == FACTORS {
                return None;
            }
            all.steps[all.count] = other.steps[n];
            (all.count, n) = (all.count + 1, n + 1);
        }
        let mut n = 0;
        while n < SUMMED {
            if let Some(summed) = other.summed[n]
                && !all.sums(summed)
            {
                return None;
            }
            n += 1;
        }
        Some(all)
    }

    /// Adds a label that is summed over; whether there is room for it.
    pub(super) const fn sums(&mut self, summed: Summed) -> bool {
        let mut n = 0;
        while n < SUMMED {
            if self.summed[n].is_none() && summed.label < LABELS {
                self.summed[n] = Some(summed);
                return true;
            }
            n += 1;
        }
        false
    }

    /// The problem of a kernel for these labels, and whether the operand on the right comes first in it. Nothing where loops serve as
    /// well or better.
    pub(super) const fn kernel(&self, labels: &[usize], extents: &[usize], dtype: Dtype) -> Option<(Problem, bool)> {
        if self.count != 2 {
            return None;
        }
        let Some((problem, is_swapped)) = self.problem(labels, extents) else { return None };
        let (parts, narrowest) = match dtype.every() {
            EveryDtype::F64 => (1, 2),
            EveryDtype::C64 => (2, 2),
            EveryDtype::F32 => (1, 4),
            EveryDtype::C32 => (2, 4),
        };
        let turned = if problem.b_column == 1 { 0 } else { problem.columns * problem.terms[0].extent * problem.terms[1].extent };
        if problem.columns * parts < narrowest || problem.work() <= INLINE || turned > MOST_TURNED {
            return None;
        }
        Some((problem, is_swapped))
    }

    /// The problem, of any size.
    const fn problem(&self, labels: &[usize], extents: &[usize]) -> Option<(Problem, bool)> {
        let Some(last) = labels.len().checked_sub(1) else { return None };
        let mut n = 0;
        while n < labels.len() {
            if labels[n] >= LABELS || extents[n] == 0 {
                return None;
            }
            n += 1;
        }
        // Columns are of one operand alone, which is then on the right.
        let column = labels[last];
        let [Steps(a), Steps(b), ..] = self.steps;
        let is_swapped = a[column] != 0;
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        if a[column] != 0 || b[column] == 0 {
            return None;
        }
        let Some(terms) = self.terms(&a, &b) else { return None };
        // Rows are the longest axis of the other operand alone.
        let (mut row, mut n) = (last, 0);
        while n < last {
            if a[labels[n]] != 0 && b[labels[n]] == 0 && (row == last || extents[n] > extents[row]) {
                row = n;
            }
            n += 1;
        }
        if row == last {
            return None;
        }
        let mut problem = Problem {
            rows: extents[row],
            columns: extents[last],
            terms,
            a_row: a[labels[row]],
            c_row: 0,
            b_column: b[column],
            outer: [Axis::NONE; MOST_OUTER],
        };
        let (mut c, mut outer, mut n) = (extents[last], 0, last);
        while n > 0 {
            n -= 1;
            if n == row {
                problem.c_row = c;
            } else if outer == MOST_OUTER {
                return None;
            } else {
                problem.outer[outer] = Axis { extent: extents[n], a: a[labels[n]], b: b[labels[n]], c };
                outer += 1;
            }
            c *= extents[n];
        }
        Some((problem, is_swapped))
    }

    /// The summed labels as two loops: those that follow each other in both operands are one.
    const fn terms(&self, a: &[usize; LABELS], b: &[usize; LABELS]) -> Option<[Term; 2]> {
        let (mut terms, mut found, mut n) = ([Term::NONE; 2], 0, 0);
        while n < SUMMED {
            if let Some(Summed { label, extent }) = self.summed[n] {
                let term = Term { extent, a: a[label], b: b[label] };
                let inner = if found == 0 { Term::NONE } else { terms[found - 1] };
                if extent == 0 {
                    return None;
                } else if extent == 1 {
                } else if found > 0 && term.a == inner.extent * inner.a && term.b == inner.extent * inner.b {
                    terms[found - 1].extent *= extent;
                } else if found == terms.len() {
                    return None;
                } else {
                    terms[found] = term;
                    found += 1;
                }
            }
            n += 1;
        }
        Some(terms)
    }
}
