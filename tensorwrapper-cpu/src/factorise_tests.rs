//! Decompositions against the identities that define them, on every device.

mod even;
mod graded;
use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Cpu;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Decomposition, Device, Factorisation, Operand, Output};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, assert_close, epsilon, number};

const DTYPES: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];

type Matrix = Vec<Complex<f64>>;

/// An operation without words on square matrices, one axis for each role.
fn factorise(
    device: &dyn Device,
    kind: Factorisation,
    batch: usize,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
) -> Result<(), Error> {
    device.factorise(&words(kind, batch), inputs, outputs)
}

fn words(kind: Factorisation, batch: usize) -> Decomposition {
    Decomposition::plain(kind, batch, [1, 1, 0, 0, 1, 0])
}

/// The definition, and the processor in every form that its loops have.
fn devices() -> Vec<Box<dyn Device>> {
    let mut devices: Vec<Box<dyn Device>> = vec![Box::new(Reference), Box::new(Cpu::new(Some(2)))];
    devices.extend(Cpu::forms().into_iter().map(|cpu| Box::new(cpu) as Box<dyn Device>));
    devices
}

fn multiply(n: usize, a: &Matrix, b: &Matrix) -> Matrix {
    (0..n * n).map(|p| (0..n).map(|k| a[p / n * n + k] * b[k * n + p % n]).sum()).collect()
}

fn adjoint(n: usize, a: &Matrix) -> Matrix {
    (0..n * n).map(|p| a[p % n * n + p / n].conj()).collect()
}

/// Hermitian and, with `positive`, positive definite.
fn hermitian<T: Element>(rng: &mut StdRng, n: usize, positive: bool) -> Matrix {
    let x: Matrix = (0..n * n).map(|_| number::<T>(rng).to_complex()).collect();
    let square = multiply(n, &x, &adjoint(n, &x));
    let sum = |p: usize| x[p] + x[p % n * n + p / n].conj();
    let element = |p: usize| if positive { square[p] + f64::from(u8::from(p % n == p / n)) } else { sum(p) };
    (0..n * n).map(|p| T::from_complex(element(p)).to_complex()).collect()
}

/// How matrices of a batch lie: in any layout, one after the other with dense rows or columns, or element beside element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    Anyhow,
    Rows,
    Columns,
    Beside,
}

impl Lies {
    /// Those that a kernel knows.
    const EVENLY: [Lies; 3] = [Lies::Rows, Lies::Columns, Lies::Beside];
}

/// A batch of random matrices.
fn drawn<T: Element>(rng: &mut StdRng, extents: &[usize], lies: Lies) -> Placed<T> {
    let strides = match (lies, extents) {
        (Lies::Rows, &[_, rows, columns]) => [rows * columns, columns, 1],
        (Lies::Columns, &[_, rows, columns]) => [rows * columns, 1, rows],
        (Lies::Beside, &[items, _, columns]) => [1, items * columns, items],
        _ => return Placed::operand(rng, extents, 0.0),
    };
    let len = extents.iter().product();
    let layout = Strided::within(extents, &strides.map(|stride| stride as isize), 0, len).unwrap();
    Placed { data: (0..len).map(|_| number(rng)).collect(), layout, conjugate: false }
}

/// Room for a batch of results.
fn room<T: Element>(rng: &mut StdRng, extents: &[usize], lies: Lies) -> Placed<T> {
    if lies == Lies::Anyhow { Placed::output(rng, extents) } else { drawn(rng, extents, lies) }
}

/// Writes a batch of matrices into an operand, with junk above the diagonals.
fn place<T: Element>(rng: &mut StdRng, extents: &[usize], matrices: &[Matrix], lies: Lies) -> Placed<T> {
    let mut placed = drawn::<T>(rng, extents, lies);
    let n = extents[extents.len() - 1];
    let positions: Vec<usize> = placed.layout.positions().collect();
    for (p, position) in positions.into_iter().enumerate() {
        let (item, row, column) = (p / (n * n), p / n % n, p % n);
        let x = T::from_complex(matrices[item][row * n + column]);
        if column <= row {
            placed.data[position] = if placed.conjugate { x.conj() } else { x };
        }
    }
    placed
}

