//! Passes over dense matrices, between a library's routines of linear algebra. Their kernels serve any size, which is an argument
//! of the launch: each element type has one text, which is compiled once, and another one for sizes beyond 32 bits.

use std::sync::{Arc, OnceLock};

use super::fold::THREADS;
use super::launch::{Kernel, Source};
use super::syntax::{MANY_BLOCKS, type_name};
use tensorwrapper_core::element::Dtype;

/// The shape of a batch of dense matrices, which are stored by columns, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BatchShape {
    pub(crate) dtype: Dtype,
    pub(crate) items: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// The elements of a matrix that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MatrixPart {
    All,
    /// The lower triangle of a Hermitian matrix. Imaginary parts on its diagonal must be finite, and do not count otherwise.
    Hermitian,
    /// A triangle, with or without its diagonal.
    Triangle {
        upper: bool,
        diagonal: bool,
    },
}

/// An operation on all matrices of a batch. Each takes two pointers, unless its description says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// From matrices to pairs of `f64`, [`BatchShape::parts`] for each matrix: the absolute value of the largest real or
    /// imaginary part, and whether an element is not finite.
    Survey(MatrixPart),
    /// From square matrices to an `i32` for each: the position of the first zero on the diagonal, from 1 on; 0 if there is none.
    ZeroPivot,
    /// Multiplies matrices (second pointer) by three `f64` for each (first pointer).
    Scale,
    /// Completes lower triangles to Hermitian matrices in place: one pointer.
    Mirror,
    /// Unit matrices: one pointer.
    Unit,
    /// From `i32`, the row of the one in each column, to permutation matrices.
    Permutation,
    /// From matrices with `line` rows and `step` elements to their triangles.
    Triangle {
        upper: bool,
        /// The diagonal is set to ones.
        unit: bool,
        /// Imaginary parts on the diagonal are set to zero.
        real: bool,
        line: usize,
        step: usize,
    },
    /// From matrices to the phases that make each element of their diagonals real and positive.
    DiagonalPhases,
    /// Multiplies the first `count` rows or columns (second pointer) by phases, `count` for each matrix (first pointer).
    ApplyPhases {
        by_rows: bool,
        count: usize,
        conjugate: bool,
        /// Imaginary parts on the diagonal are set to zero afterwards.
        real: bool,
    },
    /// Makes the largest component of `count` rows or columns real and positive (first pointer), and stores the phases (second
    /// pointer).
    SetPhases {
        by_rows: bool,
        first: usize,
        count: usize,
        /// The bits of the `f64` ratio to the largest component from which on a component counts as equally large.
        within: u64,
    },
}

/// A kernel for any size, and the numbers that follow the pointers in its launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizedLaunch {
    pub(crate) kernel: Kernel,
    pub(crate) numbers: Vec<u64>,
}

/// The description of such kernels.
pub(crate) const LINEAR: &str = "linear algebra";

/// The templates of `linear.cuh` that are kernels, with their pointers (`T` is the element type) and the number of numbers that
/// follow.
const ENTRIES: [(&str, &[&str], usize); 12] = [
    ("survey", &["const T*", "double*"], 4),
    ("zero_pivot", &["const T*", "int*"], 1),
    ("scale", &["const double*", "T*"], 2),
    ("mirror", &["T*"], 3),
    ("unit", &["T*"], 3),
    ("permutation", &["const int*", "T*"], 3),
    ("triangle", &["const T*", "T*"], 8),
    ("diagonal_phases", &["const T*", "T*"], 4),
    ("apply_phases", &["const T*", "T*"], 7),
    ("set_phases", &["T*", "T*"], 6),
    ("copy", &["const T*", "T*"], 10),
    ("copy_transposed", &["const T*", "T*"], 10),
];

/// The number of points up to which positions have 32 bits: loop variables go past the end by up to one stride of all threads.
/// Tests have a smaller number, because their matrices are small.
const FAR: usize = if cfg!(test) { 1 << 10 } else { 1 << 30 };

/// The text of an element type with all its kernels: compiling them together takes half as long as one by one.
fn source(dtype: Dtype, wide: bool) -> Arc<Source> {
    static SOURCES: [[OnceLock<Arc<Source>>; 2]; 4] = [const { [const { OnceLock::new() }; 2] }; 4];
    let write = || {
        let integer = if wide { "unsigned long long" } else { "unsigned" };
        let entries = ENTRIES.map(|(name, pointers, numbers)| entry(name, pointers, numbers)).concat();
        Arc::new(Source::new(&entries.replace("ELEMENT", type_name(dtype)).replace("INTEGER", integer)))
    };
    let place = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64].iter().position(|known| *known == dtype);
    Arc::clone(SOURCES[place.expect("there are four element types")][usize::from(wide)].get_or_init(write))
}

