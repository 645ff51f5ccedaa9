//! Products with a small matrix against the definition, for every way in which blocks lie.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::shape::Shape;
use crate::Cpu;
use crate::large_first::Loop;
use crate::simd::Simd;
use crate::strategy::Route;
use crate::tests::sized_contract;
use tensorwrapper_core::backend::fuse::Axis;

/// Rows along one axis and over several, cut and whole, permuted between terms and columns, with a batch.
#[test]
fn products_with_a_small_matrix_agree_with_the_definition() {
    let mut rng = StdRng::seed_from_u64(41);
    let equations = [
        "Xabc,xX->xabc",
        "Xabc,xX->xcba",
        "abcX,Xx->cbax",
        "aXbYc,XYxy->cxbya",
        "YXcba,XyYx->axcby",
        "Xcab,yX->aybc",
        "xX,cXba->bacx",
        "zXab,zXx->zbxa",
        "Xab,xX->abx",
    ];
    for (n, equation) in equations.into_iter().enumerate() {
        for [a, b, c, x] in [[37, 19, 5, 3], [8, 64, 9, 2], [129, 7, 4, 5], [16, 16, 16, 4], [3, 2, 67, 7]] {
            let size = |label| match label {
                'a' => a,
                'b' => b,
                'c' => c,
                'z' => 2,
                'y' | 'Y' => 2,
                _ => x,
            };
            for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                let cpu = Cpu::forced(1 + n % 3, Route::Narrow(simd));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }
}

/// `YXcba,XyYx->axcby`, c and b of 128 and 512, a of 8, the others of 2, in `f32`.
#[test]
fn a_block_has_runs_of_both_operands() {
    let axis = |extent, large, out| Axis { extent, strides: [large, 0, out] };
    let rows: Vec<Loop> = vec![axis(8, 1, 1 << 18), axis(128, 4096, 1024), axis(512, 8, 2)];
    let inner = [axis(2, 1 << 20, 0), axis(2, 1 << 19, 0)];
    let columns = [axis(2, 0, 1 << 17), axis(2, 0, 1)];
    assert!(Shape::along_one(&rows, false).is_none(), "a is short");
    let shape = Shape::over_several(&rows, [&inner, &columns], 4, false).unwrap();
    assert_eq!(shape.stage, [false, true], "a block is contiguous in the large factor");
    let extents: Vec<usize> = shape.cuts.block.iter().map(|axis| axis.extent).collect();
    assert_eq!(extents, [256, 8], "c is around blocks, b is cut, a is whole");
    assert_eq!(shape.cuts.around.iter().map(|axis| axis.extent).product::<usize>(), 2 * 128);
    assert_eq!(shape.cuts.forms().count(), 1, "all pieces of b are whole");
    let batch_is_fastest = [axis(64, 2, 2), axis(64, 128, 128)];
    assert!(Shape::over_several(&batch_is_fastest, [&[], &[]], 4, false).is_none(), "no run of a line");
}

/// `ZcbdYXa,ZYzXxy->xbzycad`, b of 128, c and d of 8, the others of 2: whatever a block is, it is not contiguous in both, and one that is
/// in the result is enough.
#[test]
fn a_block_that_follows_in_the_result_stages_one_side() {
    let axis = |extent, large, out| Axis { extent, strides: [large, 0, out] };
    let rows: Vec<Loop> = vec![axis(2, 1, 8), axis(8, 8, 1), axis(128, 64, 512), axis(8, 8192, 16)];
    let inner = [axis(2, 65536, 0), axis(2, 4, 0), axis(2, 2, 0)];
    let columns = [axis(2, 0, 65536), axis(2, 0, 256), axis(2, 0, 128)];
    let shape = Shape::over_several(&rows, [&inner, &columns], 8, false).unwrap();
    assert_eq!(shape.stage, [true, false]);
    let extents: Vec<usize> = shape.cuts.block.iter().map(|axis| axis.extent).collect();
    assert_eq!(extents, [8, 2, 8], "c, a and d are whole and follow each other");
    let mut rng = StdRng::seed_from_u64(43);
    let size = |label| match label {
        'b' => 16,
        'c' | 'd' => 8,
        _ => 2,
    };
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let cpu = Cpu::forced(1, Route::Narrow(simd));
        sized_contract::<f64>(&mut rng, "ZcbdYXa,ZYzXxy->xbzycad", &size, &cpu);
        sized_contract::<Complex<f32>>(&mut rng, "ZcbdYXa,ZYzXxy->xbzycad", &size, &cpu);
    }
}