/// A layout that maps two indices to one position cannot hold different matrices.
fn place_apart<T: Element>(rng: &mut StdRng, extents: &[usize], matrices: &[Matrix], lies: Lies) -> Placed<T> {
    loop {
        let placed = place::<T>(rng, extents, matrices, lies);
        let mut positions: Vec<usize> = placed.layout.positions().collect();
        positions.sort_unstable();
        if positions.windows(2).all(|pair| pair[0] != pair[1]) {
            return placed;
        }
    }
}

fn check_cholesky<T: Element>(rng: &mut StdRng, device: &dyn Device, batch: usize, n: usize, lies: Lies) {
    let matrices: Vec<Matrix> = (0..batch).map(|_| hermitian::<T>(rng, n, true)).collect();
    let input = place_apart::<T>(rng, &[batch, n, n], &matrices, lies);
    let mut output = room::<T>(rng, &[batch, n, n], lies);
    factorise(device, Factorisation::Cholesky, 1, &[input.as_operand()], vec![output.as_output()]).unwrap();
    let elements = output.elements();
    for (item, matrix) in matrices.iter().enumerate() {
        let l = elements[item * n * n..][..n * n].to_vec();
        assert!((0..n * n).all(|p| p % n <= p / n || l[p] == Complex::ZERO), "zero above the diagonal");
        let diagonal: Vec<_> = (0..n).map(|i| l[i * n + i]).collect();
        assert!(diagonal.iter().all(|x| x.re > 0.0 && x.im == 0.0), "the diagonal {diagonal:?} is not positive");
        let tolerance = 50.0 * (n + 1) as f64 * epsilon::<T>();
        assert_close(&multiply(n, &l, &adjoint(n, &l)), matrix, tolerance, &format!("{} {}, {n}", device.name(), T::DTYPE));
    }
}

#[test]
fn cholesky_factors_multiply_to_the_matrix() {
    let mut rng = StdRng::seed_from_u64(21);
    for device in devices() {
        for n in 0..=17 {
            for dtype in DTYPES {
                let batch = rng.random_range(0..20);
                dispatch!(dtype, T => check_cholesky::<T>(&mut rng, &*device, batch, n, Lies::Anyhow));
            }
        }
    }
    check_cholesky::<f64>(&mut rng, &Cpu::new(Some(2)), 1, 150, Lies::Anyhow);
    for (n, lies) in [7, 8, 16].into_iter().flat_map(|n| Lies::EVENLY.map(|lies| (n, lies))) {
        for (device, dtype) in Cpu::forms().iter().flat_map(|device| DTYPES.map(|dtype| (device, dtype))) {
            dispatch!(dtype, T => check_cholesky::<T>(&mut rng, device, 21, n, lies));
        }
    }
}

/// Eigenvalues and eigenvectors, after checking that they solve the problem.
fn check_eigh<T: Element>(
    device: &dyn Device,
    extents: [usize; 3],
    inputs: &[Placed<T>],
    matrices: &[Vec<Matrix>],
) -> (Matrix, Matrix) {
    let mut rng = StdRng::seed_from_u64(99);
    let [batch, n, _] = extents;
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let mut values = Placed::<T::Real>::output(&mut rng, &[batch, n]);
    let mut vectors = Placed::<T>::output(&mut rng, &extents);
    factorise(device, Factorisation::Eigh, 1, &operands, vec![values.as_output(), vectors.as_output()]).unwrap();
    let (values, vectors) = (values.elements(), vectors.elements());
    let unit: Matrix = (0..n * n).map(|p| f64::from(u8::from(p / n == p % n)).into()).collect();
    let tolerance = 100.0 * (n + 1) as f64 * epsilon::<T>();
    for item in 0..batch {
        let what = format!("{} {}, order {n}, {} inputs", device.name(), T::DTYPE, inputs.len());
        let lambda = &values[item * n..][..n];
        let x = vectors[item * n * n..][..n * n].to_vec();
        assert!(lambda.windows(2).all(|pair| pair[0].re <= pair[1].re), "ascending: {what}");
        let a = &matrices[0][item];
        let b = matrices.get(1).map_or(&unit, |metric| &metric[item]);
        let scaled: Matrix = multiply(n, b, &x).iter().enumerate().map(|(p, y)| y * lambda[p % n]).collect();
        assert_close(&multiply(n, a, &x), &scaled, tolerance, &what);
        assert_close(&multiply(n, &adjoint(n, &x), &multiply(n, b, &x)), &unit, tolerance, &what);
    }
    (values, vectors)
}

