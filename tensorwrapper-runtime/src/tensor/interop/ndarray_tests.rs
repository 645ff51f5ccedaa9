//! `ndarray`: values and pointers both ways, refusals, and equations over borrowed arrays.

use ::ndarray::{
    Array, Array1, Array2, Array3, ArrayD, ArrayView, ArrayView1, ArrayView2, ArrayView3, ArrayViewD, ArrayViewMut,
    ArrayViewMut2, ArrayViewMutD, Axis, Ix0, Ix2, IxDyn, array, s,
};
use num_complex::Complex;

use crate::exec::einsum;
use crate::tensor::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::ErrorKind;
use tensorwrapper_core::shape::Dyn;

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|x| x as f64).collect()
}

fn cube() -> Array3<f64> {
    Array::from_shape_vec((2, 3, 4), numbers(24)).unwrap()
}

/// Extents, all elements in C order and the place of the first one agree.
fn assert_same<T: Element>(tensor: &TensorRef<'_, T>, array: &ArrayViewD<'_, T>) {
    assert_eq!(tensor.extents(), array.shape());
    assert!(tensor.elements().eq(array.iter()), "{tensor:?} is not {array:?}");
    if let (Some(ours), Some(theirs)) = (tensor.elements().next(), array.iter().next()) {
        assert_eq!(std::ptr::from_ref(ours), std::ptr::from_ref(theirs));
    }
}

#[test]
fn views_in_every_order_of_axes_and_direction_are_borrowed_and_given_back() {
    let array = cube();
    for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for turned in 0..8 {
            let mut view = array.view().permuted_axes(axes);
            (0..3).filter(|axis| turned >> axis & 1 == 1).for_each(|axis| view.invert_axis(Axis(axis)));
            let tensor: TensorRef<'_, f64, (Dyn, Dyn, Dyn)> = view.try_into().unwrap();
            assert_eq!(tensor.strides(), view.strides());
            assert_same(&tensor.clone().into_dyn(), &view.into_dyn());
            let back = ArrayView3::from(tensor.clone());
            assert_eq!((back.as_ptr(), back.strides()), (view.as_ptr(), view.strides()));
            assert_eq!(back, view);
            assert_same(&tensor.clone().into_dyn(), &ArrayViewD::from(tensor));
        }
    }
}

#[test]
fn every_rank_and_element_type_goes_both_ways() {
    let scalar = Array::<f32, Ix0>::from_elem((), 2.5);
    let tensor: TensorRef<'_, f32, ()> = (&scalar).into();
    assert_eq!(tensor[[]], 2.5);
    assert_eq!(ArrayView::<f32, Ix0>::from(tensor), scalar);

    let vector: Array1<Complex<f64>> = array![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)];
    assert_eq!(ArrayView1::from(TensorRef::from(&vector)), vector);
    assert_eq!(TensorRef::from(&vector)[[1]], Complex::new(3.0, 4.0));

    let any = ArrayD::<Complex<f32>>::from_elem(IxDyn(&[1, 2, 1, 2, 1, 2, 1]), Complex::new(1.0, -1.0));
    let tensor: TensorRef<'_, Complex<f32>> = (&any).into();
    assert_eq!(tensor.rank(), 7);
    assert_same(&tensor, &ArrayViewD::from(tensor.clone()));

    let static_tensor = Tensor::<f64, _>::from_fn((crate::Const::<2>, 3), |i| (i[0] * 3 + i[1]) as f64).unwrap();
    assert_eq!(ArrayView2::from(static_tensor.view()), array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
}

#[test]
fn nothing_is_borrowed_of_what_is_empty() {
    for extents in [[0, 3, 4], [2, 0, 4], [2, 3, 0], [0, 0, 0]] {
        let mut array = Array3::<f64>::zeros(extents);
        let tensor: TensorRef<'_, f64, _> = TensorRef::from(&array);
        assert_eq!((tensor.extents(), tensor.is_empty()), (&extents[..], true));
        assert_eq!(ArrayView3::from(tensor).shape(), extents);
        let tensor = TensorMut::try_from(array.slice_mut(s![..;-1, .., ..;2])).unwrap();
        assert_eq!(ArrayViewMutD::try_from(tensor).unwrap().len(), 0);
        let ours = Tensor::<f64>::zeros(extents).unwrap();
        let turned = ours.view().permute(&[2, 0, 1]).unwrap().reverse(0).unwrap();
        assert_eq!(ArrayViewD::from(turned).shape(), [extents[2], extents[0], extents[1]]);
    }
}

