//! Copies against the plainest loop, over random permutations, slices, reversals and broadcasts, in every form of the kernels.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::backend::random::number;
use crate::element::{Dtype, dispatch};

/// Axes over a source and a result that is contiguous but for what is skipped; and the memory that both need, with their starts.
struct Random {
    axes: Vec<Pair>,
    start: [isize; 2],
    len: [usize; 2],
}

fn random(rng: &mut StdRng, most: usize) -> Random {
    let rank = rng.random_range(0..=6usize);
    let longest = (most as f64).powf(1.0 / rank.max(1) as f64) as usize * 2;
    let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(1..=longest.max(2))).collect();
    let plain = rng.random_bool(0.6);
    let mut start = [0; 2];
    let mut len = [0; 2];
    let mut strides = vec![[0; 2]; rank];
    for side in [FROM, TO] {
        let mut order: Vec<usize> = (0..rank).collect();
        order.shuffle(rng);
        let mut size = rng.random_range(0..20usize);
        start[side] = size as isize;
        let mut stride = 1;
        for n in order {
            if side == FROM && rng.random_bool(0.05) {
                continue;
            }
            let step = if !plain && rng.random_bool(0.2) { rng.random_range(1..4usize) as isize } else { 1 };
            let reach = stride * step * (extents[n] as isize - 1);
            strides[n][side] = stride * step;
            if !plain && rng.random_bool(0.2) {
                strides[n][side] *= -1;
                start[side] += reach;
            }
            size += reach as usize;
            stride = stride * step * extents[n] as isize + if plain { 0 } else { rng.random_range(0..3usize) as isize };
        }
        len[side] = size + 1;
    }
    let axes = extents.into_iter().zip(strides).map(|(extent, strides)| Axis { extent, strides }).collect();
    Random { axes, start, len }
}

fn compare<T: Element>(rng: &mut StdRng, simd: Simd, threads: usize, most: usize) {
    let Random { axes, start, len } = random(rng, most);
    let conjugate = rng.random_bool(0.5);
    let from: Vec<T> = (0..len[FROM]).map(|_| number(rng)).collect();
    let untouched = T::from_complex(Complex::new(7.0, -7.0));
    let (mut found, mut expected) = (vec![untouched; len[TO]], vec![untouched; len[TO]]);
    let mut walk = Odometer::new(&axes, &start, 0);
    for _ in 0..fuse::points(&axes) {
        let value = from[walk.position[FROM] as usize];
        expected[walk.position[TO] as usize] = if conjugate { value.conj() } else { value };
        walk.step();
    }
    let permutation = Permutation::new(axes.clone());
    permutation.run_by(simd, threads, start, &from, Sink::new(&mut found), conjugate);
    let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert_eq!(wrong, None, "{simd:?}, {}, conjugated: {conjugate}, {start:?}, {axes:?}, {permutation:?}", T::DTYPE);
}

fn compare_all(seed: u64, rounds: usize, most: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    for round in 0..rounds {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][round % 4];
            dispatch!(dtype, T => compare::<T>(&mut rng, simd, 1 + round % 3, most));
        }
    }
}

#[test]
fn permuted_elements_are_where_they_belong() {
    compare_all(1, 400, 3000);
}

#[test]
fn permuted_elements_are_where_they_belong_when_there_are_many() {
    compare_all(2, 60, 60_000);
}

/// What is written past the caches is large.
#[test]
fn permutations_of_megabytes() {
    let mut rng = StdRng::seed_from_u64(3);
    let cases: [(&[usize], &[usize]); 6] = [
        (&[1031, 1033], &[1, 0]),
        (&[61, 130, 137], &[2, 1, 0]),
        (&[70, 5, 60, 61], &[0, 2, 1, 3]),
        (&[90, 12, 19, 61], &[0, 2, 3, 1]),
        (&[90, 61, 12, 19], &[1, 0, 3, 2]),
        (&[11, 5, 1030, 23], &[2, 0, 3, 1]),
    ];
    for (n, (extents, order)) in cases.into_iter().enumerate() {
        let from: Vec<f64> = (0..extents.iter().product::<usize>()).map(|_| number(&mut rng)).collect();
        let strides = |extents: &[usize]| -> Vec<isize> {
            (0..extents.len()).map(|n| extents[n + 1..].iter().product::<usize>() as isize).collect()
        };
        let result: Vec<usize> = order.iter().map(|&axis| extents[axis]).collect();
        let (source, target) = (strides(extents), strides(&result));
        let axes: Vec<Pair> =
            order.iter().zip(target).map(|(&n, to)| Axis { extent: extents[n], strides: [source[n], to] }).collect();
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let mut found = vec![f64::NAN; from.len() + n];
            Permutation::new(axes.clone()).run_by(simd, 1 + n % 2, [0, n as isize], &from, Sink::new(&mut found), false);
            let mut walk = Odometer::new(&axes, &[0, n as isize], 0);
            for _ in 0..from.len() {
                assert_eq!(found[walk.position[TO] as usize], from[walk.position[FROM] as usize], "{extents:?} by {order:?}");
                walk.step();
            }
        }
    }
}
