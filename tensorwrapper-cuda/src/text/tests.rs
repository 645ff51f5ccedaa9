//! Kernels for any size: what their texts depend on, and whether each launch has as many numbers as the kernel takes.

use super::linear::SizedLaunch;
use super::{BatchShape, MatrixPart, ON_DEVICE, Pass, copy_launch};
use crate::compile;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

fn passes(count: usize) -> Vec<Pass> {
    let mut all = vec![
        Pass::Survey(MatrixPart::All),
        Pass::Survey(MatrixPart::Hermitian),
        Pass::ZeroPivot,
        Pass::Scale,
        Pass::Mirror,
        Pass::Unit,
        Pass::Permutation,
        Pass::DiagonalPhases,
    ];
    for flag in [false, true] {
        all.push(Pass::Survey(MatrixPart::Triangle { upper: flag, diagonal: !flag }));
        all.push(Pass::Triangle { upper: flag, unit: !flag, real: flag, line: count, step: count * count });
        all.push(Pass::ApplyPhases { by_rows: flag, count, conjugate: flag, real: !flag });
        all.push(Pass::SetPhases { by_rows: flag, first: 0, count, within: 0.5f64.to_bits() });
    }
    all
}

/// All passes and copies, for matrices of one order.
fn all(dtype: Dtype, order: usize) -> Vec<SizedLaunch> {
    let of = BatchShape { dtype, items: 2, rows: order, columns: order };
    let mut all: Vec<SizedLaunch> = passes(order).into_iter().map(|pass| pass.launch(of)).collect();
    let rows = Strided::row_major(&[2, order, order]).unwrap();
    let strides = [(order * order) as isize, 1, order as isize];
    let columns = Strided::within(rows.extents(), &strides, 0, rows.len()).unwrap();
    all.extend(
        [[&rows, &rows], [&rows, &columns]].map(|layouts| copy_launch(dtype, layouts, true).expect("there are three axes")),
    );
    all
}

#[test]
fn one_text_serves_all_sizes() {
    for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
        let (small, large) = (all(dtype, 12), all(dtype, 20));
        let [narrow, wide] = [10, 60].map(|order| Pass::Unit.launch(BatchShape { dtype, items: 1, rows: order, columns: order }));
        assert!(small.iter().chain(&large).all(|fitted| fitted.kernel.source == narrow.kernel.source));
        assert_ne!(wide.kernel.source, narrow.kernel.source);
        for (small, large) in small.iter().zip(&large) {
            assert_eq!(small.kernel.name, large.kernel.name);
            // The shared memory of a kernel must be the same in every launch.
            assert_eq!(small.kernel.shared, large.kernel.shared);
            assert_ne!(small.numbers, large.numbers);
        }
    }
}

#[test]
fn every_kernel_gets_as_many_numbers_as_it_takes() {
    for SizedLaunch { kernel, numbers } in all(Dtype::C64, 12) {
        let text = kernel.source.text.lines().find(|line| line.contains(&format!(" {}(", kernel.name)));
        let taken = text.map(|text| text.matches("unsigned long long").count());
        assert_eq!(taken, Some(numbers.len()), "{}", kernel.name);
    }
}

#[test]
fn copies_fuse_axes() {
    let layout = |extents: &[usize], strides: &[isize]| Strided::within(extents, strides, 0, 1 << 20).unwrap();
    let name = |from: &Strided, to: &Strided| copy_launch(Dtype::F64, [from, to], false).map(|fitted| fitted.kernel.name);
    let ends = |name: Option<String>, end: &str| name.is_some_and(|name| name.ends_with(end));
    // Axes that lie behind each other in both layouts are fused.
    let rows = Strided::row_major(&[3, 2, 5, 4, 6]).unwrap();
    assert!(ends(name(&rows, &rows), "_copy"));
    assert!(ends(name(&rows, &layout(&[3, 2, 5, 4, 6], &[240, 5, 1, 60, 10])), "_copy_transposed"));
    // Short axes are not worth a transposition, and four axes need a kernel of their own.
    assert!(ends(name(&layout(&[7, 40], &[1, 7]), &layout(&[7, 40], &[40, 1])), "_copy"));
    assert_eq!(name(&layout(&[2, 3, 4, 5], &[100, 10, 200, 1]), &layout(&[2, 3, 4, 5], &[1, 2, 6, 24])), None);
}

/// Tests of plans do not reach these texts, because no matrix there is large enough.
#[test]
fn wide_texts_compile_without_spills() {
    match compile("", "sm_90a") {
        Ok(_) => (),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => return eprintln!("SKIPPED wide texts: {error}"),
    }
    for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
        let wide = Pass::Unit.launch(BatchShape { dtype, items: 1, rows: 60, columns: 60 }).kernel.source;
        let made = compile(&(ON_DEVICE.concat() + &wide.text), "sm_90a").unwrap_or_else(|error| panic!("{error}"));
        let spills: Vec<&str> = made.log.lines().filter(|line| line.contains("spill stores")).collect();
        let is_none = |line: &&str| line.contains(" 0 bytes spill stores, 0 bytes spill loads");
        assert!(!spills.is_empty() && spills.iter().all(is_none), "{}", made.log);
    }
}

/// Copies are launched with the threads and tiles that their text expects.
#[test]
fn threads_of_copies_are_those_of_their_text() {
    let constants = format!("THREADS = {}, SIDE = {};", super::fold::THREADS, super::fold::SIDE);
    assert!(ON_DEVICE.concat().contains(&constants));
}
