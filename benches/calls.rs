//! What a call costs beside its arithmetic: small products through every door, with the same loops written by hand.
//!
//! `cargo bench --bench calls`; the figures stand in `docs/results/language.md`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tensorwrapper::prelude::*;

/// The product as a program without this library would have it, its result in memory of its own.
fn by_hand(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    c
}

fn matrix(n: usize) -> Tensor<f64> {
    Tensor::from_fn([n, n], |at| (at[0] * n + at[1]) as f64 * 0.01).expect("a small matrix fits")
}

fn dynamic(criterion: &mut Criterion) {
    let (a, b) = (matrix(4), matrix(4));
    let mut group = criterion.benchmark_group("product of 4 x 4, extents of the run");
    group.bench_function("tensor!", |bench| {
        bench.iter(|| {
            let (a, b) = (black_box(&a), black_box(&b));
            tensor!([i, j] = a[i, k] * b[k, j])
        })
    });
    group.bench_function("einsum", |bench| bench.iter(|| einsum("ik,kj->ij", &[black_box(&a), black_box(&b)])));
    group.bench_function("by hand", |bench| bench.iter(|| by_hand(black_box(a.as_slice()), black_box(b.as_slice()), 4)));
    group.finish();
}

macro_rules! fixed {
    ($criterion:ident: $($n:literal),*) => { $(
        let mut group = $criterion.benchmark_group(concat!("product of ", $n, " x ", $n, ", static tensors"));
        let cell = |i: usize, j: usize| (i * $n + j) as f64 * 0.01;
        let a = StaticTensor::<f64, Shape![$n, $n]>::from_fn(|at| cell(at[0], at[1]));
        let b = a;
        group.bench_function("tensor!", |bench| bench.iter(|| {
            let (a, b) = (black_box(&a), black_box(&b));
            tensor!([i, j] = a[i, k] * b[k, j])
        }));
        group.bench_function("by hand", |bench| bench.iter(|| {
            let (a, b) = (black_box(&a), black_box(&b));
            let mut c = [[0.0; $n]; $n];
            for i in 0..$n { for k in 0..$n { for j in 0..$n { c[i][j] += a[[i, k]] * b[[k, j]]; } } }
            c
        }));
        group.finish();
    )* };
}

fn inline(criterion: &mut Criterion) {
    fixed!(criterion: 3, 4, 8, 16);
}

criterion_group!(calls, dynamic, inline);
criterion_main!(calls);
