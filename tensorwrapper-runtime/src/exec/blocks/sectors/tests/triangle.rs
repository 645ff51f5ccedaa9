//! Triangles, of elements and of tiles, against the dense functions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, Factorisation, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;

use super::super::matrix::BlockMatrix;
use super::super::triangle;
use super::{CLOSE, dense, distance, filled};
use crate::exec::{Context, linalg};
use crate::tensor::{Blocks, Tensor};

/// What is on the diagonal beside drawn numbers.
const HEAVY: f64 = 4.0;

/// A drawn triangle: of tiles, or where `of_elements` says so, also within those on the diagonal.
fn drawn_triangle<T: Element>(rng: &mut StdRng, of_elements: bool) -> Blocks<T> {
    // Some are computed in panels.
    let most = if rng.random_bool(0.1) { 90 } else { 6 };
    let extents: Vec<usize> = (0..rng.random_range(1..6)).map(|_| rng.random_range(0..most)).collect();
    let (cut, upper) = (Tiling::cuts(extents), rng.random_bool(0.5));
    let plain = Structure::new([&cut, &cut]);
    let structure = if upper { plain.upper() } else { plain.lower() }.unwrap();
    let share = rng.random_range(0.3..1.3f64).min(1.0);
    let blocks: Vec<Vec<usize>> =
        structure.stored().unwrap().iter().filter(|block| block[0] == block[1] || rng.random_bool(share)).collect();
    let light = filled::<T>(rng, &structure.with_blocks(blocks).unwrap());
    let rows = cut.extent().max(1) as f64;
    let weighted = light.map_indexed(|index, x| {
        let is_beside = of_elements && index[0] != index[1] && (index[0] < index[1]) != upper;
        let weight = if index[0] == index[1] { HEAVY } else { 0.0 };
        // Numbers beside the diagonal are small, so that large triangles are well conditioned, too.
        let scale = if index[0] == index[1] { 1.0 } else { 4.0 / (4.0 + rows) };
        if is_beside { T::ZERO } else { T::from_complex(x.to_complex() * scale + weight) }
    });
    weighted.unwrap()
}

fn size<T: Element>(a: &Tensor<T>) -> f64 {
    a.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max)
}

fn triangles_are_right<T: Element>(rng: &mut StdRng, of_elements: bool) {
    let a = drawn_triangle::<T>(rng, of_elements);
    let matrix = dense(&a, &[0], &[1]);
    let x = a.inv([0]).unwrap();
    let expected = linalg::inv(&matrix).eval().unwrap();
    assert!(distance(&x.to_dense().unwrap(), &expected) < CLOSE * size(&expected));
    let is_lower = |block: &Vec<usize>| block[0] >= block[1];
    assert!(
        [true, false]
            .iter()
            .any(|&lower| [&a, &x].iter().all(|t| t.blocks().iter().all(|b| b[0] == b[1] || is_lower(b) == lower)))
    );
    let (sign, logarithm) = a.slogdet([0]).unwrap();
    let (phase, expected) = linalg::slogdet(&matrix).eval().unwrap();
    let scale = CLOSE * (1.0 + a.structure().tilings()[0].extent() as f64);
    assert!((sign.to_complex() - phase.as_slice()[0].to_complex()).norm() < scale);
    assert!((logarithm.to_complex() - expected.as_slice()[0].to_complex()).norm() < scale);
    let (det, expected) = (a.det([0]).unwrap().to_complex(), linalg::det(&matrix).eval().unwrap().as_slice()[0].to_complex());
    assert!((det - expected).norm() <= scale * expected.norm(), "{det} and {expected}");
}

#[test]
fn triangles_against_dense_ones() {
    let mut rng = StdRng::seed_from_u64(2331);
    for round in 0..160 {
        let of_elements = round % 4 < 2;
        match round % 2 {
            0 => triangles_are_right::<f64>(&mut rng, of_elements),
            _ => triangles_are_right::<Complex<f64>>(&mut rng, of_elements),
        }
    }
}

