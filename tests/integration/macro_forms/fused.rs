//! Fused axes: extents that the compiler multiplies and divides, and parts of tensors that are written through them.

use super::{assert_close, assert_type, reference, sample};
use tensorwrapper::prelude::*;

#[test]
fn a_fused_axis_of_constants_is_a_constant() {
    let a: Tensor<f64, Shape![2, 3, 4]> = sample((Const, Const, Const), 1);
    let found = tensor!([(i, j), k] = a[i, j, k]);
    assert_type::<Tensor<f64, Shape![6, 4]>>(&found);
    assert_eq!(found.as_slice(), a.as_slice());
    let found = tensor!([(k, i, j)] = 2.0 * a[i, j, k]);
    assert_type::<Tensor<f64, Shape![24]>>(&found);
    assert_eq!(found[[7]], 2.0 * a[[0, 1, 1]]);
    let found = tensor! {
        let b[(k, i), j] = a[i, j, k];
        let c[k, j] = b[(k, i), j] * b[(k, i), j] where i: 2;
        c
    };
    assert_type::<Tensor<f64, Shape![4, 3]>>(&found);
    assert_close(&found, &reference(&(a.at("ijk") * a.at("ijk")), "kj"));
    // Nothing, one, and the ends of the table.
    let none: Tensor<f64, Shape![0, 3]> = sample((Const, Const), 1);
    assert_type::<Tensor<f64, Shape![0]>>(&tensor!([(i, j)] = none[i, j]));
    let wide: Tensor<f64, Shape![32, 32]> = sample((Const, Const), 1);
    assert_type::<Tensor<f64, Shape![1024]>>(&tensor!([(i, j)] = wide[i, j]));
    let wider: Tensor<f64, Shape![32, 33]> = sample((Const, Const), 1);
    let found = tensor!([(i, j)] = wider[i, j]);
    assert_type::<Tensor<f64, Shape![_]>>(&found);
    assert_eq!(found.extents(), [32 * 33]);
    // A factor that the run alone knows.
    let half: Tensor<f64, Shape![2, _]> = sample((Const, 5), 1);
    assert_type::<Tensor<f64, Shape![_]>>(&tensor!([(i, j)] = half[i, j]));
}

#[test]
fn extent_of_a_fused_label_follows_from_the_others() {
    let a: Tensor<f64, Shape![24, 5]> = sample((Const, Const), 1);
    let found = tensor!([i, j, n] = a[(i, j), n] where i: 4);
    assert_type::<Tensor<f64, Shape![4, 6, 5]>>(&found);
    assert_eq!(found.as_slice(), a.as_slice());
    let found = tensor!([i, k, j, n] = a[(i, j, k), n] where i: 2, k: 3);
    assert_type::<Tensor<f64, Shape![2, 3, 4, 5]>>(&found);
    assert_eq!(found[[1, 2, 3, 4]], a[[23, 4]]);
    // Known from another operand, and only at run time.
    let b: Tensor<f64, Shape![3]> = sample((Const,), 2);
    let found = tensor!([j, n] = a[(i, j), n] * b[i]);
    assert_type::<Tensor<f64, Shape![8, 5]>>(&found);
    let n = 8;
    let found = tensor!([i, j] = a[(i, j), 0] where j: n);
    assert_type::<Tensor<f64, Shape![_, _]>>(&found);
    assert_eq!(found.extents(), [3, 8]);
    let error = try_tensor!([i, j] = a[(i, j), 0] where j: { n - 1 }).unwrap_err();
    assert_eq!(error.to_string(), "fused `(i, j)` has extent 7·?, which does not make axis 0 of `a`, of extent 24");
}

fn flat<const N: usize, const M: usize>(a: &Tensor<f64, Shape![N, M]>) -> Tensor<f64, Shape![_]> {
    tensor!([(i, j)] = a[i, j])
}

fn halves<const N: usize>(a: &Tensor<f64, Shape![N]>) -> Result<Tensor<f64, Shape![2, _]>, Error> {
    try_tensor!([i, j] = a[(i, j)] where i: 2)
}

#[test]
fn generic_extents_are_multiplied_when_it_runs() {
    let a: Tensor<f64, Shape![2, 3]> = sample((Const, Const), 1);
    assert_eq!(flat(&a).extents(), [6]);
    let b: Tensor<f64, Shape![6]> = flat(&a).into_typed().unwrap();
    assert_eq!(halves(&b).unwrap().as_slice(), a.as_slice());
    let odd: Tensor<f64, Shape![5]> = sample((Const,), 1);
    assert!(halves(&odd).unwrap_err().to_string().starts_with("fused `(i, j)` has extent 2·?"));
}

#[test]
fn parts_are_written_through_fused_axes() {
    let part = sample((2, 3), 1);
    let mut c = sample((6, 4), 2);
    let mut expected = c.clone();
    tensor!(c[(i, j), 3] = 2.0 * part[i, j]);
    for i in 0..2 {
        for j in 0..3 {
            expected[[3 * i + j, 3]] = 2.0 * part[[i, j]];
        }
    }
    assert_eq!(c, expected);
    let more = sample((2, 2, 3), 3);
    tensor!(c[(i, j), k in 1..3] += more[i, k, j]);
    for (i, j, k) in [0, 1].iter().flat_map(|&i| (0..6).map(move |n| (i, n / 2, n % 2))) {
        expected[[3 * i + j, k + 1]] += more[[i, k, j]];
    }
    assert_close(&c, &expected);
    // What is written is read by later equations of a block, and views and constant extents are written alike.
    let mut fixed: Tensor<f64, Shape![3, 6]> = Tensor::zeros((Const, Const)).unwrap();
    let column = tensor! {
        fixed[1, (i, j)] = part[i, j];
        fixed[k in 2.., (i, j)] = 1.0[k] * part[i, j];
        let column[n] = fixed[n, 4];
        column
    };
    assert_eq!(column.as_slice(), [0.0, part[[1, 1]], part[[1, 1]]]);
    assert_eq!(fixed[[1, 4]], part[[1, 1]]);
    let mut view = fixed.view_mut().slice(0, 0..2).unwrap();
    tensor!(view[n, (j, i)] = 1.0[n] * part[i, j] where n: 2);
    assert_eq!((fixed[[0, 1]], fixed[[1, 5]], fixed[[2, 1]]), (part[[1, 0]], part[[1, 2]], part[[0, 1]]));
    // Two fused axes at once, and a part that is too large.
    let mut square = Tensor::<f64>::zeros([6, 6, 2]).unwrap();
    tensor!(square[(i, j), (a, b), 1] = part[i, j] * part[a, b]);
    assert_eq!(square[[4, 5, 1]], part[[1, 1]] * part[[1, 2]]);
    let error = try_tensor!(square[(i, j), 0, 0] = more[i, j, 0]).unwrap_err();
    assert_eq!(error.to_string(), "fused `(i, j)` has extent 4, which does not make axis 0 of `square`, of extent 6");
}

#[test]
fn a_place_that_splits_an_axis_runs_again() {
    for (n, m) in [(2, 6), (2, 6), (3, 4), (2, 6)] {
        for start in [0, 5] {
            let f = Tensor::<f64>::from_fn([12], |i| (start + i[0]) as f64).unwrap();
            let split = tensor!([j, i] = f[(i, j)] where i: n);
            assert_eq!(split.extents(), [m, n]);
            assert_eq!(split[[1, 1]], (start + m + 1) as f64);
        }
    }
}
