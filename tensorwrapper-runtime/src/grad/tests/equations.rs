//! Everything else that equations can say, read from texts.

use num_complex::Complex;

use super::{Drawn, check};
use crate::{Error, Expr, RecordOperand, Tensor, record};
use tensorwrapper_core::element::Element;

/// Checks an equation over tensors that are called A, B, C and so on.
fn equation<T: Element>(text: &'static str, extents: &[&[usize]], seed: u64)
where
    T::Real: crate::RealNumber,
{
    equation_over::<T>(text, extents, seed, |x| x);
}

/// The same with elements that are moved to where functions are smooth.
fn equation_over<T: Element>(text: &'static str, extents: &[&[usize]], seed: u64, moved: fn(Complex<f64>) -> Complex<f64>)
where
    T::Real: crate::RealNumber,
{
    let mut drawn = Drawn::new(seed);
    let inputs: Vec<Tensor<T>> = extents
        .iter()
        .map(|extents| {
            let tensor = drawn.tensor::<T>(extents);
            let elements = tensor.as_slice().iter().map(|x| T::from_complex(moved(x.to_complex()))).collect();
            Tensor::from_vec(*extents, elements).unwrap()
        })
        .collect();
    check(&inputs, &|x| named(text, x), &mut drawn);
}

fn named<'a, T: Element>(text: &str, inputs: &[Expr<'a, T>]) -> Result<Expr<'a, T>, Error> {
    const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
    // A text borrows its operands, and these handles are few.
    let handles: &'a [Expr<'a, T>] = Box::leak(inputs.to_vec().into_boxed_slice());
    let named: Vec<(&str, &'a dyn RecordOperand<T>)> =
        NAMES.into_iter().zip(handles).map(|(name, value)| (name, value as &dyn RecordOperand<T>)).collect();
    record(text, &named)
}

macro_rules! equations {
    ($($name:ident: $text:literal, $($extents:tt),*;)*) => { $(
        #[test]
        fn $name() {
            equation::<f64>($text, &[$(&$extents),*], 21);
            equation::<Complex<f64>>($text, &[$(&$extents),*], 22);
        }
    )* };
}
equations! {
    product: "[i, j] = A[i, k] * B[k, j]", [2, 3], [3, 4];
    cube: "[] = A[i, j] * A[j, k] * A[k, i]", [3, 3];
    hyper_edge: "[i, j] = A[i, r] * B[j, r] * C[r]", [2, 3], [4, 3], [3];
    trace_and_diagonal: "[i] = A[i, i] * B[j, j]", [3, 3], [2, 2];
    on_the_diagonal: "[i, i] = A[i] * A[i]", [3];
    sums_of_nothing_else: "[i] = A[i, j] + B[i] * C[k]", [2, 3], [2], [4];
    slices_and_positions: "[i] = A[1, i in 1..3] * B[i] - A[0, i in 0..2]", [2, 3], [2];
    written_twice: "[i] = A[i in 0..3] * A[i in 1..4]", [4];
    fused: "[k] = A[(i, j), k] * B[i] * C[j]", [6, 2], [2], [3];
    fused_result: "[(i, j)] = A[i] * B[j] * A[i]", [2], [3];
    fused_square: "[i] = A[(i, j)] * A[(i, j)] * B[j]", [6], [3];
    conjugates: "[i] = conj(A[i, j]) * B[j] + A[i, j] * conj(B[j])", [2, 3], [3];
    parts_of_complex: "[i] = re(A[i]) * B[i] + im(A[i] * B[i]) * A[i]", [3], [3];
    spread: "[i, j] = 2.5[i, j] * A[i] + 1[i] * B[j]", [2], [3];
    groups: "[i, j] = A[i, j] * (B[i] + C[j] - 2.0)", [2, 3], [2], [3];
    symmetrised: "[i, j] = asym(i, j; A[i, k] * B[k, j]) * sym(i, j; A[i, j])", [3, 3], [3, 3];
    nested_sums: "[i] = A[i, j] * sum(k; B[j, k] * sum(l; C[k, l] * A[l, j]))", [2, 2], [2, 3], [3, 2];
    sum_inside_a_function: "[i] = exp(sum(j; A[i, j] * B[j])) * sum(j; A[i, j])", [2, 3], [3];
    function_of_a_function: "[i] = sin(A[i] * cos(A[i]))", [4];
    whole_powers: "[i] = powi(A[i], 3) + powi(A[i], 1) + powi(A[i], 0) * A[i]", [3];
    product_over_a_label: "[i] = prod(j; A[i, j] + B[j])", [2, 5], [5];
    product_over_two: "[] = prod(i, j; A[i, j])", [2, 3];
    many_factors: "[a, g] = A[a, b] * B[b, c] * C[c, d] * D[d, e] * E[e, f] * F[f, g]", [2, 3], [3, 2], [2, 4], [4, 2], [2, 3], [3, 2];
    negated_many_factors: "[a] = A[a] - B[b] * A[b] * C[b] * A[a] * B[a] * C[a]", [3], [3], [3];
    extent_zero: "[i] = A[i, j] * B[j] + C[i]", [2, 0], [0], [2];
}

