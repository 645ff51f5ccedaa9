//! Computes products of three and more static factors by pairwise contractions in the best order, each with its own loops.
//!
//! The compiler knows all extents, so it compares all orders (it evaluates `plan.rs`), and the program contains only the best
//! one. Intermediate results are on the stack.
//!
//! If pairs save less than a quarter of the multiplications, the product stays one nest of loops.
//!
//! For a `Tensor` with constant extents the first run of an invocation finds the order and keeps the plan. Searching over five
//! factors is 7000 instructions, about a microsecond, once for each invocation. A constant in types would be evaluated in every
//! compilation of every such product, and would not help where sums are factorised, whose products have orders of their own.

pub(super) mod plan;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::form::FACTORS;
use super::node::{Compute, Loops, Node};
use crate::tensor::zeroed;
pub(super) use plan::PairPlan;
use plan::{DEEP, MOST_INTERMEDIATE, Nest, Pair};
use tensorwrapper_core::element::Element;
use tensorwrapper_cpu::fixed::{Axis, Factors, Fixed, Problem};

/// The pairs of a product except the last: their results are intermediates.
const INTERMEDIATES: usize = FACTORS - 2;

/// Elements of rows that are summed in registers.
const SHORT: usize = 8;

/// Elements of the workspaces that a product may have on the stack: the smallest that holds its intermediates is taken.
const WORKSPACES: [usize; 3] = [64, 1024, MOST_INTERMEDIATE];

/// A node's plan, and its pair of a number.
struct Planned<V, G, X, const N: usize>(PhantomData<(V, G, X)>);

impl<T: Element, O, G: Loops, V: Node<T, O>, const N: usize> Planned<V, G, (T, O), N> {
    const PLAN: PairPlan = match V::FORM.plan::<G>() {
        Some(plan) => plan,
        None => PairPlan::NONE,
    };
    /// Of the one plan that all pairs share, so that it is searched once.
    const PAIR: Pair = Planned::<V, G, (T, O), 0>::PLAN.pairs[N];
    const KERNEL: Option<(Problem, bool)> = Self::PAIR.kernel(T::DTYPE);
}

impl<T: Element, O, G: Loops, V: Node<T, O>, const N: usize> Fixed for Planned<V, G, (T, O), N> {
    const PROBLEM: Problem = match Self::KERNEL {
        Some((problem, _)) => problem,
        None => Problem::ONE,
    };
}

/// The values of a sum of products that there is a plan for, into memory for them.
#[inline(always)]
pub(super) fn product<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    (const { PairStrategy::<T, O, G, V, L, 0>::WORKSPACE })(operands, place)
}

/// Computes a product of two into memory for it.
type Multiply<T> = for<'p> fn(&[T], &[T], &'p mut [MaybeUninit<T>]) -> &'p mut [T];

/// Chooses how pair `N` is computed. The functions are constants, so that the compiler instantiates only the chosen ones, and
/// the others take no stack at any optimisation level.
struct PairStrategy<T, O, G, V, const L: usize, const N: usize>(PhantomData<(T, O, G, V)>);

impl<T: Element, O, G: Loops, V: Node<T, O>, const L: usize, const N: usize> PairStrategy<T, O, G, V, L, N> {
    /// The whole product, with a workspace for its intermediates.
    const WORKSPACE: Compute<T, O> = {
        let workspace = Planned::<V, G, (T, O), 0>::PLAN.workspace;
        if workspace <= WORKSPACES[0] {
            product_with_workspace::<T, O, G, V, L, { WORKSPACES[0] }>
        } else if workspace <= WORKSPACES[1] {
            product_in_call::<T, O, G, V, L, { WORKSPACES[1] }>
        } else {
            product_in_call::<T, O, G, V, L, { WORKSPACES[2] }>
        }
    };
    /// A pair, of both its factors.
    const PAIR: Multiply<T> = match Planned::<V, G, (T, O), N>::KERNEL {
        Some((_, false)) => by_kernel::<T, O, G, V, N, false>,
        Some((_, true)) => by_kernel::<T, O, G, V, N, true>,
        None => by_loops::<T, O, G, V, N>,
    };
}

/// In a call of its own, so that a large workspace is released after it.
#[inline(never)]
fn product_in_call<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize, const WORKSPACE: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    product_with_workspace::<T, O, G, V, L, WORKSPACE>(operands, place)
}

/// The product, with a workspace of so many elements for its intermediates.
#[inline(always)]
fn product_with_workspace<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize, const WORKSPACE: usize>(
    operands: &O,
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    let plan = const { &Planned::<V, G, (T, O), 0>::PLAN };
    let mut workspace = [const { MaybeUninit::uninit() }; WORKSPACE];
    let mut rest = &mut workspace[..];
    let mut next = |len: usize| {
        let (own, others) = std::mem::take(&mut rest).split_at_mut(len);
        rest = others;
        own
    };
    let mut intermediates: [&[T]; INTERMEDIATES] = [&[]; INTERMEDIATES];
    intermediates[0] = multiply::<T, O, G, V, L, 0>(operands, intermediates, next(plan.pairs[0].len));
    if const { Planned::<V, G, (T, O), 0>::PLAN.count == 2 } {
        return multiply::<T, O, G, V, L, 1>(operands, intermediates, place);
    }
    intermediates[1] = multiply::<T, O, G, V, L, 1>(operands, intermediates, next(plan.pairs[1].len));
    if const { Planned::<V, G, (T, O), 0>::PLAN.count == 3 } {
        return multiply::<T, O, G, V, L, 2>(operands, intermediates, place);
    }
    intermediates[2] = multiply::<T, O, G, V, L, 2>(operands, intermediates, next(plan.pairs[2].len));
    multiply::<T, O, G, V, L, 3>(operands, intermediates, place)
}