fn check_eigh_on_all<T: Element>(rng: &mut StdRng, batch: usize, n: usize, generalised: bool) {
    let mut matrices = vec![(0..batch).map(|_| hermitian::<T>(rng, n, false)).collect::<Vec<_>>()];
    if generalised {
        matrices.push((0..batch).map(|_| hermitian::<T>(rng, n, true)).collect());
    }
    let inputs: Vec<Placed<T>> = matrices.iter().map(|m| place_apart(rng, &[batch, n, n], m, Lies::Anyhow)).collect();
    let mut found = devices().into_iter().map(|device| check_eigh::<T>(&*device, [batch, n, n], &inputs, &matrices));
    let first = found.next().expect("there is a device");
    for other in found {
        // Phases are fixed, so that the vectors agree as well; neighbouring eigenvalues lose digits.
        let tolerance = epsilon::<T>().sqrt();
        assert_close(&first.0, &other.0, tolerance, "eigenvalues");
        assert_close(&first.1, &other.1, tolerance * 30.0, "eigenvectors");
    }
}

#[test]
fn eigenvectors_solve_their_equation() {
    let mut rng = StdRng::seed_from_u64(22);
    for n in 0..=12 {
        for dtype in DTYPES {
            for generalised in [false, true] {
                let batch = rng.random_range(0..12);
                dispatch!(dtype, T => check_eigh_on_all::<T>(&mut rng, batch, n, generalised));
            }
        }
    }
    check_eigh_on_all::<Complex<f64>>(&mut rng, 1, 40, true);
}

/// A·X = B and A·X = 1 of batches, by the equation itself; pivots are anywhere.
fn check_solve<T: Element>(rng: &mut StdRng, device: &dyn Device, [batch, n, width]: [usize; 3], lies: Lies) {
    let (mut a, mut b) = (drawn::<T>(rng, &[batch, n, n], lies), drawn::<T>(rng, &[batch, n, width], lies));
    (a.conjugate, b.conjugate) = (T::DTYPE.is_complex(), false);
    let (mut x, mut inverse) = (room::<T>(rng, &[batch, n, width], lies), room::<T>(rng, &[batch, n, n], lies));
    let inputs = [a.as_operand(), b.as_operand()];
    let call = |kind, side| Decomposition { roles: [1, 1, side, 0, 0, 0], ..words(kind, 1) };
    device.factorise(&call(Factorisation::Solve, 1), &inputs, vec![x.as_output()]).unwrap();
    device.factorise(&call(Factorisation::Inv, 0), &inputs[..1], vec![inverse.as_output()]).unwrap();
    let a: Matrix = a.elements().iter().map(|x| x.conj()).collect();
    let unit: Matrix = (0..batch * n * n).map(|p| f64::from(u8::from(p / n % n == p % n)).into()).collect();
    for (x, right, width) in [(x.elements(), b.elements(), width), (inverse.elements(), unit, n)] {
        for item in 0..batch {
            for (i, j) in (0..n * width).map(|p| (p / width, p % width)) {
                let (mut sum, mut size) = (Complex::<f64>::ZERO, 1.0);
                for k in 0..n {
                    let term = a[(item * n + i) * n + k] * x[(item * n + k) * width + j];
                    (sum, size) = (sum + term, size + term.norm());
                }
                let off = (sum - right[(item * n + i) * width + j]).norm();
                assert!(off <= 100.0 * epsilon::<T>() * size, "{} {}, {batch} of {n}: off by {off:e}", device.name(), T::DTYPE);
            }
        }
    }
}

