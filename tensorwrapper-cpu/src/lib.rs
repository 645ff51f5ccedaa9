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
//! 3. `contract` chooses a kernel by those axes, with the rules of `strategy` and of the kernels themselves, and runs it. All are a
//!    `ProductKernel`, and each is for products that one thing limits:
//!
//!    | module | when | how |
//!    |---|---|---|
//!    | `outer` | nothing is summed, and each factor has axes of its own | the result is written once, in its own order |
//!    | `gemv` | one factor is a vector for the other one: memory limits it | the large factor is read once, in its own order; nothing is packed |
//!    | `inner_products` | long sums of few rows and columns, along neighbours | tiles of sums spread over vectors; nothing is packed |
//!    | `staged_sums` | the same, along different axes of the two factors | blocks of one factor are copied into the order of the other |
//!    | `engine::tall` | the same, where rows or columns are the neighbours | tiles of the engine, a few terms at a time; nothing is packed |
//!    | `narrow_gemm` | a large factor, few terms and few columns: memory limits it | rows of the result from rows of the large factor |
//!    | `lane_gemm` | the same, where terms and columns are neighbours | lanes of vectors are moved from terms to columns |
//!    | `staged_result` | large factors of any number of columns, where the result is in another order | in the large factor's order, then permuted |
//!    | `ordered_factor` | a small factor whose neighbours are other terms | it is copied into the order of the other one's terms |
//!    | `flat_gemm` | a large factor, many terms and few columns: memory limits it | the large factor is read once, in long runs |
//!    | `interleaved_gemm` | small matrices, and neighbours in memory belong to different products | a vector holds one element of several products |
//!    | `axpy` | the same, where they are too small or do not fuse | sums of long vectors |
//!    | `skinny_gemm` | a long matrix of short rows, and a small one | the kernels of `unpacked_gemm`, a piece of rows at a time |
//!    | `unpacked_gemm` | small matrices, as they lie or staged | tiles of the result in registers |
//!    | `engine` | everything larger | blocks are packed from any strides, then multiplied in registers |
//!
//!    Products with another number of factors, or whose result has elements that share a position, become an element-wise program.
//! 4. `matrix` brings what `unpacked_gemm` and, where neighbours in memory belong to different matrices, `engine` multiply into matrices:
//!    `split` decides which axes become loops, and `staging` which operands are copied a group of matrices at a time.
//!
//! `sums` prepares sums of products of blocks, which `narrow_gemm` (a large block and a few numbers), `summed_gemm` (blocks that stay near,
//! sums in registers) or `engine` (a tile of the result after the other) add where the result lies.
//!
//! `fixed` has the loops of `unpacked_gemm` for sizes that are constants; code that the macros generate calls it.
//!
//! # The way of an element-wise program
//!
//! 1. `map` receives the loop nest, the program, its inputs and the output. A program that only copies goes to `permute`.
//! 2. `loops` orders the axes and cuts the innermost ones into chunks; `access` says how each operand is read in a chunk. Where an input
//!    crosses the loops, `block_schedule` or `tiled_schedule` cuts the nest into pieces that stay in a cache.
//! 3. `fused_program` joins products with the instruction that uses them; `evaluate` interprets the passes, one loop over a chunk for
//!    each (`passes`, `functions`) in memory that `registers` shares out. `fold` reduces values, `stream` writes large results past the
//!    caches.
//!
//! `extremes` finds at which index the values of a program are largest or smallest.
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
mod extremes;
pub mod factorise;
#[cfg(test)]
mod factorise_tests;
mod few;
pub mod fixed;
mod flat_gemm;
mod fold;
mod functions;
mod fused_program;
mod gemv;
mod inner_products;
mod interleaved_gemm;
mod lane_gemm;
mod large_first;
#[cfg(test)]
mod large_tests;
mod lines;
mod long_sums;
mod loops;
mod map;
mod matrix;
mod multiversion;
mod narrow_gemm;
mod ordered_factor;
mod outer;
mod packed;
mod passes;
mod permute;
mod pieces;
mod plain;
mod product;
mod product_kernel;
#[cfg(test)]
mod refusal_tests;
mod registers;
mod result_blocks;
#[cfg(test)]
mod road_tests;
mod simd;
mod sink;
mod skinny_gemm;
mod split;
mod staged_result;
mod staged_sums;
mod staging;
mod strategy;
mod stream;
mod summed_gemm;
mod sums;
#[cfg(test)]
mod sums_tests;
mod tasks;
#[cfg(test)]
mod tests;
mod tiled_schedule;
mod unpacked_gemm;

pub use copy::copy;
pub use device::Cpu;
#[doc(hidden)]
pub use extremes::{best, first, first_of_columns, first_of_lines};
#[doc(hidden)]
pub use multiversion::{Loops, vectorised, vectorised_reads};
