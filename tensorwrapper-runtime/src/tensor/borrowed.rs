//! Tensors borrowed as views whose type says less of the shape: how functions take tensors of any type that is precise enough.

use super::dense::Tensor;
use super::fixed::StaticTensor;
use super::view::TensorRef;
use super::view_mut::TensorMut;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{AtLeast, Extents, StaticExtents};
use tensorwrapper_core::stored::Stored;

impl<'a, T: Stored, S: AtLeast<S2>, S2: Extents> From<&'a Tensor<T, S>> for TensorRef<'a, T, S2> {
    fn from(tensor: &'a Tensor<T, S>) -> TensorRef<'a, T, S2> {
        TensorRef::from_located(tensor.view().located)
    }
}

impl<'a, T: Stored, S: AtLeast<S2>, S2: Extents> From<&TensorRef<'a, T, S>> for TensorRef<'a, T, S2> {
    fn from(view: &TensorRef<'a, T, S>) -> TensorRef<'a, T, S2> {
        TensorRef::from_located(view.clone().located)
    }
}

impl<'a, T: Stored, S: AtLeast<S2>, S2: Extents> From<&'a mut Tensor<T, S>> for TensorMut<'a, T, S2> {
    fn from(tensor: &'a mut Tensor<T, S>) -> TensorMut<'a, T, S2> {
        TensorMut::from_located(tensor.view_mut().located)
    }
}

impl<'a, T: Element, S: StaticExtents + AtLeast<S2>, S2: Extents> From<&'a StaticTensor<T, S>> for TensorRef<'a, T, S2> {
    fn from(tensor: &'a StaticTensor<T, S>) -> TensorRef<'a, T, S2> {
        TensorRef::from_located(tensor.view().located)
    }
}

impl<'a, T: Element, S: StaticExtents + AtLeast<S2>, S2: Extents> From<&'a mut StaticTensor<T, S>> for TensorMut<'a, T, S2> {
    fn from(tensor: &'a mut StaticTensor<T, S>) -> TensorMut<'a, T, S2> {
        TensorMut::from_located(tensor.view_mut().located)
    }
}
