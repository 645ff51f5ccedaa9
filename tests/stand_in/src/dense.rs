//! Dense linear algebra over memory by columns, by the textbook: what routines of cuBLAS and cuSOLVER leave behind.

use std::cmp::Ordering;

use nalgebra::{ComplexField, DMatrix, SVD, SymmetricEigen};

/// An element type of the libraries.
pub(crate) trait Number: ComplexField<RealField: Copy> + Copy + Send + Sync {}

impl<T: ComplexField<RealField: Copy> + Copy + Send + Sync> Number for T {}

/// A matrix by columns in somebody's memory: where it begins, and the stride from a column to the next.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    pub(crate) at: usize,
    pub(crate) line: i32,
}

impl Columns {
    /// # Safety
    /// The matrix is there.
    pub(crate) unsafe fn read<T: Number>(self, rows: i32, columns: i32) -> DMatrix<T> {
        // SAFETY: the caller's promise.
        DMatrix::from_fn(rows as usize, columns as usize, |i, j| unsafe {
            *(self.at as *const T).add(j * self.line as usize + i)
        })
    }

    /// # Safety
    /// There is memory for the matrix.
    pub(crate) unsafe fn write<T: Number>(self, matrix: &DMatrix<T>) {
        // SAFETY: the caller's promise.
        unsafe { self.write_where(matrix, |_, _| true) }
    }

    /// Writes those elements of which `which` says so.
    ///
    /// # Safety
    /// There is memory for the matrix.
    pub(crate) unsafe fn write_where<T: Number>(self, matrix: &DMatrix<T>, which: impl Fn(usize, usize) -> bool) {
        for (j, i) in (0..matrix.ncols()).flat_map(|j| (0..matrix.nrows()).map(move |i| (j, i))) {
            if which(i, j) {
                // SAFETY: the caller's promise.
                unsafe { *(self.at as *mut T).add(j * self.line as usize + i) = matrix[(i, j)] };
            }
        }
    }

    /// Matrix n of those that lie one behind the other.
    pub(crate) fn behind<T>(self, columns: i32, n: usize) -> Columns {
        Columns { at: self.at + n * self.line as usize * columns as usize * size_of::<T>(), ..self }
    }

    /// Matrix n of those whose addresses lie here.
    ///
    /// # Safety
    /// They do.
    pub(crate) unsafe fn of_batch(self, n: usize) -> Columns {
        // SAFETY: the caller's promise.
        Columns { at: unsafe { *(self.at as *const usize).add(n) }, ..self }
    }
}

/// The lower triangle as a Hermitian matrix.
pub(crate) fn hermitian<T: Number>(a: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| match i.cmp(&j) {
        Ordering::Less => a[(j, i)].conjugate(),
        Ordering::Equal => T::from_real(a[(i, j)].real()),
        Ordering::Greater => a[(i, j)],
    })
}

/// Cholesky's factor in the place of the lower triangle; the order of the first leading part that is not positive definite, or 0.
pub(crate) fn cholesky<T: Number>(a: &mut DMatrix<T>) -> i32 {
    for j in 0..a.nrows() {
        let squares = (0..j).fold(T::zero().real(), |sum, k| sum + a[(j, k)].modulus_squared());
        let pivot = a[(j, j)].real() - squares;
        // What is not a number is not positive either.
        if pivot.partial_cmp(&T::zero().real()) != Some(Ordering::Greater) {
            return j as i32 + 1;
        }
        let pivot = pivot.sqrt();
        a[(j, j)] = T::from_real(pivot);
        for i in j + 1..a.nrows() {
            let sum = (0..j).fold(a[(i, j)], |sum, k| sum - a[(i, k)] * a[(j, k)].conjugate());
            a[(i, j)] = sum / T::from_real(pivot);
        }
    }
    0
}

/// Factors L and U in the matrix' place, exchanged rows, and the number of the first pivot that is zero, or 0.
pub(crate) fn eliminate<T: Number>(a: &mut DMatrix<T>) -> (Vec<i32>, i32) {
    let (rows, columns) = a.shape();
    let (mut pivots, mut info) = (Vec::new(), 0);
    for k in 0..rows.min(columns) {
        let larger = |&i: &usize, &j: &usize| a[(i, k)].modulus().partial_cmp(&a[(j, k)].modulus()).unwrap_or(Ordering::Equal);
        let pivot = (k..rows).rev().max_by(larger).unwrap_or(k);
        a.swap_rows(k, pivot);
        pivots.push(pivot as i32 + 1);
        if a[(k, k)] == T::zero() {
            info = if info == 0 { k as i32 + 1 } else { info };
            continue;
        }
        for i in k + 1..rows {
            a[(i, k)] = a[(i, k)] / a[(k, k)];
            for j in k + 1..columns {
                a[(i, j)] = a[(i, j)] - a[(i, k)] * a[(k, j)];
            }
        }
    }
    (pivots, info)
}

/// How a triangle divides.
#[derive(Clone, Copy)]
pub(crate) struct Divisor {
    pub(crate) from_right: bool,
    pub(crate) upper: bool,
    pub(crate) transposed: bool,
    pub(crate) conjugated: bool,
    pub(crate) unit: bool,
}

