//! Static tensors themselves: made, read, written, shown, turned into tensors and back.

use tensorwrapper::prelude::*;

const UNIT: StaticTensor<f64, Shape![2, 2]> = StaticTensor::new([[1.0, 0.0], [0.0, 1.0]]);
static COUNTS: StaticTensor<f32, Shape![3]> = StaticTensor::new([1.0, 2.0, 3.0]);

#[test]
fn constants_are_operands() {
    assert_eq!(tensor!([j, i] = UNIT[i, j]), UNIT);
    assert_eq!(tensor!([] = COUNTS[i] * COUNTS[i]), 14.0);
}

#[test]
fn elements_are_stored_inline() {
    assert_eq!(size_of::<StaticTensor<f64, Shape![3, 4]>>(), 96);
    assert_eq!(size_of::<StaticTensor<f32, Shape![]>>(), 4);
}

#[test]
fn elements_by_index() {
    let mut t: StaticTensor<f64, Shape![2, 3]> = StaticTensor::from_fn(|i| (10 * i[0] + i[1]) as f64);
    t[[1, 2]] += 0.5;
    assert_eq!((t[[1, 2]], t.get(&[1, 0]), t.get(&[2, 0]), t.get(&[0])), (12.5, Some(10.0), None, None));
    *t.get_mut(&[0, 0]).unwrap() = 7.0;
    assert_eq!(t.into_nested(), [[7.0, 1.0, 2.0], [10.0, 11.0, 12.5]]);
    assert_eq!((t.extents(), t.rank(), t.len(), t.is_empty()), (&[2, 3][..], 2, 6, false));
    let message = std::panic::catch_unwind(|| t[[2, 0]]).unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert_eq!(message, "index [2, 0] is out of range for a tensor of extents [2, 3]");
}

#[test]
fn debug_output_equals_that_of_tensors() {
    let tensor = UNIT.to_tensor().unwrap();
    assert_eq!(UNIT.to_string(), tensor.to_string());
    assert_eq!(format!("{UNIT:?}"), format!("Static{tensor:?}"));
}

#[test]
fn tensors_and_back() {
    let tensor: Tensor<f64, Shape![2, 2]> = UNIT.to_tensor().unwrap();
    assert_eq!(UNIT, tensor);
    assert_eq!(StaticTensor::<f64, Shape![2, 2]>::try_from(tensor.into_dyn()), Ok(UNIT));
    let numbers = Tensor::<f64>::from_fn([2, 3], |i| (3 * i[0] + i[1]) as f64).unwrap();
    let columns: StaticTensor<f64, Shape![3, 2]> = numbers.view().permute(&[1, 0]).unwrap().try_into().unwrap();
    assert_eq!(columns.as_slice(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let error = StaticTensor::<f64, Shape![2, 2]>::try_from(&numbers).unwrap_err();
    assert_eq!(error.to_string(), "axis 1 has extent 3, but 2 by its type");
    assert_eq!(StaticTensor::<f64, Shape![2]>::default().as_slice(), [0.0; 2]);
    let mut written = UNIT;
    written.view_mut()[[0, 1]] = 3.0;
    assert_eq!(written.view(), StaticTensor::new([[1.0, 3.0], [0.0, 1.0]]).view());
}