/// A matrix with these blocks whose elements make a triangle, with numbers as [`drawn_triangle`] draws them.
fn triangle_of<T: Element>(rng: &mut StdRng, cut: &Tiling, blocks: &[[usize; 2]], upper: bool) -> Blocks<T> {
    let structure = Structure::new([cut, cut]).with_blocks(blocks).unwrap();
    let rows = cut.extent() as f64;
    let weighted = filled::<T>(rng, &structure).map_indexed(|index, x| {
        if index[0] == index[1] {
            T::from_complex(x.to_complex() + HEAVY)
        } else if (index[0] < index[1]) == upper {
            T::from_complex(x.to_complex() * 4.0 / (4.0 + rows))
        } else {
            T::ZERO
        }
    });
    weighted.unwrap()
}

fn inverse_is_a_triangle<T: Element>(a: &Blocks<T>, upper: bool) {
    let found = a.inv([0]).unwrap().to_dense().unwrap();
    let expected = linalg::inv(&a.to_dense().unwrap()).eval().unwrap();
    let error = distance(&found, &expected) / size(&expected);
    assert!(error < CLOSE, "{error} of {:?}", a.structure());
    // Panels do not reach beyond the triangle.
    let rows = found.extents()[0];
    let beside = |&n: &usize| if upper { n / rows > n % rows } else { n / rows < n % rows };
    assert!((0..rows * rows).filter(beside).all(|n| found.as_slice()[n] == T::ZERO), "{:?}", a.structure());
}

/// Around the number of rows from which on panels are used, and numbers of rows that panels do not divide.
#[test]
fn inverses_by_panels() {
    let mut rng = StdRng::seed_from_u64(2333);
    for extent in [127, 128, 129, 255, 256, 257] {
        for upper in [false, true] {
            let cut = Tiling::whole(extent);
            inverse_is_a_triangle(&triangle_of::<f64>(&mut rng, &cut, &[[0, 0]], upper), upper);
            inverse_is_a_triangle(&triangle_of::<Complex<f64>>(&mut rng, &cut, &[[0, 0]], upper), upper);
        }
    }
}

/// Matrices of one size are solved together for the same columns of the identity.
#[test]
fn inverses_of_several_triangles() {
    let mut rng = StdRng::seed_from_u64(2334);
    for (extent, count) in [(1, 3), (3, 5), (7, 9), (20, 4)] {
        let cut = Tiling::cuts(vec![extent; count]);
        let blocks: Vec<[usize; 2]> = (0..count).map(|n| [n, n]).collect();
        for upper in [false, true] {
            inverse_is_a_triangle(&triangle_of::<f64>(&mut rng, &cut, &blocks, upper), upper);
            inverse_is_a_triangle(&triangle_of::<Complex<f64>>(&mut rng, &cut, &blocks, upper), upper);
        }
    }
}

/// Elimination with exchanged rows would round the zero away; of the triangle it is seen.
#[test]
fn a_singular_triangle_is_told() {
    let mut rng = StdRng::seed_from_u64(2332);
    for extents in [[2, 3], [90, 100]] {
        let cut = Tiling::cuts(extents);
        let structure = Structure::new([&cut, &cut]).lower().unwrap();
        let a = filled::<f64>(&mut rng, &structure);
        let a = a.map_indexed(|i, x| if i[0] < i[1] || i == [3, 3] { 0.0 } else { x }).unwrap();
        let (rows, told) = (cut.extent(), |error: crate::Error| error.to_string());
        let text = told(a.inv([0]).unwrap_err());
        assert!(text.contains(&format!("the {rows}×{rows} matrix of `inv` is singular: its pivot 3 is zero")), "{text}");
        assert!(text.contains("the sector with blocks"), "{text}");
        let right = filled::<f64>(&mut rng, &Structure::new([&cut]));
        let text = told(a.solve([0], &right).unwrap_err());
        assert!(text.contains(&format!("the {rows}×{rows} matrix of `solve` is singular")), "{text}");
        assert_eq!((a.det([0]).unwrap(), a.slogdet([0]).unwrap()), (0.0, (0.0, f64::NEG_INFINITY)));
    }
}

