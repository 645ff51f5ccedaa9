//! Constructors, access, conversions between typed, untyped and erased.

use num_complex::Complex;

use crate::*;
use tensorwrapper_core::layout::Strided;

fn sentence<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => panic!("this should have been refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn constructors_agree() {
    let counted = Tensor::<f64, _>::from_fn((2, 3), |i| (3 * i[0] + i[1]) as f64).unwrap();
    let given = Tensor::from_vec([2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let copied = Tensor::from_slice((Const::<2>, 3), given.as_slice()).unwrap();
    assert_eq!(counted, given);
    assert_eq!(counted, copied);
    assert_eq!(Tensor::<f32, _>::zeros((4,)).unwrap(), Tensor::filled([4], 0.0).unwrap());
    assert_ne!(counted.clone().into_dyn(), Tensor::zeros([2, 3]).unwrap());
    assert_ne!(Tensor::<f64, _>::zeros([2, 3]).unwrap(), Tensor::<f64, _>::zeros([3, 2]).unwrap());
    assert_eq!(copied.into_vec(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn questions() {
    let t = Tensor::<Complex<f32>, _>::zeros((2, Const::<3>, 0)).unwrap();
    assert_eq!((t.rank(), t.len(), t.is_empty(), t.dtype()), (3, 0, true, Dtype::C32));
    assert_eq!((t.extents(), t.shape()), (&[2, 3, 0][..], Shape::new([2, 3, 0])));
    assert_eq!((t.as_slice().len(), t.view().elements().count()), (0, 0));
    let scalar = Tensor::scalar(2.5);
    assert_eq!((scalar.rank(), scalar.len(), scalar.is_empty(), scalar[[]]), (0, 1, false, 2.5));
    assert_eq!(scalar, Tensor::<f64, _>::filled([], 2.5).unwrap());
}

#[test]
fn access_through_indices() {
    let mut t = Tensor::<f64, _>::from_fn((2, 3), |i| (3 * i[0] + i[1]) as f64).unwrap();
    assert_eq!((t.get(&[1, 2]), t.get(&[1, 3]), t.get(&[1]), t[[0, 1]]), (Some(5.0), None, None, 1.0));
    t[[1, 0]] = -1.0;
    *t.get_mut(&[0, 0]).unwrap() = 7.0;
    t.view_mut()[[0, 1]] += 1.0;
    t.as_mut_slice()[5] = 9.0;
    assert_eq!(t.as_slice(), [7.0, 2.0, 2.0, -1.0, 4.0, 9.0]);
    assert!(t.get_mut(&[2, 0]).is_none());
}

#[test]
#[should_panic(expected = "index [1, 3] is out of range for a tensor of extents [2, 3]")]
fn index_out_of_range() {
    let _ = Tensor::<f64, _>::zeros((2, 3)).unwrap()[[1, 3]];
}

#[test]
#[should_panic(expected = "index [1] has 1 entry, but the tensor has rank 2 with extents [2, 3]")]
fn index_of_another_rank() {
    Tensor::<f64, _>::zeros((2, 3)).unwrap().view_mut()[[1]] = 1.0;
}

#[test]
fn wrong_lengths_are_told() {
    let two_by_three = |given: usize| sentence(Tensor::from_vec([2, 3], vec![0.0; given]));
    assert_eq!(two_by_three(5), "extents [2, 3] need 6 elements, but 5 are given");
    assert_eq!(two_by_three(1), "extents [2, 3] need 6 elements, but 1 is given");
    assert_eq!(sentence(Tensor::from_slice((), &[1.0, 2.0])), "extents [] need 1 element, but 2 are given");
    assert_eq!(sentence(TensorRef::from_slice([0, 3], &[1.0])), "extents [0, 3] need 0 elements, but 1 is given");
}

#[test]
fn extents_must_fit_the_type() {
    let made = Tensor::<f64, _>::zeros([2, 3]).unwrap();
    assert_eq!(sentence(made.clone().into_typed::<Shape![3, _]>()), "axis 0 has extent 2, but 3 by its type");
    assert_eq!(sentence(made.clone().into_typed::<Shape![_]>()), "extents [2, 3] are of rank 2, but the type is of rank 1");
    assert!(sentence(made.view().into_typed::<Shape![2, 4]>()).contains("axis 1 has extent 3, but 4"));
    let typed: Tensor<f64, Shape![2, _]> = made.into_typed().unwrap();
    assert_eq!(typed.into_dyn().extents(), [2, 3]);
}

#[test]
fn memory_is_refused_and_not_aborted() {
    let huge = 1usize << 58;
    let made: [Result<Tensor<f64>, Error>; 3] =
        [Tensor::zeros([huge]), Tensor::filled([huge], 1.0), Tensor::from_fn([huge], |_| 1.0)];
    for result in made {
        assert_eq!(*result.unwrap_err().kind(), ErrorKind::Memory { bytes: 1 << 61 });
    }
    let beyond = Tensor::<f64, _>::zeros([1 << 62, 4]).unwrap_err();
    assert_eq!(beyond.to_string(), format!("a tensor of extents [{}, 4] has more elements than memory can address", 1u64 << 62));
    assert!(matches!(Tensor::<f64, _>::zeros([usize::MAX]).unwrap_err().kind(), ErrorKind::Shape(_)));
    let broadcast = TensorRef::strided([1 << 60], &[0], 0, &[1.0]).unwrap();
    assert!(matches!(broadcast.to_tensor().unwrap_err().kind(), ErrorKind::Memory { .. }));
}

#[test]
fn erased_and_back() {
    let t = Tensor::<f32, _>::from_fn((2, 2), |i| (i[0] + i[1]) as f32).unwrap();
    let any = AnyTensor::from(t.clone());
    assert_eq!((any.dtype(), any.extents(), any.rank(), any.len()), (Dtype::F32, &[2, 2][..], 2, 4));
    assert_eq!(any.view::<f32>().unwrap(), t.view());
    let error = any.view::<f64>().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Element { expected: Dtype::F64, found: Dtype::F32 });
    assert_eq!(error.to_string(), "elements are `f32` where `f64` is needed");
    assert_eq!(any, any.clone());
    assert_ne!(any, AnyTensor::from(Tensor::<f64, _>::zeros([2, 2]).unwrap()));
    assert!(any.clone().into_tensor::<Complex<f32>>().is_err());
    assert_eq!(any.into_tensor::<f32>().unwrap(), t);
}

#[test]
fn erased_views_reach_the_same_elements() {
    let mut t = Tensor::<f64, _>::from_fn((2, 3), |i| (3 * i[0] + i[1]) as f64).unwrap();
    let column = {
        // The erased view outlives the typed one it was made from.
        let view = t.view().chip(1, 2).unwrap();
        view.erase()
    };
    assert_eq!((column.layout.extents(), column.layout.offset(), column.dtype()), (&[2][..], 2, Dtype::F64));
    assert_eq!(t.erase().layout, Strided::row_major(&[2, 3]).unwrap());
    t.parts_mut().0[0] = 9.0;
    assert_eq!(t.view_mut().chip(0, 1).unwrap().located().1.offset(), 3);
    assert_eq!(t[[0, 0]], 9.0);
    let any = AnyTensor::from(t);
    assert_eq!(any.erase().data.len(), 6);
}

#[test]
fn placement_and_preference_are_separate() {
    let cuda = ComputeDevice::Cuda { ordinal: 1 };
    let t = Tensor::<f64, _>::zeros((2, 2)).unwrap();
    assert_eq!((t.placement(), t.preferred_compute_device()), (&Placement::HOST, None));
    let t = t.with_preferred_compute_device(cuda);
    assert_eq!(t.placement(), &Placement::HOST);
    let view = t.view();
    assert_eq!(view.chip(0, 1).unwrap().preferred_compute_device(), Some(cuda));
    assert_eq!(view.to_tensor().unwrap().preferred_compute_device(), Some(cuda));
    let any = AnyTensor::from(t);
    assert_eq!((any.placement(), any.preferred_compute_device()), (&Placement::HOST, Some(cuda)));
    let t = any.into_tensor::<f64>().unwrap().with_preferred_compute_device(None);
    assert_eq!(t.preferred_compute_device(), None);
    assert_eq!((cuda.to_string(), ComputeDevice::Cpu { ordinal: 0 }.ordinal()), ("cuda:1".to_string(), 0));
}
