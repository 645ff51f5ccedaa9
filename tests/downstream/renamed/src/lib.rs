//! A program that calls the library `tw`, with every lint on.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]
#![allow(clippy::many_single_char_names, reason = "as in mathematics")]

use tw::prelude::*;

/// The trace of a product.
#[must_use]
pub fn trace(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 2]>) -> f64 {
    tensor!([] = a[i, k] * b[k, i])
}

/// Every form of the macros.
///
/// # Errors
/// Extents that do not agree.
pub fn forms(a: &Tensor<f64>, c: &mut Tensor<f64, Shape![_, _]>, n: usize) -> Result<(f64, Tensor<f64>), Error> {
    let squared = try_tensor!([i, j] = a[i, k] * a[k, j] + 0.5 * powi(a[j, i], 2) - max(k; a[i, k in 1..n]) * 1[j])?;
    try_tensor!(c[i, j] += squared[i, j] / (a[i, i] + a[{ n - 1 }, j]))?;
    tensor!(c[i, i] *= 2.0);
    let subscripts = try_einsum!("ij,jk->ik", a, squared)?;
    let total: f64 = tw::einsum!("ii->", subscripts);
    let graph = Graph::new();
    let recorded = tensor! {
        in &graph;
        where i, j: n;
        let w[i, j] = sym(i, j; a[i, j]) * total;
        w
    };
    let (e, v) = try_tensor!(([n], [p, n]) = eigh(a[p, q]))?;
    let l = try_tensor!([i, k] = cholesky(a[i, j]))?;
    drop((e, v, l));
    Ok((total, recorded.eval()?.into_dyn()))
}

/// A struct of tensors.
#[derive(Clone, Debug, tw::Tensors)]
#[tensors(crate = tw)]
pub struct Amplitudes {
    /// Of single excitations.
    pub t1: Tensor<f64, Shape![2, 3]>,
    #[tensors(skip)]
    label: &'static str,
}

impl Amplitudes {
    /// The gradient of the squared norm.
    ///
    /// # Errors
    /// Memory.
    pub fn gradient(&self) -> Result<Amplitudes, Error> {
        let _ = self.label;
        let t1 = &self.t1;
        let graph = tw::Graph::new();
        let square = try_tensor! { in &graph; let s[] = t1[i, a] * t1[i, a]; s }?;
        square.grad(self)?.eval()
    }
}
