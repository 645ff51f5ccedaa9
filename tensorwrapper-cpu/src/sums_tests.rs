//! Sums of products of blocks against the reference, for every element type, where blocks and tiles begin and end.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::Cpu;
use crate::simd::Simd;
use crate::strategy::Route;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Contraction, Device, LoopNest, PreparedSum, SumTerm};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{assert_close, epsilon};

/// Blocks of `[i, k] * [k, j]`, or of batches of them: the order of each one's axes in memory.
struct Case {
    /// Of the batch, of rows, columns and terms.
    extents: [usize; 4],
    orders: [[usize; 3]; 3],
    conjugate: [bool; 2],
    alpha: f64,
}

impl Case {
    /// The strides of an operand that has these axes, the last of an order being neighbours; `gap` elements are behind each row.
    fn layout(&self, operand: usize, axes: [usize; 3], gap: usize) -> Strided {
        let (mut strides, mut stride) = (vec![0; 4], 1);
        for (n, &axis) in self.orders[operand].iter().rev().enumerate() {
            strides[axes[axis]] = stride;
            stride = (stride * self.extents[axes[axis]] as isize) + if n == 0 { gap as isize } else { 0 };
        }
        let kept = if operand == 2 { 3 } else { 4 };
        Strided::within(&self.extents[..kept], &strides[..kept], 0, usize::MAX).unwrap()
    }

    fn layouts(&self, gap: usize) -> [Strided; 3] {
        [self.layout(0, [0, 1, 3], gap), self.layout(1, [0, 3, 2], 0), self.layout(2, [0, 1, 2], gap)]
    }

    fn prepare(&self, device: &dyn Device, dtype: Dtype, layouts: &[Strided; 3]) -> PreparedSum {
        device
            .prepare_sum(&Contraction {
                nest: &LoopNest::new(self.extents.to_vec(), 3),
                alpha: self.alpha.into(),
                dtype,
                factors: &[(&layouts[0], self.conjugate[0]), (&layouts[1], self.conjugate[1])],
                output: &layouts[2],
                then: None,
                others: &[],
            })
            .unwrap()
    }

    /// Compares sums of so many terms, each way to store them. Whether the device adds in place.
    fn compare<T: Element>(&self, rng: &mut StdRng, device: &Cpu, gap: usize, counts: &[usize]) -> bool {
        let layouts = self.layouts(gap);
        let mut number = || T::from_complex(Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)));
        let mut data =
            |layout: &Strided, more: usize| -> Vec<T> { (0..layout.reach().unwrap() + more).map(|_| number()).collect() };
        let (left, right, before) = (data(&layouts[0], 50), data(&layouts[1], 50), data(&layouts[2], 53));
        let (expected, found) = (self.prepare(&Reference, T::DTYPE, &layouts), self.prepare(device, T::DTYPE, &layouts));
        for &count in counts {
            let terms: Vec<SumTerm> = (0..count)
                .map(|n| SumTerm {
                    starts: [rng.random_range(0..51), if n == 0 { 50 } else { rng.random_range(0..51) }],
                    // Results that are one, that overlap, and the last one that fits; of the first term it is what a sum begins with.
                    to: *[0, 0, 0, 3, 50].choose(rng).unwrap(),
                    adds: n > 0 && rng.random_bool(0.8),
                    weight: *[1.0, 1.0, 2.0, -1.0].choose(rng).unwrap(),
                })
                .collect();
            for adds in [false, true] {
                let factors = [T::erase(&left), T::erase(&right)];
                let mut results = [before.clone(), before.clone()];
                let [one, other] = &mut results;
                expected.run(&Reference, factors, &terms, (T::erase_mut(one), adds)).unwrap();
                found.run(device, factors, &terms, (T::erase_mut(other), adds)).unwrap();
                let what = format!("{:?} {:?} {:?} {found:?} {terms:?} {adds}", self.extents, self.orders, self.conjugate);
                // Each product and each addition rounds what has been added so far.
                let rounded = 4 + count * self.extents[3];
                assert_close(&results[1], &results[0], epsilon::<T>() * rounded as f64, &what);
            }
        }
        !format!("{found:?}").contains("Buffered")
    }
}

/// The processor with one of the forms of its kernels.
fn device(rng: &mut StdRng) -> Cpu {
    let available: Vec<Simd> = Simd::ALL.into_iter().filter(|simd| simd.is_available()).collect();
    Cpu::forced(1, Route::Sums(*available.choose(rng).unwrap()))
}

/// Whether there are kernels in vectors here, which most sums are computed by.
fn has_vectors() -> bool {
    Simd::ALL.into_iter().any(|simd| simd.is_available() && simd != Simd::Portable)
}

