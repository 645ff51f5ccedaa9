//! Equations over block tensors: of every structure, and of every form of the language that a stage of its own computes.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Symmetry, Tiling};

use crate::equations::{Tell, sample, told};

/// Computes them on a device, in the same order on every device.
pub(crate) fn all(context: &Context, tell: &mut Tell<'_>) {
    of::<f64>(context, tell);
    of::<Complex<f32>>(context, tell);
    ordered(context, tell);
    in_parts(context, tell);
}

/// Numbers that differ from element to element.
fn number<T: Element>(index: &[usize], seed: usize) -> T {
    let at = index.iter().fold(seed, |at, n| at * 7 + n) as f64;
    T::from_complex(Complex::new(at.sin(), at.cos()))
}

fn made<T: Element>(structure: &Structure, seed: usize) -> Blocks<T> {
    Blocks::from_fn(structure, |index| number(index, seed)).expect("memory for a few numbers")
}

/// A matrix of which some blocks are there, and a symmetric one, cut alike.
fn matrices<T: Element>() -> [Blocks<T>; 2] {
    let cut = Tiling::cuts([5, 17, 9]);
    let plain = Structure::new([&cut, &cut]);
    let symmetric = plain.with(Symmetry::none(2).symmetric([0, 1]).expect("two axes")).expect("axes are cut alike");
    [made(&plain.with_blocks([[0, 1], [1, 1], [2, 0]]).expect("these are blocks"), 1), made(&symmetric, 2)]
}

fn of<T: Element>(context: &Context, tell: &mut Tell<'_>) {
    let [a, s] = matrices::<T>();
    let spin = Tiling::cuts([3, 2]).charged([-1, 1]).expect("a charge for each tile");
    let charged = Structure::new([&spin, &spin, &spin]).flow([1, 1, -1], [1]).expect("all axes have charges");
    let cut = Tiling::cuts([5, 17, 9]);
    let (t, v, ctx) = (made::<T>(&charged, 3), made::<T>(&Structure::new([&cut]), 4), context);
    let diagonal = Blocks::diagonal(v.clone()).expect("an axis");
    let [small, whole] = [Tiling::cuts([2, 3]), Tiling::cuts([4])];
    let antisymmetric = Symmetry::none(3).antisymmetric([0, 1]).expect("two axes");
    let p = made::<T>(&Structure::new([&small, &small, &whole]).with(antisymmetric).expect("axes are cut alike"), 5);
    let rows = [3, 1, 4].map(|extent| sample::<T>(&[extent], extent as u64));
    let jagged = Blocks::rows(rows).expect("rows of numbers");
    let d = sample::<T>(&[31, 4], 11);
    let mut tell = |name: &str, result: Result<Blocks<T>, Error>| {
        tell(&format!("{} {name}", T::DTYPE), told(result.and_then(|blocks| blocks.to_dense())));
    };
    tell("product of blocks", try_tensor!(in ctx; let x[i, j] = a[i, k] * s[k, j]; x).map(Blocks::into_dyn));
    tell("blocks and a dense tensor", try_tensor!(in ctx; let x[i, l] = s[i, k] * a[k, j] * d[j, l]; x).map(Blocks::into_dyn));
    tell("square of blocks", try_tensor!(in ctx; let x[i, j] = conj(a[k, i]) * a[k, j]; x).map(Blocks::into_dyn));
    tell("functions of blocks", try_tensor!(in ctx; let x[i, j] = a[i, j] * exp(s[i, j]) - 2 * s[j, i]; x).map(Blocks::into_dyn));
    tell("charged blocks", try_tensor!(in ctx; let x[i, j] = t[i, k, l] * conj(t[j, k, l]); x).map(Blocks::into_dyn));
    tell("sums of blocks", try_tensor!(in ctx; let x[i] = sum(j; a[i, j] + s[i, j]); x).map(Blocks::into_dyn));
    tell("an antisymmetric product", try_tensor!(in ctx; let x[i, j] = p[i, k, m] * p[k, j, m]; x).map(Blocks::into_dyn));
    tell(
        "a made symmetry",
        try_tensor!(in ctx; let x[i, j] = asym(i, j; a[i, k] * s[k, j]) where asym(i, j); x).map(Blocks::into_dyn),
    );
    tell(
        "parts of blocks",
        try_tensor!(in ctx; let x[i, l] = s[i in 3..20, 4] * a[i in 1..18, k] * d[k, l]; x).map(Blocks::into_dyn),
    );
    tell("diagonals of blocks", try_tensor!(in ctx; let x[i] = s[i, i] * a[i, i] - v[i]; x).map(Blocks::into_dyn));
    tell("a trace of blocks", try_tensor!(in ctx; let x[j] = s[i, i] * v[i] * v[j]; x).map(Blocks::into_dyn));
    tell(
        "a diagonal matrix",
        try_tensor!(in ctx; let x[i, j] = diagonal[i, k] * s[k, j] + diagonal[i, j]; x).map(Blocks::into_dyn),
    );
    tell(
        "functions of a diagonal",
        try_tensor!(in ctx; let x[i, j] = diagonal[i, j] + exp(diagonal[i, j]); x).map(Blocks::into_dyn),
    );
    tell("a product of elements", try_tensor!(in ctx; let x[i] = prod(j; 1 + s[i, j] / 40); x).map(Blocks::into_dyn));
    tell("means of blocks", try_tensor!(in ctx; let x[i] = mean(j; a[i, j] * s[j, i]); x).map(Blocks::into_dyn));
    tell(
        "other cuts",
        try_tensor!(in ctx; let x[j, i] = a[i, k] * s[k, j] where j: &Tiling::cuts([10, 21]); x).map(Blocks::into_dyn),
    );
    tell(
        "ragged rows",
        try_tensor!(in ctx; let x[r, n] = jagged[r, n] * jagged[r, n] - 3 * jagged[r, n]; x).map(Blocks::into_dyn),
    );
    tell("sums of ragged rows", try_tensor!(in ctx; let x[r] = sum(n; jagged[r, n]); x).map(Blocks::into_dyn));
    layers(context, &s, &mut tell);
}