/// The product of pair `N`, into memory for it.
#[inline(always)]
fn multiply<'p, T: Element, O, G: Loops, V: Node<T, O>, const L: usize, const N: usize>(
    operands: &O,
    intermediates: [&[T]; INTERMEDIATES],
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    let of = const { Planned::<V, G, (T, O), N>::PAIR.of };
    let [left, right] =
        of.map(|number| if number < FACTORS { V::factor::<L>(operands, number) } else { intermediates[number - FACTORS] });
    (const { PairStrategy::<T, O, G, V, L, N>::PAIR })(left, right, place)
}

/// A pair by its kernel, which has the second factor first where `SWAPPED`; by loops where the processor has none.
#[inline(always)]
fn by_kernel<'p, T: Element, O, G: Loops, V: Node<T, O>, const N: usize, const SWAPPED: bool>(
    left: &[T],
    right: &[T],
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    let (a, b) = if SWAPPED { (right, left) } else { (left, right) };
    match Factors::<Planned<V, G, (T, O), N>, T>::new(a, b) {
        Some(factors) => factors.product(place),
        None => called_loops::<T, O, G, V, N>(left, right, place),
    }
}

/// A pair by its loops, where the processor has no kernel for it.
#[cold]
#[inline(never)]
fn called_loops<'p, T: Element, O, G: Loops, V: Node<T, O>, const N: usize>(
    left: &[T],
    right: &[T],
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    by_loops::<T, O, G, V, N>(left, right, place)
}

/// A pair by its loops.
#[inline(always)]
fn by_loops<'p, T: Element, O, G: Loops, V: Node<T, O>, const N: usize>(
    left: &[T],
    right: &[T],
    place: &'p mut [MaybeUninit<T>],
) -> &'p mut [T] {
    let values = zeroed(place);
    loops(const { &Planned::<V, G, (T, O), N>::PAIR.nest }, left, right, values);
    values
}

/// Runs for the positions in all three at each index of the loops. No closure: one that is not inlined does not see that extents are
/// constants, and takes ten times as long.
macro_rules! each {
    ($loops:expr, $at:ident => $body:block) => {{
        let loops: &[Axis; DEEP] = $loops;
        for n in 0..loops[3].extent {
            for m in 0..loops[2].extent {
                for k in 0..loops[1].extent {
                    for i in 0..loops[0].extent {
                        let $at = place(loops, [i, k, m, n]);
                        $body
                    }
                }
            }
        }
    }};
}

/// Writes a pair's sums where they belong.
#[inline(always)]
fn loops<T: Element>(nest: &Nest, left: &[T], right: &[T], values: &mut [T]) {
    each!(&nest.outer, at => {
        let [a, b, c] = at;
        let (left, right, values) = (&left[a..], &right[b..], &mut values[c..][..nest.row.extent]);
        if nest.row.extent <= SHORT {
            // Memory of their own, which registers are instead: the compiler does not know that the result is nobody else's.
            let mut sums = [T::ZERO; SHORT];
            let sums = &mut sums[..nest.row.extent];
            row(nest, left, right, sums);
            values.copy_from_slice(sums);
        } else {
            row(nest, left, right, values);
        }
    });
}

/// Adds the products of a row to its sums.
#[inline(always)]
fn row<T: Element>(nest: &Nest, left: &[T], right: &[T], sums: &mut [T]) {
    let row = nest.row;
    each!(&nest.inner, at => {
        let (left, right) = (&left[at[0]..], &right[at[1]..]);
        match (row.a, row.b) {
            (0, 1) => add(sums, &right[..row.extent], left[0]),
            (1, 0) => add(sums, &left[..row.extent], right[0]),
            _ => {
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum += left[n * row.a] * right[n * row.b];
                }
            }
        }
    });
}

#[inline(always)]
fn add<T: Element>(values: &mut [T], row: &[T], factor: T) {
    values.iter_mut().zip(row).for_each(|(value, &x)| *value += factor * x);
}

/// The positions in all three at an index of the loops.
#[inline(always)]
fn place(loops: &[Axis; DEEP], index: [usize; DEEP]) -> [usize; 3] {
    let mut at = [0; 3];
    let mut n = 0;
    while n < DEEP {
        at[0] += index[n] * loops[n].a;
        at[1] += index[n] * loops[n].b;
        at[2] += index[n] * loops[n].c;
        n += 1;
    }
    at
}
