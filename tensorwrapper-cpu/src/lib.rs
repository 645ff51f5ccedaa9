//! The fast device: all cores of this machine.
//!
//! Files by stage: `fuse` brings iteration spaces into normal form; `classify` sorts the axes of products, `contract` prepares
//! them and sends them to `direct` (dots, matrix times vector, …), to `beside` (small ones whose neighbours in memory belong to others), to `engine` (packed block by block from any strides, our own kernels), or to
//! `matrix` (small and plain matrices, and those whose neighbours in memory belong to others: cut by `split`, packed, then `gemm`);
//! `fixed` multiplies small matrices whose extents are constants, for straight code;
//! `map` runs element-wise programs, in the order that `loops` chooses, and where an input lies across in `blocks` of two axes or in
//! tiles of more that `cross` cuts; `fold` reduces; `evaluate` interprets programs that `ready` has
//! made into passes, in loops that `forms` compiles for the vector instructions; `permute`
//! copies; `factorise` decomposes matrices.

mod access;
mod block_schedule;
mod classify;
mod contract;
mod copy;
mod device;
mod dot_axpy;
mod engine;
mod evaluate;
pub mod factorise;
#[cfg(test)]
mod factorise_tests;
pub mod fixed;
mod fold;
mod fused_program;
mod gemm;
mod interleaved_gemm;
#[cfg(test)]
mod large_tests;
mod lines;
mod loops;
mod map;
mod matrix;
mod multiversion;
mod packed;
mod passes;
mod permute;
mod plain;
mod product;
#[cfg(test)]
mod refusal_tests;
mod running;
mod simd;
mod sink;
mod split;
mod strategy;
mod stream;
mod tasks;
#[cfg(test)]
mod tests;
mod tiled_schedule;
mod unpacked_gemm;
mod vector;

pub use copy::copy;
pub use device::Cpu;
