//! What only many products or large results meet: small products that are finished where they lie, factors too large to be packed
//! as a whole, results written past the caches, long sums.
//! Against the reference, as all else.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::loops::{Chunks, Plan};
use super::map::map_by;
use super::tests::sized_contract;
use super::{Cpu, block_schedule};
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{
    Binary, Contraction, Device, Instruction, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, assert_close, contract_once, epsilon, number};

/// Strides of labels in a tensor that lies in their order, at all labels of an equation.
fn strides(labels: &str, all: &str, size: &dyn Fn(char) -> usize) -> Vec<isize> {
    let stride = |label: char| labels.find(label).map_or(0, |at| labels[at + 1..].chars().map(size).product::<usize>() as isize);
    all.chars().map(stride).collect()
}

/// `0.5 · (Σ left · right) + other`, where the other lies as the result does; by that way, if one is named.
fn finished<T: Element>(
    rng: &mut StdRng,
    [left, right, out, all]: [&str; 4],
    size: &dyn Fn(char) -> usize,
    cpu: &Cpu,
    way: &str,
) {
    let extents: Vec<usize> = all.chars().map(size).collect();
    let kept = out.len();
    let len = |labels: &str| labels.chars().map(size).product::<usize>();
    let layout = |labels: &str, rank: usize| {
        Strided::within(&extents[..rank], &strides(labels, &all[..rank], size), 0, len(labels)).unwrap()
    };
    let layouts = [layout(left, all.len()), layout(right, all.len())];
    let (other, output) = (layout(out, all.len()), layout(out, kept));
    let data: Vec<Vec<T>> = [left, right, out].map(|labels| (0..len(labels)).map(|_| number(rng)).collect()).into();
    let half = Instruction::Constant(Complex::new(0.5, 0.0));
    let program = Program::new(vec![
        Instruction::Input(0),
        half,
        Instruction::Combine(Binary::Multiply, 1, 0),
        Instruction::Input(1),
        Instruction::Combine(Binary::Add, 2, 3),
    ]);
    let nest = LoopNest::new(extents.clone(), kept);
    let contraction = Contraction {
        nest: &nest,
        alpha: Complex::ONE,
        dtype: T::DTYPE,
        factors: &[(&layouts[0], false), (&layouts[1], false)],
        output: &output,
        then: Some(&program),
        others: &[(&other, false)],
    };
    let run = |prepared: PreparedContraction| {
        let factors: Vec<_> = data.iter().map(|data| T::erase(data)).collect();
        let mut found = vec![T::from_complex(f64::NAN.into()); len(out)];
        prepared.run(cpu, &factors, T::erase_mut(&mut found)).unwrap();
        found
    };
    let prepared = cpu.prepare(&contraction).unwrap();
    let (found, expected) = (format!("{prepared:?}"), run(Reference.prepare(&contraction).unwrap()));
    assert!(way.is_empty() || found.contains("WithEpilogue") && found.contains(way), "{left}, {right} -> {out}: {found}");
    let tolerance = epsilon::<T>() * 100.0;
    assert_close(&run(prepared), &expected, tolerance, &format!("{left}, {right} -> {out}, {cpu:?}, {}", T::DTYPE));
}

#[test]
fn small_products_are_finished_where_they_lie() {
    let mut rng = StdRng::seed_from_u64(41);
    let equations = [
        ["bik", "bkj", "bij", "bijk"],
        ["bik", "bjk", "bij", "bijk"],
        ["bik", "bkj", "bji", "bjik"],
        ["ik", "kj", "ij", "ijk"],
        ["bik", "kj", "ibj", "ibjk"],
    ];
    for (n, equation) in equations.into_iter().cycle().take(30).enumerate() {
        let (i, j, k, b) = [(8, 8, 8, 70), (16, 9, 12, 13), (17, 24, 5, 3), (4, 8, 20, 300)][n % 4];
        let size = |label| [i, j, k, b]["ijkb".find(label).unwrap()];
        let cpu = Cpu::new(Some(1 + n % 3));
        let dtype = [Dtype::F64, Dtype::F32, Dtype::C64, Dtype::C32][n / 4 % 4];
        dispatch!(dtype, T => finished::<T>(&mut rng, equation, &size, &cpu, ""));
    }
    let size = |label| if label == 'b' { 50 } else { 16 };
    if crate::simd::Simd::Avx2.is_available() {
        finished::<f64>(&mut rng, equations[0], &size, &Cpu::new(Some(1)), "UnpackedGemm");
    }
    finished::<f64>(&mut rng, equations[0], &|label| if label == 'b' { 5 } else { 40 }, &Cpu::new(Some(2)), "PackedGemm");
}

