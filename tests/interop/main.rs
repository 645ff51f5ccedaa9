//! Equations over arrays of another library, borrowed without a copy.

use ndarray::{Array2, Array3, ArrayView2, Axis, array, s};
use tensorwrapper::prelude::*;

#[test]
fn equations_read_borrowed_arrays() {
    let a: Array2<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let (rows, columns) = (TensorRef::from(&a), TensorRef::try_from(a.t()).unwrap());
    let product = tensor!([i, j] = rows[i, k] * columns[k, j]);
    assert_eq!(ArrayView2::from(product.view()), a.dot(&a.t()));
    let backwards = TensorRef::try_from(a.slice(s![.., ..;-1])).unwrap();
    assert_eq!(tensor!([] = rows[i, j] * backwards[i, j]), 10.0 + 73.0);
}

#[test]
fn equations_write_through_views_of_arrays() {
    let a: Array2<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let mut c = Array3::<f64>::from_elem((2, 3, 3), 0.5);
    let first = c.as_ptr();
    let operand = TensorRef::from(&a);
    // The second of two blocks, its axes turned: written where it lies, and nothing else is.
    let mut block = TensorMut::try_from(c.index_axis_mut(Axis(0), 1).reversed_axes()).unwrap();
    tensor!(block[j, k] += operand[i, j] * operand[i, k] * 2.0 - 1[j] * operand[0, k]);
    let expected = a.t().dot(&a) * 2.0 - a.row(0).broadcast((3, 3)).unwrap() + 0.5;
    assert_eq!(c.index_axis(Axis(0), 1).t(), expected);
    assert!(c.index_axis(Axis(0), 0).iter().all(|&x| x == 0.5));
    assert_eq!(c.as_ptr(), first);

    // All of an array that was cut is borrowed, gaps included; they keep what they hold.
    let mut cut = Array2::from_shape_fn((4, 6), |(i, j)| (6 * i + j) as f64).slice_move(s![1..3, ..;2]);
    let mut target = TensorMut::from(&mut cut);
    tensor!(target[i, j] = 10.0 * operand[i, j]);
    assert_eq!(cut, &a * 10.0);
    assert_eq!(cut.into_raw_vec_and_offset().0[6..18], [10.0, 7.0, 20.0, 9.0, 30.0, 11.0, 40.0, 13.0, 50.0, 15.0, 60.0, 17.0]);
}
