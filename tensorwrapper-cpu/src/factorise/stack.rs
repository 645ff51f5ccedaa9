//! Operations on small matrices that lie on the stack, for straight code: the algorithms of `small` and `orthogonal` in the
//! conventions of `linear`, and no memory is asked for.
//!
//! What is out of the ordinary has no result here: a matrix that is large, singular, not positive definite, not finite or near the
//! ends of its type's range. There the caller goes the way of all matrices, which alone has the answers and their sentences.

mod items;

pub use items::{Argument, Call};

use items::part;
use smallvec::SmallVec;

use super::orthogonal::{qr_of, svd_of};
use super::small::{MOST, Square, by_order, cholesky_of, eigh_of, lu_of, solve_column};
use tensorwrapper_core::backend::linear::{
    self, Determinant, Factorisation, are_finite, conjugate_phase, exponent_of, largest_of, norm, part_size, set_phase, square,
};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::storage::SliceMut;

/// Matrices of a batch, and elements of an argument or a result, that go one after the other on one thread and on the stack. What is
/// larger goes the way of all matrices, which has kernels for eight at once, several threads, and memory.
const MOST_MATRICES: usize = 16;
const MOST_ELEMENTS: usize = MOST_MATRICES * MOST * MOST;

/// Whether so many matrices of so many elements together go by this file.
pub const fn is_short(matrices: usize, elements: usize) -> bool {
    matrices <= MOST_MATRICES && elements <= MOST_ELEMENTS
}

/// The arguments that an operation has at most, and the results.
const ARGUMENTS: usize = 2;
const RESULTS: usize = 3;