/// The text of one kernel.
fn entry(name: &str, pointers: &[&str], numbers: usize) -> String {
    let pointers = pointers.iter().enumerate().map(|(n, pointer)| format!("{} p{n}", pointer.replace('T', "ELEMENT")));
    let numbers = (0..numbers).map(|n| format!("unsigned long long n{n}"));
    let parameters: Vec<String> = pointers.chain(numbers).collect();
    let arguments: Vec<&str> = parameters.iter().filter_map(|parameter| parameter.split(' ').next_back()).collect();
    format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS}, 1) KERNEL_{name}({}) {{\n  tw::{name}<INTEGER>({});\n}}\nTW_EXPORT(KERNEL_{name})\n",
        parameters.join(", "),
        arguments.join(", "),
    )
}

impl SizedLaunch {
    /// The kernel of this name, for at most this many points.
    pub(super) fn new(
        (name, dtype, points): (&str, Dtype, usize),
        [blocks, threads, shared]: [usize; 3],
        numbers: impl IntoIterator<Item = u64>,
    ) -> SizedLaunch {
        let source = source(dtype, points > FAR);
        let kernel = Kernel {
            name: format!("{}_{name}", source.name),
            source,
            kind: LINEAR,
            dtype,
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            threads: threads as u32,
            shared: shared as u32,
        };
        let numbers: Vec<u64> = numbers.into_iter().collect();
        debug_assert!(ENTRIES.iter().any(|entry| (entry.0, entry.2) == (name, numbers.len())), "{name} of {numbers:?}");
        SizedLaunch { kernel, numbers }
    }
}

impl BatchShape {
    /// The number of elements of one matrix.
    pub(crate) fn points(&self) -> usize {
        self.rows * self.columns
    }

    /// The bytes of all matrices.
    pub(crate) fn bytes(&self) -> usize {
        self.items * self.points() * self.dtype.size()
    }

    /// The number of parts in which a matrix is surveyed.
    pub(crate) fn parts(&self) -> usize {
        (MANY_BLOCKS / self.items.max(1)).clamp(1, self.points().div_ceil(8 * THREADS).max(1))
    }
}

impl MatrixPart {
    /// As flags of `linear.cuh`.
    fn bits(self) -> usize {
        let [above, on_diagonal, below, real_diagonal] = [1, 2, 4, 8];
        match self {
            MatrixPart::All => above | on_diagonal | below,
            MatrixPart::Hermitian => below | on_diagonal | real_diagonal,
            MatrixPart::Triangle { upper, diagonal } => {
                (if upper { above } else { below }) | if diagonal { on_diagonal } else { 0 }
            }
        }
    }
}

impl Pass {
    /// The launch of the pass on matrices of this shape.
    pub(crate) fn launch(self, batch: BatchShape) -> SizedLaunch {
        let BatchShape { dtype, items, rows, columns } = batch;
        let points = batch.points();
        let each = [(items * points).div_ceil(THREADS).min(1 << 20), THREADS, 0];
        // One block for each vector or part that is folded. The shared memory is that of the most threads, because it must be the
        // same in every launch of a kernel.
        let folding = |blocks: usize, length: usize| [blocks, length.next_power_of_two().clamp(32, THREADS), 16 * THREADS];
        let flag = usize::from;
        let numbers = |numbers: &[usize]| numbers.iter().map(|&number| number as u64).collect::<Vec<u64>>();
        let (name, shape, numbers) = match self {
            Pass::Survey(counted) => {
                let parts = batch.parts();
                ("survey", folding(items * parts, points), numbers(&[rows, points, parts, counted.bits()]))
            }
            Pass::ZeroPivot => ("zero_pivot", folding(items, rows), numbers(&[rows])),
            Pass::Scale => ("scale", each, numbers(&[items, points])),
            Pass::Mirror => ("mirror", each, numbers(&[items, rows, points])),
            Pass::Unit => ("unit", each, numbers(&[items, rows, points])),
            Pass::Permutation => ("permutation", each, numbers(&[items, rows, points])),
            Pass::Triangle { upper, unit, real, line, step } => {
                ("triangle", each, numbers(&[items, rows, points, line, step, flag(upper), flag(unit), flag(real)]))
            }
            Pass::DiagonalPhases => {
                let count = rows.min(columns);
                let blocks = (items * count).div_ceil(THREADS);
                ("diagonal_phases", [blocks, THREADS, 0], numbers(&[items, rows, points, count]))
            }
            Pass::ApplyPhases { by_rows, count, conjugate, real } => {
                ("apply_phases", each, numbers(&[items, rows, points, count, flag(by_rows), flag(conjugate), flag(real)]))
            }
            Pass::SetPhases { by_rows, first, count, within } => {
                let shape = folding(items * count, if by_rows { columns } else { rows });
                let mut numbers = numbers(&[rows, points, first, count, flag(by_rows)]);
                numbers.push(within);
                ("set_phases", shape, numbers)
            }
        };
        let reach = match self {
            Pass::Triangle { step, .. } => items * step.max(points),
            _ => items * points,
        };
        SizedLaunch::new((name, dtype, reach), shape, numbers)
    }
}
