//! Scratch.
use tensorwrapper::prelude::*;
#[test]
fn fused() -> Result<(), Error> {
    let a = Tensor::from_fn([2, 6], |i| (i[0] * 6 + i[1]) as f64)?;
    let b = tensor!([i, k, j] = a[i, (j, k)] where j: 2);
    assert_eq!(b.extents(), [2, 3, 2]);
    assert_eq!(b[[1, 2, 1]], 11.0);
    assert_eq!(b[[1, 2, 0]], 8.0);
    let c = tensor!([(i, k), j] = b[i, k, j]);
    assert_eq!(c.extents(), [6, 2]);
    assert_eq!(c[[5, 1]], 11.0);
    let d = tensor!([(j, i)] = a[i, j]);
    assert_eq!(d.extents(), [12]);
    assert_eq!(d[[1]], 6.0);
    let mut e = Tensor::<f64>::zeros([2, 6])?;
    tensor!(e[i, (k, j)] = b[i, k, j]);
    println!("{e}");
    let s = tensor!([i] = a[i, (j, k)] * b[i, k, j]);
    println!("{s}");
    println!("{}", try_tensor!([i, k, j] = a[i, (j, k)] where j: 4).unwrap_err());
    println!("{}", try_tensor!([i, k, j] = a[i, (j, k)]).unwrap_err());
    let f = tensor!([.., i] = a[i, ..]);
    assert_eq!(f.extents(), [6, 2]);
    let g = tensor!([i, ..] = a[i, ..] + b[i, 0, 0] * a[i, ..]);
    println!("{g}");
    Ok(())
}
