//! L and U by panels against the products that define them, in every form that the kernels have.

use faer::Par;
use faer::traits::ComplexField;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::panels::{Panelled, Panels};
use crate::simd::Simd;
use tensorwrapper_core::element::Element;

/// Of orders that are smaller and larger than panels, that fill them and that do not.
const ORDERS: [usize; 14] = [1, 2, 9, 15, 16, 17, 24, 31, 33, 48, 64, 65, 100, 161];

fn kernels<T: Panelled>() -> Vec<Panels<T>> {
    let kernels: Vec<_> = Simd::ALL.into_iter().filter(|simd| simd.is_available()).filter_map(T::panels).collect();
    assert!(!kernels.is_empty() || !cfg!(any(target_arch = "aarch64", target_feature = "avx2")), "kernels of this processor");
    kernels
}

fn random<T: Element>(rng: &mut StdRng, order: usize) -> Vec<T> {
    (0..order * order).map(|_| T::from_complex(rng.random_range(-1.0..1.0).into())).collect()
}

/// L and U in memory that holds other things, and the order of the rows.
fn factors<T: ComplexField + Element>(panels: Panels<T>, a: &[T], order: usize) -> Option<(Vec<T>, Vec<T>, Vec<usize>)> {
    let (mut lower, mut upper) = (vec![T::from_complex(f64::NAN.into()); a.len()], a.to_vec());
    let rows = panels.inside(Par::Seq, &mut lower, &mut upper, order)?;
    Some((lower, upper, rows))
}

fn check<T: ComplexField + Panelled>(epsilon: f64) {
    let mut rng = StdRng::seed_from_u64(7);
    for (order, panels) in ORDERS.into_iter().flat_map(|order| kernels::<T>().into_iter().map(move |panels| (order, panels))) {
        let a = random::<T>(&mut rng, order);
        let (lower, upper, rows) = factors(panels, &a, order).expect("a random matrix is regular");
        let at = |matrix: &[T], i: usize, j: usize| matrix[i * order + j].to_complex().re;
        let mut sorted = rows.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..order), "an order of {order} rows: {rows:?}");
        for (i, &row) in rows.iter().enumerate() {
            for j in 0..order {
                let (l, u) = (at(&lower, i, j), at(&upper, i, j));
                assert!(if i > j { u == 0.0 && l.abs() <= 1.0 + epsilon } else { l == f64::from(u8::from(i == j)) }, "{order}");
                let product: f64 = (0..=i.min(j)).map(|k| at(&lower, i, k) * at(&upper, k, j)).sum();
                let off = (product - at(&a, row, j)).abs();
                assert!(off <= 4.0 * epsilon * order as f64, "{i}, {j} of {order}: off by {off:e}");
            }
        }
    }
}

#[test]
fn rows_of_the_matrix_are_the_product() {
    check::<f32>(f64::from(f32::EPSILON));
    check::<f64>(f64::EPSILON);
}

fn refuse<T: ComplexField + Panelled>(smallest: f64) {
    let mut rng = StdRng::seed_from_u64(8);
    for panels in kernels::<T>() {
        for order in [9, 16, 33] {
            let fine = random::<T>(&mut rng, order);
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                // A step that comes to all columns and to all rows.
                for place in (0..order * order).step_by(if order > 16 { 7 } else { 1 }) {
                    let mut a = fine.clone();
                    a[place] = T::from_complex(wrong.into());
                    assert!(factors(panels, &a, order).is_none(), "{wrong} at {place} of {order}");
                }
            }
            for column in [0, order / 2, order - 1] {
                // Pivots that are zero, and one that has no reciprocal.
                for scale in [0.0, smallest] {
                    let element = |place: usize| match (place / order, place % order) {
                        (_, own) if own == column => scale,
                        (row, other) => f64::from(u8::from(row == other)),
                    };
                    let a: Vec<T> = (0..order * order).map(|place| T::from_complex(element(place).into())).collect();
                    assert!(factors(panels, &a, order).is_none(), "{scale:e} in column {column} of {order}");
                }
            }
        }
    }
}

#[test]
fn what_has_no_finite_factors_is_left_to_others() {
    refuse::<f32>(1e-42);
    refuse::<f64>(1e-310);
}

#[test]
fn the_first_of_the_largest_is_the_pivot() {
    for panels in kernels::<f64>() {
        let order = 40;
        let a: Vec<f64> = (0..order * order).map(|place| if place % order <= place / order { 1.0 } else { -1.0 }).collect();
        let (_, upper, rows) = factors(panels, &a, order).expect("it is regular");
        assert_eq!(rows, (0..order).collect::<Vec<_>>());
        assert!((1..order).all(|n| upper[n * order + n] == 2.0), "pivots of a matrix of signs");
    }
}
