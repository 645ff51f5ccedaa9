//! `?`, `return` and `await` in the Rust parts of an equation are the program's, and operands may be moved into it.

#![deny(warnings)]
#![allow(dead_code)]

use tensorwrapper::prelude::*;

type Matrix = Tensor<f64, Shape![2, 2]>;

fn find(n: usize) -> Result<Matrix, Error> {
    Tensor::from_fn((Const, Const), |i| (n + i[0] * 2 + i[1]) as f64)
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// A `?` of a `Result`, in an operand.
pub fn question(n: usize) -> Result<f64, Error> {
    Ok(tensor!([] = (find(n)?)[i, k] * (find(n + 1)?)[k, i]))
}

/// A `?` of an `Option`, in a number.
pub fn option(a: &Matrix, text: &str) -> Option<Matrix> {
    Some(tensor!([i, j] = { number(text)? } * a[i, j]))
}

/// A `return`, in a number and in a position.
pub fn early(a: &Matrix, n: Option<usize>) -> f64 {
    tensor!([] = { if a.rank() == 0 { return 0.0 } else { 2.0 } } * a[{ let Some(n) = n else { return 1.0 }; n }, i] * a[0, i])
}

/// `break` and `continue`.
pub fn looping(a: &Matrix) -> f64 {
    let mut total = 0.0;
    for n in 0..10 {
        total += tensor!([] = { if n < 3 { continue } else { 1.0 } } * a[i, i]);
        total += try_tensor!([] = { if n > 5 { break } else { 1.0 } } * a[i, i]).unwrap_or(0.0);
    }
    total
}

/// An `await`, in an operand and in a number.
pub async fn waiting(a: impl Future<Output = Matrix>, x: impl Future<Output = f64>) -> Matrix {
    tensor!([i, j] = { x.await } * (a.await)[i, j])
}

/// An operand that is made in the equation and gone after it.
pub fn moved(a: Matrix, b: Vec<Matrix>) -> Matrix {
    tensor!([i, j] = ({ a })[i, k] * (b.into_iter().next().unwrap())[k, j])
}

/// The same tensor on both sides, whole, in part, and under two spellings.
pub fn aliases(c: &mut Matrix, psi: &mut [Matrix], n: usize) {
    tensor!(c[i, j] = c[j, i]);
    tensor!(c[0, j] += c[1, j]);
    tensor!((psi[n])[i, j] = (psi[n + 1])[i, k] * (psi[n])[k, j]);
}

/// Words of Rust, and letters of other scripts, as labels.
pub fn words(a: &Matrix) -> Matrix {
    tensor!([r#in, α] = a[r#in, r#type] * a[r#type, α])
}

/// One name as a word of Rust and without.
pub fn raw_and_plain(a: &Matrix) -> Matrix {
    tensor!([i, r#i] = a[i, k] * a[k, r#i])
}

/// Variables of another macro.
macro_rules! product {
    ($a:expr, $b:ident, $x:expr) => {
        tensor!([i, j] = $x * $a[i, k] * $b[k, j])
    };
}

/// As `product!(a, b, 2.0)`.
pub fn by_macro(a: &Matrix, b: &Matrix) -> Matrix {
    product!(a, b, 2.0)
}

#[test]
fn control_flow_is_the_programs() {
    assert_eq!(question(0).unwrap(), 0.0 * 1.0 + 1.0 * 3.0 + 2.0 * 2.0 + 3.0 * 4.0);
    assert_eq!(early(&find(0).unwrap(), None), 1.0);
    assert_eq!(option(&find(0).unwrap(), "x"), None);
}
