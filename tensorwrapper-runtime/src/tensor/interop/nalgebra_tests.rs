//! `nalgebra`: values and pointers both ways, and refusals.

use ::nalgebra::{
    DMatrix, DMatrixView, DMatrixViewMut, DVector, DVectorView, Dyn as Dynamic, MatrixView, MatrixXx3, SMatrix, SVector, U1, U2,
    U3,
};
use num_complex::Complex;

use crate::exec::einsum;
use crate::tensor::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::shape::{Const, Dyn};

type Strided<'a> = DMatrixView<'a, f64, Dynamic, Dynamic>;

fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| (10 * i + j) as f64)
}

#[test]
fn matrices_are_borrowed_whole_and_given_back() {
    let mut own = matrix(3, 4);
    let tensor: TensorRef<'_, f64, (Dyn, Dyn)> = (&own).try_into().unwrap();
    assert_eq!((tensor.extents(), tensor.strides(), tensor[[2, 1]]), (&[3, 4][..], &[1, 3][..], 21.0));
    assert_eq!(std::ptr::from_ref(&tensor[[0, 0]]), own.as_ptr());
    let back = DMatrixView::<f64>::try_from(tensor.clone()).unwrap();
    assert_eq!((back.as_ptr(), back), (own.as_ptr(), own.columns(0, 4)));
    assert_eq!(MatrixView::<f64, U3, Dynamic>::try_from(tensor).unwrap().column(3), own.column(3));
    let mut tensor = TensorMut::try_from(&mut own).unwrap();
    tensor[[0, 3]] = -1.0;
    DMatrixViewMut::<f64>::try_from(tensor).unwrap()[(2, 0)] = -2.0;
    assert_eq!((own[(0, 3)], own[(2, 0)]), (-1.0, -2.0));

    let three = MatrixXx3::from_fn(2, |i, j| Complex::new(i as f32, j as f32));
    let tensor: TensorRef<'_, Complex<f32>, (Dyn, Const<3>)> = (&three).try_into().unwrap();
    assert_eq!(tensor[[1, 2]], Complex::new(1.0, 2.0));
}

