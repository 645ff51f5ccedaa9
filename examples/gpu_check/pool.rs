//! Memory that plans take of a device's pool, beside what they were predicted to take.

use tensorwrapper::prelude::*;
use tensorwrapper::{Explanation, Order};

use super::cases::stream;

/// How large extents are on a GPU: pieces of a hundred megabytes, beside which it does not count that a pool rounds them up.
pub(crate) const EXTENT: usize = 4000;

/// Plans that were measured, by their names.
///
/// # Errors
/// What the device reports.
pub(crate) fn plans(context: &Context, n: usize) -> Result<Vec<(&'static str, Explanation)>, Error> {
    let matrix = |seed: u64| {
        let mut next = stream(seed);
        Tensor::<f64>::from_fn(&[n, n], |_| next() / n as f64)
    };
    let [a, b, c] = [matrix(1)?, matrix(2)?, matrix(3)?];
    let in_order = context.clone().order(Order::AsWritten);
    let products = in_order.prepare("ij,jk,kl,lm->mi", &[&a, &b, &c, &a])?.measure(&[&a, &b, &c, &a], 1)?;
    let graph = Graph::new();
    let element_wise = tensor! {
        in &graph;
        let x[i, j] = a[i, k] * b[k, j];
        let y[i, j] = exp(x[i, j]) * c[j, i] - x[i, j];
        y
    };
    let reductions = tensor! {
        in &graph;
        let x[i, j] = a[i, k] * b[k, j] + c[j, i];
        let y[i] = sum(j; x[i, j] * exp(x[j, i]));
        y
    };
    let element_wise = context.measure((&element_wise,), 1)?;
    let reductions = context.measure((&reductions,), 1)?;
    Ok(vec![("products", products), ("element_wise", element_wise), ("reductions", reductions)])
}