/// Solves A·X = B, or X·A = B, in B's place, where A is a triangle.
pub(crate) fn divide<T: Number>(by: Divisor, a: &DMatrix<T>, b: &mut DMatrix<T>) {
    let element = |i: usize, j: usize| {
        let is_there = if by.upper { i <= j } else { i >= j };
        match is_there {
            _ if i == j && by.unit => T::one(),
            true if by.conjugated => a[(i, j)].conjugate(),
            true => a[(i, j)],
            false => T::zero(),
        }
    };
    let n = a.nrows();
    // X·A = B is Aᵀ·Xᵀ = Bᵀ.
    let is_turned = by.transposed != by.from_right;
    let triangle = DMatrix::from_fn(n, n, |i, j| if is_turned { element(j, i) } else { element(i, j) });
    let is_upper = by.upper != is_turned;
    let mut sides = if by.from_right { b.transpose() } else { b.clone() };
    for column in 0..sides.ncols() {
        for step in 0..n {
            let i = if is_upper { n - 1 - step } else { step };
            let known = if is_upper { i + 1..n } else { 0..i };
            let sum = known.fold(sides[(i, column)], |sum, k| sum - triangle[(i, k)] * sides[(k, column)]);
            sides[(i, column)] = sum / triangle[(i, i)];
        }
    }
    *b = if by.from_right { sides.transpose() } else { sides };
}

/// Solves A·X = B by the factors that `eliminate` left.
pub(crate) fn solve<T: Number>(factors: &DMatrix<T>, pivots: &[i32], b: &mut DMatrix<T>) {
    pivots.iter().enumerate().for_each(|(k, &row)| b.swap_rows(k, row as usize - 1));
    let lower = Divisor { from_right: false, upper: false, transposed: false, conjugated: false, unit: true };
    divide(lower, factors, b);
    divide(Divisor { upper: true, unit: false, ..lower }, factors, b);
}

/// R in the upper triangle; below it, and in what is returned, the reflections H = 1 - tau·v·vᴴ whose product is Q.
pub(crate) fn reflect<T: Number>(a: &mut DMatrix<T>) -> Vec<T> {
    let (rows, columns) = a.shape();
    let reflection = |k: usize| {
        let squares = (k + 1..rows).fold(T::zero().real(), |sum, i| sum + a[(i, k)].modulus_squared());
        let alpha = a[(k, k)];
        if squares == T::zero().real() && alpha.imaginary() == T::zero().real() {
            return T::zero();
        }
        let norm = (squares + alpha.modulus_squared()).sqrt();
        let beta = if alpha.real() > T::zero().real() { -norm } else { norm };
        let scale = T::one() / (alpha - T::from_real(beta));
        for i in k + 1..rows {
            a[(i, k)] *= scale;
        }
        a[(k, k)] = T::from_real(beta);
        let tau = (T::from_real(beta) - alpha) / T::from_real(beta);
        // Hᴴ is applied to what is right of it.
        for j in k + 1..columns {
            let dot = (k + 1..rows).fold(a[(k, j)], |sum, i| sum + a[(i, k)].conjugate() * a[(i, j)]);
            let dot = dot * tau.conjugate();
            a[(k, j)] -= dot;
            for i in k + 1..rows {
                a[(i, j)] = a[(i, j)] - a[(i, k)] * dot;
            }
        }
        tau
    };
    (0..rows.min(columns)).map(reflection).collect()
}

/// The first columns of the product of reflections that `reflect` left.
pub(crate) fn product<T: Number>(a: &DMatrix<T>, tau: &[T]) -> DMatrix<T> {
    let (rows, columns) = a.shape();
    let mut q = DMatrix::<T>::identity(rows, columns);
    for k in (0..tau.len()).rev() {
        for j in 0..columns {
            let dot = (k + 1..rows).fold(q[(k, j)], |sum, i| sum + a[(i, k)].conjugate() * q[(i, j)]) * tau[k];
            q[(k, j)] -= dot;
            for i in k + 1..rows {
                q[(i, j)] -= a[(i, k)] * dot;
            }
        }
    }
    q
}

/// Ascending eigenvalues of a Hermitian matrix, and its eigenvectors, with signs that nobody may count on.
pub(crate) fn eigenvectors<T: Number>(a: &DMatrix<T>) -> (Vec<T::RealField>, DMatrix<T>) {
    let found = SymmetricEigen::new(hermitian(a));
    let mut order: Vec<usize> = (0..a.nrows()).collect();
    order.sort_by(|&i, &j| found.eigenvalues[i].partial_cmp(&found.eigenvalues[j]).unwrap_or(Ordering::Equal));
    let sign = |n: usize| if n.is_multiple_of(2) { -T::one() } else { T::one() };
    let vectors = DMatrix::from_fn(a.nrows(), a.nrows(), |i, j| found.eigenvectors[(i, order[j])] * sign(j));
    (order.iter().map(|&n| found.eigenvalues[n]).collect(), vectors)
}

/// Descending singular values, U, and Vᴴ; U and V are square where that is asked for.
pub(crate) fn singular<T: Number>(a: DMatrix<T>, is_full: bool) -> (Vec<T::RealField>, DMatrix<T>, DMatrix<T>) {
    let (rows, columns) = a.shape();
    let found = SVD::new(a, true, true);
    let (u, vt) = (found.u.unwrap_or_default(), found.v_t.unwrap_or_default());
    let values = found.singular_values.iter().copied().collect();
    if !is_full {
        return (values, u, vt);
    }
    (values, completed(&u, rows), completed(&vt.adjoint(), columns).adjoint())
}

/// Orthonormal columns, and others that make them a basis.
fn completed<T: Number>(columns: &DMatrix<T>, size: usize) -> DMatrix<T> {
    let mut wide = DMatrix::zeros(size, size);
    wide.view_mut((0, 0), columns.shape()).copy_from(columns);
    let tau = reflect(&mut wide);
    let mut basis = product(&wide, &tau);
    basis.view_mut((0, 0), columns.shape()).copy_from(columns);
    basis
}