/// Computes the results of an operation, one matrix after the other and each row by row; says whether all of them have results.
pub fn compute(call: &Call, arguments: &[Argument<'_>], results: &mut [SliceMut<'_>]) -> bool {
    let items = arguments[0].items;
    (0..items).all(|item| {
        let arguments: SmallVec<[Argument<'_>; ARGUMENTS]> = arguments.iter().map(|argument| argument.item(item)).collect();
        let mut parts: SmallVec<[SliceMut<'_>; RESULTS]> = results.iter_mut().map(|result| part(result, item, items)).collect();
        dispatch!(arguments[0].data.dtype(), T => of_type::<T>(call, &arguments, &mut parts))
    })
}

fn of_type<T: Element>(call: &Call, arguments: &[Argument<'_>], results: &mut [SliceMut<'_>]) -> bool {
    let (rows, columns) = (arguments[0].rows, arguments[0].columns);
    let Some(a) = T::typed(arguments[0].data) else { return false };
    match call.kind {
        Factorisation::Norm => {
            real::<T>(results, 0)[0] = norm(a);
            return true;
        }
        Factorisation::Trace if rows == columns => {
            same(results, 0)[0] = (0..rows).fold(T::ZERO, |sum, n| sum + a[n * columns + n]);
            return true;
        }
        _ => {}
    }
    let is_small = |n: usize| (1..=MOST).contains(&n);
    if !is_small(rows) || !is_small(columns) || !are_finite(a) {
        return false;
    }
    let b = arguments.get(1).map(|b| (T::typed(b.data), b.rows, b.columns));
    let b = match b {
        None => None,
        Some((Some(data), own, columns)) if own == rows && are_finite(data) => Some(Side { data, columns }),
        Some(_) => return false,
    };
    match call.kind {
        Factorisation::Qr => by_order!(rows, qr(a, columns, call.full, results)),
        Factorisation::Lq => by_order!(columns, lq(a, rows, call.full, results)),
        Factorisation::Svd if call.full => false,
        Factorisation::Svd if rows >= columns => by_order!(rows, svd(a, columns, results)),
        Factorisation::Svd => by_order!(columns, svd_of_adjoint(a, rows, results)),
        _ if rows != columns => false,
        Factorisation::Cholesky => by_order!(rows, cholesky(a, results)),
        // Of two matrices it is rare.
        Factorisation::Eigh if b.is_none() => by_order!(rows, eigh(a, results)),
        Factorisation::Lu => by_order!(rows, lu(a, results)),
        Factorisation::Solve => b.is_some_and(|b| by_order!(rows, solve(a, b, results))),
        Factorisation::TriangularSolve => b.is_some_and(|b| by_order!(rows, triangular(a, b, call, results))),
        Factorisation::Inv => by_order!(rows, inv(a, results)),
        Factorisation::Matpow => by_order!(rows, power(a, call.exponent, results)),
        Factorisation::Det => by_order!(rows, det(a, results)),
        Factorisation::Slogdet => by_order!(rows, slogdet(a, results)),
        Factorisation::Eigh
        | Factorisation::Eig
        | Factorisation::Lstsq
        | Factorisation::Pinv
        | Factorisation::Expm
        | Factorisation::Norm
        | Factorisation::Trace
        | Factorisation::Rank
        | Factorisation::Gaps
        | Factorisation::Distinct
        | Factorisation::Uniform
        | Factorisation::Divided
        | Factorisation::Adjugate => false,
    }
}

/// Right sides, row by row.
#[derive(Clone, Copy)]
struct Side<'a, T> {
    data: &'a [T],
    columns: usize,
}

/// A result of the arguments' type.
fn same<'r, T: Element>(results: &'r mut [SliceMut<'_>], n: usize) -> &'r mut [T] {
    T::typed_mut(results[n].reborrow()).expect("a result has the elements that the table says")
}

/// A result of the type of absolute values.
fn real<'r, T: Element>(results: &'r mut [SliceMut<'_>], n: usize) -> &'r mut [T::Real] {
    same::<T::Real>(results, n)
}

/// Columns of a matrix that lies row by row.
fn read<T: Element, const N: usize>(a: &[T]) -> Square<T, N> {
    let (rows, _) = a.as_chunks::<N>();
    std::array::from_fn(|j| std::array::from_fn(|i| rows[i][j]))
}

/// The first columns, row by row; says whether all of them are finite.
fn write<T: Element, const R: usize>(columns: &[[T; R]], to: &mut [T]) -> bool {
    for (j, column) in columns.iter().enumerate() {
        for i in 0..R {
            to[i * columns.len() + j] = column[i];
        }
    }
    are_finite(to)
}

/// The lower triangle of a Hermitian matrix.
fn read_lower<T: Element, const N: usize>(a: &[T]) -> Square<T, N> {
    let (rows, _) = a.as_chunks::<N>();
    let mut lower = [[T::ZERO; N]; N];
    for j in 0..N {
        lower[j][j] = T::from_real(rows[j][j].re());
        for i in j + 1..N {
            lower[j][i] = rows[i][j];
        }
    }
    lower
}

/// Whether the squares of elements are far from the ends of their range.
fn is_in_range<T: Element>(a: &[T]) -> bool {
    exponent_of::<T>(largest_of(a, part_size), 1) == 0
}

fn cholesky<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    let mut l = read_lower::<T, N>(a);
    if cholesky_of::<T, N>(l.as_flattened_mut()).is_err() {
        return false;
    }
    for j in 0..N {
        l[j][j] = T::from_real(l[j][j].re());
    }
    write(&l, same(results, 0))
}

fn eigh<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    let mut vectors = read_lower::<T, N>(a);
    if !is_in_range(vectors.as_flattened()) {
        return false;
    }
    let Ok(values) = eigh_of::<T, N>(vectors.as_flattened_mut()) else { return false };
    for vector in &mut vectors {
        set_phase(vector, &|vector| largest_of(vector, square));
    }
    real::<T>(results, 0)[..N].copy_from_slice(&values);
    write(&vectors, same(results, 1)) && are_finite(&values)
}

/// The factors of elimination, and which row of the matrix is each of theirs.
fn eliminated<T: Element, const N: usize>(a: &[T]) -> (Square<T, N>, [usize; N]) {
    let mut factors = read::<T, N>(a);
    let order = lu_of::<T, N>(factors.as_flattened_mut());
    (factors, order)
}

fn has_zero_pivot<T: Element, const N: usize>(a: &Square<T, N>) -> bool {
    (0..N).any(|n| a[n][n] == T::ZERO)
}

fn lu<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    let (factors, order) = eliminated::<T, N>(a);
    let one_in = |row: usize| std::array::from_fn(|i| if i == row { T::ONE } else { T::ZERO });
    let permutation: Square<T, N> = order.map(one_in);
    let (mut lower, mut upper) = (factors, factors);
    for j in 0..N {
        for i in 0..N {
            match i.cmp(&j) {
                std::cmp::Ordering::Less => lower[j][i] = T::ZERO,
                std::cmp::Ordering::Equal => lower[j][i] = T::ONE,
                std::cmp::Ordering::Greater => upper[j][i] = T::ZERO,
            }
        }
    }
    write(&permutation, same(results, 0)) && write(&lower, same(results, 1)) && write(&upper, same(results, 2))
}

