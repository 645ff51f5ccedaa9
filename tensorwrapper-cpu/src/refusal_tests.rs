//! What a prepared contraction refuses, on every device.

use num_complex::Complex;

use crate::Cpu;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Contraction, Device, LoopNest, PreparedContraction};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::layout::Strided;

/// A product of 2 x 2 matrices, prepared.
fn product(device: &dyn Device) -> PreparedContraction {
    let nest = LoopNest::new(vec![2, 2, 2], 2);
    let layout = |strides: &[isize]| Strided::within(&[2, 2, 2][..strides.len()], strides, 0, 4).unwrap();
    let (left, right, output) = (layout(&[2, 0, 1]), layout(&[0, 1, 2]), layout(&[2, 1]));
    let factors = [(&left, false), (&right, false)];
    let contraction = Contraction {
        nest: &nest,
        alpha: Complex::ONE,
        dtype: Dtype::F64,
        factors: &factors,
        output: &output,
        then: None,
        others: &[],
    };
    device.prepare(&contraction).unwrap()
}

/// Whether a run on that much memory, of that type, is refused.
fn is_refused<T: Element>([left, right, out]: [usize; 3], factors: usize) -> bool {
    let refused = |device: &dyn Device| {
        let run = || {
            let memory = [vec![T::ONE; left], vec![T::ONE; right]];
            let factors: Vec<_> = memory[..factors].iter().map(|data| T::erase(data)).collect();
            let mut output = vec![T::ZERO; out];
            product(device).run(device, &factors, T::erase_mut(&mut output)).unwrap();
            assert_eq!(output[..4], [T::from_complex(2.0.into()); 4]);
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err()
    };
    let answers = [refused(&Cpu::new(Some(1))), refused(&Reference)];
    assert_eq!(answers[0], answers[1]);
    answers[0]
}

#[test]
fn memory_that_is_too_small_or_of_another_type_is_refused() {
    assert!(!is_refused::<f64>([4, 4, 4], 2));
    assert!(!is_refused::<f64>([5, 4, 9], 2));
    for short in [[3, 4, 4], [4, 3, 4], [4, 4, 3], [0, 4, 4]] {
        assert!(is_refused::<f64>(short, 2), "{short:?}");
    }
    assert!(is_refused::<f64>([4, 4, 4], 1));
    assert!(is_refused::<f32>([8, 8, 8], 2));
}
