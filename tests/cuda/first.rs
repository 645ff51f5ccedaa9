//! How long a first call waits for the compiler: figures for people, without a GPU and without loading what was compiled.
//! `cargo test --features cuda --test cuda -- --ignored --nocapture first_calls` prints them.

use std::collections::BTreeSet;
use std::time::Instant;

use tensorwrapper::__private::cuda::{Collected, Collection, Route, collecting, compile, try_for_each, version};
use tensorwrapper::prelude::*;

use crate::is_there;

const ARCHITECTURE: &str = "sm_90a";
/// Rounds, of which the middle one counts.
const ROUNDS: usize = 9;

/// What a program calls first, over matrices of some size.
type Call = (&'static str, fn(&Context, usize));

const CALLS: [Call; 7] = [
    ("plan of five steps", |context, n| {
        let n = n / 5;
        let (t, u) = (ones(&[n, n, n, n]), ones(&[n, n, n, n]));
        // Three products that are no matrices where they lie, an expression that reads the last one twice, and a reduction.
        let _ = try_tensor! { in context;
            let x[a, b, c, d] = tanh(sum(e, f; t[a, e, b, f] * u[d, f, c, e]));
            let y[a, b, c, d] = sum(e, f; x[a, e, b, f] * u[c, f, d, e]) / 2 - t[a, b, c, d];
            let z[a, b, c, d] = sum(e, f; y[a, e, d, f] * x[b, f, c, e]);
            let w[a, b, c, d] = exp(z[a, b, c, d]) * sin(y[d, c, b, a]) + u[a, c, b, d] / (2 + z[b, a, d, c]);
            let s[a, b] = max(c, d; w[a, b, c, d] - w[b, a, d, c]);
            (w, s)
        };
    }),
    ("contraction of four axes", |context, n| {
        let (a, b) = (ones(&[n, 6, n, 5]), ones(&[n, 5, n, 6]));
        let _ = context.einsum("aebf,dfce->abcd", &[&a, &b]);
    }),
    ("permutation", |context, n| {
        let _ = context.einsum("abcd->dcba", &[&ones(&[n, 9, 8, n])]);
    }),
    ("element-wise program", |context, n| {
        let (a, b) = (ones(&[n, n]), ones(&[n, n]));
        let _ = try_tensor! { in context; let x[i, j] = exp(a[i, j]) * sin(b[j, i]) + a[i, j] / (2 + b[j, i]); x };
    }),
    ("cholesky", |context, n| {
        let a = ones(&[n, n]);
        let _ = try_tensor! { in context; let l[i, r] = cholesky(a[i, j]); l };
    }),
    ("svd", |context, n| {
        let a = ones(&[n + 1, n]);
        let _ = try_tensor! { in context; let (u[i, r], s[r], v[r, j]) = svd(a[i, j]); (u, s, v) };
    }),
    ("eigh", |context, n| {
        let a = ones(&[n, n]);
        let _ = try_tensor! { in context; let (e[r], c[i, r]) = eigh(a[i, j]); (e, c) };
    }),
];

fn ones(shape: &[usize]) -> Tensor<f64> {
    Tensor::filled(shape, 1.0).expect("memory for some numbers")
}

/// The texts that a call needs, each once.
fn texts(call: fn(&Context, usize), n: usize) -> BTreeSet<String> {
    let collection = Collection::default();
    // Numbers that are collected are zeros, of which there may be no factors.
    call(&collecting(&collection, Route::Library), n);
    collection.kernels().into_iter().map(|Collected { text, .. }| text).collect()
}

/// Milliseconds, in the middle of some rounds.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn built(text: &str) -> Result<(), Error> {
    compile(&(Collection::preamble() + text), ARCHITECTURE).map(drop)
}

fn build(text: &str) {
    built(text).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
#[ignore = "figures of one machine, which nothing is compared with"]
fn print_times_of_first_calls() {
    if !is_there("times of the compiler", version()) {
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("NVRTC {:?} for {ARCHITECTURE}, {threads} threads; milliseconds of a first call", version());
    println!("{:28}{:>6}{:>12}{:>14}{:>14}{:>18}", "", "texts", "in turn", "side by side", "one program", "of another size");
    for (name, call) in CALLS {
        let first = texts(call, 70);
        let new: Vec<String> = texts(call, 90).difference(&first).cloned().collect();
        let in_turn = median(|| first.iter().for_each(|text| build(text)));
        let beside = median(|| {
            // As plans have theirs made.
            let made = try_for_each(&first.iter().collect::<Vec<_>>(), |text| built(text));
            made.unwrap_or_else(|error| panic!("{error}"));
        });
        let together = median(|| build(&first.iter().map(String::as_str).collect::<String>()));
        let again = median(|| new.iter().for_each(|text| build(text)));
        println!("{name:28}{:6}{in_turn:12.0}{beside:14.0}{together:14.0}{:10} texts {again:.0}", first.len(), new.len());
    }
}
