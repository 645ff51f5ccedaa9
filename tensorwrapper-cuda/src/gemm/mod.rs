//! Contractions that a library for GPUs computes as products of matrices: on the tensors as they are, or on permuted copies.

mod multiplied;
mod permuted;
mod strided;
#[cfg(test)]
mod tests;

pub(crate) use multiplied::gemm_launches;
pub(crate) use permuted::permuted_launches;
