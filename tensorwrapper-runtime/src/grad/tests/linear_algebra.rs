//! Every operation of linear algebra: real and complex, with and without a batch.

use num_complex::Complex;

use super::{Drawn, Function, check};
use crate::{Error, Expr, Tensor};
use tensorwrapper_core::element::Element;

/// Checks a function of one matrix, and of a batch of two.
fn matrices<T: Element>(rows: usize, columns: usize, function: &Function<T>, seed: u64)
where
    T::Real: crate::RealNumber,
{
    let mut drawn = Drawn::new(seed);
    for batch in [&[][..], &[2]] {
        let extents = [batch, &[rows, columns]].concat();
        check(&[drawn.tensor::<T>(&extents)], function, &mut drawn);
    }
}

fn batch(x: &Expr<'_, impl Element>) -> &'static str {
    if x.extents().len() > 2 { "b," } else { "" }
}

pub(super) fn at(x: &Expr<'_, impl Element>, axes: &str) -> String {
    format!("{}{axes}", batch(x))
}

/// A matrix that is far from singular, with eigenvalues far from each other: A + diag(2, 5, 10, …).
pub(super) fn regular<'a, T: Element>(x: &Expr<'a, T>) -> Result<Expr<'a, T>, Error> {
    let n = x.extents()[x.extents().len() - 1];
    let diagonal = Tensor::<T>::from_fn([n, n], |i| {
        let own = if i[0] == i[1] { 2.0 + 3.0 * i[0] as f64 + (i[0] * i[0]) as f64 } else { 0.0 };
        T::from_complex(own.into())
    })?;
    let diagonal: &'static Tensor<T> = Box::leak(Box::new(diagonal));
    let (own, spread) = (x.at(&at(x, "i,j")), crate::Indexed::spread(T::from_complex(1.0.into()), &at(x, "i,j")));
    (own + diagonal.at("i,j") * spread).record(&at(x, "i,j"))
}

/// Complex numbers in another type; in a real one their real parts.
fn in_elements<T: Element>(x: crate::Indexed<'_, T::Complex>) -> crate::Indexed<'_, T> {
    if T::DTYPE.is_complex() { x.converted() } else { x.re().converted() }
}

/// Every product of an element of L with one of U.
fn lu_factors<'a, T: Element>(x: &Expr<'a, T>) -> Result<Expr<'a, T>, Error> {
    let left = [at(x, "i,q"), at(x, "q,r"), at(x, "r,j")];
    let (_, l, u) = x.at(&at(x, "i,j")).lu(left.each_ref().map(|left| &left[..])).matrix("i,", "j,").record()?;
    (l.at(&at(x, "i,r")) * u.at(&at(x, "s,j"))).record(&at(x, "i,r,s,j"))
}

/// Every product of an element of Q with one of R.
fn qr_factors<'a, T: Element>(x: &Expr<'a, T>) -> Result<Expr<'a, T>, Error> {
    let (q, r) = x.at(&at(x, "i,j")).qr([&at(x, "i,r"), &at(x, "r,j")]).matrix("i,", "j,").record()?;
    (q.at(&at(x, "i,r")) * r.at(&at(x, "s,j"))).record(&at(x, "i,r,s,j"))
}