/// Solves for each column of a right side.
fn substitute<T: Element, const N: usize>(
    (factors, order): (&Square<T, N>, &[usize; N]),
    columns: usize,
    right: impl Fn(usize, usize) -> T,
    x: &mut [T],
) -> bool {
    for column in 0..columns {
        let mut own: [T; N] = std::array::from_fn(|i| right(order[i], column));
        solve_column(factors, false, true, &mut own);
        solve_column(factors, true, false, &mut own);
        for i in 0..N {
            x[i * columns + column] = own[i];
        }
    }
    are_finite(x)
}

fn solve<T: Element, const N: usize>(a: &[T], b: Side<'_, T>, results: &mut [SliceMut<'_>]) -> bool {
    let (factors, order) = eliminated::<T, N>(a);
    let right = |i: usize, j: usize| b.data[i * b.columns + j];
    !has_zero_pivot(&factors) && substitute((&factors, &order), b.columns, right, same(results, 0))
}

fn inv<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    inverse::<T, N>(a, same(results, 0))
}

fn inverse<T: Element, const N: usize>(a: &[T], x: &mut [T]) -> bool {
    let (factors, order) = eliminated::<T, N>(a);
    let unit = |i: usize, j: usize| if i == j { T::ONE } else { T::ZERO };
    !has_zero_pivot(&factors) && substitute((&factors, &order), N, unit, x)
}

fn triangular<T: Element, const N: usize>(a: &[T], b: Side<'_, T>, call: &Call, results: &mut [SliceMut<'_>]) -> bool {
    let triangle = read::<T, N>(a);
    if !call.unit && has_zero_pivot(&triangle) {
        return false;
    }
    let x = same(results, 0);
    for column in 0..b.columns {
        let mut own: [T; N] = std::array::from_fn(|i| b.data[i * b.columns + column]);
        solve_column(&triangle, call.upper, call.unit, &mut own);
        for i in 0..N {
            x[i * b.columns + column] = own[i];
        }
    }
    are_finite(x)
}

fn product<T: Element, const N: usize>(a: &Square<T, N>, b: &Square<T, N>) -> Square<T, N> {
    let mut product = [[T::ZERO; N]; N];
    for j in 0..N {
        for k in 0..N {
            for i in 0..N {
                product[j][i] += a[k][i] * b[j][k];
            }
        }
    }
    product
}

fn power<T: Element, const N: usize>(a: &[T], exponent: i32, results: &mut [SliceMut<'_>]) -> bool {
    let result = same(results, 0);
    let mut base = match exponent < 0 {
        true if inverse::<T, N>(a, result) => read::<T, N>(result),
        true => return false,
        false => read::<T, N>(a),
    };
    let (mut left, mut all) = (exponent.unsigned_abs(), None);
    while left > 0 {
        if left % 2 == 1 {
            all = Some(all.map_or(base, |all| product(&all, &base)));
        }
        left /= 2;
        if left > 0 {
            base = product(&base, &base);
        }
    }
    let unit: Square<T, N> = std::array::from_fn(|j| std::array::from_fn(|i| if i == j { T::ONE } else { T::ZERO }));
    write(&all.unwrap_or(unit), result)
}

/// Whether rows were exchanged an odd number of times.
fn is_odd<const N: usize>(order: &[usize; N]) -> bool {
    let mut odd = false;
    for n in 0..N {
        for m in 0..n {
            odd ^= order[m] > order[n];
        }
    }
    odd
}

fn determinant<T: Element, const N: usize>(a: &[T]) -> Option<Determinant> {
    let (factors, order) = eliminated::<T, N>(a);
    Determinant::of(is_odd(&order), (0..N).map(|n| factors[n][n]))
}

fn det<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    let Some(value) = determinant::<T, N>(a).and_then(Determinant::value::<T>) else { return false };
    same(results, 0)[0] = value;
    true
}