#[test]
fn right_factors_that_lie_transposed_are_brought_into_rows_in_squares() {
    let mut rng = StdRng::seed_from_u64(42);
    for (i, j, k, b) in [(8, 8, 8, 20), (16, 16, 16, 10), (5, 17, 31, 4), (3, 30, 20, 7), (9, 32, 32, 2), (20, 7, 9, 6)] {
        let size = |label| [i, j, k, b]["ijkb".find(label).unwrap()];
        for equation in ["bik,bjk->bij", "bki,bjk->bij", "ik,jk->ij"] {
            let cpu = Cpu::new(Some(1));
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &cpu));
            }
        }
    }
}

#[test]
fn vectors_of_products_side_by_side_are_packed_where_they_are_read_often() {
    let mut rng = StdRng::seed_from_u64(43);
    for (i, j, k, b) in [(12, 12, 3, 40), (13, 19, 7, 33), (16, 16, 16, 70), (30, 12, 20, 17), (40, 41, 42, 19)] {
        let size = |label| [i, j, k, b]["ijkb".find(label).unwrap()];
        for (n, equation) in ["ikb,kjb->ijb", "kib,jkb->jib", "kjb,ikb->ijb"].into_iter().enumerate() {
            sized_contract::<f64>(&mut rng, equation, &size, &Cpu::new(Some(1 + n)));
            sized_contract::<f32>(&mut rng, equation, &size, &Cpu::new(Some(1 + n)));
        }
    }
}

/// The right factor has no axis `a`, is larger than what is packed as a whole, and its matrices have to be packed: neighbours
/// belong to different ones, or its columns do not fuse.
#[test]
fn large_factors_that_are_read_again_are_not_packed_as_a_whole() {
    let mut rng = StdRng::seed_from_u64(44);
    for equation in ["abik,kjb->abij", "abik,bjkl->abijl"] {
        let size = |label| match label {
            'a' => 3,
            'b' => 700,
            'i' => 5,
            'l' => 2,
            _ => 28,
        };
        for threads in [1, 2] {
            sized_contract::<f64>(&mut rng, equation, &size, &Cpu::new(Some(threads)));
        }
    }
}