#[test]
fn constants_of_theirs_are_constants_of_ours() {
    let mut own = SMatrix::<f64, 2, 3>::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    let tensor: TensorRef<'_, f64, (Const<2>, Const<3>)> = TensorRef::from(&own);
    assert!(tensor.elements().eq(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(MatrixView::<f64, U2, U3>::try_from(tensor).unwrap(), own);
    TensorMut::from(&mut own)[[1, 0]] = 7.0;
    assert_eq!(own[(1, 0)], 7.0);
    let vector = SVector::<f64, 3>::new(1.0, 2.0, 3.0);
    let _: TensorRef<'_, f64, (Const<3>, Const<1>)> = (&vector).into();
    let of_rank_one: TensorRef<'_, f64, (Const<3>,)> = (&vector).into();
    let product = einsum::<f64>("ij,j->i", &[&TensorRef::from(&own), &of_rank_one]).unwrap();
    assert_eq!(product.as_slice(), [14.0, 35.0]);
}

#[test]
fn columns_are_vectors_or_matrices() {
    let mut own = DVector::from_vec(vec![1.0, 2.0, 3.0]);
    let vector: TensorRef<'_, f64, (Dyn,)> = (&own).into();
    let column: TensorRef<'_, f64, (Dyn, Const<1>)> = (&own).try_into().unwrap();
    assert_eq!((vector.extents(), column.extents()), (&[3][..], &[3, 1][..]));
    assert_eq!(DVectorView::<f64>::try_from(vector).unwrap(), own);
    assert_eq!(DVectorView::<f64>::try_from(column).unwrap(), own);
    let mut vector: TensorMut<'_, f64, (Dyn,)> = (&mut own).into();
    vector[[2]] = 5.0;
    assert_eq!(own[2], 5.0);

    let matrix = matrix(3, 4);
    let view: TensorRef<'_, f64, (Dyn,)> = matrix.column(1).try_into().unwrap();
    assert!(view.elements().eq(&[1.0, 11.0, 21.0]));
    // A strided row of ours is a column of theirs.
    let tensor = Tensor::<f64>::from_fn([3, 4], |i| (10 * i[0] + i[1]) as f64).unwrap();
    let strided = DVectorView::<f64, Dynamic, Dynamic>::try_from(tensor.view().chip(1, 1).unwrap()).unwrap();
    assert_eq!(strided, matrix.column(1));
}

#[test]
fn views_are_borrowed_where_they_have_no_gaps() {
    let mut own = matrix(4, 6);
    let columns = TensorRef::try_from(own.columns(1, 3));
    let columns: TensorRef<'_, f64, (Dyn, Dyn)> = columns.unwrap();
    assert_eq!((columns.extents(), columns[[3, 2]]), (&[4, 3][..], 33.0));
    let refused: Result<TensorRef<'_, f64, (Dyn, Dyn)>, _> = own.rows(1, 2).try_into();
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a view of `nalgebra`, of extents [2, 6] and strides [1, 4], has gaps, which may be somebody else's to write: axis 1 \
         steps by 4 over 2 elements\nhelp: copy it with `clone_owned()`, or borrow the whole matrix and select with `slice` and \
         `step` of the tensor"
    );
    let mut columns: TensorMut<'_, f64, (Dyn, Dyn)> = own.columns_mut(2, 2).try_into().unwrap();
    columns[[0, 0]] = -1.0;
    assert_eq!(own[(0, 2)], -1.0);
}

#[test]
fn what_their_strides_cannot_say_is_refused() {
    let tensor = Tensor::<f64>::from_fn([3, 4], |i| (10 * i[0] + i[1]) as f64).unwrap();
    let sentence = |view: TensorRef<'_, f64>| Strided::try_from(view).unwrap_err().to_string();
    let walks = "`nalgebra` walks no axis backwards or in place: axis";
    assert_eq!(sentence(tensor.view().reverse(0).unwrap()), format!("{walks} 0 of extents [3, 4] and strides [-4, 1]"));
    let row = tensor.view().chip(0, 0).unwrap();
    assert_eq!(sentence(row.repeat(0, 2).unwrap()), format!("{walks} 0 of extents [2, 4] and strides [0, 1]"));
    assert_eq!(sentence(row), "a tensor of rank 1 and extents [4] does not become a `nalgebra::Matrix`, which has rank 2");
    assert_eq!(
        DMatrixView::<f64>::try_from(tensor.view()).unwrap_err().to_string(),
        "the tensor has 4 elements from row to row, but 1 by the type of the matrix"
    );
    assert_eq!(
        MatrixView::<f64, U2, Dynamic, Dynamic, U1>::try_from(tensor.view()).unwrap_err().to_string(),
        "the tensor has 3 rows, but 2 by the type of the matrix"
    );
}

#[test]
fn every_selection_of_ours_reads_alike_in_theirs() {
    let tensor = Tensor::<f64>::from_fn([4, 6], |i| (10 * i[0] + i[1]) as f64).unwrap();
    let all = tensor.view();
    let selections = [
        all.clone(),
        all.permute(&[1, 0]).unwrap(),
        all.step(1, 4).unwrap().step(0, 3).unwrap(),
        all.slice(0, 3..).unwrap(),
        all.slice(1, 5..).unwrap(),
        // Steps that are never taken, whatever they are.
        all.slice(0, 1..2).unwrap().reverse(0).unwrap(),
        all.chip(0, 2).unwrap().repeat(0, 1).unwrap(),
        all.chip(1, 2).unwrap().repeat(1, 1).unwrap(),
        all.slice(0, 2..2).unwrap(),
        all.slice(1, 2..2).unwrap().reverse(0).unwrap(),
    ];
    for view in selections {
        let theirs = Strided::try_from(view.clone()).unwrap();
        assert_eq!(theirs.shape(), (view.extents()[0], view.extents()[1]));
        let in_columns = view.permute(&[1, 0]).unwrap();
        assert!(theirs.iter().eq(in_columns.elements()), "{theirs} is not {view:?}");
        assert!(theirs.iter().rev().eq(in_columns.elements().collect::<Vec<_>>().into_iter().rev()));
        assert!(
            theirs.column_iter().flat_map(|column| column.iter().copied().collect::<Vec<_>>()).eq(in_columns.elements().copied())
        );
    }
}

#[test]
fn nothing_is_borrowed_of_what_is_empty() {
    for (rows, columns) in [(0, 3), (3, 0), (0, 0)] {
        let mut own = DMatrix::<f64>::zeros(rows, columns);
        assert_eq!(TensorRef::try_from(&own).unwrap().extents(), [rows, columns]);
        let tensor = TensorMut::try_from(&mut own).unwrap();
        assert_eq!(DMatrixViewMut::<f64>::try_from(tensor).unwrap().shape(), (rows, columns));
    }
    let refused = TensorRef::try_from(&DMatrix::<f64>::from_vec(0, usize::MAX, vec![])).unwrap_err().to_string();
    assert!(refused.ends_with("has more elements than memory can address"), "{refused}");
}