fn slogdet<T: Element, const N: usize>(a: &[T], results: &mut [SliceMut<'_>]) -> bool {
    let Some(determinant) = determinant::<T, N>(a) else { return false };
    same(results, 0)[0] = determinant.sign::<T>();
    real::<T>(results, 1)[0] = T::Real::from_complex(determinant.logarithm().into());
    true
}

/// The columns of Q and R, the diagonal of R real and not negative.
fn in_phase<T: Element, const R: usize>(r: &mut [[T; R]], q: &mut [[T; R]]) {
    let columns = r.len();
    qr_of(r, q);
    for n in 0..R.min(columns) {
        let diagonal = r[n][n];
        if diagonal != T::ZERO {
            let phase = conjugate_phase(diagonal);
            if phase != T::ONE {
                r.iter_mut().for_each(|column| column[n] *= phase);
                q[n].iter_mut().for_each(|x| *x *= phase.conj());
            }
        }
        r[n][n] = T::from_real(r[n][n].re());
        r[n][n + 1..].fill(T::ZERO);
    }
}

/// Up to as many columns of a matrix with `R` rows, or of the adjoint of one with `R` columns, as the other side has; nothing
/// where squares of elements are near the ends of their range.
fn load<T: Element, const R: usize>(a: &[T], count: usize, adjoint: bool) -> Option<[[T; R]; MOST]> {
    let mut columns = [[T::ZERO; R]; MOST];
    if !is_in_range(a) {
        return None;
    }
    for (n, &x) in a.iter().enumerate() {
        if adjoint {
            columns[n / R][n % R] = x.conj();
        } else {
            columns[n % count][n / count] = x;
        }
    }
    Some(columns)
}

/// Writes a result of so many columns row by row; says whether all of it is finite.
fn put<T: Element>(to: &mut [T], columns: usize, element: impl Fn(usize, usize) -> T) -> bool {
    for (i, row) in to.chunks_exact_mut(columns).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = element(i, j);
        }
    }
    are_finite(to)
}

fn qr<T: Element, const R: usize>(a: &[T], columns: usize, full: bool, results: &mut [SliceMut<'_>]) -> bool {
    let inner = if full { R } else { R.min(columns) };
    let Some(mut r) = load::<T, R>(a, columns, false) else { return false };
    let mut q = [[T::ZERO; R]; MOST];
    in_phase(&mut r[..columns], &mut q[..inner]);
    put(same(results, 0), inner, |i, j| q[j][i]) & put(same(results, 1), columns, |i, j| r[j][i])
}

/// L and Q of a matrix with `R` columns: the adjoints of the factors of its adjoint.
fn lq<T: Element, const R: usize>(a: &[T], rows: usize, full: bool, results: &mut [SliceMut<'_>]) -> bool {
    let inner = if full { R } else { R.min(rows) };
    let Some(mut r) = load::<T, R>(a, rows, true) else { return false };
    let mut q = [[T::ZERO; R]; MOST];
    in_phase(&mut r[..rows], &mut q[..inner]);
    put(same(results, 0), inner, |i, j| r[i][j].conj()) & put(same(results, 1), R, |i, j| q[i][j].conj())
}

fn svd<T: Element, const R: usize>(a: &[T], columns: usize, results: &mut [SliceMut<'_>]) -> bool {
    let Some(mut u) = load::<T, R>(a, columns, false) else { return false };
    let mut rows = [[T::ZERO; MOST]; MOST];
    let Some(values) = svd_of(&mut u[..columns], &mut rows) else { return false };
    for (vector, row) in u[..columns].iter_mut().zip(&mut rows) {
        if let Some(phase) = set_phase(vector, &|vector| largest_of(vector, square)) {
            row.iter_mut().for_each(|x| *x *= phase.conj());
        }
    }
    put(same(results, 0), columns, |i, j| u[j][i])
        & put(same(results, 2), columns, |i, j| rows[i][j])
        & write_values::<T>(&values[..columns], results)
}

/// The factors of a matrix with `R` columns and fewer rows, from those of its adjoint.
fn svd_of_adjoint<T: Element, const R: usize>(a: &[T], count: usize, results: &mut [SliceMut<'_>]) -> bool {
    let Some(mut v) = load::<T, R>(a, count, true) else { return false };
    let mut columns = [[T::ZERO; MOST]; MOST];
    let Some(values) = svd_of(&mut v[..count], &mut columns) else { return false };
    for (row, vector) in v[..count].iter_mut().zip(&mut columns) {
        let vector = &mut vector[..count];
        vector.iter_mut().for_each(|x| *x = x.conj());
        let phase = set_phase(vector, &|vector| largest_of(vector, square)).unwrap_or(T::ONE);
        row.iter_mut().for_each(|x| *x = x.conj() * phase.conj());
    }
    put(same(results, 0), count, |i, j| columns[j][i])
        & put(same(results, 2), R, |i, j| v[i][j])
        & write_values::<T>(&values[..count], results)
}

fn write_values<T: Element>(values: &[f64], results: &mut [SliceMut<'_>]) -> bool {
    let to = real::<T>(results, 1);
    for (to, &value) in to.iter_mut().zip(values) {
        *to = T::Real::from_complex(value.into());
    }
    linear::are_finite(to)
}
