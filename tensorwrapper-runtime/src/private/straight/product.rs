//! Products of matrices in straight code: what of a tree is one, so that a kernel of that size computes it.
//!
//! All of it is constants: a tree says what it reads by how far each label moves it, and a sum of products of two such is
//! matched with a kernel's problem. What does not match keeps its loops.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::Node;
use super::indices::Loops;
use crate::backend::cpu::fixed::{Axis, Factors, Fixed, MOST_OUTER, MOST_TURNED, Problem, Term};
use crate::element::{Dtype, Element};
use crate::shape::StaticExtents;
use crate::tensor::StaticTensor;

/// Labels that are told apart.
const LABELS: usize = 16;

/// Labels of a sum.
const SUMMED: usize = 4;

/// Products of so many multiplications are loops where they stand: a call takes longer.
const INLINE: usize = 64;

/// Where an operand is read: how much further for the next index of each label.
#[derive(Clone, Copy, Debug)]
pub struct Steps([usize; LABELS]);

/// A label that is summed over, and its extent.
#[derive(Clone, Copy, Debug)]
struct Summed {
    label: usize,
    extent: usize,
}

/// What a tree computes, as far as that makes it a product of matrices.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number,
    /// Elements of an operand.
    Elements(Steps),
    /// Elements of two operands, multiplied.
    Pair(Steps, Steps),
    /// Such products, summed.
    Sum(Contraction),
    /// Something else.
    Other,
}

/// A sum of products of elements of two operands.
#[derive(Clone, Copy, Debug)]
pub struct Contraction {
    steps: [Steps; 2],
    summed: [Option<Summed>; SUMMED],
}

/// All values of a node, for the indices of all labels of a left side.
#[inline(always)]
pub(super) fn values<T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
) -> <G::Shape as StaticExtents>::Nested<T> {
    // One call, and the loops inside of it: between two the compiler would copy the result.
    if const { V::INSIDE.has_kernel::<G>(T::DTYPE) } {
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
    if !const { V::FORM.has_kernel::<G>(T::DTYPE) } {
        return fill::<T, O, G, V, L>(operands, place);
    }
    let Some(factors) = factors::<T, O, G, V, L>(operands) else {
        return place.write_copy_of_slice(<G::Shape as StaticExtents>::slice(&loops::<T, O, G, V, L>(operands)));
    };
    let values = factors.product(place);
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
        Kind::Elements(Steps(steps))
    }

    /// The product of two trees. A number is no part of its form, but scales what is computed.
    pub(super) const fn times(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Number, Kind::Number) => Kind::Number,
            (Kind::Elements(steps), Kind::Number) | (Kind::Number, Kind::Elements(steps)) => Kind::Elements(steps),
            (Kind::Pair(a, b), Kind::Number) | (Kind::Number, Kind::Pair(a, b)) => Kind::Pair(a, b),
            (Kind::Elements(a), Kind::Elements(b)) => Kind::Pair(a, b),
            _ => Kind::Other,
        }
    }

    /// The sum over a label.
    pub(super) const fn sum(self, label: usize, extent: usize) -> Kind {
        let mut contraction = match self {
            Kind::Pair(a, b) => Contraction { steps: [a, b], summed: [None; SUMMED] },
            Kind::Sum(contraction) => contraction,
            Kind::Number | Kind::Elements(_) | Kind::Other => return Kind::Other,
        };
        let mut n = 0;
        while n < SUMMED {
            if contraction.summed[n].is_none() && label < LABELS {
                contraction.summed[n] = Some(Summed { label, extent });
                return Kind::Sum(contraction);
            }
            n += 1;
        }
        Kind::Other
    }

    /// The one of two that is a sum of products.
    pub(super) const fn or(self, other: Kind) -> Kind {
        match self {
            Kind::Sum(_) => self,
            Kind::Number | Kind::Elements(_) | Kind::Pair(..) | Kind::Other => other,
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
        let (labels, extents) = (G::LABELS, <G::Shape as StaticExtents>::EXTENTS);
        let Some((problem, is_swapped)) = contraction.problem(labels, extents) else { return None };
        let (parts, narrowest) = match dtype {
            Dtype::F64 => (1, 2),
            Dtype::C64 => (2, 2),
            Dtype::F32 => (1, 4),
            Dtype::C32 => (2, 4),
        };
        let turned = if problem.b_column == 1 { 0 } else { problem.columns * problem.terms[0].extent * problem.terms[1].extent };
        if problem.columns * parts < narrowest || problem.work() <= INLINE || turned > MOST_TURNED {
            return None;
        }
        Some((problem, is_swapped))
    }
}

impl Contraction {
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
        let [Steps(a), Steps(b)] = self.steps;
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
