//! What a call costs beside its arithmetic: small products through every door, with the same loops written by hand.
//!
//! `cargo bench --bench calls [PART OF A NAME]`; the figures stand in `docs/results/language.md`. Times are the smallest of many
//! short batches: what other programs of the machine cost is in the others.

use std::hint::black_box;
use std::time::Instant;

use tensorwrapper::DynOperand;
use tensorwrapper::prelude::*;

/// Batches of one figure.
const BATCHES: usize = 400;
/// Nanoseconds that a batch takes at least.
const BATCH: u128 = 200_000;

/// Prints the nanoseconds of a call, if its name is asked for.
fn time<R>(name: &str, mut call: impl FnMut() -> R) {
    if std::env::args().skip(1).any(|part| !part.starts_with('-') && !name.contains(&part)) {
        return;
    }
    let mut batch = |calls: u32| {
        let start = Instant::now();
        (0..calls).for_each(|_| drop(black_box(call())));
        start.elapsed().as_nanos()
    };
    // The first calls plan, and meet cold caches.
    batch(100);
    let mut calls = 1;
    while batch(calls) < BATCH {
        calls *= 2;
    }
    let best = (0..BATCHES).map(|_| batch(calls)).min().expect("there are batches");
    println!("{name:<60} {:>10.1} ns", best as f64 / f64::from(calls));
}

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

/// Products whose extents only the run knows.
fn dynamic(n: usize) {
    let (a, b) = (matrix(n), matrix(n));
    let name = |door: &str| format!("{n} x {n}, extents of the run: {door}");
    time(&name("tensor!"), || {
        let (a, b) = (black_box(&a), black_box(&b));
        tensor!([i, j] = a[i, k] * b[k, j])
    });
    time(&name("einsum"), || einsum("ik,kj->ij", &[black_box(&a), black_box(&b)]));
    let prepared = Context::default().prepare("ik,kj->ij", &[&a, &b]).expect("extents fit");
    time(&name("prepared, run"), || prepared.run(&[black_box(&a), black_box(&b)]));
    let mut c = matrix(n);
    time(&name("prepared, run_into"), || prepared.run_into(&[black_box(&a), black_box(&b)], black_box(&mut c)));
    let context = Context::cpu().threads(1);
    let single = context.prepare("ik,kj->ij", &[&a, &b]).expect("extents fit");
    time(&name("prepared on one thread, run_into"), || single.run_into(&[black_box(&a), black_box(&b)], black_box(&mut c)));
    time(&name("by hand"), || by_hand(black_box(a.as_slice()), black_box(b.as_slice()), n));
}

/// Equations that are no products, whose extents only the run knows.
fn elementwise(n: usize) {
    let (a, b, mut c) = (matrix(n), matrix(n), matrix(n));
    let mut row = Tensor::<f64>::zeros([n]).expect("a small vector fits");
    let name = |equation: &str| format!("{n} x {n}, {equation}");
    time(&name("a[i, j] + b[i, j]"), || {
        let (a, b) = (black_box(&a), black_box(&b));
        tensor!([i, j] = a[i, j] + b[i, j])
    });
    time(&name("c[i, j] = a[i, j] + b[i, j]"), || {
        let (a, b) = (black_box(&a), black_box(&b));
        tensor!(c[i, j] = a[i, j] + b[i, j]);
    });
    time(&name("c[i, j] += 0.5 * a[i, j]"), || {
        let a = black_box(&a);
        tensor!(c[i, j] += 0.5 * a[i, j]);
    });
    time(&name("exp(a[i, j]) - b[j, i]"), || {
        let (a, b) = (black_box(&a), black_box(&b));
        tensor!([i, j] = exp(a[i, j]) - b[j, i])
    });
    time(&name("sum(j; a[i, j])"), || {
        let a = black_box(&a);
        tensor!([i] = sum(j; a[i, j]))
    });
    time(&name("r[i] = max(j; a[i, j])"), || {
        let a = black_box(&a);
        tensor!(row[i] = max(j; a[i, j]));
    });
    let sum = (a.at("ij") + b.at("ij")).record("ij").expect("extents fit");
    let prepared = Context::default().prepare_all((&sum,), &[&a, &b]).expect("both are read");
    time(&name("prepared a[i, j] + b[i, j]: run"), || prepared.run(&[black_box(&a), black_box(&b)]));
    time(&name("prepared a[i, j] + b[i, j]: run_into"), || prepared.run_into(&[black_box(&a), black_box(&b)], black_box(&mut c)));
    let sums = a.at("ij").sum("j").record("i").expect("extents fit");
    let prepared = Context::default().prepare_all((&sums,), &[&a]).expect("it is read");
    time(&name("prepared sum(j; a[i, j]): run_into"), || prepared.run_into(&[black_box(&a)], black_box(&mut row)));
    let product = Context::default().prepare("ij,ij->ij", &[&a, &b]).expect("extents fit");
    time(&name("prepared a[i, j] * b[i, j]: run_into"), || product.run_into(&[black_box(&a), black_box(&b)], black_box(&mut c)));
}