/// What is not in a factor of the determinant is seen as well.
#[test]
fn nan_beside_the_diagonal_is_refused() {
    let cut = Tiling::cuts([2, 2]);
    let structure = Structure::new([&cut, &cut]).upper().unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| if i == [0, 3] { f64::NAN } else { 1.0 + (i[0] * i[1]) as f64 }).unwrap();
    assert!(a.det([0]).is_err() && a.slogdet([0]).is_err() && a.inv([0]).is_err());
}

#[test]
fn determinants_of_large_and_small_parts() {
    let cut = Tiling::cuts([1, 1, 2]);
    let structure = Structure::new([&cut, &cut]).lower().unwrap();
    let diagonal = [1e200, 1e200, 1e-150, 1e-150];
    for full in [0.0, 1e-151] {
        let element = |i: &[usize]| {
            if i[0] == i[1] {
                diagonal[i[0]]
            } else if i[0] > i[1] {
                1e-152
            } else {
                full
            }
        };
        let a = Blocks::<f64>::from_fn(&structure, element).unwrap();
        let det = a.det([0]).unwrap();
        assert!((det / 1e100 - 1.0).abs() < 1e-2, "{det}");
    }
    let single =
        Blocks::<f32>::from_fn(&structure, |i| [1e-30, 1e-15, 1e30, 1e15][i[0]] * f32::from(u8::from(i[0] >= i[1]))).unwrap();
    assert!((single.det([0]).unwrap() - 1.0).abs() < 1e-5);
    // The other way round, the last part is too small.
    let single =
        Blocks::<f32>::from_fn(&structure, |i| [1e30, 1e30, 1e-30, 1e-30][i[0]] * f32::from(u8::from(i[0] >= i[1]))).unwrap();
    assert!((single.det([0]).unwrap() - 1.0).abs() < 1e-4);
    let lower = |i: &[usize]| [1e200, 1e150, 1e-200, 1e-200][i[0]] * f64::from(u8::from(i[0] >= i[1]));
    let det = Blocks::<f64>::from_fn(&structure, lower).unwrap().det([0]).unwrap();
    assert!((det / 1e-50 - 1.0).abs() < 1e-10, "{det}");
}

/// The reference device, which counts the matrices that it eliminates for determinants.
#[derive(Clone, Debug, Default)]
struct Eliminations(Arc<AtomicUsize>);

impl Device for Eliminations {
    fn name(&self) -> &'static str {
        "eliminations"
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        Reference.prepare(contraction)
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        Reference.map(nest, program, reduction, functions, inputs, output)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        if matches!(call.kind, Factorisation::Det | Factorisation::Slogdet) {
            let matrices = inputs[0].layout().extents()[..call.batch].iter().product();
            self.0.fetch_add(matrices, Ordering::Relaxed);
        }
        Reference.factorise(call, inputs, outputs)
    }
}

/// A sector is eliminated a second time only where its determinant may have been too small for a number, and the others are large.
#[test]
fn determinants_are_eliminated_again_where_they_may_be_too_small() {
    let cut = Tiling::cuts([2, 2]);
    let structure = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]]).unwrap();
    // Of each sector the size of its elements, and whether its second row is twice the first.
    let det = |sectors: [(f64, bool); 2]| {
        let a = Blocks::<f64>::from_fn(&structure, |i| {
            let (size, is_singular) = sectors[i[0] / 2];
            let whole = if is_singular { [[1.0, 2.0], [2.0, 4.0]] } else { [[1.0, 2.0], [-2.0, 1.0]] };
            size * whole[i[0] % 2][i[1] % 2]
        });
        let device = Eliminations::default();
        let det = Context::on(device.clone()).det_blocks(&a.unwrap(), [0]).unwrap();
        (det, device.0.load(Ordering::Relaxed))
    };
    assert_eq!(det([(1.0, true), (1e-3, false)]), (0.0, 2));
    assert_eq!(det([(1.0, true), (1.0, true)]), (0.0, 2));
    assert_eq!(det([(1e-200, false), (1e-3, false)]), (0.0, 2));
    // The first sector alone is eliminated again.
    assert_eq!(det([(1.0, true), (1e3, false)]), (0.0, 3));
    let (small, eliminated) = det([(1e-200, false), (1e150, false)]);
    assert!((small / 25e-100 - 1.0).abs() < 1e-10 && eliminated == 3, "{small} by {eliminated} eliminations");
    // Numbers near both ends of the range need no logarithms.
    let (all, eliminated) = det([(1e-150, false), (1e150, false)]);
    assert!((all / 25.0 - 1.0).abs() < 1e-14 && eliminated == 2, "{all} by {eliminated} eliminations");
}