fn orders(rng: &mut StdRng) -> [[usize; 3]; 3] {
    std::array::from_fn(|_| *[[0, 1, 2], [0, 2, 1]].choose(rng).unwrap())
}

#[test]
fn blocks_of_any_size_and_order_are_added() {
    let mut rng = StdRng::seed_from_u64(71);
    let sizes = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 64, 65, 100];
    let mut in_place = 0;
    for round in 0..240 {
        let mut size = || *sizes.choose(&mut rng).unwrap();
        let extents = [1, size(), size(), size()];
        let conjugate = [rng.random_bool(0.2), rng.random_bool(0.2)];
        let case = Case { extents, orders: orders(&mut rng), conjugate, alpha: [1.0, -0.5][round % 2] };
        let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][round % 4];
        let device = device(&mut rng);
        in_place += usize::from(dispatch!(dtype, T => case.compare::<T>(&mut rng, &device, round % 3, &[1, 2, 7])));
    }
    assert!(in_place > if has_vectors() { 180 } else { 100 }, "{in_place}");
}

/// Large blocks times small ones, as operators between two sites are, in every order of axes.
#[test]
fn small_blocks_are_read_as_numbers() {
    let mut rng = StdRng::seed_from_u64(75);
    let mut narrow = 0;
    for round in 0..96 {
        let device = device(&mut rng);
        let (many, few) = (*[32, 65, 200, 333].choose(&mut rng).unwrap(), [1, 2, 3, 4]);
        let (n, k) = (*few.choose(&mut rng).unwrap(), *few.choose(&mut rng).unwrap());
        let extents = if round % 2 == 0 { [1, many, n, k] } else { [1, n, many, k] };
        let conjugate = [rng.random_bool(0.2), rng.random_bool(0.2)];
        let case = Case { extents, orders: orders(&mut rng), conjugate, alpha: [1.0, -0.5][round / 2 % 2] };
        let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][round / 4 % 4];
        dispatch!(dtype, T => case.compare::<T>(&mut rng, &device, round % 3, &[1, 2, 5]));
        let prepared = case.prepare(&device, dtype, &case.layouts(round % 3));
        narrow += usize::from(format!("{prepared:?}").contains("NarrowSum"));
    }
    assert!(narrow > 12, "{narrow}");
}

/// `out[I, j, i] += left[I, k, i] right[k, j]`: runs of i that lie apart for each I.
#[test]
fn a_large_block_may_lie_in_runs() {
    let mut rng = StdRng::seed_from_u64(77);
    let extents = [5, 64, 2, 3];
    let within = |strides: &[isize]| Strided::within(&extents[..strides.len()], strides, 0, usize::MAX).unwrap();
    let (left, right, out) = (within(&[200, 1, 0, 66]), within(&[0, 0, 1, 2]), within(&[150, 1, 70]));
    let prepare = |device: &dyn Device| {
        let nest = LoopNest::new(extents.to_vec(), 3);
        let factors = [(&left, false), (&right, false)];
        let (alpha, dtype) = (2.0.into(), Dtype::F64);
        let sum = Contraction { nest: &nest, alpha, dtype, factors: &factors, output: &out, then: None, others: &[] };
        device.prepare_sum(&sum).unwrap()
    };
    let mut data =
        |layout: &Strided| -> Vec<f64> { (0..layout.reach().unwrap() + 9).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (left, right, before) = (data(&left), data(&right), data(&out));
    let term = |n: usize| SumTerm { starts: [n, 2 * n], to: 4 * n, adds: n > 0, weight: 0.5 };
    let terms: Vec<SumTerm> = (0..3).map(term).collect();
    let mut expected = before.clone();
    prepare(&Reference)
        .run(&Reference, [f64::erase(&left), f64::erase(&right)], &terms, (f64::erase_mut(&mut expected), false))
        .unwrap();
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let (device, mut found) = (Cpu::forced(1, Route::Sums(simd)), before.clone());
        let sum = prepare(&device);
        assert!(format!("{sum:?}").contains("NarrowSum"), "{sum:?}");
        sum.run(&device, [f64::erase(&left), f64::erase(&right)], &terms, (f64::erase_mut(&mut found), false)).unwrap();
        assert_close(&found, &expected, 1e-13, &format!("{simd:?}"));
    }
}