/// Layers, and a part of blocks that keeps where it began.
fn layers<T: Element>(context: &Context, s: &Blocks<T>, tell: &mut impl FnMut(&str, Result<Blocks<T>, Error>)) {
    let even = Structure::new([&Tiling::even(6, 2), &Tiling::even(6, 3)]);
    let nested = made::<T>(&even, 6).nested([1, 1]).expect("an axis each");
    let found = context.eval_blocks("[i; j] = 2.0 * N[i; j]", &[("N", &nested)]);
    tell("layers", found.map(Blocks::flat));
    let part = s.slice(&[3..20, 0..31]);
    tell("a slice of blocks", part.and_then(|part| context.eval_blocks("[i] = P[i, j] * P[i, j]", &[("P", &part)])));
}

/// What needs an order.
fn ordered(context: &Context, tell: &mut Tell<'_>) {
    let ([a, s], ctx) = (matrices::<f64>(), context);
    let mut tell = |name: &str, result: Result<Blocks<f64>, Error>| {
        tell(&format!("f64 {name}"), told(result.and_then(|blocks| blocks.to_dense())));
    };
    tell("largest of blocks", try_tensor!(in ctx; let x[i] = max(j; a[i, j] - s[i, j]); x).map(Blocks::into_dyn));
    tell("place of the smallest in blocks", try_tensor!(in ctx; let x[j] = argmin(i; s[i, j]); x).map(Blocks::into_dyn));
    tell(
        "choices over blocks",
        try_tensor!(in ctx; let x[i, j] = select(a[i, j] > s[j, i]; a[i, j], 0.0); x).map(Blocks::into_dyn),
    );
    tell("limits of blocks", try_tensor!(in ctx; let x[i, j] = clip(s[i, j], -0.3, 0.2) * a[i, j]; x).map(Blocks::into_dyn));
    tell("indices of blocks", try_tensor!(in ctx; let x[i] = iota[j] * a[i, j in 2..25]; x).map(Blocks::into_dyn));
}

/// A product that does not fit at once.
fn in_parts(context: &Context, tell: &mut Tell<'_>) {
    let [a, s] = matrices::<f64>();
    let equation = "[i, l] = A[i, k] * S[k, j] * S[j, m] * A[m, l]";
    let prepared = |context: &Context| context.prepare_blocks::<f64>(equation, &[("A", &a), ("S", &s)]);
    let few = prepared(&context.clone().memory_limit(24_000));
    if let (Ok(whole), Ok(few)) = (prepared(context), &few) {
        assert!(whole.peak_bytes() > 24_000 && few.products().len() > whole.products().len(), "{}", few.explain());
    }
    let result = few.and_then(|few| few.run(&[&a, &s]));
    tell("f64 a product in parts", told(result.and_then(|blocks| blocks.to_dense())));
}
