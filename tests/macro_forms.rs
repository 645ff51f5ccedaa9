//! Scratch.
use tensorwrapper::prelude::*;
type M<const N: usize, const P: usize> = Tensor<f64, Shape![N, P]>;

#[test]
fn value() -> Result<(), Error> {
    let a: M<2, 3> = Tensor::from_fn((Const, Const), |i| (i[0] * 3 + i[1]) as f64)?;
    let b: Tensor<f64, Shape![3, _]> = Tensor::from_fn((Const, 4), |i| (i[0] * 4 + i[1]) as f64)?;
    let c = tensor!([i, j] = a[i, k] * b[k, j]);
    let _: &Tensor<f64, Shape![2, _]> = &c;
    assert_eq!(c.as_slice(), [20.0, 23.0, 26.0, 29.0, 56.0, 68.0, 80.0, 92.0]);
    let e = tensor!([] = a[i, k] * b[k, j] * 1[i] * 1[j]);
    assert_eq!(e, 394.0);
    Ok(())
}
#[test]
fn block() -> Result<(), Error> {
    let n = 3;
    let a = Tensor::from_fn([3, 3], |i| (i[0] * 3 + i[1]) as f64)?;
    let mut c = a.clone();
    let alpha = 0.5;
    let (w, e) = tensor! {
        where i, j, k: n;
        let w[i, j] = alpha * a[i, k] * a[k, j] - a[i, j];
        c[i, j] += w[j, i];
        let e = w[i, j] * c[i, j] / (1.0 + a[i, j]);
        (w, e)
    };
    println!("{w}\n{e}\n{c}");
    Ok(())
}
