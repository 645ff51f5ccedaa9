//! What tensors look like in print.

use num_complex::Complex;

use crate::*;

fn shown(extents: &[usize], elements: &[f64]) -> String {
    TensorRef::from_slice(extents, elements).unwrap().to_string()
}

#[test]
fn columns_are_aligned() {
    assert_eq!(shown(&[3], &[1.0, 2.0, 3.0]), "[1, 2, 3]");
    assert_eq!(shown(&[2, 2], &[1.0, -2.5, 10.25, 0.0]), "[[ 1.00, -2.50],\n [10.25,  0.00]]");
    assert_eq!(shown(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]), "[[[1, 2]],\n\n [[3, 4]]]");
    assert_eq!(shown(&[], &[2.5]), "2.5");
    assert_eq!(shown(&[0], &[]), "[]");
    assert_eq!(shown(&[3, 0, 2], &[]), "[]");
}

#[test]
fn eight_significant_digits() {
    assert_eq!(shown(&[], &[1.0 / 3.0]), "0.33333333");
    assert_eq!(shown(&[], &[0.1 + 0.2]), "0.3");
    assert_eq!(shown(&[], &[99_999_999.9]), "1e8");
    assert_eq!(shown(&[], &[12_345_678.0]), "12345678");
    assert_eq!(shown(&[], &[123_456_789.0]), "1.2345679e8");
    assert_eq!(shown(&[], &[0.000_123_456_78]), "0.00012345678");
    assert_eq!(shown(&[], &[0.000_012_5]), "1.25e-5");
    assert_eq!(shown(&[], &[-f64::MIN_POSITIVE]), "-2.2250739e-308");
    assert_eq!(shown(&[2], &[0.000_123_456_78, 12.0]), "[ 0.00012346, 12.00000000]");
    assert_eq!(shown(&[3], &[1e-3, 1.0, 1e6]), "[1e-3,  1e0,  1e6]");
    assert_eq!(shown(&[2], &[1.5e10, 2.0]), "[1.5e10,  2.0e0]");
    assert_eq!(shown(&[2], &[0.999_999_999, 100.0]), "[  1, 100]");
    assert_eq!(shown(&[], &[-0.0]), "-0");
    assert_eq!(Tensor::scalar(0.1f32).to_string(), "0.1");
    assert_eq!(Tensor::scalar(f32::MAX).to_string(), "3.4028235e38");
}

#[test]
fn digits_are_the_numbers_own() {
    let root = 1.0 + 3f64.sqrt();
    assert_eq!(shown(&[2], &[root, 0.125_456_78]), "[2.73205081, 0.12545678]");
    assert_eq!(shown(&[2], &[100_000.123_456_789, 0.123_456_789]), "[100000.12345679,      0.12345679]");
    // The subnormal with one digit has no zeros behind it: the next eight would be 9406564.
    assert_eq!(shown(&[2], &[5e-324, 1.5]), "[5e-324,  1.5e0]");
    assert_eq!(shown(&[2], &[5e-324, 1.125]), "[ 5e-324, 1.125e0]");
    // Zeros are shown where they are true; numbers of single precision have fewer digits.
    assert_eq!(shown(&[2], &[0.1, 0.123_456_78]), "[0.10000000, 0.12345678]");
    let single = Tensor::from_slice([3], &[16_777.2f32, 0.123_456_79, 0.1]).unwrap();
    assert_eq!(single.to_string(), "[16777.2       ,     0.12345679,     0.10000000]");
    let z = Tensor::from_slice([2], &[Complex::new(16_777.2f32, 0.123_456_79), Complex::new(1.0, -16_777.2)]).unwrap();
    assert_eq!(z.to_string(), "[16777.2+0.12345679i, 1.00000000-16777.2i]");
}

#[test]
fn scientific_notation_reads_back() {
    let elements = [1.0 / 3.0, -2.0f64.sqrt(), 0.0, -0.0, 5e-324, f64::MAX, f64::NAN, f64::NEG_INFINITY];
    let text = format!("{:e}", TensorRef::from_slice([8], &elements).unwrap());
    let read: Vec<f64> = text.trim_matches(['[', ']']).split(',').map(|cell| cell.trim().parse().unwrap()).collect();
    assert!(read.iter().zip(elements).all(|(read, x)| read.to_bits() == x.to_bits()), "{text}");
    assert_eq!(format!("{:e}", Tensor::scalar(0.1f32)), "1e-1");
    let t = Tensor::from_slice([3], &[1.0f64 / 3.0, 10.0, f64::INFINITY]).unwrap();
    assert_eq!(format!("{t:.3e}"), "[3.333e-1,  1.000e1,      inf]");
    assert_eq!(format!("{t:.1E}"), "[3.3E-1,  1.0E1,    inf]");
    assert_eq!(format!("{:e}", Tensor::scalar(Complex::new(0.1f32, -2.5))), "1e-1-2.5e0i");
    let texts = [format!("{t:.2e}"), format!("{:.2e}", t.view()), format!("{:.2e}", t.clone().view_mut())];
    assert!(texts.iter().all(|text| *text == format!("{:.2e}", AnyTensor::from(t.clone()))), "{texts:?}");
    let fixed: StaticTensor<f64, Shape![3]> = (&t).try_into().unwrap();
    assert_eq!([format!("{fixed:.2e}"), format!("{fixed:+.2}")], [texts[0].clone(), format!("{t:+.2}")]);
}

