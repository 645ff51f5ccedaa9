//! Fixed points whose steps are made of everything that recordings have, against differences and each other.

use num_complex::Complex;

use super::{Drawn, check};
use crate::{Context, Element, Error, Expr, Tensor, Tolerance};

/// The solution that begins at zero.
fn from_zero<'a, T: Element>(
    like: &Expr<'a, T>,
    step: impl FnOnce(Expr<'a, T>) -> Result<Expr<'a, T>, Error>,
) -> Result<Expr<'a, T>, Error> {
    let zero = (like.at("i") * T::ZERO).record("i")?;
    Context::cpu().fixed_point(|x, ()| step(x), &zero, (), Tolerance::new(1e-13))
}

fn drawn<T: Element>(seed: u64, extents: &[&[usize]]) -> (Vec<Tensor<T>>, Drawn) {
    let mut drawn = Drawn::new(seed);
    (extents.iter().map(|extents| drawn.tensor(extents)).collect(), drawn)
}

#[test]
fn element_wise_and_products() {
    let (inputs, mut drawn) = drawn::<f64>(1, &[&[3, 3], &[3]]);
    check(
        &inputs,
        &|given| {
            let (a, p) = (given[0].clone(), given[1].clone());
            from_zero(&given[1], move |x| (a.at("ij") * x.at("j").sin() * 0.3 + p.at("i").exp() * 0.5).record("i"))
        },
        &mut drawn,
    );
}

#[test]
fn linear_algebra() {
    let (inputs, mut drawn) = drawn::<f64>(2, &[&[3, 3], &[3]]);
    let one = Tensor::<f64>::from_fn([3, 3], |i| if i[0] == i[1] { 4.0 } else { 0.0 }).unwrap();
    let one: &'static Tensor<f64> = Box::leak(Box::new(one));
    check(
        &inputs,
        &move |given| {
            let (a, p) = (given[0].clone(), given[1].clone());
            from_zero(&given[1], move |x| {
                let matrix = (one.at("ij") + a.at("ij") + x.at("i") * x.at("j") * 0.2).record("ij")?;
                matrix.at("ij").solve(p.at("i") + x.at("i") * 0.5, "j").record()
            })
        },
        &mut drawn,
    );
}

#[test]
fn parts_and_other_extents() {
    let (inputs, mut drawn) = drawn::<f64>(3, &[&[4], &[2, 2]]);
    check(
        &inputs,
        &|given| {
            let (p, m) = (given[0].clone(), given[1].clone());
            from_zero(&given[0], move |x| {
                let square = x.reshape([2, 2])?;
                let turned = (m.at("ij") * square.at("kj") * 0.3).record("ik")?;
                let row = (p.at("j in 1..3") * square.at("1, j")).record("j")?;
                let all = turned.with_part("0, j", &row)?.reshape([4])?;
                let largest = all.at("i").max("i").record("")?;
                (all.at("i") * 0.5 + p.at("i") * 0.4 + largest.at("") * p.at("i") * 0.1).record("i")
            })
        },
        &mut drawn,
    );
}

#[test]
fn complex_numbers() {
    let (inputs, mut drawn) = drawn::<Complex<f64>>(4, &[&[3, 3], &[3]]);
    check(
        &inputs,
        &|given| {
            let (a, p) = (given[0].clone(), given[1].clone());
            from_zero(&given[1], move |x| {
                let turned = a.at("ij") * x.at("j").conj() * Complex::new(0.1, 0.1);
                (turned + (x.at("i") * p.at("i") * Complex::new(0.2, 0.0)).sin() + p.at("i")).record("i")
            })
        },
        &mut drawn,
    );
}

/// The step of the second reads the solution of the first.
#[test]
fn one_after_the_other() {
    let (inputs, mut drawn) = drawn::<f64>(5, &[&[3, 3], &[3]]);
    check(
        &inputs,
        &|given| {
            let (a, p) = (given[0].clone(), given[1].clone());
            let first = from_zero(&given[1], move |x| (a.at("ij") * x.at("j") * 0.2 + p.at("i")).record("i"))?;
            let (a, p) = (given[0].clone(), given[1].clone());
            from_zero(&given[1], move |y| {
                let sum = (a.at("ji") * y.at("j") * 0.2 + first.at("i") * p.at("i")).record("i")?;
                sum.at("i").tanh().record("i")
            })
        },
        &mut drawn,
    );
}
