//! The language at run time: equations as text, and the sentences for mistakes in them.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{ErrorKind, RecordOperand, record};

fn matrix(rows: usize, columns: usize) -> Tensor<f64> {
    Tensor::from_fn([rows, columns], |at| (at[0] * columns + at[1]) as f64).unwrap()
}

#[test]
fn texts_mean_what_the_macros_mean() {
    let (a, b, x) = (matrix(2, 3), matrix(4, 3), Tensor::scalar(3.0));
    let (view, turn) = (a.view(), Complex::new(0.0, 1.0));
    let recorded = record("[i, k] = A[i, j] * B[k, j]", &[("A", &a), ("B", &b)]).unwrap();
    assert_eq!(recorded.eval().unwrap(), tensor!([i, k] = a[i, j] * b[k, j]));
    // Numbers, tensors of rank 0, views, recorded results; positions, ranges and exponents.
    let sum =
        record("[i] = h * P[i, 1] - x * powi(A[i, 2], 2) + 1[i]", &[("h", &0.5), ("P", &recorded), ("x", &x), ("A", &view)]);
    let half = 0.5;
    let p = tensor!([i, k] = a[i, j] * b[k, j]);
    assert_eq!(sum.unwrap().eval().unwrap(), tensor!([i] = half * p[i, 1] - x * powi(a[i, 2], 2) + 1[i]));
    let z = Tensor::<Complex<f64>>::filled([2], Complex::new(0.0, 1.0)).unwrap();
    let scaled = record("[i] = s * conj(z[i]) * t", &[("z", &z), ("s", &2.0), ("t", &turn)]).unwrap();
    assert_eq!(scaled.eval().unwrap().as_slice(), [Complex::new(2.0, 0.0); 2]);
    // It is recorded further, and has a graph.
    let trace = (recorded.at("ij") * a.at("ik") * b.at("jk")).record("").unwrap();
    assert_eq!(trace.eval().unwrap()[[]], tensor!([] = p[i, j] * p[i, j]));
    assert_eq!(recorded.graph().operations().len(), 1);
}

/// What is said of a text over a matrix `A`, a vector `v` and a number `x`.
fn mistake(text: &str) -> Error {
    let (a, v) = (matrix(2, 3), Tensor::<f64>::filled([3], 1.0).unwrap());
    let all: [(&str, &dyn RecordOperand<f64>); 3] = [("A", &a), ("v", &v), ("x", &2.0)];
    let is_word = |name: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let names: Vec<_> = all.into_iter().filter(|(name, _)| is_word(name)).collect();
    record(text, &names).map(drop).unwrap_err()
}

#[test]
fn mistakes_in_texts_are_sentences() {
    for (text, sentence) in [
        ("[i] = A[i, j] * w[j]", "the equation reads `w`, which is not among the names given\nhelp: the names given are `A`"),
        ("[i] = c * v[i]", "the equation reads `c`, which is not among the names given\nhelp: the names given are `v`"),
        ("[] = 2.0 * y", "the equation reads `y`, which is not among the names given\nhelp: no names are given"),
        ("[i, j, k] = A[i, j, k]", "`A` has rank 2 but 3 indices are given"),
        ("[i] = x[i]", "`x` has rank 0 but 1 index is given"),
        ("[i] = A[j, i] * v[j]", "index `j` has extent 2 on axis 0 of `A` but 3 on axis 0 of `v`"),
    ] {
        assert_eq!(mistake(text).to_string(), sentence, "{text}");
    }
    let blocks = mistake("let w[i] = v[i]; w");
    assert!(matches!(blocks.kind(), ErrorKind::Unsupported(_)), "{blocks}");
    for text in
        ["[i] = { 1 + 1 } * v[i]", "[i] = v[i", "v[i] = v[i] + 1", "([n], [i, n]) = eigh(A[i, j])", "[i] = map(f; v[i])", ""]
    {
        assert!(!mistake(text).to_string().is_empty(), "{text}");
    }
}

#[test]
fn names_are_given_once_and_used() {
    let (a, b) = (matrix(2, 3), matrix(2, 3));
    let error = record("[i] = A[i, j]", &[("A", &a), ("A", &b)]).unwrap_err();
    assert_eq!(error.to_string(), "`A` is given twice");
    let error = record("[i] = A[i, j]", &[("A", &a), ("B", &b)]).unwrap_err();
    assert_eq!(error.to_string(), "`B` is given, but the equation does not read it");
    let error = record("[i] = A[i, j]", &[("A", &a), ("x", &1.0)]).unwrap_err();
    assert_eq!(error.to_string(), "`x` is given, but the equation does not read it");
}