fn large_map<T: tensorwrapper_core::backend::function::Scalar>(rng: &mut StdRng, threads: usize, [rows, columns]: [usize; 2]) {
    let nest = LoopNest::new(vec![rows, columns], 2);
    let mut placed = |strides: [isize; 2]| {
        let len = rows * columns + 3;
        let layout = Strided::within(&[rows, columns], &strides, 3, len).unwrap();
        Placed { data: (0..len).map(|_| number::<T>(rng)).collect(), layout, conjugate: false }
    };
    let (along, across) = ([columns as isize, 1], [1, rows as isize]);
    let inputs = [placed(along), placed(across), placed([0, 1]), placed([1, 0])];
    let output = placed(along);
    let product = |a, b| Instruction::Combine(Binary::Multiply, a, b);
    let all = (0..4).map(Instruction::Input);
    let programs = [
        Program::new(all.chain([product(0, 1), product(2, 3), Instruction::Combine(Binary::Subtract, 4, 5)]).collect()),
        Program::new(vec![Instruction::Input(2), Instruction::Input(3), product(0, 1)]),
        Program::new(vec![Instruction::Constant(Complex::new(2.5, 0.0))]),
    ];
    for program in programs {
        let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
        let (mut found, mut expected) = (output.clone(), output.clone());
        Cpu::new(Some(threads)).map(&nest, &program, Reduction::Sum, &[], &operands, found.as_output()).unwrap();
        Reference.map(&nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
        assert_close(
            &found.data,
            &expected.data,
            epsilon::<T>() * 16.0,
            &format!("{rows} x {columns}, {threads} threads, {program:?}"),
        );
    }
}

#[test]
fn results_of_programs_that_are_written_past_the_caches_are_the_same() {
    let mut rng = StdRng::seed_from_u64(45);
    large_map::<f64>(&mut rng, 1, [1031, 1037]);
    large_map::<f32>(&mut rng, 2, [1999, 1061]);
    large_map::<Complex<f64>>(&mut rng, 3, [700, 761]);
}

/// `1.5·A + 0.5·B − A·B/(C + 3) + D`, where `B` has its neighbours along axis `across`, `C` is a row and `D` runs along that axis.
fn blocked_map<T: tensorwrapper_core::backend::function::Scalar>(
    rng: &mut StdRng,
    (simd, threads): (Simd, usize),
    extents: [usize; 3],
    across: usize,
    margin: usize,
) {
    let (nest, len) = (LoopNest::new(extents.to_vec(), 3), extents.iter().product::<usize>() + margin);
    let strides = |order: [usize; 3]| {
        let mut strides = [1; 3];
        strides[order[1]] = extents[order[2]] as isize;
        strides[order[0]] = (extents[order[1]] * extents[order[2]]) as isize;
        strides
    };
    let mut placed = |strides: [isize; 3], conjugate| {
        let layout = Strided::within(&extents, &strides, margin, len).unwrap();
        Placed { data: (0..len).map(|_| number::<T>(rng)).collect(), layout, conjugate }
    };
    let (plain, transposed) = (strides([0, 1, 2]), strides([1 - across, 2, across]));
    let mut single = [0; 3];
    single[across] = 1;
    let inputs = [placed(plain, false), placed(transposed, true), placed([0, 0, 1], false), placed(single, false)];
    let output = placed(plain, false);
    let (combine, constant) = (Instruction::Combine, |x: f64| Instruction::Constant(x.into()));
    let program = (0..4).map(Instruction::Input).chain([
        constant(1.5),
        constant(0.5),
        constant(3.0),
        combine(Binary::Multiply, 4, 0),
        combine(Binary::Multiply, 5, 1),
        combine(Binary::Add, 7, 8),
        combine(Binary::Multiply, 0, 1),
        combine(Binary::Add, 2, 6),
        combine(Binary::Divide, 10, 11),
        combine(Binary::Subtract, 9, 12),
        combine(Binary::Add, 13, 3),
    ]);
    let program = Program::new(program.collect());
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let axis = |n: usize| Axis { extent: extents[n], strides: [transposed[n], plain[n]].as_slice().into() };
    let plan = Plan::choose((0..3).map(axis).collect(), vec![], 1, Chunks::of_program(512));
    assert!(block_schedule::parts(&plan, &[0; 2], &[true], size_of::<T>()).is_some(), "{extents:?} goes by blocks");
    let (mut found, mut expected) = (output.clone(), output);
    map_by::<T>(simd, threads, &nest, (&program, &[]), Reduction::Sum, &operands, found.as_output()).unwrap();
    Reference.map(&nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
    let context = format!("{extents:?}, across {across}, {margin} before, {threads} threads, {simd:?}, {}", T::DTYPE);
    assert_close(&found.data, &expected.data, epsilon::<T>() * 64.0, &context);
}

#[test]
fn blocks_of_two_axes_are_whole_at_all_ends() {
    let mut rng = StdRng::seed_from_u64(46);
    let shapes =
        [([130, 1, 150], 0), ([16, 64, 64], 1), ([3, 89, 71], 1), ([90, 3, 70], 0), ([17, 5, 257], 0), ([700, 2, 801], 0)];
    for (n, (extents, across)) in shapes.into_iter().enumerate() {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                let way = (simd, 1 + n % 3);
                dispatch!(dtype, T => blocked_map::<T>(&mut rng, way, extents, across, n % 2 * 3));
            }
        }
    }
}

