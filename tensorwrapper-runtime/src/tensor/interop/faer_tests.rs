//! `faer`: values and pointers both ways, padding, and refusals.

use ::faer::{Col, ColMut, ColRef, Mat, MatMut, MatRef, Row, RowRef, c64, mat};
use num_complex::Complex;

use crate::exec::einsum;
use crate::tensor::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Dyn, Extents};

fn matrix(rows: usize, columns: usize) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, j| (10 * i + j) as f64)
}

fn assert_same<T: Element, S: Extents>(tensor: &TensorRef<'_, T, S>, matrix: MatRef<'_, T>) {
    assert_eq!(tensor.extents(), [matrix.nrows(), matrix.ncols()]);
    for (n, element) in tensor.elements().enumerate() {
        let theirs = &matrix[(n / matrix.ncols(), n % matrix.ncols())];
        assert_eq!(std::ptr::from_ref(element), std::ptr::from_ref(theirs));
    }
}

#[test]
fn matrices_without_padding_are_borrowed_and_given_back() {
    // 64 bytes are 8 such numbers.
    let own = matrix(8, 3);
    let tensor: TensorRef<'_, f64, (Dyn, Dyn)> = (&own).try_into().unwrap();
    assert_eq!(tensor.strides(), [1, 8]);
    assert_same(&tensor, own.as_ref());
    for view in [own.as_ref(), own.transpose(), own.as_ref().reverse_rows(), own.as_ref().reverse_rows_and_cols().transpose()] {
        let tensor = TensorRef::try_from(view).unwrap();
        assert_same(&tensor, view);
        let back = MatRef::from(tensor.clone());
        assert_eq!((back.as_ptr(), back.row_stride()), (view.as_ptr(), view.row_stride()));
        assert_eq!(back, view);
        assert_eq!(MatRef::try_from(tensor.into_dyn()).unwrap(), view);
    }
    // What knows its stride, and what repeats.
    assert_same(&TensorRef::try_from(own.as_ref().try_as_col_major().unwrap()).unwrap(), own.as_ref());
    let repeated = MatRef::from_repeated_col(own.col(1), 4);
    assert_same(&TensorRef::try_from(repeated).unwrap(), repeated);
    assert_eq!(MatRef::from(TensorRef::try_from(repeated).unwrap()), repeated);
    let complex: Mat<c64> = Mat::from_fn(4, 2, |i, j| Complex::new(i as f64, j as f64));
    assert_eq!(TensorRef::try_from(&complex).unwrap()[[3, 1]], Complex::new(3.0, 1.0));
}

#[test]
fn padding_is_refused_for_reading_and_filled_for_writing() {
    let mut own = matrix(5, 3);
    let help = "\nhelp: a `Mat` pads its columns: borrow all of it with `&mut`, or keep the elements in a `Tensor` and make a \
                `MatRef` of its view";
    assert_eq!(
        TensorRef::try_from(&own).unwrap_err().to_string(),
        format!(
            "a `MatRef`, of extents [5, 3] and strides [1, 8], has gaps, which may be somebody else's to write: axis 1 steps by 8 \
             over 5 elements{help}"
        )
    );
    let (_, right) = own.as_mut().split_at_col_mut(1);
    assert!(
        TensorMut::try_from(right).err().unwrap().to_string().starts_with("a `MatMut`, of extents [5, 2] and strides [1, 8]")
    );
    // A column has no gaps.
    assert_eq!(TensorRef::try_from(own.col(2)).unwrap()[[4]], 42.0);
    assert_eq!(TensorRef::try_from(own.as_ref().subcols(1, 1)).unwrap().extents(), [5, 1]);

    let first = own.as_ptr();
    let mut tensor = TensorMut::try_from(&mut own).unwrap();
    assert_eq!(tensor.strides(), [1, 8]);
    assert_eq!(std::ptr::from_ref(&tensor[[0, 0]]), first);
    // Everything that the slice holds can be read: elements and zeros between them.
    assert!(tensor.located.data.iter().enumerate().all(|(n, &x)| n % 8 < 5 || x == 0.0));
    tensor[[4, 2]] = -1.0;
    let sum = einsum::<f64>("ij->j", &[&tensor.view()]).unwrap();
    assert_eq!(sum.as_slice(), [100.0, 105.0, 67.0]);
    assert_eq!(own[(4, 2)], -1.0);
    assert_eq!(own[(4, 1)], 41.0);
}