#[test]
fn systems_of_equations_are_solved() {
    let mut rng = StdRng::seed_from_u64(23);
    for device in devices() {
        for n in 1..=17 {
            for dtype in DTYPES {
                let (batch, width) = (rng.random_range(0..20), rng.random_range(1..5));
                dispatch!(dtype, T => check_solve::<T>(&mut rng, &*device, [batch, n, width], Lies::Anyhow));
            }
        }
    }
    for (n, width) in [(8, 1), (8, 8), (16, 3), (9, 8)] {
        for (dtype, lies) in DTYPES.into_iter().flat_map(|dtype| Lies::EVENLY.map(|lies| (dtype, lies))) {
            for device in &Cpu::forms() {
                dispatch!(dtype, T => check_solve::<T>(&mut rng, device, [21, n, width], lies));
            }
        }
    }
}

/// Eight matrices are computed at once; one that is special makes them go one by one, and is told by its place.
#[test]
fn special_matrices_are_found_among_others() {
    for device in devices() {
        for (place, items) in [(0, 4), (3, 4), (11, 12), (17, 19)] {
            let batch = |special: [f64; 4]| -> Vec<f64> {
                (0..items).flat_map(|item| if item == place { special } else { [2.0, 1.0, 1.0, 3.0] }).collect()
            };
            let refuse = |kind, special| refuse(&*device, kind, &[items, 2, 2], &[batch(special)]);
            let at = format!("at batch index [{place}]");
            let sentence = refuse(Factorisation::Cholesky, [1.0, 2.0, 2.0, 1.0]);
            assert_eq!(
                sentence,
                format!("the 2×2 matrix of `cholesky` {at} is not positive definite: its pivot 1 is not positive")
            );
            let sentence = refuse(Factorisation::Inv, [1.0, 2.0, 2.0, 4.0]);
            assert_eq!(sentence, format!("the 2×2 matrix of `inv` {at} is singular: its pivot 1 is zero"));
            let sentence = refuse(Factorisation::Inv, [0.0; 4]);
            assert_eq!(sentence, format!("the 2×2 matrix of `inv` {at} is singular: its pivot 0 is zero"));
            let sentence = refuse(Factorisation::Eigh, [1.0, 2.0, f64::NAN, 4.0]);
            assert_eq!(sentence, format!("the 2×2 matrix of `eigh` {at} holds NaN or infinity"));
            let sentence = refuse(Factorisation::Inv, [1.0, 0.0, f64::INFINITY, 1.0]);
            assert_eq!(sentence, format!("the 2×2 matrix of `inv` {at} holds NaN or infinity"));
            let sentence = refuse(Factorisation::Inv, [1e-310, 0.0, 0.0, 1.0]);
            assert_eq!(sentence, format!("the result of `inv` of a 2×2 matrix {at} is larger than the numbers of its type"));
            // The ends of the range, beside others.
            for scale in [1e-300, 1e-160, 1e160, 1e300] {
                let input = Placed::of(&[items, 2, 2], batch([2.0 * scale, scale, scale, 2.0 * scale]));
                let (mut values, mut matrix) = (Placed::of(&[items, 2], vec![0.0; 2 * items]), input.clone());
                let outputs = vec![values.as_output(), matrix.as_output()];
                factorise(&*device, Factorisation::Eigh, 1, &[input.as_operand()], outputs).unwrap();
                let found = &values.elements()[2 * place..][..2];
                let ratios: Vec<_> = found.iter().map(|x| x / scale).collect();
                assert_close(&ratios, &[1.0, 3.0].map(Complex::from), 1e-14, device.name());
                factorise(&*device, Factorisation::Inv, 1, &[input.as_operand()], vec![matrix.as_output()]).unwrap();
                let found = &matrix.elements()[4 * place..][..4];
                let ratios: Vec<_> = found.iter().map(|x| x * scale * 3.0).collect();
                assert_close(&ratios, &[2.0, -1.0, -1.0, 2.0].map(Complex::from), 1e-14, device.name());
            }
        }
    }
}

