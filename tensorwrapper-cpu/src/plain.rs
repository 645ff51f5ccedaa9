//! One small product of two matrices where they lie, found by its strides alone: most products of small equations are one, and
//! are to be prepared quickly.

use super::product::{IN_VECTORS, SMALL};
use super::product::{LEFT, OUT, RIGHT};
use super::product::{Place, Sizes};
use super::unpacked_gemm::UnpackedGemm;
use tensorwrapper_core::backend::Contraction;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// A kernel, and where its matrices begin.
type Found<T> = (UnpackedGemm<T>, [isize; 3]);

/// The kernel of a product that is one row, one column and one summed axis, and where its matrices begin. Nothing where it is
/// anything else, or too large to be multiplied where it lies; what is found is what sorting the axes finds, too.
///
/// # Errors
/// When the environment asks for vector instructions that are not there.
pub(super) fn plain<T: Element>(contraction: &Contraction<'_>) -> Result<Option<Found<T>>, Error> {
    let Contraction { nest, factors, output, .. } = *contraction;
    let ([(left, left_conjugate), (right, right_conjugate)], [_, _, inner], 2) = (factors, nest.extents(), nest.kept()) else {
        return Ok(None);
    };
    let (a, b, c) = (left.strides(), right.strides(), output.strides());
    let (row, column) = match (a, b) {
        ([(1..), 0, (1..)], [0, (1..), (1..)]) => (0, 1),
        ([0, (1..), (1..)], [(1..), 0, (1..)]) => (1, 0),
        _ => return Ok(None),
    };
    let sizes = Sizes { rows: nest.extents()[row], columns: nest.extents()[column], inner: *inner };
    let is_one_axis = |extent: usize| extent < 2;
    if [sizes.rows, sizes.columns, sizes.inner].into_iter().any(is_one_axis) || !is_matrix(output.extents(), c) {
        return Ok(None);
    }
    let multiplications = sizes.rows.saturating_mul(sizes.columns).saturating_mul(sizes.inner);
    if multiplications > IN_VECTORS {
        return Ok(None);
    }
    let places =
        [Place { row: a[row], column: a[2] }, Place { row: b[2], column: b[column] }, Place { row: c[row], column: c[column] }];
    let conjugate = [*left_conjugate, *right_conjugate].map(|conjugate| conjugate && T::DTYPE.is_complex());
    let small = UnpackedGemm::new(sizes, places, [0; 3], conjugate, T::from_complex(contraction.alpha))?;
    if multiplications > SMALL && !small.is_in_vectors()? {
        return Ok(None);
    }
    let mut start = [0; 3];
    (start[LEFT], start[RIGHT], start[OUT]) = (left.offset() as isize, right.offset() as isize, output.offset() as isize);
    Ok(Some((small, start)))
}

/// Whether no two elements of a matrix share a position, and none is counted backwards.
fn is_matrix(extents: &[usize], strides: &[isize]) -> bool {
    let (&[rows, columns], &[row @ (1..), column @ (1..)]) = (extents, strides) else { return false };
    let (narrow, count, wide) = if row < column { (row, rows, column) } else { (column, columns, row) };
    narrow.checked_mul(count as isize - 1).is_some_and(|reach| wide > reach)
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::super::contract::prepare;
    use super::super::strategy::Route;
    use super::*;
    use tensorwrapper_core::backend::LoopNest;
    use tensorwrapper_core::element::Dtype;
    use tensorwrapper_core::layout::Strided;

    #[test]
    fn what_is_found_is_what_sorting_finds() {
        let mut rng = StdRng::seed_from_u64(9);
        let mut found = 0;
        for _ in 0..2000 {
            let extents: Vec<usize> = (0..3).map(|_| rng.random_range(1..12)).collect();
            let mut layout = |used: [bool; 3], axes: usize| {
                let stride = |rng: &mut StdRng| if rng.random_bool(0.1) { -1 } else { rng.random_range(1..30i32) as isize };
                let strides: Vec<isize> = used[..axes].iter().map(|&used| if used { stride(&mut rng) } else { 0 }).collect();
                Strided::within(&extents[..axes], &strides, 40, usize::MAX).unwrap()
            };
            let (mut left, mut right) = (layout([true, false, true], 3), layout([false, true, true], 3));
            let output = layout([true, true, false], 2);
            if rng.random_bool(0.5) {
                std::mem::swap(&mut left, &mut right);
            }
            let nest = LoopNest::new(extents.clone(), 2);
            let factors = [(&left, rng.random_bool(0.3)), (&right, false)];
            let alpha = Complex::new(rng.random_range(-1.0..1.0), 0.0);
            let contraction = Contraction {
                nest: &nest,
                alpha,
                dtype: Dtype::C64,
                factors: &factors,
                output: &output,
                then: None,
                others: &[],
            };
            let Some(known) = plain::<Complex<f64>>(&contraction).unwrap() else { continue };
            let sorted = prepare::<Complex<f64>>(1, Route::Tiles, &contraction).unwrap();
            assert!(
                format!("{sorted:?}").contains(&format!("{:?}, {:?}", known.0, known.1)),
                "{contraction:?}: {known:?}, {sorted:?}"
            );
            found += 1;
        }
        assert!(found > 100, "{found} were plain");
    }
}