#[test]
fn products_of_parts() {
    let product = |dets: &[f64]| triangle::product_of_parts(dets);
    assert!((product(&[1e200, 1e200, 1e-200, 1e-150]).unwrap() / 1e50 - 1.0).abs() < 1e-14);
    assert!((product(&[1e-200, 1e-200, -1e200, 1e150]).unwrap() / -1e-50 - 1.0).abs() < 1e-14);
    assert_eq!([product(&[]), product(&[0.0, 0.5]), product(&[0.0, 2.0])], [Some(1.0), Some(0.0), None]);
    // What has lost digits may have them again in a product that is large enough.
    let small = f64::MIN_POSITIVE / 4.0;
    assert_eq!([product(&[small, 0.5]), product(&[small, 4.0])], [Some(small / 2.0), None]);
    assert_eq!(product(&[1e-300, 1e-300, 1e200, 1e200, 1e200, -1e200, 1e200]), Some(f64::NEG_INFINITY));
    // Of a complex product each part is the number that it is, or infinite.
    let [imaginary, real] = [Complex::new(0.0, 1e200), Complex::new(1e200, 0.0)];
    assert_eq!(triangle::product_of_parts(&[imaginary, real]), Some(Complex::new(0.0, f64::INFINITY)));
    let turned = triangle::product_of_parts(&[Complex::new(1e200, -1e-100), real]).unwrap();
    assert!(turned.re == f64::INFINITY && (turned.im / -1e100 - 1.0).abs() < 1e-14, "{turned}");
    // In single precision numbers lose digits earlier.
    assert_eq!(triangle::product_of_parts(&[1e-40f32, 1e30]), None);
    assert!((triangle::product_of_parts(&[1e-30f32, 1e30, 1e30, 1e-30]).unwrap() - 1.0).abs() < 1e-6);
}

/// Where NaN and infinity stand does not matter.
#[test]
fn stored_diagonals_hold_finite_numbers() {
    let cut = Tiling::cuts([1, 1]);
    let structure = Structure::new([&cut, &cut]).tied([0, 1]).unwrap();
    for diagonal in [[0.0, f64::NAN], [f64::NAN, 0.0], [0.0, f64::INFINITY]] {
        let a = Blocks::<f64>::from_fn(&structure, |i| diagonal[i[0]]).unwrap();
        let told = |error: Error| error.to_string();
        assert_eq!(told(a.det([0]).unwrap_err()), "the diagonal matrix of `det` holds NaN or infinity");
        assert_eq!(told(a.slogdet([0]).unwrap_err()), "the diagonal matrix of `slogdet` holds NaN or infinity");
    }
}

/// Rows that lead to each other, whatever stands between them, have a determinant together.
#[test]
fn parts_of_a_determinant() {
    let cut = Tiling::cuts([2, 1, 2, 0, 3]);
    let blocks = [[0, 0], [0, 2], [2, 0], [0, 1], [1, 4], [4, 4], [2, 4], [3, 3]];
    let structure = Structure::new([&cut, &cut]).with_blocks(blocks).unwrap();
    let a = filled::<f64>(&mut StdRng::seed_from_u64(3), &structure);
    let matrix = BlockMatrix::new(a.structure(), &[0]).unwrap();
    let sectors = matrix.square_sectors("det").unwrap();
    let parts = triangle::parts(&matrix, &sectors, a.slab()).unwrap();
    let tiles = |n: usize| parts[n].lines[0].iter().map(|line| line.tiles[0]).collect::<Vec<_>>();
    assert_eq!((sectors.len(), parts.len(), tiles(0), tiles(1), tiles(2)), (1, 3, vec![0, 2], vec![1], vec![4]));
    assert_eq!((parts[0].extents, parts[0].blocks.len(), parts[1].blocks.len()), ([4, 4], 3, 0));
    // The row of tile 1 is zero between its own columns.
    assert_eq!(a.det([0]).unwrap(), 0.0);
}