macro_rules! cases {
    ($($name:ident($rows:literal, $columns:literal): |$x:ident| $value:expr;)*) => { $(
        mod $name {
            use super::*;

            fn value<'a, T: Element>($x: &Expr<'a, T>) -> Result<Expr<'a, T>, Error> {
                $value
            }

            #[test]
            fn real() {
                matrices::<f64>($rows, $columns, &|x: &[Expr<'_, f64>]| value(&x[0]), 11);
            }

            #[test]
            fn complex() {
                matrices::<Complex<f64>>($rows, $columns, &|x: &[Expr<'_, Complex<f64>>]| value(&x[0]), 12);
            }
        }
    )* };
}
cases! {
    inv(3, 3): |x| regular(x)?.at(&at(x, "i,j")).inv(&at(x, "j,i")).matrix("i,", "j,").record();
    pinv_tall(4, 2): |x| x.at(&at(x, "i,j")).pinv(&at(x, "j,i")).matrix("i,", "j,").record();
    pinv_wide(2, 4): |x| x.at(&at(x, "i,j")).pinv(&at(x, "j,i")).matrix("i,", "j,").record();
    det(3, 3): |x| x.at(&at(x, "i,j")).det(batch(x)).matrix("i,", "j,").record();
    slogdet(3, 3): |x| {
        let (sign, log) = regular(x)?.at(&at(x, "i,j")).slogdet([batch(x), batch(x)]).matrix("i,", "j,").record()?;
        (sign.at(batch(x)) * log.at(batch(x)).converted::<T>()).record(batch(x))
    };
    expm(3, 3): |x| x.at(&at(x, "i,j")).expm(&at(x, "i,j")).matrix("i,", "j,").record();
    cube(3, 3): |x| x.at(&at(x, "i,j")).matpow(3, &at(x, "i,j")).matrix("i,", "j,").record();
    inverse_square(3, 3): |x| regular(x)?.at(&at(x, "i,j")).matpow(-2, &at(x, "i,j")).matrix("i,", "j,").record();
    trace(3, 3): |x| {
        let square = (x.at(&at(x, "i,k")) * x.at(&at(x, "k,j"))).record(&at(x, "i,j"))?;
        square.at(&at(x, "i,j")).trace(batch(x)).matrix("i,", "j,").record()
    };
    cholesky(3, 3): |x| {
        let square = (x.at(&at(x, "i,k")) * x.at(&at(x, "j,k")).conj()).record(&at(x, "i,j"))?;
        regular(&square)?.at(&at(x, "i,j")).cholesky(&at(x, "i,k")).matrix("i,", "j,").record()
    };
    qr_tall(4, 2): |x| qr_factors(x);
    qr_wide(2, 4): |x| qr_factors(x);
    lq_wide(2, 3): |x| {
        let (l, q) = x.at(&at(x, "i,j")).lq([&at(x, "i,r"), &at(x, "r,j")]).matrix("i,", "j,").record()?;
        (l.at(&at(x, "i,r")) * q.at(&at(x, "s,j"))).record(&at(x, "i,r,s,j"))
    };
    lu(3, 3): |x| lu_factors(x);
    lu_tall(4, 2): |x| lu_factors(x);
    lu_wide(2, 4): |x| lu_factors(x);
    // Vectors themselves, whose largest components stay real and positive.
    eigenvectors(3, 3): |x| {
        let both = (x.at(&at(x, "i,j")) + x.at(&at(x, "j,i")).conj()).record(&at(x, "i,j"))?;
        let (_, c) = regular(&both)?.at(&at(x, "i,j")).eigh([&at(x, "n,"), &at(x, "i,n")]).matrix("i,", "j,").record()?;
        Ok(c)
    };
    eigenvectors_of_any(3, 3): |x| {
        let (_, v) = regular(x)?.at(&at(x, "i,j")).eig([&at(x, "n,"), &at(x, "i,n")]).matrix("i,", "j,").record()?;
        (x.at(&at(x, "i,j")) * in_elements::<T>(v.at(&at(x, "i,n")))).record(&at(x, "n,i,j"))
    };
    singular_vectors_tall(4, 2): |x| {
        let left = [at(x, "i,r"), at(x, "r,"), at(x, "r,j")];
        let (u, _, v) = x.at(&at(x, "i,j")).svd(left.each_ref().map(|left| &left[..])).matrix("i,", "j,").record()?;
        (u.at(&at(x, "i,r")) + v.at(&at(x, "r,0")) * crate::Indexed::spread(T::ONE, "i,")).record(&at(x, "i,r"))
    };
    singular_vectors_wide(2, 4): |x| {
        let left = [at(x, "i,r"), at(x, "r,"), at(x, "r,j")];
        let (u, _, v) = x.at(&at(x, "i,j")).svd(left.each_ref().map(|left| &left[..])).matrix("i,", "j,").record()?;
        (v.at(&at(x, "r,j")) * u.at(&at(x, "0,r"))).record(&at(x, "r,j"))
    };
    singular_vectors_cut(3, 4): |x| {
        let left = [at(x, "i,r"), at(x, "r,"), at(x, "r,j")];
        let svd = x.at(&at(x, "i,j")).svd(left.each_ref().map(|left| &left[..])).max(2);
        let (u, _, v) = svd.matrix("i,", "j,").record()?;
        (v.at(&at(x, "r,j")) + u.at(&at(x, "0,r")) * crate::Indexed::spread(T::ONE, "j,")).record(&at(x, "r,j"))
    };
    // Projectors: what does not depend on phases.
    eigh(3, 3): |x| {
        let both = (x.at(&at(x, "i,j")) + x.at(&at(x, "j,i")).conj()).record(&at(x, "i,j"))?;
        let (e, c) = regular(&both)?.at(&at(x, "i,j")).eigh([&at(x, "n,"), &at(x, "i,n")]).matrix("i,", "j,").record()?;
        let states = c.at(&at(x, "i,n")) * c.at(&at(x, "j,n")).conj();
        (states * e.at(&at(x, "n,")).converted::<T>()).record(&at(x, "n,i,j"))
    };
    eig(3, 3): |x| {
        let (e, v) = regular(x)?.at(&at(x, "i,j")).eig([&at(x, "n,"), &at(x, "i,n")]).matrix("i,", "j,").record()?;
        let states = v.at(&at(x, "i,n")) * v.at(&at(x, "j,n")).conj() * e.at(&at(x, "n,"));
        (x.at(&at(x, "i,j")) * in_elements::<T>(states)).record(&at(x, "n,i,j"))
    };
    svd_tall(4, 2): |x| {
        let left = [at(x, "i,r"), at(x, "r,"), at(x, "r,j")];
        let (u, s, v) = x.at(&at(x, "i,j")).svd(left.each_ref().map(|left| &left[..])).matrix("i,", "j,").record()?;
        let pairs = u.at(&at(x, "i,r")) * v.at(&at(x, "r,j"));
        (pairs * s.at(&at(x, "r,")).converted::<T>()).record(&at(x, "r,i,j"))
    };
    svd_cut(3, 4): |x| {
        let left = [at(x, "i,r"), at(x, "r,"), at(x, "r,j")];
        let svd = x.at(&at(x, "i,j")).svd(left.each_ref().map(|left| &left[..])).max(2);
        let (u, s, v) = svd.matrix("i,", "j,").record()?;
        let pairs = u.at(&at(x, "i,r")) * v.at(&at(x, "r,j"));
        (pairs * s.at(&at(x, "r,")).converted::<T>()).record(&at(x, "r,i,j"))
    };
}

/// Determinants are polynomials: their second derivatives exist where singular values are equal or zero, as at the identity.
#[test]
fn determinants_where_singular_values_are_equal_or_zero() {
    fn of<T: Element>(values: &[f64])
    where
        T::Real: crate::RealNumber,
    {
        let mut drawn = Drawn::new(81);
        let n = values.len();
        let diagonal = Tensor::<T>::from_fn([n, n], |i| {
            let own = if i[0] == i[1] { values[i[0]] } else { 0.0 };
            T::from_complex(own.into())
        });
        let (q, _) = drawn.tensor::<T>(&[n, n]).at("ij").qr(["ir", "rj"]).eval().unwrap();
        let a = (q.at("ik") * diagonal.unwrap().at("kj")).eval("ij").unwrap();
        check(&[a], &|x: &[Expr<'_, T>]| x[0].at("ij").det("").record(), &mut drawn);
    }
    for values in [&[1.0, 1.0, 1.0][..], &[2.0, 2.0, 0.5, 0.5], &[3.0, 0.0, 0.0], &[0.0, 0.0], &[1.5], &[2.0, 0.0, 2.0]] {
        of::<f64>(values);
        of::<Complex<f64>>(values);
    }
}