/// Plans found and plans made, of products of two to five matrices of 4 x 4.
fn planning() {
    let a = matrix(4);
    let mut seed = 0;
    for text in ["ij,jk->ik", "ij,jk,kl->il", "ij,jk,kl,lm->im", "ij,jk,kl,lm,mn->in"] {
        let operands: Vec<&dyn DynOperand<f64>> = text.split(',').map(|_| &a as &dyn DynOperand<f64>).collect();
        time(&format!("{text}: plan found"), || Context::default().prepare(text, black_box(&operands)));
        time(&format!("{text}: plan made"), || {
            // Nobody has asked for this one.
            seed += 1;
            Context::default().seed(seed).prepare(text, black_box(&operands))
        });
    }
}

/// 1000 elements, one after the other by their indices.
fn indexing() {
    let (rows, columns) = (25, 40);
    let cell = |at: &[usize]| (at[0] * columns + at[1]) as f64 * 0.01;
    let any = Tensor::<f64>::from_fn([rows, columns], cell).expect("a small matrix fits");
    let matrix = Tensor::<f64, Shape![_, _]>::from_fn((rows, columns), cell).expect("a small matrix fits");
    let elements = matrix.as_slice().to_vec();
    time("sum of 1000 elements a[[i, j]]", || {
        let a = black_box(&any);
        (0..rows).flat_map(|i| (0..columns).map(move |j| a[[i, j]])).sum::<f64>()
    });
    time("sum of 1000 elements a[[i, j]], rank known", || {
        let a = black_box(&matrix);
        (0..rows).flat_map(|i| (0..columns).map(move |j| a[[i, j]])).sum::<f64>()
    });
    time("sum of 1000 elements v[i * columns + j] of a vector", || {
        let v = black_box(&elements);
        (0..rows).flat_map(|i| (0..columns).map(move |j| v[i * columns + j])).sum::<f64>()
    });
}

macro_rules! fixed {
    ($($n:literal),*) => { $(
        let cell = |i: usize, j: usize| (i * $n + j) as f64 * 0.01;
        let a = StaticTensor::<f64, Shape![$n, $n]>::from_fn(|at| cell(at[0], at[1]));
        let b = a;
        time(concat!($n, " x ", $n, ", static tensors: tensor!"), || {
            let (a, b) = (black_box(&a), black_box(&b));
            tensor!([i, j] = a[i, k] * b[k, j])
        });
        time(concat!($n, " x ", $n, ", static tensors: by hand"), || {
            let (a, b) = (black_box(&a), black_box(&b));
            let mut c = [[0.0; $n]; $n];
            for i in 0..$n { for k in 0..$n { for j in 0..$n { c[i][j] += a[[i, k]] * b[[k, j]]; } } }
            c
        });
    )* };
}

/// Three factors, of which the compiler knows the best order, and the same as one nest of loops.
macro_rules! chains {
    ($(($i:literal $k:literal $l:literal $j:literal))*) => { $(
        let cell = |at: &[usize]| at.iter().sum::<usize>() as f64 * 0.01;
        let a = StaticTensor::<f64, Shape![$i, $k]>::from_fn(cell);
        let b = StaticTensor::<f64, Shape![$k, $l]>::from_fn(cell);
        let c = StaticTensor::<f64, Shape![$l, $j]>::from_fn(cell);
        let name = concat!("chain ", $i, " x ", $k, " x ", $l, " x ", $j, ", static tensors: ");
        time(&format!("{name}tensor!"), || {
            let (a, b, c) = (black_box(&a), black_box(&b), black_box(&c));
            tensor!([i, j] = a[i, k] * b[k, l] * c[l, j])
        });
        time(&format!("{name}one nest by hand"), || {
            let (a, b, c) = (black_box(&a), black_box(&b), black_box(&c));
            let mut d = [[0.0; $j]; $i];
            for i in 0..$i { for k in 0..$k { for l in 0..$l { for j in 0..$j {
                d[i][j] += a[[i, k]] * b[[k, l]] * c[[l, j]];
            } } } }
            d
        });
        time(&format!("{name}pairs by hand"), || {
            let (a, b, c) = (black_box(&a), black_box(&b), black_box(&c));
            let ab = tensor!([i, l] = a[i, k] * b[k, l]);
            tensor!([i, j] = ab[i, l] * c[l, j])
        });
    )* };
}

fn main() {
    for n in [2, 3, 4, 8, 16] {
        dynamic(n);
    }
    elementwise(4);
    planning();
    indexing();
    fixed!(3, 4, 8, 16);
    chains!((3 3 3 3) (4 4 4 4) (8 8 8 8) (8 8 8 2) (16 16 16 16));
}
