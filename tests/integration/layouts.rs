//! Tensors in other layouts as operands and targets of equations: the values are those of the same tensors in C order.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{AnyTensor, Fill, Layout};

type C64 = Complex<f64>;

fn numbers(extents: [usize; 2], salt: f64) -> Tensor<C64, Shape![_, _]> {
    let number = |i: &[usize]| C64::new((3 * i[0] + i[1]) as f64 + salt, i[0] as f64 - salt * i[1] as f64);
    Tensor::from_fn((extents[0], extents[1]), number).expect("memory for a few numbers")
}

fn layouts() -> Vec<Layout> {
    ["{1,0}", "{0,1}", "{1,0:W(5,7;1)}", "{0,1:W(6,5)}"].map(|text| text.parse().expect("a layout")).to_vec()
}

fn stored(tensor: &Tensor<C64, Shape![_, _]>, layout: &Layout) -> Tensor<C64, Shape![_, _]> {
    tensor.clone().relayout(layout).expect("memory for a copy").0
}

/// One place in the program for all of them, so that plans of other layouts are at hand and must not be taken.
fn equation(a: &Tensor<C64, Shape![_, _]>, b: &Tensor<C64, Shape![_, _]>) -> Tensor<C64, Shape![_, _]> {
    tensor!([i, j] = conj(a[i, k]) * b[k, j] - 2.0 * a[j, i] / b[i, j])
}

#[test]
fn operands_in_all_layouts() {
    let (a, b) = (numbers([4, 4], 0.5), numbers([4, 4], 1.5));
    let expected = equation(&a, &b);
    for _ in 0..2 {
        for left in layouts() {
            for right in layouts() {
                let found = equation(&stored(&a, &left), &stored(&b, &right));
                for (x, y) in found.as_slice().iter().zip(expected.as_slice()) {
                    assert!((x - y).norm() < 1e-12 * (1.0 + y.norm()), "{left} and {right}: {x} instead of {y}");
                }
            }
        }
    }
}

#[test]
fn targets_in_all_layouts() {
    let (a, b) = (numbers([3, 4], 0.5), numbers([3, 4], 1.5));
    for layout in layouts() {
        let mut plain = a.clone();
        let mut other = stored(&a, &layout);
        let before = other.memory().len();
        for c in [&mut plain, &mut other] {
            tensor!(c[i, j] += b[i, j]);
            tensor!(c[i in 1..3, 2] *= b[i in 0..2, 0]);
            tensor!(c[0, j] = b[2, j] * 3.0);
            let old = c.clone();
            tensor!(c[i, j] = old[i, j] * b[i, k] * conj(old[l, k]) * b[l, j]);
        }
        assert_eq!(other, plain, "{layout}");
        assert_eq!((other.layout(), other.memory().len()), (layout.clone(), before));
        let padding = other.physical();
        let rest = (0..before).filter(|&position| padding.index_at(position).expect("inside of the memory").is_none());
        let fill = if layout.fill() == Fill::One { C64::new(1.0, 0.0) } else { C64::new(0.0, 0.0) };
        assert!(rest.clone().all(|position| other.memory()[position] == fill), "{layout}: padding stays");
        assert_eq!(rest.count(), before - 12);
    }
}

#[test]
fn files_casts_and_texts_do_not_depend_on_layouts() {
    let plain = Tensor::<f32>::from_fn([2, 3], |i| (10 * i[0] + i[1]) as f32).expect("six numbers");
    let (other, _) = plain.clone().relayout(&"{0,1:W(4,4;inf)}".parse().expect("a layout")).expect("sixteen numbers");
    assert_eq!(other.to_string(), plain.to_string());
    assert_eq!(other.cast::<f64>().expect("six numbers").as_slice(), plain.cast::<f64>().expect("six numbers").as_slice());
    let folder = std::env::temp_dir().join(format!("tensorwrapper-layouts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let path = folder.join("t.npy");
    other.write_npy(&path).expect("a file");
    let read: Tensor<f32> = AnyTensor::read_npy(&path).and_then(AnyTensor::into_tensor).expect("the same file");
    assert_eq!(read.as_slice(), plain.as_slice());
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