/// What a Cholesky factor does not look at ahead, its pivots show: NaN and infinity below the diagonal and on it, but not above.
#[test]
fn pivots_show_what_is_not_finite() {
    let n = 8;
    for device in devices() {
        for (row, column) in [(0, 0), (7, 7), (3, 0), (7, 6), (4, 4)] {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut batch: Vec<f64> = (0..17 * n * n).map(|p| if p / n % n == p % n { 9.0 } else { 0.5 }).collect();
                batch[(11 * n + row) * n + column] = wrong;
                let sentence = refuse(&*device, Factorisation::Cholesky, &[17, n, n], &[batch]);
                assert_eq!(sentence, "the 8×8 matrix of `cholesky` at batch index [11] holds NaN or infinity", "{row} {column}");
            }
        }
        let element = |p: usize| if p / n % n < p % n { f64::NAN } else { 9.0 * f64::from(u8::from(p / n % n == p % n)) + 0.5 };
        let input = Placed::of(&[17, n, n], (0..17 * n * n).map(element).collect::<Vec<f64>>());
        let mut output = Placed::of(&[17, n, n], vec![0.0; 17 * n * n]);
        factorise(&*device, Factorisation::Cholesky, 1, &[input.as_operand()], vec![output.as_output()]).unwrap();
        assert!(output.elements().iter().enumerate().all(|(p, x)| x.re.is_finite() && (p % n <= p / n % n || x.re == 0.0)));
        // Of a complex diagonal the imaginary part is not used, and yet it is not to be NaN.
        let complex = (0..8).map(|item| Complex::new(2.0, if item == 5 { f64::NAN } else { 1.0 }));
        let (input, mut output) =
            (Placed::of(&[8, 1, 1], complex.collect()), Placed::of(&[8, 1, 1], vec![Complex::from(0.0); 8]));
        let refused = factorise(&*device, Factorisation::Cholesky, 1, &[input.as_operand()], vec![output.as_output()]);
        assert!(refused.unwrap_err().to_string().contains("at batch index [5] holds NaN or infinity"), "{}", device.name());
    }
}

fn refuse(device: &dyn Device, factorisation: Factorisation, extents: &[usize], inputs: &[Vec<f64>]) -> String {
    let inputs: Vec<Placed<f64>> = inputs.iter().map(|data| Placed::of(extents, data.clone())).collect();
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let rank = extents.len();
    let mut values = Placed::of(&extents[..rank - 1], vec![0.0; extents[..rank - 1].iter().product()]);
    let mut matrix = Placed::of(extents, vec![0.0; extents.iter().product()]);
    let outputs = match factorisation {
        Factorisation::Eigh => vec![values.as_output(), matrix.as_output()],
        _ => vec![matrix.as_output()],
    };
    let error: Error = factorise(device, factorisation, rank - 2, &operands, outputs).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LinearAlgebra { .. }), "{error}");
    error.to_string()
}

#[test]
fn what_cannot_be_decomposed_is_named() {
    let unit = vec![1.0, 0.0, 0.0, 1.0];
    let indefinite = vec![1.0, 0.0, 2.0, 1.0];
    let batch = [unit.clone(), unit.clone(), unit.clone(), unit.clone(), unit.clone(), indefinite.clone()].concat();
    for device in devices() {
        let refuse = |factorisation, extents: &[usize], inputs: &[Vec<f64>]| refuse(&*device, factorisation, extents, inputs);
        use Factorisation::{Cholesky, Eigh};
        let sentence = refuse(Cholesky, &[2, 2], std::slice::from_ref(&indefinite));
        assert_eq!(sentence, "the 2×2 matrix of `cholesky` is not positive definite: its pivot 1 is not positive");
        let sentence = refuse(Cholesky, &[2, 3, 2, 2], std::slice::from_ref(&batch));
        assert_eq!(
            sentence,
            "the 2×2 matrix of `cholesky` at batch index [1, 2] is not positive definite: its pivot 1 is not positive"
        );
        let sentence = refuse(Eigh, &[2, 2], &[unit.clone(), indefinite.clone()]);
        assert_eq!(sentence, "the second 2×2 matrix of `eigh` is not positive definite: its pivot 1 is not positive");
        let sentence = refuse(Eigh, &[2, 2], &[vec![1.0, 0.0, f64::NAN, 1.0]]);
        assert_eq!(sentence, "the 2×2 matrix of `eigh` holds NaN or infinity");
        let sentence = refuse(Cholesky, &[1, 1], &[vec![f64::INFINITY]]);
        assert_eq!(sentence, "the 1×1 matrix of `cholesky` holds NaN or infinity");
    }
}

