//! Linear algebra over static tensors: the results, errors and conventions of the same equation over tensors.

use num_complex::Complex;
use tensorwrapper::{Context, StaticExtents, linalg, prelude::*};

/// Elements between −1 and 1 that differ from each other.
fn some<T: Element, S: StaticExtents>(seed: usize) -> StaticTensor<T, S> {
    let mut n = seed as u64 + 1;
    let mut next = move || {
        n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (n >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    StaticTensor::from_fn(|_| T::from_complex(Complex::new(next(), next())))
}

fn dense<T: Element, S: StaticExtents>(a: &StaticTensor<T, S>) -> Tensor<T> {
    Tensor::from_slice(a.extents().to_vec(), a.as_slice()).unwrap()
}

fn tolerance<T: Element>() -> f64 {
    if size_of::<T::Real>() == 4 { 2e-3 } else { 1e-10 }
}

/// What equations give: tensors.
trait Same<R> {
    fn same(&self, computed: &R, what: &str);
}

/// The same of two numbers.
#[track_caller]
fn near<T: Element>(a: T, b: T, what: &str) {
    let (a, b) = (a.to_complex(), b.to_complex());
    assert!(a == b || (a - b).norm() <= tolerance::<T>() * (1.0 + b.norm()), "{what}: {a} is not {b}");
}

impl<T: Element, S: StaticExtents, X: tensorwrapper::Extents> Same<Tensor<T, X>> for StaticTensor<T, S> {
    fn same(&self, computed: &Tensor<T, X>, what: &str) {
        assert_eq!(self.extents(), computed.extents(), "{what}");
        let scale = computed.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
        let near = |(a, b): (&T, &T)| (a.to_complex() - b.to_complex()).norm() <= tolerance::<T>() * scale;
        assert!(self.as_slice().iter().zip(computed.as_slice()).all(near), "{what}: {self:?}\nis not\n{computed:?}");
    }
}

macro_rules! tuples {
    ($($A:ident $B:ident $n:tt),*) => {
        impl<$($A: Same<$B>, $B),*> Same<($($B,)*)> for ($($A,)*) {
            fn same(&self, computed: &($($B,)*), what: &str) {
                $(self.$n.same(&computed.$n, what);)*
            }
        }
    };
}
tuples!(A R 0, B S 1);
tuples!(A R 0, B S 1, C T 2);

/// The same equation over static tensors and over tensors of any extents.
macro_rules! compare {
    ($what:expr; $($name:ident),*; $($equation:tt)*) => {{
        let fixed = tensor!($($equation)*);
        $(let $name = dense(&$name);)*
        let computed = tensor!($($equation)*);
        fixed.same(&computed, &format!("{} of {}", stringify!($($equation)*), $what));
    }};
}

/// The same of equations without axes on the left.
macro_rules! compare_number {
    ($what:expr; $($name:ident),*; $($equation:tt)*) => {{
        let fixed = tensor!($($equation)*);
        $(let $name = dense(&$name);)*
        near(fixed, tensor!($($equation)*), &format!("{} of {}", stringify!($($equation)*), $what));
    }};
}

macro_rules! of_order {
    ($T:ident, $N:literal, $wide:literal) => {{
        // A function for each, since unoptimised frames hold all that is in them.
        fn compared<$T: Element>() {
        let what = format!("order {} of {}", $N, std::any::type_name::<$T>());
        let a: StaticTensor<$T, Shape![$N, $N]> = some($N);
        let unit: StaticTensor<$T, Shape![$N, $N]> =
            StaticTensor::from_fn(|i| if i[0] == i[1] { $T::ONE } else { $T::ZERO });
        let a: StaticTensor<$T, Shape![$N, $N]> = tensor!([i, j] = a[i, j] + 1.5 * unit[i, j]);
        let h: StaticTensor<$T, Shape![$N, $N]> = tensor!([i, j] = a[i, k] * conj(a[j, k]) + unit[i, j]);
        let b: StaticTensor<$T, Shape![$N, 3]> = some(40 + $N);
        let x: StaticTensor<$T, Shape![$N]> = some(50 + $N);
        let w: StaticTensor<$T, Shape![$N, $wide]> = some(60 + $N);
        compare!(what; h; [i, k] = cholesky(h[i, j]));
        compare!(what; h; ([n], [i, n]) = eigh(h[i, j]));
        compare!(what; h; ([n], [n, i]) = eigh(2.0 * h[i, j]));
        compare!(what; a, b; [k, j] = solve(a[i, k], b[i, j]));
        compare!(what; a, b; [j, k] = solve(a[i, k], b[i, j]));
        compare!(what; a, x; [k] = solve(a[i, k], x[i]));
        compare!(what; a, b; [k, j] = triangular_solve(a[i, k], b[i, j]));
        compare!(what; a, b; [k, j] = triangular_solve(a[i, k], b[i, j]; upper));
        compare!(what; a, x; [k] = triangular_solve(a[i, k], x[i]; upper, unit));
        compare!(what; a; [j, i] = inv(a[i, j]));
        compare_number!(what; a; [] = det(a[i, j]));
        let (sign, log) = tensor!(([], []) = slogdet(a[i, j]));
        let computed = dense(&a);
        let (same_sign, same_log) = tensor!(([], []) = slogdet(computed[i, j]));
        near(sign, same_sign, &what);
        near(log, same_log, &what);
        compare_number!(what; w; [] = norm(w[i, j]));
        compare_number!(what; w; [] = norm(i, j; w[i, j] * w[i, 0]));
        compare_number!(what; a; [] = norm(sum(k; a[i, k] * a[k, j]) - a[i, j]));
        compare_number!(what; a; [] = trace(a[i, j]));
        compare!(what; a; [i, j] = matpow(a[i, j], 5));
        compare!(what; a; [i, j] = matpow(a[i, j], -2));
        compare!(what; a; [i, j] = matpow(a[i, j], 0));
        compare!(what; a; ([i, q], [q, r], [r, j]) = lu(a[i, j]));
        compare!(what; a; ([i, r], [r, j]) = qr(a[i, j]));
        compare!(what; w; ([i, r], [r, j]) = qr(w[i, j]));
        compare!(what; w; ([i, r], [r, j]) = qr(w[i, j]; full));
        compare!(what; w; ([i, r], [r, j]) = lq(w[i, j]));
        compare!(what; a; ([i, r], [r], [r, j]) = svd(a[i, j]));
        compare!(what; w; ([i, r], [r], [r, j]) = svd(w[i, j]));
        compare!(what; w; [j, i] = pinv(w[i, j]));
        let (u, s, v) = tensor!(([i, r], [r], [r, j]) = svd(w[i, j]));
        let s = StaticTensor::from_fn(|i| $T::from_real(s[[i[0]]]));
        let again: StaticTensor<$T, Shape![$N, $wide]> = tensor!([i, j] = u[i, r] * s[r] * v[r, j]);
        again.same(&dense(&w), &what);
        }
        compared::<$T>();
    }};
}

fn of_type<T: Element>() {
    of_order!(T, 1, 4);
    of_order!(T, 2, 1);
    of_order!(T, 3, 5);
    of_order!(T, 4, 4);
    of_order!(T, 5, 2);
    of_order!(T, 6, 7);
    of_order!(T, 7, 3);
    of_order!(T, 8, 6);
}

#[test]
fn real_matrices_have_the_results_of_tensors() {
    of_type::<f32>();
    of_type::<f64>();
}

#[test]
fn complex_matrices_have_the_results_of_tensors() {
    of_type::<Complex<f32>>();
    of_type::<Complex<f64>>();
}

#[test]
fn large_matrices_have_static_results() {
    let a: StaticTensor<f64, Shape![9, 9]> = some(1);
    let x: StaticTensor<f64, Shape![9]> = some(2);
    compare!("order 9"; a, x; [k] = solve(a[i, k], x[i]));
    compare!("order 9"; a; ([i, r], [r], [r, j]) = svd(a[i, j]));
    compare!("order 9"; a; ([n], [i, n]) = eig(a[i, j]));
    let small: StaticTensor<f64, Shape![3, 3]> = some(3);
    compare!("order 3"; small; [i, j] = expm(small[i, j]));
    // Near the ends of the range the squares of elements are none.
    let tiny: StaticTensor<f64, Shape![3, 3]> = tensor!([i, j] = 1e-200 * (small[i, j] + small[j, i]));
    let (values, _): (StaticTensor<f64, Shape![3]>, _) = tensor!(([n], [i, n]) = eigh(tiny[i, j]));
    let (plain, _) = tensor!(([n], [i, n]) = eigh(small[i, j] + small[j, i]));
    (0..3).for_each(|n| near(values[[n]] * 1e200, plain[[n]], "scaled"));
    let group: StaticTensor<f64, Shape![2, 2, 4]> = some(4);
    compare!("a group of rows"; group; [j, a, i] = inv((a, i), j; group[a, i, j]));
}

/// Both say the same of a matrix without a result.
macro_rules! both_refuse {
    ($($name:ident),*; $says:literal; $($equation:tt)*) => {{
        let fixed = try_tensor!($($equation)*).unwrap_err().to_string();
        $(let $name = dense(&$name);)*
        let computed = try_tensor!($($equation)*).unwrap_err().to_string();
        assert_eq!(fixed, computed);
        assert!(fixed.contains($says), "{fixed}");
    }};
}

fn refused<T: Element>() {
    let n = |x: f64| T::from_complex(x.into());
    let singular: StaticTensor<T, Shape![3, 3]> = StaticTensor::from_fn(|i| n((i[0] + 1) as f64 * (i[1] + 2) as f64));
    let b: StaticTensor<T, Shape![3]> = StaticTensor::filled(n(1.0));
    both_refuse!(singular, b; "singular"; [k] = solve(singular[i, k], b[i]));
    both_refuse!(singular; "singular"; [j, i] = inv(singular[i, j]));
    both_refuse!(singular; "singular"; [i, j] = matpow(singular[i, j], -1));
    both_refuse!(singular; "not positive definite"; [i, k] = cholesky(singular[i, j] - singular[j, i]));
    assert_eq!(tensor!([] = det(singular[i, j])), T::ZERO);
    let (sign, log) = tensor!(([], []) = slogdet(singular[i, j]));
    assert_eq!((sign, log.to_complex().re), (T::ZERO, f64::NEG_INFINITY));
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut a: StaticTensor<T, Shape![3, 3]> = some(7);
        a[[2, 1]] = n(wrong);
        both_refuse!(a; "holds NaN or infinity"; [i, k] = cholesky(a[i, j]));
        both_refuse!(a; "holds NaN or infinity"; ([n], [i, n]) = eigh(a[i, j]));
        both_refuse!(a, b; "holds NaN or infinity"; [k] = solve(a[i, k], b[i]));
        both_refuse!(a; "holds NaN or infinity"; [] = det(a[i, j]));
        both_refuse!(a; "holds NaN or infinity"; ([i, r], [r, j]) = qr(a[i, j]));
        both_refuse!(a; "holds NaN or infinity"; ([i, r], [r], [r, j]) = svd(a[i, j]));
        // What is not read need not be a number.
        compare!("a triangle"; a, b; [k] = triangular_solve(a[i, k], b[i]; upper));
        assert_eq!(tensor!([] = norm(a[i, j])).to_complex().re.is_nan(), wrong.is_nan());
    }
    let huge: StaticTensor<T, Shape![3, 3]> = StaticTensor::from_fn(|i| if i[0] == i[1] { n(1e38) } else { T::ZERO });
    if size_of::<T::Real>() == 4 {
        both_refuse!(huge; "larger than the numbers of its type"; [] = det(huge[i, j]));
    }
}

#[test]
fn macros_and_functions_report_the_same_errors() {
    refused::<f32>();
    refused::<f64>();
    refused::<Complex<f32>>();
    refused::<Complex<f64>>();
}

#[test]
#[should_panic(expected = "singular")]
fn tensor_panics_with_the_error_message() {
    let a: StaticTensor<f64, Shape![2, 2]> = StaticTensor::filled(1.0);
    let _ = tensor!([j, i] = inv(a[i, j]));
}

/// Factors of matrices of lower rank: what is left over is made orthogonal.
#[test]
fn factors_of_a_lower_rank_are_orthonormal() {
    let column: StaticTensor<Complex<f64>, Shape![5, 2]> = some(11);
    let row: StaticTensor<Complex<f64>, Shape![2, 5]> = some(12);
    let a: StaticTensor<_, Shape![5, 5]> = tensor!([i, j] = column[i, k] * row[k, j]);
    let zero: StaticTensor<Complex<f64>, Shape![5, 5]> = StaticTensor::zeros();
    for a in [a, zero] {
        let (u, s, v) = tensor!(([i, r], [r], [r, j]) = svd(a[i, j]));
        let s = StaticTensor::<_, Shape![5]>::from_fn(|i| Complex::from(s[[i[0]]]));
        let unit: StaticTensor<Complex<f64>, Shape![5, 5]> =
            StaticTensor::from_fn(|i| Complex::from(if i[0] == i[1] { 1.0 } else { 0.0 }));
        tensor!([q, r] = conj(u[i, q]) * u[i, r]).same(&dense(&unit), "U");
        tensor!([q, r] = v[q, j] * conj(v[r, j])).same(&dense(&unit), "V");
        tensor!([i, j] = u[i, r] * s[r] * v[r, j]).same(&dense(&a), "U·S·V");
        let (q, r) = tensor!(([i, r], [r, j]) = qr(a[i, j]));
        tensor!([n, m] = conj(q[i, n]) * q[i, m]).same(&dense(&unit), "Q");
        tensor!([i, j] = q[i, n] * r[n, j]).same(&dense(&a), "Q·R");
    }
}

/// Hermitian, positive definite matrices, and any ones, of a batch.
fn batches<T: Element>() {
    let a: StaticTensor<T, Shape![3, 4, 4]> = some(21);
    let w: StaticTensor<T, Shape![4, 2, 3]> = some(22);
    let x: StaticTensor<T, Shape![3, 4]> = some(23);
    let y: StaticTensor<T, Shape![4, 5, 3]> = some(24);
    let unit: StaticTensor<T, Shape![4, 4]> = StaticTensor::from_fn(|i| if i[0] == i[1] { T::ONE } else { T::ZERO });
    let h: StaticTensor<T, Shape![3, 4, 4]> = tensor!([b, i, j] = a[b, i, k] * conj(a[b, j, k]) + unit[i, j] * 1[b]);
    compare!("a batch"; h; [b, i, k] = cholesky(i, j; h[b, i, j]));
    compare!("a batch"; h; [k, b, i] = cholesky(i, j; h[b, i, j]));
    compare!("a batch"; h; ([b, n], [n, i, b]) = eigh(i, j; h[b, i, j]));
    compare!("a batch"; h; [b, j, i] = inv(i, j; 2.0 * h[b, i, j]));
    compare!("a batch"; h; [b] = det(i, j; h[b, i, j]));
    compare!("a batch"; h, x; [b, k] = solve(h[b, i, k], x[b, i]));
    compare!("a batch"; h, y; [k, b, j] = solve(h[b, i, k], y[i, j, b]));
    compare!("a batch"; h; ([b, i, q], [b, q, r], [r, b, j]) = lu(i, j; h[b, i, j]));
    compare!("a batch"; w; ([b, i, r], [b, r, j]) = qr(i, j; w[b, i, j]));
    compare!("a batch"; w; ([i, r, b], [r, b], [r, j, b]) = svd(i, j; w[b, i, j]));
    let two: StaticTensor<T, Shape![2, 2, 3, 2]> = some(25);
    compare!("two axes"; two; ([b, c, i, r], [c, b, r, j]) = qr(i, j; two[b, i, j, c]));
    let large: StaticTensor<T, Shape![2, 9, 9]> = some(26);
    compare!("order 9"; large; [b, j, i] = inv(i, j; large[b, i, j]));
    let mut singular = h;
    (0..4).for_each(|n| singular[[1, 2, n]] = T::ZERO);
    both_refuse!(singular; "at batch index [1] is singular"; [b, j, i] = inv(i, j; singular[b, i, j]));
}

#[test]
fn batches_have_the_results_of_tensors() {
    batches::<f32>();
    batches::<f64>();
    batches::<Complex<f32>>();
    batches::<Complex<f64>>();
}

/// Matrices of a long batch.
const LONG: usize = 300;

/// Batches that are too long for the stack are computed as those of tensors are, and copied into static results once.
#[test]
fn long_batches_do_not_overflow_the_stack() {
    type Long = StaticTensor<f64, Shape![LONG, 8, 8]>;
    let work = || {
        let mut h: Box<Long> = Box::new(StaticTensor::filled(0.25));
        (0..LONG).for_each(|b| (0..8).for_each(|n| h[[b, n, n]] = 9.0 + b as f64));
        std::thread::Builder::new().stack_size(2 << 20).spawn(move || factor(&h)).unwrap().join().unwrap()
    };
    #[inline(never)]
    fn factor(h: &Long) {
        let l = tensor!([b, i, k] = cholesky(i, j; h[b, i, j]));
        assert!((0..LONG).all(|b| (l[[b, 0, 0]] - (9.0 + b as f64).sqrt()).abs() < 1e-12));
    }
    std::thread::Builder::new().stack_size(32 << 20).spawn(work).unwrap().join().unwrap();
}
/// Positional functions of static matrices and of tensors.
macro_rules! positional {
    ($($name:ident($($argument:expr),*) $(.$word:ident($($value:expr)?))*;)*) => { $(
        let fixed = linalg::$name($(&$argument),*)$(.$word($($value)?))*.eval().unwrap();
        let computed = linalg::$name($(&dense(&$argument)),*)$(.$word($($value)?))*.eval().unwrap();
        fixed.same(&computed, concat!("the function ", stringify!($name)));
    )* };
}

fn functions<T: Element>() {
    let a: StaticTensor<T, Shape![4, 4]> = some(41);
    let h: StaticTensor<T, Shape![4, 4]> = tensor!([i, j] = a[i, k] * conj(a[j, k]));
    let large: StaticTensor<T, Shape![9, 9]> = some(42);
    let w: StaticTensor<T, Shape![3, 5]> = some(43);
    let b: StaticTensor<T, Shape![4, 2]> = some(44);
    let x: StaticTensor<T, Shape![4]> = some(45);
    let y: StaticTensor<T, Shape![3]> = some(46);
    let z: StaticTensor<T, Shape![9]> = some(48);
    let wide: StaticTensor<T, Shape![33, 33]> = some(49);
    positional! {
        cholesky(h); eigh(h); eig(a); inv(a); expm(a); det(a); slogdet(a); trace(a); rank(w); norm(w); pinv(w);
        qr(a); qr(w); lq(w); svd(a); svd(w); lu(a); lu(w); inv(large); svd(large);
        solve(a, b); solve(a, x); lstsq(w, y); triangular_solve(a, b); triangular_solve(a, x).upper();
        triangular_solve(a, b).upper().unit(); triangular_solve(large, z).upper();
        pinv(w).tol(0.5); rank(w).tol(0.5); lstsq(w, y).tol(0.5); norm(wide); trace(wide);
    }
    linalg::matpow(&a, -2).eval().unwrap().same(&linalg::matpow(&dense(&a), -2).eval().unwrap(), "a power");
    // References, contexts, and tensors where one argument is one.
    let inverse: StaticTensor<T, Shape![4, 4]> = linalg::inv(&&a).eval_in(&Context::cpu()).unwrap();
    inverse.same(&linalg::inv(&a).tensors().eval().unwrap(), "the same as tensors");
    let mixed: Tensor<T> = linalg::solve(&a, &dense(&x)).eval().unwrap();
    linalg::solve(&a, &&x).eval_in(&Context::cpu()).unwrap().same(&mixed, "a mixed system");
    let batch: StaticTensor<T, Shape![2, 2, 3]> = some(47);
    let determinants: Tensor<T> = linalg::det(&batch).eval().unwrap();
    assert_eq!(determinants.extents(), [3]);
    type Many = Shape![2, 2, 1, 3, 1, 1, 1, 2];
    let many: StaticTensor<T, Many> = some(50);
    assert_eq!(linalg::det(&many).eval().unwrap().extents(), [1, 3, 1, 1, 1, 2]);
    assert_eq!(linalg::solve(&many, &many).eval().unwrap().extents(), many.extents());
    let zero: StaticTensor<T, Shape![3, 3]> = StaticTensor::zeros();
    assert!(linalg::inv(&zero).eval().unwrap_err().to_string().contains("singular"));
    assert!(linalg::solve(&zero, &y).eval().unwrap_err().to_string().contains("singular"));
}

#[test]
fn functions_of_static_matrices_have_static_results() {
    functions::<f32>();
    functions::<f64>();
    functions::<Complex<f32>>();
    functions::<Complex<f64>>();
}