/// Away from zeros and branch cuts.
fn right_half(x: Complex<f64>) -> Complex<f64> {
    Complex::new(1.5 + 0.5 * x.re, 0.5 * x.im)
}

macro_rules! smooth {
    ($($name:ident: $text:literal, $($extents:tt),*;)*) => { $(
        #[test]
        fn $name() {
            equation_over::<f64>($text, &[$(&$extents),*], 31, right_half);
            equation_over::<Complex<f64>>($text, &[$(&$extents),*], 32, right_half);
        }
    )* };
}
smooth! {
    functions: "[i] = exp(A[i]) + ln(A[i]) * sqrt(B[i]) - tan(A[i] * 0.3) * tanh(B[i]) + recip(A[i]) * sin(B[i])", [3], [3];
    quotients: "[i, j] = A[i, j] / (B[i] + C[j]) / B[i]", [2, 3], [2], [3];
    a_sum_in_the_denominator: "[i] = A[i] / sum(j; A[j] * B[j])", [3], [3];
    real_powers: "[i] = powf(A[i], 2.5) + powf(A[i], 1.0) + powf(B[i], -0.5)", [3], [3];
    negative_powers: "[i] = powi(A[i], -2) * B[i]", [3], [3];
    absolute_values: "[i] = abs(A[i]) * B[i] + abs(A[i] - 3.0[i] * B[i])", [3], [3];
}

#[test]
fn the_largest_and_the_smallest() {
    equation::<f64>("[i] = max(j; A[i, j] * B[j]) + min(j; A[i, j]) * max(p, q; A[p, q])", &[&[3, 4], &[4]], 41);
}

fn gradient(text: &str, elements: &[f64]) -> Vec<f64> {
    let a = Tensor::<f64>::from_slice([elements.len()], elements).unwrap();
    let x = a.at("i").record("i").unwrap();
    let handle: &Expr<'_, f64> = &x;
    let loss = record(text, &[("A", handle as &dyn RecordOperand<f64>)]).unwrap();
    loss.grad(&x).unwrap().eval().unwrap().as_slice().to_vec()
}

#[test]
fn equal_largest_elements_share() {
    assert_eq!(gradient("[] = max(i; A[i])", &[1.0, 3.0, 3.0]), [0.0, 0.5, 0.5]);
    assert_eq!(gradient("[] = min(i; A[i]) * 2.0", &[1.0, 3.0, 1.0]), [1.0, 0.0, 1.0]);
}

#[test]
fn zeros_are_no_trouble() {
    assert_eq!(gradient("[] = prod(i; A[i])", &[0.0, 3.0, 2.0]), [6.0, 0.0, 0.0]);
    assert_eq!(gradient("[] = prod(i; A[i])", &[0.0, 3.0, 0.0]), [0.0, 0.0, 0.0]);
    assert_eq!(gradient("[] = sum(i; abs(A[i]))", &[0.0, -3.0, 2.0]), [0.0, -1.0, 1.0]);
    assert_eq!(gradient("[] = sum(i; powi(A[i], 1) + powi(A[i], 2))", &[0.0, 1.0]), [1.0, 3.0]);
    assert_eq!(gradient("[] = sum(i; powf(A[i], 1.0))", &[0.0, 1.0]), [1.0, 1.0]);
}

