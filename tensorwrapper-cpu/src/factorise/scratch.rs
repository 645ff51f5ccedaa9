//! What operations of linear algebra take of memory while they run, counted from their shapes as `linear::derived` and the
//! algorithms beside this file ask for it. It computes nothing.
//!
//! An algorithm that takes more or less memory than before changes a line here: `tests/allocations/memory.rs` compares with an
//! allocator.

use faer::Par;
use faer::dyn_stack::StackReq;
use faer::linalg::cholesky::llt::factor::cholesky_in_place_scratch;
use faer::linalg::evd::{ComputeEigenvectors, evd_scratch, self_adjoint_evd_scratch};
use faer::linalg::householder::apply_block_householder_on_the_left_in_place_scratch;
use faer::linalg::lu::partial_pivoting::factor::lu_in_place_scratch;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd_scratch};

use super::number::Number;
use super::{small, stripes, transpose, worth};
use tensorwrapper_core::backend::linear::{self, Decomposition, Factorisation, One};
use tensorwrapper_core::element::Element;

/// The bytes of one matrix's operation, with its arguments; `columns` of right sides.
pub(super) fn one<T: Number>(threads: usize, call: &Decomposition, [rows, columns, right]: [usize; 3]) -> One {
    let shapes = Shapes::<T> { threads, rows, columns, full: call.full, types: std::marker::PhantomData };
    let (a, least) = (shapes.matrix(rows, columns), rows.min(columns));
    let (b, x) = (shapes.matrix(rows, right), shapes.matrix(columns, right));
    let real = size_of::<<T as Element>::Real>();
    match call.kind {
        Factorisation::Cholesky => One { most: a + shapes.cholesky(), results: a },
        Factorisation::Eigh => {
            let metric = if right > 0 { a } else { 0 };
            One { most: metric + a + shapes.eigh(), results: a + rows * real }
        }
        Factorisation::Eig => {
            let complex = 2 * rows * rows * real;
            let sorted = a + 2 * complex;
            One { most: (a + shapes.eig()).max(sorted), results: complex + 2 * rows * real }
        }
        Factorisation::Qr => One { most: a + shapes.qr(), results: a + shapes.q() },
        Factorisation::Lq => {
            let transposed = Shapes { rows: columns, columns: rows, ..shapes };
            let results = a + transposed.q();
            One { most: a + (a + transposed.qr()).max(2 * results), results }
        }
        Factorisation::Svd => One { most: a + shapes.svd(), results: shapes.factors() + least * real },
        Factorisation::Rank => One { most: a + shapes.svd(), results: real },
        Factorisation::Pinv | Factorisation::Lstsq => {
            // Of a pseudo-inverse the right side is the adjoint of U.
            let (b, width) = if call.kind == Factorisation::Pinv { (0, rows) } else { (b, right) };
            let (product, x) = (shapes.matrix(least, width), shapes.matrix(columns, width));
            let after = shapes.factors() + product + shapes.matrix(least, rows).max(shapes.matrix(columns, least) + x);
            One { most: b + (a + shapes.svd()).max(after), results: x }
        }
        Factorisation::Lu => One { most: a + shapes.lu(), results: a + rows * size_of::<usize>() },
        Factorisation::Det | Factorisation::Slogdet => One { most: a + shapes.lu(), results: size_of::<T>() + real },
        Factorisation::Solve => shapes.solved(if shapes.reads_twice(right) { 2 * b } else { b }, x),
        Factorisation::Inv => shapes.solved(a, a),
        Factorisation::TriangularSolve => One { most: a + b, results: b },
        // Powers keep a few matrices besides: the base, the result, and their product.
        Factorisation::Matpow if call.exponent < 0 => One { most: shapes.solved(a, a).most.max(4 * a), results: a },
        Factorisation::Gaps | Factorisation::Distinct | Factorisation::Uniform | Factorisation::Adjugate => {
            One { most: 2 * a + b, results: a }
        }
        // Besides the result, the differences of all pairs are kept, as numbers and with their errors.
        Factorisation::Divided => {
            let results = shapes.matrix(rows, rows.saturating_pow(call.exponent.unsigned_abs()));
            One { most: a + b + results + rows * rows * 3 * size_of::<f64>(), results }
        }
        Factorisation::Matpow => One { most: 3 * a, results: a },
        Factorisation::Expm => One { most: 2 * a, results: a },
        Factorisation::Norm | Factorisation::Trace => One { most: a, results: size_of::<T>() },
    }
}