/// A sum or a largest element over some axes of an array that lies in their order, its result in the order of the others.
fn reduced<T: Scalar>(rng: &mut StdRng, (simd, threads): (Simd, usize), extents: &[usize], over: &[usize], reduction: Reduction) {
    let stride = |axes: &[usize], n: usize| axes.iter().filter(|&&m| m > n).map(|&m| extents[m]).product::<usize>() as isize;
    let kept: Vec<usize> = (0..extents.len()).filter(|n| !over.contains(n)).collect();
    let order = [&kept[..], over].concat();
    let sizes: Vec<usize> = order.iter().map(|&n| extents[n]).collect();
    let len = |sizes: &[usize]| sizes.iter().product::<usize>();
    let all: Vec<usize> = (0..extents.len()).collect();
    let layout = |axes: &[usize], of: &[usize]| -> Strided {
        let strides: Vec<isize> = of.iter().map(|&n| stride(axes, n)).collect();
        Strided::within(&sizes[..of.len()], &strides, 0, len(&sizes[..of.len()])).unwrap()
    };
    let (from, to) = (layout(&all, &order), layout(&kept, &kept));
    let data: Vec<T> = (0..len(extents)).map(|_| number(rng)).collect();
    let (nest, program) = (LoopNest::new(sizes.clone(), kept.len()), Program::new(vec![Instruction::Input(0)]));
    let operands = [Operand::new(T::erase(&data), &from)];
    let [mut found, mut expected] = [(); 2].map(|()| vec![T::from_complex(f64::NAN.into()); len(&sizes[..kept.len()])]);
    map_by::<T>(simd, threads, &nest, (&program, &[]), reduction, &operands, Output::new(T::erase_mut(&mut found), &to)).unwrap();
    Reference.map(&nest, &program, reduction, &[], &operands, Output::new(T::erase_mut(&mut expected), &to)).unwrap();
    let context = format!("{reduction:?} of {extents:?} over {over:?}, {threads} threads, {simd:?}, {}", T::DTYPE);
    assert_close(&found, &expected, epsilon::<T>() * 16.0 * len(&sizes[kept.len()..]) as f64, &context);
}

#[test]
fn long_and_short_rows_are_reduced_over_each_axis() {
    let mut rng = StdRng::seed_from_u64(47);
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[37, 41, 53], &[0]),
        (&[37, 41, 53], &[1]),
        (&[37, 41, 53], &[2]),
        (&[37, 41, 53], &[0, 2]),
        (&[3, 70, 2300], &[1]),
        (&[3, 70, 2300], &[2]),
        (&[2100, 27], &[1]),
        (&[27, 5000], &[0]),
        (&[70000], &[0]),
    ];
    for (n, (extents, over)) in shapes.into_iter().enumerate() {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            for threads in 1..=3 {
                let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][(n + threads) % 4];
                dispatch!(dtype, T => reduced::<T>(&mut rng, (simd, threads), extents, over, Reduction::Sum));
            }
            reduced::<f64>(&mut rng, (simd, 2), extents, over, Reduction::Max);
        }
    }
}

#[test]
fn long_sums_stay_accurate() {
    let ones = Placed::of(&[3_000_000], vec![0.1f32; 3_000_000]);
    let nest = LoopNest::new(vec![3_000_000], 0);
    let sum = Program::new(vec![Instruction::Input(0)]);
    let mut output = Placed::of(&[], vec![0.0f32]);
    Cpu::new(Some(1)).map(&nest, &sum, Reduction::Sum, &[], &[ones.as_operand()], output.as_output()).unwrap();
    assert!((output.data[0] - 300_000.0).abs() < 0.5, "{}", output.data[0]);
    contract_once(&Cpu::new(Some(2)), &nest, Complex::ONE, &[ones.as_operand(), ones.as_operand()], output.as_output()).unwrap();
    assert!((output.data[0] - 30_000.0).abs() < 0.05, "{}", output.data[0]);
}

/// A factor of ones over these axes, with these strides in memory of so many elements, and a result over the first `kept` axes.
fn summed_ones(extents: &[usize], strides: [&[isize]; 2], kept: usize) -> Vec<f32> {
    let factor = |strides: &[isize]| {
        let len = 1 + extents.iter().zip(strides).map(|(&extent, &stride)| (extent - 1) * stride as usize).sum::<usize>();
        Placed { data: vec![0.1f32; len], layout: Strided::within(extents, strides, 0, len).unwrap(), conjugate: false }
    };
    let factors = strides.map(factor);
    let mut output = Placed::of(&extents[..kept], vec![0.0f32; extents[..kept].iter().product()]);
    let operands: Vec<_> = factors.iter().map(Placed::as_operand).collect();
    let nest = LoopNest::new(extents.to_vec(), kept);
    contract_once(&Cpu::new(Some(1)), &nest, Complex::ONE, &operands, output.as_output()).unwrap();
    output.data
}