#[test]
fn gaps_of_views_are_refused_and_those_of_whole_arrays_borrowed() {
    let mut array = cube();
    let refused = TensorRef::try_from(array.slice(s![.., ..2, ..])).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Shape(_)));
    assert_eq!(
        refused.to_string(),
        "a view of `ndarray`, of extents [2, 2, 4] and strides [12, 4, 1], has gaps, which may be somebody else's to write: \
         axis 0 steps by 12 over 8 elements\nhelp: copy it with `to_owned()`, or borrow the whole `Array` and select with \
         `slice` and `step` of the tensor"
    );
    let (left, right) = array.view_mut().split_at(Axis(2), 1);
    let refused = [TensorMut::try_from(left).err(), TensorMut::try_from(right).err()];
    assert!(refused.iter().flatten().all(|error| error.to_string().contains("has gaps")), "{refused:?}");
    assert_eq!(refused.iter().flatten().count(), 2);
    // Halves without gaps are borrowed side by side.
    let (above, below) = array.view_mut().split_at(Axis(0), 1);
    let (mut above, below) = (TensorMut::try_from(above).unwrap(), TensorRef::try_from(below.view()).unwrap());
    above[[0, 0, 0]] = below[[0, 2, 3]];
    assert_eq!(array[[0, 0, 0]], 23.0);

    let mut part = cube().slice_move(s![1.., ..;-2, 1..;2]);
    assert_same(&TensorRef::from(&part).into_dyn(), &part.view().into_dyn());
    assert_eq!(TensorRef::from(&part).strides(), part.strides());
    TensorMut::from(&mut part)[[0, 1, 1]] = -1.0;
    assert_eq!(part, array![[[21.0, 23.0], [13.0, -1.0]]]);
}

#[test]
fn repeated_elements_are_read_but_not_written() {
    let row = array![1.0, 2.0, 3.0];
    let repeated = TensorRef::try_from(row.broadcast((2, 3)).unwrap()).unwrap();
    assert_eq!(repeated.strides(), [0, 1]);
    assert_same(&repeated.clone().into_dyn(), &row.broadcast((2, 3)).unwrap().into_dyn());
    assert_eq!(ArrayView2::from(repeated), row.broadcast((2, 3)).unwrap());

    // Strides 2 and 3 interleave without meeting, which is ours to write and not `ndarray`'s.
    let mut elements = numbers(8);
    let tensor = TensorMut::<f64>::strided([3, 2], &[2, 3], 0, &mut elements).unwrap();
    assert_eq!(
        ArrayViewMutD::try_from(tensor).unwrap_err().to_string(),
        "`ndarray` writes through no strides that interleave: extents [3, 2] with strides [2, 3]"
    );
}

#[test]
fn other_ranks_are_refused() {
    let mut tensor = Tensor::<f64>::zeros([2, 3, 4]).unwrap();
    let sentence =
        |name| format!("a tensor of rank 3 and extents [2, 3, 4] does not become a `ndarray::{name}`, which has rank 2");
    assert_eq!(ArrayView2::try_from(tensor.view()).unwrap_err().to_string(), sentence("ArrayView"));
    assert_eq!(ArrayViewMut2::try_from(tensor.view_mut()).unwrap_err().to_string(), sentence("ArrayViewMut"));
}

#[test]
fn views_of_ours_are_written_through_theirs() {
    let mut tensor = Tensor::<f64>::from_fn([4, 6], |i| (i[0] * 6 + i[1]) as f64).unwrap();
    let part = tensor.view_mut().slice(0, 1..3).unwrap().step(1, 2).unwrap().reverse(1).unwrap().permute(&[1, 0]).unwrap();
    let expected = part.view().to_tensor().unwrap();
    let mut view: ArrayViewMut<'_, f64, Ix2> = part.try_into().unwrap();
    assert_eq!(view.shape(), [3, 2]);
    assert!(view.iter().eq(expected.as_slice()));
    view[[0, 1]] = -1.0;
    assert_eq!(tensor[[2, 4]], -1.0);
}

#[test]
fn equations_read_borrowed_arrays() {
    let (a, b) = (cube(), Array2::from_shape_vec((4, 2), numbers(8)).unwrap());
    // Reversed and transposed, so that strides of both signs and orders meet the kernels.
    let (a_view, b_view) = (a.slice(s![..;-1, .., ..]).permuted_axes([2, 0, 1]), b.t());
    let (a_ref, b_ref) = (TensorRef::try_from(a_view).unwrap(), TensorRef::try_from(b_view).unwrap());
    let c = einsum::<f64>("kij,lk->ijl", &[&a_ref, &b_ref]).unwrap();
    let expected = Array3::from_shape_fn((2, 3, 2), |(i, j, l)| (0..4).map(|k| a_view[[k, i, j]] * b_view[[l, k]]).sum::<f64>());
    assert_eq!(ArrayViewD::from(c.view()), expected.into_dyn());
}
