//! The exponential of a matrix by a Padé approximant of order 13, of the matrix halved until that is accurate.
//!
//! Source: N. J. Higham, "The Scaling and Squaring Method for the Matrix Exponential Revisited", SIAM J. Matrix Anal. Appl. 26,
//! 1179 (2005), algorithm 2.3.

use tensorwrapper_core::backend::linear::{Algorithms, Failure, Matrix};
use tensorwrapper_core::element::Element;

/// Coefficients of the approximant, of which all are whole numbers.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];

/// The largest column sum of a matrix for which the approximant is as accurate as double precision.
const ENOUGH: f64 = 5.371920351148152;

pub(super) fn expm<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>) -> Result<Matrix<T>, Failure> {
    let n = a.rows;
    let sum = |column: &[T]| column.iter().map(|x| x.to_complex().norm()).sum::<f64>();
    let size = (0..n).map(|column| sum(a.column(column))).fold(0.0, f64::max);
    if !size.is_finite() {
        return Err(Failure::Overflow);
    }
    let halvings = (size / ENOUGH).log2().ceil().max(0.0) as i32;
    let factor = T::from_complex(0.5f64.powi(halvings).into());
    a.data.iter_mut().for_each(|x| *x *= factor);
    // By the last coefficient but one, so that single precision holds all of them.
    let b = PADE.map(|b| T::from_complex((b / PADE[1]).into()));
    let a2 = on.multiply(&a, &a);
    let a4 = on.multiply(&a2, &a2);
    let a6 = on.multiply(&a4, &a2);
    let unit = Matrix::unit(n, n);
    let combine = |terms: &[(T, &Matrix<T>)]| {
        let mut sum = Matrix::zeros(n, n);
        for (factor, term) in terms {
            sum.data.iter_mut().zip(&term.data).for_each(|(sum, &x)| *sum += *factor * x);
        }
        sum
    };
    let odd = on.multiply(&a6, &combine(&[(b[13], &a6), (b[11], &a4), (b[9], &a2)]));
    let odd = combine(&[(T::ONE, &odd), (b[7], &a6), (b[5], &a4), (b[3], &a2), (b[1], &unit)]);
    let u = on.multiply(&a, &odd);
    let even = on.multiply(&a6, &combine(&[(b[12], &a6), (b[10], &a4), (b[8], &a2)]));
    let v = combine(&[(T::ONE, &even), (b[6], &a6), (b[4], &a4), (b[2], &a2), (b[0], &unit)]);
    let mut denominator = combine(&[(T::ONE, &v), (-T::ONE, &u)]);
    let numerator = combine(&[(T::ONE, &v), (T::ONE, &u)]);
    let before = denominator.clone();
    let order = on.lu(&mut denominator, &|| before.clone());
    let mut x = Matrix::from_fn(n, n, |i, j| numerator.at(order[i], j));
    on.solve_triangular(&denominator, false, true, &mut x);
    on.solve_triangular(&denominator, true, false, &mut x);
    for _ in 0..halvings {
        x = on.multiply(&x, &x);
    }
    Ok(x)
}