#[test]
fn degenerate_eigenvalues_and_diagonal_matrices() {
    for device in devices() {
        for n in [1, 2, 5] {
            let unit: Matrix = (0..n * n).map(|p| f64::from(u8::from(p / n == p % n)).into()).collect();
            let input = Placed::of(&[1, n, n], unit.iter().map(|x| x.re).collect::<Vec<f64>>());
            let (values, _) = check_eigh::<f64>(&*device, [1, n, n], &[input], &[vec![unit.clone()]]);
            assert_close(&values, &vec![Complex::ONE; n], 1e-14, "eigenvalues of the unit matrix");
            let input = Placed::of(&[1, n, n], vec![0.0; n * n]);
            check_eigh::<f64>(&*device, [1, n, n], &[input], &[vec![vec![Complex::ZERO; n * n]]]);
        }
    }
}

/// Eigenvalues and the first eigenvector of `[[2, 1], [1, 2]]` times a scale, in a metric of another scale.
fn scaled_eigh<T: Element>(device: &dyn Device, scale: f64, metric: Option<f64>) {
    let matrix = |elements: [f64; 4], scale: f64| elements.map(|x| T::from_complex((x * scale).into())).to_vec();
    let mut inputs = vec![Placed::of(&[2, 2], matrix([2.0, 1.0, 1.0, 2.0], scale))];
    inputs.extend(metric.map(|metric| Placed::of(&[2, 2], matrix([4.0, 0.0, 0.0, 4.0], metric))));
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let mut values = Placed::of(&[2], vec![T::Real::ZERO; 2]);
    let mut vectors = Placed::of(&[2, 2], vec![T::ZERO; 4]);
    let outputs = vec![values.as_output(), vectors.as_output()];
    factorise(device, Factorisation::Eigh, 0, &operands, outputs).unwrap();
    let (unit, metric) = (metric.map_or(1.0, |_| 0.25), metric.unwrap_or(1.0));
    // Numbers at the lower end of the range have few digits left.
    let tolerance = 10.0 * epsilon::<T>() + if scale < 1e-300 { 1e-13 } else { 0.0 };
    let what = format!("{} {}, scale {scale:e}, metric {metric:e}", device.name(), T::DTYPE);
    let ratios: Vec<_> = values.elements().iter().map(|x| x / scale * metric).collect();
    assert_close(&ratios, &[unit.into(), (3.0 * unit).into()], tolerance, &what);
    let length = (0.5 * unit / metric).sqrt();
    let ratios: Vec<_> = vectors.elements().iter().map(|x| x / length).collect();
    assert_close(&ratios, &[1.0, 1.0, -1.0, 1.0].map(Complex::from), tolerance, &what);
}

#[test]
fn eigenvalues_scale_with_their_matrix() {
    for device in devices() {
        for scale in [1e-310, 1e-200, 1e-20, 1.0, 1e20, 1e200, 5e307] {
            scaled_eigh::<f64>(&*device, scale, None);
            scaled_eigh::<Complex<f64>>(&*device, scale, None);
        }
        for scale in [1e-36, 1e-20, 1e20, 1e37] {
            scaled_eigh::<f32>(&*device, scale, None);
            scaled_eigh::<Complex<f32>>(&*device, scale, None);
        }
        for (scale, metric) in [(1e200, 1e180), (1e-200, 1e-150), (1e100, 1e-150), (1e-290, 2e-300), (1e300, 3e300)] {
            scaled_eigh::<f64>(&*device, scale, Some(metric));
            scaled_eigh::<Complex<f64>>(&*device, scale, Some(metric));
        }
    }
}