/// A matrix, and what algorithms on it take beside it. Sizes are bytes.
#[derive(Clone, Copy)]
struct Shapes<T> {
    threads: usize,
    rows: usize,
    columns: usize,
    full: bool,
    types: std::marker::PhantomData<T>,
}

impl<T: Number> Shapes<T> {
    fn par(&self, least: usize) -> Par {
        worth::par(self.threads, [self.rows, self.columns], least)
    }

    fn matrix(&self, rows: usize, columns: usize) -> usize {
        rows * columns * size_of::<T>()
    }

    fn is_small(&self) -> bool {
        self.rows == self.columns && self.rows <= small::MOST
    }

    /// Stripes may need a larger matrix, which they fill. A single matrix that lies well takes nothing at all.
    fn cholesky(&self) -> usize {
        if !self.is_small() && self.par(worth::CHOLESKY) == Par::Seq && self.rows <= stripes::MOST && !T::DTYPE.is_complex() {
            let wide = self.rows.next_multiple_of(stripes::WIDEST);
            return if wide == self.rows { 0 } else { self.matrix(wide, wide) };
        }
        if self.is_small() {
            0
        } else {
            bytes(cholesky_in_place_scratch::<T>(self.rows, self.par(worth::CHOLESKY), Default::default()))
        }
    }

    /// The eigenvectors apart from the matrix, and the eigenvalues.
    fn eigh(&self) -> usize {
        if self.rows == 0 || small::has_eigh(self.rows) {
            return 0;
        }
        let scratch =
            self_adjoint_evd_scratch::<T>(self.rows, ComputeEigenvectors::Yes, self.par(worth::EIGH), Default::default());
        self.matrix(self.rows, self.rows) + self.matrix(self.rows, 1) + bytes(scratch)
    }

    /// The eigenvectors as they are found, and those of real matrices as complex ones; another basis and the matrix in it, for those that
    /// need one.
    fn eig(&self) -> usize {
        let (no, yes) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
        let scratch = bytes(evd_scratch::<T>(self.rows, no, yes, Par::Seq, Default::default()));
        let wide = if T::DTYPE.is_complex() { 0 } else { 2 * self.matrix(self.rows, self.rows) };
        3 * self.matrix(self.rows, self.rows) + 2 * self.matrix(self.rows, 1) + scratch + wide
    }

    fn q(&self) -> usize {
        self.matrix(self.rows, if self.full { self.rows } else { self.rows.min(self.columns) })
    }

    /// Q, its reflectors' coefficients, and what both steps take.
    fn qr(&self) -> usize {
        let (rows, columns) = (self.rows, self.columns);
        let (least, block) = (rows.min(columns), recommended_block_size::<T>(rows, columns));
        let inner = if self.full { rows } else { least };
        let made = bytes(qr_in_place_scratch::<T>(rows, columns, block, self.par(worth::QR), Default::default()));
        let applied = bytes(apply_block_householder_on_the_left_in_place_scratch::<T>(rows, block, inner));
        self.matrix(block, least) + made + self.q() + applied
    }

    /// U and V.
    fn factors(&self) -> usize {
        let least = self.rows.min(self.columns);
        let [left, right] = if self.full { [self.rows, self.columns] } else { [least; 2] };
        self.matrix(self.rows, left) + self.matrix(self.columns, right)
    }

    /// U, V and V transposed, and the singular values.
    fn svd(&self) -> usize {
        let (how, least) =
            (if self.full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin }, self.rows.min(self.columns));
        let scratch = bytes(svd_scratch::<T>(self.rows, self.columns, how, how, self.par(worth::SVD), Default::default()));
        let transposed = self.matrix(self.columns, if self.full { self.columns } else { least });
        self.factors() + transposed + 2 * self.matrix(least, 1) + scratch
    }

    /// Two orders of its rows.
    fn lu(&self) -> usize {
        if self.is_small() {
            return self.rows * size_of::<usize>();
        }
        let scratch = bytes(lu_in_place_scratch::<usize, T>(self.rows, self.columns, self.par(worth::LU), Default::default()));
        2 * self.rows * size_of::<usize>() + scratch
    }

    /// Whether right sides are read before their rows are brought into order.
    fn reads_twice(&self, right: usize) -> bool {
        self.rows * right > transpose::MOST || linear::is_transposed(Factorisation::Solve, self.rows)
    }

    /// A system of equations: its right sides are read when the matrix is factored.
    fn solved(&self, right: usize, x: usize) -> One {
        let a = self.matrix(self.rows, self.columns);
        One { most: a + self.lu().max(right + self.rows * size_of::<usize>()), results: x }
    }
}

fn bytes(request: StackReq) -> usize {
    request.size_bytes()
}
