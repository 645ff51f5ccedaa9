//! Which shape type a tensor has, as its constructor's description infers it.

use std::any::TypeId;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Const, Dyn, Extents};

use crate::{Shape, Tensor};

#[test]
fn tensors_infer_their_shape_types() {
    fn type_of<S: Extents>(_: &Tensor<f64, S>) -> TypeId {
        TypeId::of::<S>()
    }
    assert_eq!(type_of(&Tensor::<f64, _>::zeros((3, 4)).unwrap()), TypeId::of::<(Dyn, Dyn)>());
    assert_eq!(type_of(&Tensor::<f64>::zeros([3, 4]).unwrap()), TypeId::of::<Shape>());
    assert_eq!(type_of(&Tensor::zeros([3, 4]).unwrap()), TypeId::of::<Shape>());
    let annotated: Tensor<f64, Shape![3, _]> = Tensor::zeros((Const, 4)).unwrap();
    assert_eq!(annotated.extents(), [3, 4]);
    let all: Tensor<f64, Shape![3, 4]> = Tensor::zeros((Const, Const)).unwrap();
    assert_eq!(all.extents(), [3, 4]);
    let default: Tensor<f64> = Tensor::zeros(vec![3]).unwrap();
    assert_eq!(default.rank(), 1);
}

#[test]
fn generic_constants() {
    fn unit<const N: usize>() -> Result<Tensor<f64, Shape![N, { N }, _]>, Error> {
        Tensor::zeros((Const, Const, 1))
    }
    assert_eq!(unit::<4>().unwrap().extents(), [4, 4, 1]);
}

#[test]
fn no_tensor_is_null() {
    let error = Tensor::<f64>::zeros(Shape::null()).unwrap_err();
    let sentence = "a tensor cannot have the null shape, which has neither axes nor elements";
    assert_eq!(error.to_string(), format!("{sentence}\nhelp: a scalar's shape is `Shape::new([])`"));
    assert_eq!(Tensor::<f64>::zeros(Shape::new([])).unwrap().len(), 1);
}
