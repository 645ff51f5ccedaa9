//! Nothing of an expansion disturbs the lints of a careful crate.

#![deny(warnings, unused, nonstandard_style, rust_2018_idioms, unused_qualifications)]
#![deny(let_underscore_drop, missing_docs, single_use_lifetimes, trivial_casts, trivial_numeric_casts, unreachable_pub)]
#![deny(unused_lifetimes, unused_results, unused_import_braces, explicit_outlives_requirements)]
#![deny(variant_size_differences, elided_lifetimes_in_paths, missing_debug_implementations, missing_copy_implementations)]
#![deny(clippy::all, clippy::pedantic)]
#![allow(dead_code)]

use tensorwrapper::prelude::*;

/// Amplitudes and integrals.
#[derive(Debug)]
pub struct System {
    /// Single excitations.
    pub t1: Tensor<f64, Shape![2, 3]>,
    /// Double excitations.
    pub t2: (Tensor<f64>, Tensor<f64>),
}

type Energy = (f64, Tensor<f64, Shape![2, _]>);

/// Values, blocks, assignments.
///
/// # Errors
/// Extents that do not agree.
pub fn everything(s: &mut System, a: &Tensor<f64>, ctx: &Context, n: usize) -> Result<Energy, Error> {
    let product = tensor!([i, j] = s.t1[i, k] * a[k, j]);
    tensor!(s.t2.0[i, j, a, b] += 0.5 * s.t2.1[j, i, a, b]);
    try_tensor!(s.t2.0[i, j, a, b] /= a[i, j] + a[a, b] - 1[i, a] * { f64::from(u8::try_from(n).unwrap_or(7)) })?;
    let (tau, e) = tensor! {
        in ctx;
        where i, j: n; a, b: n;
        let tau[i, j, a, b] = s.t2.0[i, j, a, b] + s.t1[i, a] * s.t1[j, b];
        let E = tau[i, j, a, b] * s.t2.1[i, j, a, b];
        let E = 0.25 * E + exp(a[0, 0]) + powi(a[{ n - 1 }, 0], 2) + sum(i; a[i in 1..n, 0]);
        s.t2.0[i, j, a, b] = tau[i, j, a, b];
        (tau, E)
    };
    let (values, vectors) = try_tensor!(([n], [p, n]) = eigh(a[p, q]))?;
    drop((tau, values, vectors));
    Ok((e, product))
}

/// Many labels of one letter.
#[must_use]
pub fn letters(a: &Tensor<f64>) -> Tensor<f64> {
    tensor!([i, j] = a[i, k] * a[k, l] * a[l, m] * a[m, n] * a[n, o] * a[o, p] * a[p, q] * a[q, j]).into_dyn()
}