#[test]
fn nothing_is_borrowed_of_what_is_empty() {
    for (rows, columns) in [(0, 3), (3, 0), (0, 0)] {
        let mut own = Mat::<f64>::zeros(rows, columns);
        assert_eq!(TensorRef::try_from(&own).unwrap().extents(), [rows, columns]);
        let tensor = TensorMut::try_from(&mut own).unwrap();
        assert_eq!(MatMut::from(tensor).shape(), (rows, columns));
        let ours = Tensor::<f64>::zeros([rows, columns]).unwrap();
        assert_eq!(MatRef::try_from(ours.view().reverse(1).unwrap()).unwrap().shape(), (rows, columns));
    }
    let none = MatRef::from_column_major_slice(&[0.0; 0], 0, usize::MAX);
    let refused = TensorRef::try_from(none).unwrap_err().to_string();
    assert!(refused.ends_with("has more elements than memory can address"), "{refused}");
}

#[test]
fn vectors_are_of_rank_one() {
    let mut column = Col::<f64>::from_fn(5, |i| i as f64);
    let tensor: TensorRef<'_, f64, (Dyn,)> = (&column).into();
    assert_eq!(ColRef::from(tensor.reverse(0).unwrap().into_typed::<(Dyn,)>().unwrap()), column.as_ref().reverse_rows());
    TensorMut::from(&mut column)[[4]] = 7.0;
    assert_eq!(column[4], 7.0);
    let row = Row::<f64>::from_fn(3, |i| i as f64);
    assert_eq!(RowRef::from(TensorRef::from(&row)), row.as_ref());
    assert_eq!(TensorRef::try_from(row.as_ref().reverse_cols()).unwrap()[[0]], 2.0);

    let matrix = mat![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(
        TensorRef::try_from(matrix.row(1)).unwrap_err().to_string(),
        "a `RowRef`, of extents [2] and strides [8], has gaps, which may be somebody else's to write: axis 0 steps by 8 over 1 \
         element\nhelp: copy it with `to_owned()`, or borrow the whole matrix and select with `chip` of the tensor"
    );
}

#[test]
fn views_of_ours_are_written_through_theirs() {
    let mut tensor = Tensor::<f64, (Dyn, Dyn)>::from_fn((4, 6), |i| (i[0] * 6 + i[1]) as f64).unwrap();
    let first = std::ptr::from_ref(&tensor[[0, 0]]);
    let mut whole = MatMut::from(tensor.view_mut());
    assert_eq!((whole.as_ptr(), whole.row_stride(), whole.col_stride()), (first, 6, 1));
    whole[(3, 5)] = -1.0;
    let part = tensor.view_mut().slice(0, 1..3).unwrap().step(1, 2).unwrap().reverse(1).unwrap();
    let mut part = MatMut::try_from(part).unwrap();
    assert_eq!(part.as_ref(), mat![[10.0, 8.0, 6.0], [16.0, 14.0, 12.0]]);
    part[(1, 2)] = -2.0;
    let mut last = ColMut::try_from(tensor.view_mut().chip(1, 5).unwrap()).unwrap();
    last[0] = -3.0;
    assert_eq!((tensor[[3, 5]], tensor[[2, 0]], tensor[[0, 5]]), (-1.0, -2.0, -3.0));

    let cube = Tensor::<f64>::zeros([2, 3, 4]).unwrap();
    assert_eq!(
        MatRef::try_from(cube.view()).unwrap_err().to_string(),
        "a tensor of rank 3 and extents [2, 3, 4] does not become a `MatRef`, which has rank 2"
    );
    assert_eq!(
        ColRef::try_from(Tensor::<f64>::zeros([]).unwrap().view()).unwrap_err().to_string(),
        "a tensor of rank 0 and extents [] does not become a `ColRef`, which has rank 1"
    );
}
