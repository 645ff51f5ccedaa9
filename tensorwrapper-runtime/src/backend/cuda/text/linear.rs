//! Passes over dense matrices between a library's routines of linear algebra, as kernels.

use super::{Kernel, MANY_BLOCKS, integers, named, type_name};
use crate::element::Dtype;

/// A batch of matrices, each by columns without gaps, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) struct Dense {
    pub(in crate::backend::cuda) dtype: Dtype,
    pub(in crate::backend::cuda) items: usize,
    pub(in crate::backend::cuda) rows: usize,
    pub(in crate::backend::cuda) columns: usize,
}

/// Which elements of a matrix count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) enum Counted {
    All,
    /// The lower triangle of a Hermitian matrix, whose diagonal has no imaginary parts: what stands there is to be finite, and has no size.
    Hermitian,
    /// A triangle, with its diagonal or without.
    Triangle {
        upper: bool,
        diagonal: bool,
    },
}

/// What is done with all matrices of a batch. Each takes two pointers, but for those that say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) enum Pass {
    /// From matrices to pairs of `f64`, [`Dense::parts`] for each: the largest part of an element, and whether one is not finite.
    Survey(Counted),
    /// From matrices to an `i32` for each: the number of the first zero on the diagonal, from 1 on; 0 where there is none.
    ZeroPivot,
    /// Multiplies matrices (second) by three `f64` for each (first).
    Scale,
    /// Makes Hermitian matrices of lower triangles, where they lie: one pointer.
    Mirror,
    /// Unit matrices: one pointer.
    Unit,
    /// From `i32`, the row of the one in each column, to permutations.
    Permutation,
    /// From matrices with so many rows and elements to triangles of them.
    Triangle {
        upper: bool,
        /// The diagonal is ones.
        unit: bool,
        /// The diagonal has no imaginary parts.
        real: bool,
        line: usize,
        step: usize,
    },
    /// From matrices to what turns each element of their diagonals to the positive axis.
    DiagonalPhases,
    /// Multiplies the first `count` rows or columns (second) by phases, so many for each matrix (first).
    Turn {
        by_rows: bool,
        count: usize,
        conjugate: bool,
        /// The diagonal has no imaginary parts then.
        real: bool,
    },
    /// Makes the largest component of `count` rows or columns real and positive (first), and keeps by what (second).
    SetPhases {
        by_rows: bool,
        first: usize,
        count: usize,
        /// The least part of the largest component that is as large as it.
        within: u64,
    },
}

/// What such a kernel is, for people.
pub(in crate::backend::cuda) const LINEAR: &str = "linear algebra";
/// Threads of a block.
const THREADS: usize = 256;

impl Dense {
    /// Elements of one matrix.
    pub(in crate::backend::cuda) fn points(&self) -> usize {
        self.rows * self.columns
    }

    /// Bytes of all.
    pub(in crate::backend::cuda) fn bytes(&self) -> usize {
        self.items * self.points() * self.dtype.size()
    }

    /// In how many parts a matrix is surveyed.
    pub(in crate::backend::cuda) fn parts(&self) -> usize {
        (MANY_BLOCKS / self.items.max(1)).clamp(1, self.points().div_ceil(8 * THREADS).max(1))
    }
}