#[test]
fn long_sums_stay_accurate_whatever_is_a_neighbour() {
    // One hundredth, three million times: along rows, across them, apart in memory, and over several axes.
    type Case<'a> = (&'a [usize], [&'a [isize]; 2], usize);
    let cases: [Case<'_>; 7] = [
        (&[2, 3_000_000], [&[1, 2], &[0, 1]], 1),
        (&[3_000_000], [&[2], &[2]], 0),
        (&[2, 3_000_000], [&[3_000_000, 1], &[0, 1]], 1),
        (&[3, 2000, 1500], [&[3_000_000, 1500, 1], &[0, 1500, 1]], 1),
        (&[2, 3, 1_000_000, 3], [&[9_000_000, 1, 9, 3], &[0, 0, 3, 1]], 2),
        (&[3, 3, 3_000_000], [&[3_000_000, 0, 1], &[0, 3_000_000, 1]], 2),
        (&[3, 4, 3_000_000], [&[1, 0, 3], &[0, 1, 4]], 2),
    ];
    for (extents, strides, kept) in cases {
        let sums = summed_ones(extents, strides, kept);
        let worst = sums.iter().map(|sum| (sum - 30_000.0).abs()).fold(0.0, f32::max);
        assert!(worst < 1.5, "{extents:?} {strides:?}: {worst}");
    }
}

#[test]
fn tall_matrices_are_multiplied_where_they_lie() {
    let mut rng = StdRng::seed_from_u64(46);
    // The last rows end where the memory does, so that what follows them cannot be read.
    let equations = ["ka,kb->ab", "ka,bk->ba", "akl,klb->ab", "zka,zkb->zab", "lka,kbl->ab"];
    for (n, (a, b, k)) in [(3, 2, 2500), (9, 10, 2049), (17, 25, 2400), (48, 5, 2100), (1, 1, 5000)].into_iter().enumerate() {
        let size = |label| match label {
            'a' => a,
            'b' => b,
            'k' => k,
            _ => 2 + n,
        };
        for equation in equations {
            for dtype in [Dtype::F64, Dtype::F32, Dtype::C64, Dtype::C32] {
                dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &Cpu::new(Some(1 + n % 3))));
            }
        }
    }
}

#[test]
fn long_sums_with_neighbours_along_different_axes_are_staged() {
    let mut rng = StdRng::seed_from_u64(49);
    // Blocks are cut along both axes, along one, along none; a third axis runs around them, and a batch.
    for (n, (a, b, k, l)) in [(17, 8, 114, 387), (2, 9, 64, 40), (5, 3, 1000, 33), (1, 48, 37, 259)].into_iter().enumerate() {
        let size = |label| match label {
            'a' => a,
            'b' => b,
            'k' => k,
            'l' => l,
            _ => 3,
        };
        for equation in ["akl,blk->ba", "mkal,lbmk->ab", "zalk,zbkl->zab", "mkl,lmk->", "zkml,zlmk->z", "zlxmk,zmkxl->z"] {
            for dtype in [Dtype::F64, Dtype::F32, Dtype::C64, Dtype::C32] {
                dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &Cpu::new(Some(1 + n % 3))));
            }
        }
    }
}

/// The product of two vectors of rows and columns, permuted, as a program.
fn outer_map<T: Scalar>(rng: &mut StdRng, threads: usize, [a, b, c, d]: [usize; 4]) {
    let nest = LoopNest::new(vec![a, c, b, d], 4);
    let mut placed = |strides: [isize; 4], len: usize, conjugate: bool| {
        let layout = Strided::within(&[a, c, b, d], &strides, 0, len).unwrap();
        Placed { data: (0..len).map(|_| number::<T>(rng)).collect(), layout, conjugate }
    };
    let left = placed([b as isize, 0, 1, 0], a * b, true);
    let right = placed([0, d as isize, 0, 1], c * d, false);
    let operands = [left.as_operand(), right.as_operand()];
    let program = Program::new(vec![Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Multiply, 0, 1)]);
    let output = Placed::of(&[a, c, b, d], vec![T::from_complex(f64::NAN.into()); a * b * c * d]);
    let (mut found, mut expected) = (output.clone(), output);
    Cpu::new(Some(threads)).map(&nest, &program, Reduction::Sum, &[], &operands, found.as_output()).unwrap();
    Reference.map(&nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
    assert_close(&found.data, &expected.data, epsilon::<T>() * 16.0, &format!("{a} {b} {c} {d}, {threads} threads"));
}

#[test]
fn programs_that_are_outer_products_are_right() {
    let mut rng = StdRng::seed_from_u64(47);
    for (n, extents) in [[13, 11, 17, 12], [1, 70, 50, 31], [40, 1, 21, 24], [9, 33, 70, 130]].into_iter().enumerate() {
        for dtype in [Dtype::F64, Dtype::F32, Dtype::C64, Dtype::C32] {
            dispatch!(dtype, T => outer_map::<T>(&mut rng, 1 + n % 3, extents));
        }
    }
}
