//! The limits of a library of linear algebra: sizes that it cannot count, batches that are cut, and numbers at the ends of the
//! range.

use std::collections::HashSet;

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::linear::{Case, Room};
use super::{Folder, Run, assert_faultless, can_compile, host};
use crate::routine::MAX_BATCHED_COLUMNS;
use crate::simulator::{Collection, Schedule};
use crate::text::Route;
use tensorwrapper_core::backend::{Factorisation, Role};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::ErrorKind;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::Placed;

impl Run<'_> {
    /// Compares the items of a batch, relative to the largest element of each; elements that the layout does not reach must keep
    /// their values.
    pub(super) fn judge_items(
        &mut self,
        case: &Case,
        [found, expected, before]: [&Room; 3],
        tolerance: f64,
        what: impl Fn() -> String,
    ) {
        let items: usize = case.batch.iter().product();
        let [a, b] = [found, expected].map(Room::elements);
        let length = (a.len() / items).max(1);
        for (item, (a, b)) in a.chunks(length).zip(b.chunks(length)).enumerate() {
            let scale = b.iter().map(|x| x.norm()).filter(|size| size.is_finite()).fold(0.0, f64::max);
            let close = |(a, b): (&Complex<f64>, &Complex<f64>)| a == b || (a - b).norm() <= tolerance * scale;
            if let Some(n) = a.iter().zip(b).position(|pair| !close(pair)) {
                let part = (a[n] - b[n]).norm() / scale;
                self.faults.push(format!("element {n} of item {item} is {} instead of {} ({part:e}): {}", a[n], b[n], what()));
                return;
            }
        }
        let (now, before) = (found.memory(), before.memory());
        let written: HashSet<usize> = found.positions().into_iter().collect();
        let same = |p: usize| now[p] == before[p] || (now[p].is_nan() && before[p].is_nan());
        if let Some(p) = (0..now.len()).find(|p| !written.contains(p) && !same(*p)) {
            self.faults.push(format!("{} is written where nothing belongs: {}", now[p], what()));
        }
    }
}

#[test]
fn host_computes_what_the_library_cannot_count() {
    let device = Collection::default().device(Route::Library, host());
    let takes = |kind, dtype, m, n| {
        let case = Case::new(kind, &[], &[m], &[n]);
        let layout = Strided::row_major(&[m, n]).unwrap();
        device.factors_by(&case.call, dtype, &[&layout], &[]).is_some()
    };
    for (kind, m, n, expected) in [
        // The library counts the square of the longer side in every case, and six times the elements.
        (Factorisation::Svd, 1 << 15, 399, true),
        (Factorisation::Svd, 1 << 16, 399, false),
        (Factorisation::Svd, 399, 1 << 16, false),
        (Factorisation::Svd, 18_900, 18_900, true),
        (Factorisation::Svd, 19_000, 19_000, false),
        (Factorisation::Eigh, 23_000, 23_000, true),
        (Factorisation::Eigh, 23_200, 23_200, false),
        (Factorisation::Qr, 1 << 16, 399, true),
    ] {
        assert_eq!(takes(kind, Dtype::F64, m, n), expected, "{kind:?} of {m} × {n}");
    }
    // For complex numbers the library chooses other pivots, which changes factors, but not solutions.
    for (kind, dtype, expected) in [
        (Factorisation::Lu, Dtype::F64, true),
        (Factorisation::Lu, Dtype::C64, false),
        (Factorisation::Inv, Dtype::C64, true),
        (Factorisation::Det, Dtype::C32, true),
    ] {
        assert_eq!(takes(kind, dtype, 4, 4), expected, "{kind:?} in {dtype}");
    }
}

#[test]
fn ends_of_ranges() {
    assert_faultless("bounds", |run| {
        let mut rng = StdRng::seed_from_u64(3);
        // The factor of the metric is finite, but dividing by it overflows.
        let case = Case::new(Factorisation::Eigh, &[2], &[2], &[2]);
        let unit = [1.0, 0.0, 0.0, 1.0];
        let a = Placed::of(&[2, 2, 2], unit.repeat(2));
        let b = Placed::of(&[2, 2, 2], [unit, [1.0, 0.0, 0.0, 1e-310]].concat());
        let room = case.room::<f64>(&mut rng);
        run.factorise(&case, &[a, b], &room);
        // Imaginary parts on the diagonal are not read, however large they are.
        for kind in [Factorisation::Eigh, Factorisation::Cholesky] {
            let case = Case::new(kind, &[], &[2], &[2]);
            let data = [(2.0, 1e250), (0.0, 0.0), (0.5, 0.25), (3.0, 0.0)].map(|(re, im)| Complex::new(re, im));
            let room = case.room::<Complex<f64>>(&mut rng);
            run.factorise(&case, &[Placed::of(&[2, 2], data.to_vec())], &room);
        }
    });
}

/// More right-hand columns than a batched call takes.
#[test]
fn wide_right_sides() {
    assert_faultless("wide", |run| {
        let wide = MAX_BATCHED_COLUMNS + 1;
        for kind in [Factorisation::Solve, Factorisation::TriangularSolve] {
            let mut case = Case::new(kind, &[2], &[1], &[1]);
            case.roles[Role::Side as usize] = vec![wide];
            let arguments = [Placed::of(&[2, 1, 1], vec![2.0f32, 4.0]), Placed::of(&[2, 1, wide], vec![1.0; 2 * wide])];
            let room = case.room::<f32>(&mut StdRng::seed_from_u64(5));
            run.factorise(&case, &arguments, &room);
        }
    });
}

/// Running out of memory anywhere, also in the work space of a routine, is reported as such, and all memory is freed.
#[test]
fn out_of_memory_anywhere_is_reported() {
    if !can_compile("rooms") {
        return;
    }
    let (folder, collection) = (Folder::new("rooms"), Collection::default());
    let mut rng = StdRng::seed_from_u64(8);
    let case = Case::new(Factorisation::Svd, &[2], &[2], &[2]);
    let arguments = [Placed::of(&[2, 2, 2], [3.0, 1.0, 0.5, 1.0].repeat(2))];
    let room = case.room::<f64>(&mut rng);
    case.run(&*collection.device(Route::Library, host()), &arguments, &room).expect("kernels are collected");
    let compiled = collection.compile(&folder.0, str::to_string).unwrap_or_else(|error| panic!("{}", error.kind()));
    let device = compiled.device(Schedule::Forward, Route::Library, host());
    let found = (0..).step_by(8).map(|most| {
        let taken = compiled.limit_memory(most);
        assert_eq!(taken, 0, "what an error has left");
        case.run(&*device, &arguments, &room)
    });
    let mut refused = 0;
    for result in found {
        match result {
            Ok(_) => break,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{}", error.kind());
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}
