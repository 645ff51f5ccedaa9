//! Contractions that a library for GPUs computes as products of matrices.

mod multiplied;
mod permuted;
mod strided;
#[cfg(test)]
mod tests;

pub(crate) use multiplied::gemm_launches;
pub(crate) use permuted::permuted_launches;