/// The second derivatives along ones of an equation over A, over B = 2, S = |A|, H = |A|/2, R = √A², and its lengths l and n. The
/// first ones are zero.
fn second(text: &str, elements: &[f64]) -> Vec<f64> {
    let a = Tensor::<f64>::from_slice([elements.len()], elements).unwrap();
    let ones = Tensor::<f64>::filled([elements.len()], 1.0).unwrap();
    let x = a.at("i").record("i").unwrap();
    let sizes = x.at("i").abs().record("i").unwrap();
    let roots = (x.at("i") * x.at("i")).sqrt().record("i").unwrap();
    let length = (x.at("i") * x.at("i")).sum("i").sqrt().record("").unwrap();
    let norm = x.at("i").norm("").record().unwrap();
    let twos = Tensor::<f64>::filled([elements.len()], 2.0).unwrap();
    let twos = twos.at("i").record("i").unwrap();
    let halves = (sizes.at("i") / 2.0).record("i").unwrap();
    let handles: [(&str, &Expr<'_, f64>); 7] =
        [("A", &x), ("B", &twos), ("H", &halves), ("S", &sizes), ("R", &roots), ("l", &length), ("n", &norm)];
    let is_read = |name: &str| text.contains(&format!("{name}["));
    let named: Vec<(&str, &dyn RecordOperand<f64>)> = handles
        .iter()
        .filter(|(name, _)| is_read(name))
        .map(|(name, handle)| (*name, handle as &dyn RecordOperand<f64>))
        .collect();
    let loss = record(text, &named).unwrap();
    assert_eq!(loss.grad(&x).unwrap().eval().unwrap().as_slice(), vec![0.0; elements.len()], "{text}");
    loss.hvp((&x, &ones)).unwrap().eval().unwrap().as_slice().to_vec()
}

/// What is smooth at zero has derivatives there, of both orders, although it is written by functions that have none.
#[test]
fn squares_of_what_has_a_kink_are_smooth() {
    for text in [
        "[] = sum(i; abs(A[i]) * abs(A[i]))",
        "[] = sum(i; powi(abs(A[i]), 2))",
        "[] = sum(i; S[i] * S[i])",
        "[] = sum(i; powi(S[i], 2))",
        "[] = sum(i; R[i] * R[i])",
        "[] = sum(i; sqrt(powi(A[i], 4)))",
        "[] = n[] * n[]",
        "[] = powi(l[], 2)",
        "[] = l[] * 2.0 * l[] / 2.0",
        "[] = 3.0 * n[] - 2.0 * n[] * n[] - 3.0 * n[] + 3.0 * powi(n[], 2)",
        "[] = sum(i; -abs(A[i]) * abs(A[i])) + 2.0 * powi(n[], 2)",
        "[] = 4.0 * powi(0.5 * n[], 2)",
        "[] = 4.0 * powi(l[] / 2.0, 2)",
        "[] = 2.0 * sum(i; abs(A[i]) / 2.0 * abs(A[i]))",
        "[] = 4.0 * sum(i; (S[i] / 2.0) * (S[i] / 2.0))",
        "[] = 0.25 * sum(i; powi(abs(A[i]) * B[i], 2))",
        "[] = sum(i; powf(abs(A[i]), 2.0))",
        "[] = sum(i; powi(sqrt(abs(A[i])), 4))",
        "[] = sum(i; 1.0 / (1.0 / abs(A[i] + B[i]) / abs(A[i] + B[i]))) - 4.0 * sum(i; A[i])",
        "[] = 3.0 * max(i; abs(A[i]) * abs(A[i]))",
        "[] = sum(i; H[i] * H[i]) * 4.0",
    ] {
        assert_eq!(second(text, &[0.0, 0.0, 0.0]), [2.0, 2.0, 2.0], "{text}");
    }
    assert_eq!(second("[] = sum(i; abs(A[i]) * A[i] * abs(A[i]) * A[i])", &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(second("[] = sum(i; sqrt(powi(A[i], 6)) * A[i])", &[0.0, 0.0]), [0.0, 0.0]);
}

#[test]
fn squares_of_absolute_values_of_complex_numbers_are_smooth() {
    let (a, d) = (Tensor::<Complex<f64>>::filled([2], Complex::ZERO).unwrap(), super::Drawn::new(9).tensor::<Complex<f64>>(&[2]));
    let z = a.at("i").record("i").unwrap();
    let norm = z.at("i").norm("").record().unwrap();
    let sizes = z.at("i").abs().real().record("i").unwrap();
    let losses = [
        (sizes.at("i") * sizes.at("i")).sum("i").record("").unwrap(),
        (z.at("i").abs() * z.at("i").abs()).real().sum("i").record("").unwrap(),
        z.at("i").abs().powi(2).real().sum("i").record("").unwrap(),
        (norm.at("") * norm.at("")).record("").unwrap(),
    ];
    for loss in losses {
        assert_eq!(loss.grad(&z).unwrap().eval().unwrap().as_slice(), a.as_slice());
        let second = loss.hvp((&z, &d)).unwrap().eval().unwrap();
        super::near("the second derivative", &second, &(d.at("i") * Complex::from(2.0)).eval("i").unwrap(), 1e-15);
    }
}

#[test]
fn what_has_no_derivative_is_refused() {
    let a = Tensor::<f64>::filled([3], 1.0).unwrap();
    let b = Tensor::<f64>::filled([3], 1.0).unwrap();
    let twice = |x: f64| 2.0 * x;
    let mapped = a.at("i").map(&twice).record("i").unwrap();
    let loss = (mapped.at("i") * b.at("i")).record("").unwrap();
    assert_eq!(
        loss.grad(&a).unwrap_err().to_string(),
        "the derivative of a function of the program, whose slope is not known\nhelp: give the slope: `map(f, slope; X)`, and behind it the \
         slope's slope for second derivatives; or write the function by those of the language"
    );
    // What does not depend on it is no trouble.
    assert_eq!(loss.grad(&b).unwrap().eval().unwrap().as_slice(), [2.0, 2.0, 2.0]);
    let c = Tensor::<f64>::filled([3], 1.0).unwrap();
    assert!(loss.grad((&b, &c)).unwrap_err().to_string().contains("does not depend on variable 1"));
    assert!(mapped.grad(&b).unwrap_err().to_string().contains("which is no number"));
    let long = Tensor::<f64>::filled([6, 2], 1.0).unwrap();
    let pair = Tensor::<f64>::filled([2], 1.0).unwrap();
    let loss = (long.at("(i,j),i") * pair.at("i")).sum("i,j").record("").unwrap();
    assert!(loss.grad(&long).unwrap_err().to_string().contains("a fused axis beside one of its own labels"));
    let (_, _, _, weight) = long.at("ij").svd_cut(["ir", "r", "rj", ""]).max(1).record().unwrap();
    for error in [weight.grad(&long).unwrap_err(), weight.jvp((&long, &long)).unwrap_err()] {
        assert!(error.to_string().contains("the discarded weight of `svd`"));
    }
    let rank = long.at("ij").rank("").record().unwrap();
    for error in [rank.grad(&long).unwrap_err(), rank.jvp((&long, &long)).unwrap_err()] {
        assert!(error.to_string().contains("`rank`"), "{error}");
    }
    let (q, _) = long.at("ij").qr(["im", "mj"]).full().record().unwrap();
    let error = (q.at("im") * q.at("jm")).sum("i,j").record("").unwrap().grad(&long).unwrap_err().to_string();
    assert!(error.contains("`qr` with square factors, whose last columns are arbitrary"), "{error}");
    let part = a.view().slice(0, 0..2).unwrap();
    let loss = (part.at("i") * part.at("i") * a.at("j")).record("").unwrap();
    assert!(loss.grad(&a).unwrap_err().to_string().contains("a part is read through another view"));
}