#[test]
fn signs_and_widths() {
    let t = Tensor::from_slice([5], &[1.5f64, -2.0, -0.0, f64::NAN, f64::INFINITY]).unwrap();
    assert_eq!(format!("{t:+}"), "[+1.5, -2.0, -0.0,  NaN, +inf]");
    assert_eq!(format!("{t:+.0e}"), "[+2e0, -2e0, -0e0,  NaN, +inf]");
    assert_eq!(format!("{t:6.1}"), "[   1.5,   -2.0,   -0.0,    NaN,    inf]");
    assert_eq!(format!("{:+.1}", Tensor::scalar(Complex::new(1.0, 2.0))), "+1.0+2.0i");
}

#[test]
fn digits_asked_for() {
    assert_eq!(format!("{:.8}", Tensor::scalar(1.0 + 3f64.sqrt())), "2.73205081");
    assert_eq!(format!("{:.2}", Tensor::scalar(-0.001)), "-0.00");
    let t = Tensor::from_slice([2], &[1.0f64 / 3.0, 10.0]).unwrap();
    assert_eq!(format!("{t:.3}"), "[ 0.333, 10.000]");
    assert_eq!(format!("{:.12}", t.view().chip(0, 0).unwrap()), "0.333333333333");
    assert!(format!("{t:.0?}").ends_with("[ 0, 10]"));
}

#[test]
fn absurdly_many_axes() {
    let t = Tensor::<f64, _>::filled(vec![1; 100_000], 1.0).unwrap();
    assert_eq!(t.to_string(), "[... 1 element in 100000 axes ...]");
    assert_eq!(t.view().to_tensor().unwrap(), t);
}

#[test]
fn infinities_and_nan() {
    assert_eq!(shown(&[4], &[f64::NAN, 1.5, f64::NEG_INFINITY, f64::INFINITY]), "[ NaN,  1.5, -inf,  inf]");
    assert_eq!(shown(&[1], &[f64::NAN]), "[NaN]");
}

#[test]
fn complex_numbers() {
    let z = [Complex::new(1.0, 2.0), Complex::new(-0.5, -1.25), Complex::new(0.0, f64::INFINITY)];
    assert_eq!(Tensor::from_slice([3], &z).unwrap().to_string(), "[ 1.00+2.00i, -0.50-1.25i,   0.00+infi]");
    assert_eq!(Tensor::scalar(Complex::new(1.0f32, 2.0)).to_string(), "1+2i");
}

#[test]
fn debug_has_a_head() {
    let t = Tensor::<f64, _>::zeros((2, 3)).unwrap();
    assert_eq!(format!("{t:?}"), "Tensor<f64, extents [2, 3]>\n[[0, 0, 0],\n [0, 0, 0]]");
    assert!(format!("{:?}", t.view()).starts_with("TensorRef<f64, extents [2, 3]>\n"));
    assert_eq!(format!("{:?}", AnyTensor::from(t)).lines().next(), Some("AnyTensor<f64, extents [2, 3]>"));
    let empty = Tensor::<Complex<f32>, _>::zeros([0, 3]).unwrap();
    assert_eq!(format!("{empty:?}"), "Tensor<Complex<f32>, extents [0, 3]>\n[]");
}

#[test]
fn large_tensors_lose_their_middle() {
    let t = Tensor::<f64, _>::from_fn([40, 40], |i| (100 * i[0] + i[1]) as f64).unwrap();
    let expected = "\
[[   0,    1,    2, ...,   37,   38,   39],
 [ 100,  101,  102, ...,  137,  138,  139],
 [ 200,  201,  202, ...,  237,  238,  239],
 ...,
 [3700, 3701, 3702, ..., 3737, 3738, 3739],
 [3800, 3801, 3802, ..., 3837, 3838, 3839],
 [3900, 3901, 3902, ..., 3937, 3938, 3939]]";
    assert_eq!(t.to_string(), expected);
    assert_eq!(AnyTensor::from(t).to_string(), expected);
    let flat = Tensor::<f64, _>::from_fn([1001], |i| i[0] as f64).unwrap();
    assert_eq!(flat.to_string(), "[   0,    1,    2, ...,  998,  999, 1000]");
    let short = Tensor::<f64, _>::zeros([4, 1000]).unwrap().to_string();
    assert_eq!(short.lines().count(), 4, "{short}");
    assert_eq!(short.lines().next(), Some("[[0, 0, 0, ..., 0, 0, 0],"));
}

#[test]
fn long_rows_are_broken() {
    let text = Tensor::<f64, _>::filled([2, 60], 0.25).unwrap().to_string();
    assert!(text.lines().all(|line| line.len() <= 101), "{text}");
    assert!(text.lines().all(|line| line.starts_with("[[0.25") || line.starts_with(" [0.25") || line.starts_with("  0.25")));
}

/// More elements than could ever be read, all of them one.
#[test]
fn huge_tensors_print_at_once() {
    for extents in [vec![1 << 60], vec![1 << 20, 1 << 20, 1 << 20], vec![2; 60], vec![6; 20]] {
        let strides = vec![0; extents.len()];
        let huge = TensorRef::strided(&extents[..], &strides, 0, &[1.5]).unwrap();
        let text = huge.to_string();
        assert!(text.contains("...") && text.len() < 200_000, "{extents:?}: {}", text.len());
    }
}
