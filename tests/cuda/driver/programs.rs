//! What programs do with a device, small: every way to it that there is.

use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper::prelude::*;
use tensorwrapper::{DynOperand, try_tensor};

/// The elements of all results of a program.
pub(crate) type Found = Vec<f64>;
/// A program, over a context of any device.
pub(crate) type Program = fn(&Context) -> Result<Found, Error>;

pub(crate) const PROGRAMS: [(&str, Program); 7] = [
    ("equations", equations),
    ("plans that run again", prepared),
    ("chains on the device", chained),
    ("linear algebra", linear),
    ("batches of linear algebra", batches),
    ("pinned memory", pinned),
    ("transfers in pieces", large),
];

pub(crate) fn matrix(rows: usize, columns: usize, seed: usize) -> Tensor<f64> {
    let element = |index: &[usize]| ((seed + 3 * index[0] + 7 * index[1]) % 11) as f64 / 11.0 - 0.4;
    Tensor::from_fn([rows, columns], element).expect("memory for a few numbers")
}

/// Whether results are the processor's, but for rounding.
pub(crate) fn close(found: &[f64], expected: &[f64]) -> bool {
    // NaN is close to nothing.
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()))
}

/// A product by cuBLAS, one by generated kernels, a permutation, and an element-wise program with a sum.
fn equations(context: &Context) -> Result<Found, Error> {
    let (a, b) = (matrix(18, 17, 1), matrix(17, 19, 2));
    let c = context.einsum("ij,jk->ik", &[&a, &b])?;
    let d = context.einsum("ij,ij,kj->ki", &[&a, &a, &a])?;
    let e = context.einsum("ij->ji", &[&a])?;
    let f = try_tensor! { in context; let x[i, k] = sum(j; exp(a[i, j])) * c[i, k]; x }?;
    Ok([c.as_slice(), d.as_slice(), e.as_slice(), f.as_slice()].concat())
}

/// From the third run on a plan is a graph; its operands move, and one is taken to the device.
fn prepared(context: &Context) -> Result<Found, Error> {
    let (a, b) = (matrix(5, 6, 1).to(context)?, matrix(6, 5, 2));
    let plan = context.prepare::<f64>("ij,jk,kl->il", &[&a, &b, &a])?;
    let mut found = Vec::new();
    for run in 0..5 {
        let changed = matrix(6, 5, run);
        found.extend_from_slice(plan.run(&[&a, &changed, &a])?.as_slice());
    }
    Ok(found)
}

/// Results stay where they are until the last; the processor has no other place.
fn chained(context: &Context) -> Result<Found, Error> {
    let (a, mut host) = (matrix(6, 6, 1), matrix(6, 6, 2));
    let Ok(there) = context.on_device() else {
        for _ in 0..3 {
            host = context.einsum("ij,jk->ik", &[&host, &a])?;
        }
        return Ok(host.into_vec());
    };
    let (a, mut found) = (there.take(&a)?, there.take(&host)?);
    let step = context.prepare::<f64>("ij,jk->ik", &[&found as &dyn DynOperand<f64>, &a])?;
    for _ in 0..3 {
        found = step.run_on_device(&[&found as &dyn DynOperand<f64>, &a])?;
    }
    Ok(found.to_host()?.into_vec())
}

/// Each routine for one matrix, between products.
fn linear(context: &Context) -> Result<Found, Error> {
    let a = matrix(7, 4, 3);
    let b = matrix(4, 3, 2);
    let one = Tensor::<f64>::from_fn([4, 4], |index| f64::from(u8::from(index[0] == index[1])))?;
    let (l, x, w, t) = try_tensor! {
        in context;
        let s[i, j] = a[k, i] * a[k, j] + one[i, j];
        let l[i, r] = cholesky(s[i, j]);
        let x[j, c] = solve(s[i, j], b[i, c]);
        let (w[r], v[i, r]) = eigh(s[i, j]);
        let (u[i, r], t[r], z[r, j]) = svd(a[i, j]);
        let (q[i, r], e[r, j]) = qr(a[i, j]);
        (l, x, w, t)
    }?;
    Ok([l.as_slice(), x.as_slice(), w.as_slice(), t.as_slice()].concat())
}

/// The routines for batches of small matrices.
fn batches(context: &Context) -> Result<Found, Error> {
    let a = Tensor::<f64>::from_fn([3, 5, 4], |i| ((i[0] + 2 * i[1] + 5 * i[2]) % 7) as f64 / 7.0 + f64::from(i[1] == i[2]))?;
    let b = Tensor::<f64>::from_fn([3, 4, 2], |i| (i[0] + i[1] * i[2]) as f64)?;
    let (l, x, w, t) = try_tensor! {
        in context;
        let s[n, i, j] = a[n, k, i] * a[n, k, j];
        let l[n, i, r] = cholesky(i, j; s[n, i, j]);
        let x[n, j, c] = solve(s[n, i, j], b[n, i, c]);
        let (w[n, r], v[n, i, r]) = eigh(s[n, i, j]);
        let (u[n, i, r], t[n, r], z[n, r, j]) = svd(a[n, i, j]);
        (l, x, w, t)
    }?;
    Ok([l.as_slice(), x.as_slice(), w.as_slice(), t.as_slice()].concat())
}

/// Operands that the device reads by itself, changed as soon as the equation is there.
fn pinned(context: &Context) -> Result<Found, Error> {
    let (mut a, b) = (matrix(6, 6, 1).to_pinned(context)?, matrix(6, 6, 2));
    let mut found = Vec::new();
    for run in 0..3 {
        found.extend_from_slice(context.einsum("ij,jk->ik", &[&a, &b])?.as_slice());
        a.as_mut_slice()[run] += 1.0;
    }
    Ok(found)
}

/// More than there are pinned pieces, so that each is waited for and used again; nothing is computed.
fn large(context: &Context) -> Result<Found, Error> {
    let a = matrix(1100, 2000, 1);
    let Ok(there) = context.on_device() else { return Ok(a.into_vec()) };
    Ok(there.take(&a)?.to_host()?.into_vec())
}

/// A permutation alone: one text.
pub(crate) fn permuted(context: &Context) -> Result<Found, Error> {
    Ok(context.einsum("ij->ji", &[&matrix(9, 7, 1)])?.into_vec())
}

/// A product that is worth a measurement, of other extents each time, because a program remembers what it has measured. Its elements are
/// ones.
pub(crate) fn measured(context: &Context) -> Result<Found, Error> {
    static TERMS: AtomicUsize = AtomicUsize::new(130);
    let terms = TERMS.fetch_add(1, Ordering::Relaxed);
    let a = Tensor::<f64>::filled([128, terms], (1.0 / terms as f64).sqrt())?;
    Ok(context.einsum("ij,kj->ik", &[&a, &a])?.into_vec())
}