/// Blocks whose rows, columns or terms are two axes each that are no single one in memory.
#[test]
fn blocks_with_more_axes_are_added() {
    let mut rng = StdRng::seed_from_u64(76);
    let labels = ['i', 'I', 'j', 'J', 'z', 'k', 'K'];
    let mut small = 0;
    for round in 0..160 {
        let device = device(&mut rng);
        let mut size = || *[1, 2, 3, 5, 8, 13, 20].choose(&mut rng).unwrap();
        let mut extents: [usize; 7] = std::array::from_fn(|_| size());
        extents[4] = 1 + round % 2;
        let mut layout = |own: &str| {
            let mut axes: Vec<usize> =
                labels.iter().enumerate().filter(|(_, label)| own.contains(**label)).map(|(n, _)| n).collect();
            axes.shuffle(&mut rng);
            let (mut strides, mut stride) = (vec![0; 7], 1);
            for axis in axes {
                strides[axis] = stride;
                stride *= extents[axis] as isize;
            }
            strides
        };
        let [left, right, out] = ["ziIkK", "jJkKz", "iIzjJ"].map(&mut layout);
        let within = |strides: &[isize]| Strided::within(&extents[..strides.len()], strides, 0, usize::MAX).unwrap();
        let (left, right, out) = (within(&left), within(&right), within(&out[..5]));
        let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][round % 4];
        let prepare = |device: &dyn Device| {
            let nest = LoopNest::new(extents.to_vec(), 5);
            let factors = [(&left, false), (&right, false)];
            let alpha = [1.0, -0.5][round / 4 % 2].into();
            let sum = Contraction { nest: &nest, alpha, dtype, factors: &factors, output: &out, then: None, others: &[] };
            device.prepare_sum(&sum).unwrap()
        };
        let (expected, found) = (prepare(&Reference), prepare(&device));
        small += usize::from(format!("{found:?}").contains("Small("));
        let weight = *[1.0, 3.0].choose(&mut rng).unwrap();
        let term = |n: usize| SumTerm { starts: [n, 2 * n], to: n / 2, adds: n % 2 == 1, weight };
        let terms: Vec<SumTerm> = (0..4).map(term).collect();
        dispatch!(dtype, T => {
            let mut number = || T::from_complex(Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)));
            let mut data = |layout: &Strided| -> Vec<T> { (0..layout.reach().unwrap() + 6).map(|_| number()).collect() };
            let (left, right, before) = (data(&left), data(&right), data(&out));
            let factors = [T::erase(&left), T::erase(&right)];
            for adds in [false, true] {
                let mut results = [before.clone(), before.clone()];
                let [one, other] = &mut results;
                expected.run(&Reference, factors, &terms, (T::erase_mut(one), adds)).unwrap();
                found.run(&device, factors, &terms, (T::erase_mut(other), adds)).unwrap();
                let tolerance = if extents[5] * extents[6] >= 100 { 2e-4 } else { 1e-5 };
                assert_close(&results[1], &results[0], tolerance, &format!("{extents:?} {adds}"));
            }
        });
    }
    assert!(small > 40 || !has_vectors(), "{small}");
}

#[test]
fn every_form_of_the_engine_adds() {
    let mut rng = StdRng::seed_from_u64(72);
    for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
        let device = Cpu::forced(1, Route::Engine(simd));
        for extents in [[1, 30, 21, 18], [1, 65, 3, 40], [1, 5, 70, 600], [3, 9, 14, 20]] {
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                let case = Case { extents, orders: orders(&mut rng), conjugate: [false, rng.random_bool(0.5)], alpha: 1.0 };
                assert!(dispatch!(dtype, T => case.compare::<T>(&mut rng, &device, 1, &[1, 4])), "{simd:?} {extents:?}");
            }
        }
    }
}

/// Blocks times vectors are added where they are cheap to add, though no kernel adds them in place.
#[test]
fn matrices_times_vectors_are_not_copied_first() {
    let mut rng = StdRng::seed_from_u64(74);
    let device = Cpu::new(Some(1));
    for extents in [[1, 64, 1, 400], [1, 1, 30, 900]] {
        let case = Case { extents, orders: [[0, 1, 2]; 3], conjugate: [false; 2], alpha: 1.0 };
        assert!(!case.compare::<f64>(&mut rng, &device, 0, &[1, 5]), "{extents:?}");
        assert!(case.prepare(&device, Dtype::F64, &case.layouts(0)).beats_copies(), "{extents:?}");
        assert!(!case.prepare(&Reference, Dtype::F64, &case.layouts(0)).beats_copies(), "{extents:?}");
    }
}

/// Results that are so large that they would be written past the caches, if nothing were added to them.
#[test]
fn large_results_are_added_to_twice() {
    let mut rng = StdRng::seed_from_u64(73);
    let case = Case { extents: [1, 2100, 1100, 4], orders: [[0, 1, 2]; 3], conjugate: [false; 2], alpha: 1.0 };
    assert!(case.compare::<f64>(&mut rng, &Cpu::new(Some(1)), 0, &[2]));
}
