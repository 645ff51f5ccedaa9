//! Operations with two arguments, and norms: real and complex, with and without a batch, with respect to each argument.

use num_complex::Complex;

use super::linear_algebra::{at, regular};
use super::{Drawn, check};
use crate::{Error, Expr, RealNumber};
use tensorwrapper_core::element::Element;

macro_rules! cases {
    ($($name:ident($($extents:tt),+): |$x:ident| $value:expr;)*) => { $(
        mod $name {
            use super::*;

            fn value<'a, T: Element>($x: &[Expr<'a, T>]) -> Result<Expr<'a, T>, Error> {
                $value
            }

            fn of<T: Element>()
            where
                T::Real: RealNumber,
            {
                let mut drawn = Drawn::new(71);
                for batch in [&[][..], &[2]] {
                    let inputs = [$(drawn.tensor::<T>(&[batch, &$extents].concat())),+];
                    check(&inputs, &|x: &[Expr<'_, T>]| value(x), &mut drawn);
                }
            }

            #[test]
            fn real() {
                of::<f64>();
            }

            #[test]
            fn complex() {
                of::<Complex<f64>>();
            }
        }
    )* };
}
cases! {
    solve([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        regular(&x[0])?.at(&at(&x[0], "i,k")).solve(right, &at(&x[0], "k,s")).matrix("i,", "k,").record()
    };
    solve_one_side([3, 3], [3]): |x| {
        let right = x[1].at(&vector(&x[1], "i,"));
        regular(&x[0])?.at(&at(&x[0], "i,k")).solve(right, &vector(&x[1], "k,")).matrix("i,", "k,").record()
    };
    lower([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        regular(&x[0])?.at(&at(&x[0], "i,k")).triangular_solve(right, &at(&x[0], "k,s")).matrix("i,", "k,").record()
    };
    lower_with_ones([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        regular(&x[0])?.at(&at(&x[0], "i,k")).triangular_solve(right, &at(&x[0], "k,s")).unit().matrix("i,", "k,").record()
    };
    upper([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        regular(&x[0])?.at(&at(&x[0], "i,k")).triangular_solve(right, &at(&x[0], "k,s")).upper().matrix("i,", "k,").record()
    };
    upper_with_ones([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        let call = regular(&x[0])?.at(&at(&x[0], "i,k")).triangular_solve(right, &at(&x[0], "k,s"));
        call.upper().unit().matrix("i,", "k,").record()
    };
    // Read the other way round and conjugated: the adjoint of the lower triangle.
    adjoint_of_lower([3, 3], [3, 2]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        let call = regular(&x[0])?.at(&at(&x[0], "k,i")).conj().triangular_solve(right, &at(&x[0], "k,s"));
        call.upper().matrix("i,", "k,").record()
    };
    least_squares_of_more_rows([4, 2], [4, 3]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        x[0].at(&at(&x[0], "i,k")).lstsq(right, &at(&x[0], "k,s")).matrix("i,", "k,").record()
    };
    least_squares_of_fewer_rows([2, 4], [2, 3]): |x| {
        let right = x[1].at(&at(&x[1], "i,s"));
        x[0].at(&at(&x[0], "i,k")).lstsq(right, &at(&x[0], "k,s")).matrix("i,", "k,").record()
    };
    least_squares_of_one_side([4, 2], [4]): |x| {
        let right = x[1].at(&vector(&x[1], "i,"));
        x[0].at(&at(&x[0], "i,k")).lstsq(right, &vector(&x[1], "k,")).matrix("i,", "k,").record()
    };
    norm([3, 2]): |x| {
        let kept = if x[0].extents().len() > 2 { "b," } else { "" };
        let norm = x[0].at(&at(&x[0], "i,j")).norm(kept).record()?;
        (x[0].at(&at(&x[0], "i,j")) * norm.at(kept).converted::<T>()).record(&at(&x[0], "i,j"))
    };
    // Projectors in the metric, which do not depend on phases.
    eigh_in_a_metric([3, 3], [3, 3]): |x| {
        let both = (x[0].at(&at(&x[0], "i,j")) + x[0].at(&at(&x[0], "j,i")).conj()).record(&at(&x[0], "i,j"))?;
        let square = (x[1].at(&at(&x[1], "i,k")) * x[1].at(&at(&x[1], "j,k")).conj()).record(&at(&x[1], "i,j"))?;
        let (matrix, metric) = (regular(&both)?, regular(&square)?);
        let [values, vectors] = [at(&x[0], "n,"), at(&x[0], "i,n")];
        let call = matrix.at(&at(&x[0], "i,j")).eigh_in_metric(metric.at(&at(&x[1], "i,j")), [&values, &vectors]);
        let (e, c) = call.matrix("i,", "j,").record()?;
        let states = c.at(&at(&x[0], "i,n")) * c.at(&at(&x[0], "j,n")).conj();
        (states * e.at(&values).converted::<T>()).record(&at(&x[0], "n,i,j"))
    };
}

/// The axes of a vector, or of a batch of vectors.
fn vector(x: &Expr<'_, impl Element>, axes: &str) -> String {
    format!("{}{axes}", if x.extents().len() > 1 { "b," } else { "" })
}