impl Pass {
    /// The kernel that does it.
    pub(in crate::backend::cuda) fn kernel(self, of: Dense) -> Kernel {
        let Dense { dtype, items, rows, columns } = of;
        let flag = |name: &str, value: bool| format!("  static constexpr bool {name} = {value};\n");
        let count = |name: &str, value: usize| format!("  static constexpr I {name} = {value}u;\n");
        // Blocks, threads, bytes of shared memory for each thread; the template and the types of its pointers; what it asks for.
        let each = (of.items * of.points()).div_ceil(THREADS).min(1 << 20);
        let threads_of = |length: usize| length.next_power_of_two().clamp(32, THREADS);
        let (blocks, threads, shared, body, pointers, special) = match self {
            Pass::Survey(counted) => {
                let counts = match counted {
                    Counted::All => "true".to_string(),
                    Counted::Hermitian => "i >= j".to_string(),
                    Counted::Triangle { upper, diagonal } => {
                        format!("i {}{} j", if upper { "<" } else { ">" }, if diagonal { "=" } else { "" })
                    }
                };
                let counts = format!("  static __device__ __forceinline__ bool counts(I i, I j) {{ return {counts}; }}\n");
                let special = count("PARTS", of.parts()) + &flag("REAL", counted == Counted::Hermitian) + &counts;
                (items * of.parts(), threads_of(of.points()), 16, "survey", ["const T*", "double*"], special)
            }
            Pass::ZeroPivot => (items, threads_of(rows), 4, "zero_pivot", ["const T*", "int*"], String::new()),
            Pass::Scale => (each, THREADS, 0, "scale", ["const double*", "T*"], String::new()),
            Pass::Mirror => (each, THREADS, 0, "mirror", ["T*", ""], String::new()),
            Pass::Unit => (each, THREADS, 0, "unit", ["T*", ""], String::new()),
            Pass::Permutation => (each, THREADS, 0, "permutation", ["const int*", "T*"], String::new()),
            Pass::Triangle { upper, unit, real, line, step } => {
                let flags = flag("UPPER", upper) + &flag("UNIT", unit) + &flag("REAL", real);
                let special = flags + &count("LINE", line) + &count("STEP", step);
                (each, THREADS, 0, "triangle", ["const T*", "T*"], special)
            }
            Pass::DiagonalPhases => {
                let special = count("COUNT", rows.min(columns));
                ((items * rows.min(columns)).div_ceil(THREADS), THREADS, 0, "diagonal_phases", ["const T*", "T*"], special)
            }
            Pass::Turn { by_rows, count: vectors, conjugate, real } => {
                let flags = flag("BY_ROWS", by_rows) + &flag("CONJUGATE", conjugate) + &flag("REAL", real);
                (each, THREADS, 0, "turn", ["const T*", "T*"], flags + &count("COUNT", vectors))
            }
            Pass::SetPhases { by_rows, first, count: vectors, within } => {
                let length = if by_rows { columns } else { rows };
                let within = format!(
                    "  static __device__ __forceinline__ double within() {{ return __longlong_as_double(0x{within:016x}ll); }}\n"
                );
                let special =
                    flag("BY_ROWS", by_rows) + &count("FIRST", first) + &count("COUNT", vectors) + &count("LENGTH", length);
                (items * vectors, threads_of(length), 16, "set_phases", ["T*", "T*"], special + &within)
            }
        };
        let source = match self {
            Pass::Triangle { step, .. } => items * step,
            _ => 0,
        };
        let reach = (items * of.points()).max(blocks * threads).max(source) + THREADS;
        let parameters: Vec<String> = pointers
            .iter()
            .enumerate()
            .filter(|(_, pointer)| !pointer.is_empty())
            .map(|(n, pointer)| format!("{} p{n}", pointer.replace('T', type_name(dtype))))
            .collect();
        let arguments = if pointers[1].is_empty() { "p0" } else { "p0, p1" };
        let text = format!(
            "struct KERNEL_type {{\n  using T = {};\n{}  static constexpr int THREADS = {threads};\n{}{special}}};\n\
             extern \"C\" __global__ void __launch_bounds__({threads}, 1) KERNEL({}) {{\n  tw::{body}<KERNEL_type>({arguments});\n}}\n\
             TW_EXPORT(KERNEL)\n",
            type_name(dtype),
            integers(reach, reach),
            [("ITEMS", items), ("ROWS", rows), ("POINTS", of.points())].map(|(name, value)| count(name, value)).concat(),
            parameters.join(", "),
        );
        let (name, text) = named(&text);
        Kernel {
            name,
            text,
            kind: LINEAR,
            dtype,
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            threads: threads as u32,
            shared: (shared * threads) as u32,
        }
    }
}
