//! The CPU backend: every operation of a [`Device`](tensorwrapper_core::backend::Device) on the cores of this machine.
//!
//! Programs use [`Cpu`] alone. The rest of this page is for those who work on its kernels.
//!
//! # The way of a contraction
//!
//! 1. `device` receives a [`Contraction`](tensorwrapper_core::backend::Contraction): a loop nest, the strides of factors and output, and
//!    perhaps a program that follows (an epilogue). It is prepared once and run often, so everything that depends on extents and strides
//!    alone is decided while it is prepared.
//! 2. `plain` recognises one small product of two matrices at once. Anything else goes to `classify`, which sorts the axes of two
//!    factors into batch, rows, columns and summed axes (`product` holds the result), and sums axes that one factor has alone.
//! 3. `strategy` chooses a kernel by those axes; `contract` holds what was chosen and runs it. There are four kernels:
//!
//!    | module | when | how |
//!    |---|---|---|
//!    | `dot_axpy` | a dot product, or a matrix times a vector: memory limits it | vectors are read once; nothing is packed |
//!    | `unpacked_gemm` | small matrices that lie in rows or columns | tiles of the result in registers, operands read where they lie |
//!    | `interleaved_gemm` | small matrices, and neighbours in memory belong to different products | a vector holds one element of several products |
//!    | `engine` | everything larger | blocks are packed from any strides, then multiplied in registers |
//!
//!    Without a sum, or with another number of factors, a contraction becomes an element-wise program.
//! 4. `matrix` brings what `unpacked_gemm` multiplies into matrices: `split` decides which axes become loops, and `packed` copies a
//!    factor whose axes do not fuse. Large matrices with plain strides go from there to the crate `gemm` (see `strategy`).
//!
//! `fixed` has the loops of `unpacked_gemm` for sizes that are constants; code that the macros generate calls it.
//!
//! # The way of an element-wise program
//!
//! 1. `map` receives the loop nest, the program, its inputs and the output. A program that only copies goes to `permute`.
//! 2. `loops` orders the axes and cuts the innermost ones into chunks; `access` says how each operand is read in a chunk. Where an input
//!    crosses the loops, `block_schedule` or `tiled_schedule` cuts the nest into pieces that stay in a cache.
//! 3. `fused_program` joins products with the instruction that uses them; `evaluate` interprets the passes, one loop over a chunk for
//!    each (`passes`). `fold` reduces values, `stream` writes large results past the caches.
//!
//! # Matrices
//!
//! `factorise` decomposes matrices: by `faer` where they are large, by loops of constant size where they are small, and eight small
//! ones at a time in `interleaved_batch`.
//!
//! # What kernels are written in
//!
//! * `simd` has the sets of instructions (`TENSORWRAPPER_SIMD` forces one), the sizes of the caches, and the
//!   trait `Vector`: a register of real numbers, for AVX-512, AVX2, NEON, and as an array for anything else. A kernel is generic over
//!   `Vector` and compiled once for each set.
//! * `lines` has the trait `Line`: a cache line, for kernels that copy and transpose elements of any type.
//! * `multiversion` compiles plain loops for each set of instructions.
//! * `sink` is memory that several threads write to, `tasks` divides work among them.
//!
//! A closure that is not inlined, or an iterator over arrays, is compiled without the kernel's instructions. Kernels therefore have
//! plain loops, and everything that they call is `#[inline(always)]`.
//!
//! # Choosing instructions
//!
//! The fastest instructions that the processor has are used. The environment variable `TENSORWRAPPER_SIMD` chooses others: `avx512`,
//! `avx2`, `neon` or `portable`. A name that is none of these, or that the processor lacks, is an error of every operation.

mod access;
mod axpy;
mod block_schedule;
mod classify;
mod contract;
mod copy;
mod device;
mod engine;
mod evaluate;
pub mod factorise;
#[cfg(test)]
mod factorise_tests;
pub mod fixed;
mod fold;
mod fused_program;
mod gemv;
mod inner_products;
mod interleaved_gemm;
#[cfg(test)]
mod large_tests;
mod lines;
mod loops;
mod map;
mod matrix;
mod multiversion;
mod narrow_gemm;
mod outer;
mod packed;
mod passes;
mod permute;
mod plain;
mod product;
mod product_kernel;
#[cfg(test)]
mod refusal_tests;
mod simd;
mod sink;
mod split;
mod staging;
mod strategy;
mod stream;
mod tasks;
#[cfg(test)]
mod tests;
mod tiled_schedule;
mod unpacked_gemm;

pub use copy::copy;
pub use device::Cpu;
