//! Copies against the plainest loop, over random permutations, slices, reversals and broadcasts, in every form of the kernels.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::memory::Picked;
use super::tiles::Kind;
use super::*;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::element::{Dtype, dispatch};
use tensorwrapper_testing::number;

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

/// A permutation of contiguous arrays.
fn plain(extents: &[usize], order: &[usize]) -> Vec<Pair> {
    let strides = |extents: &[usize]| -> Vec<isize> {
        (0..extents.len()).map(|n| extents[n + 1..].iter().product::<usize>() as isize).collect()
    };
    let result: Vec<usize> = order.iter().map(|&axis| extents[axis]).collect();
    let (source, target) = (strides(extents), strides(&result));
    order.iter().zip(target).map(|(&n, to)| Axis { extent: extents[n], strides: [source[n], to] }).collect()
}

fn compare<T: Element>(rng: &mut StdRng, simd: Simd, threads: usize, Random { axes, start, len }: Random) {
    let conjugate = rng.random_bool(0.5);
    let from: Vec<T> = (0..len[FROM]).map(|_| number(rng)).collect();
    let untouched = T::from_complex(Complex::new(7.0, -7.0));
    let mut expected = vec![untouched; len[TO]];
    let mut walk = Odometer::new(&axes, &start, 0);
    for _ in 0..fuse::points(&axes) {
        let value = from[walk.position[FROM] as usize];
        expected[walk.position[TO] as usize] = if conjugate { value.conj() } else { value };
        walk.step();
    }
    let size = size_of::<T>();
    let permutations = [
        Permutation::new(axes.clone(), size),
        Permutation::repeated(axes.clone(), size),
        Permutation::repeated(axes.clone(), size).reading_far(true),
        Permutation::part(axes.clone(), size, STREAMED),
    ];
    for permutation in permutations {
        let mut found = vec![untouched; len[TO]];
        permutation.run_by(simd, threads, start, &from, Sink::new(&mut found), conjugate);
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(wrong, None, "{simd:?}, {}, conjugated: {conjugate}, {start:?}, {axes:?}, {permutation:?}", T::DTYPE);
    }
}

fn compare_all(seed: u64, rounds: usize, most: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    for round in 0..rounds {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let dtype = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64][round % 4];
            let case = random(&mut rng, most);
            dispatch!(dtype, T => compare::<T>(&mut rng, simd, 1 + round % 3, case));
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
        let axes = plain(extents, order);
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let mut found = vec![f64::NAN; from.len() + n];
            Permutation::new(axes.clone(), 8).run_by(simd, 1 + n % 2, [0, n as isize], &from, Sink::new(&mut found), false);
            let mut walk = Odometer::new(&axes, &[0, n as isize], 0);
            for _ in 0..from.len() {
                assert_eq!(found[walk.position[TO] as usize], from[walk.position[FROM] as usize], "{extents:?} by {order:?}");
                walk.step();
            }
        }
    }
}

fn kind(extents: &[usize], order: &[usize], size: usize) -> Option<Kind> {
    match Permutation::new(plain(extents, order), size).tile {
        Tile::Lines(tiles) => Some(tiles.kind),
        Tile::Plane(_) | Tile::Table(_) => None,
    }
}

/// Bytes of elements that are picked.
const SIZES_OF_PICKED: [usize; 3] = [4, 8, 16];

/// Short on both sides, and large enough for a table of places.
const SHORT_ON_BOTH_SIDES: [(&[usize], &[usize]); 4] = [
    (&[6, 10, 22, 16, 7, 19], &[4, 3, 0, 2, 5, 1]),
    (&[33, 63, 15, 31], &[2, 1, 3, 0]),
    (&[19, 61, 13, 21], &[1, 3, 0, 2]),
    (&[5, 9, 7, 330, 3], &[3, 0, 4, 2, 1]),
];

#[test]
fn elements_are_picked_between_short_axes() {
    for size in SIZES_OF_PICKED {
        for (extents, order) in SHORT_ON_BOTH_SIDES {
            assert_eq!(kind(extents, order, size), Some(Kind::Picked), "{extents:?} by {order:?}, {size} bytes");
        }
        // A table for each of these would take longer than the copy.
        assert_eq!(kind(&[50, 50], &[1, 0], size), Some(Kind::Boxes), "too few");
        assert_eq!(kind(&[64, 64], &[1, 0], size), Some(Kind::Panel), "too few");
        assert_eq!(kind(&[13, 13, 13], &[2, 1, 0], size), Some(Kind::Panel), "too few");
        // Squares are full enough.
        assert_eq!(kind(&[100, 30_000], &[1, 0], size), Some(Kind::Panel), "long rows");
        assert_eq!(kind(&[200, 100_003], &[1, 0], size), Some(Kind::Panel), "long rows");
        assert_eq!(kind(&[300, 30, 40], &[2, 1, 0], size), Some(Kind::Panel), "many columns");
        // 32 columns at multiples of 32768 elements have one set of a cache.
        assert_eq!(kind(&[32, 64, 16, 32], &[2, 1, 3, 0], size), Some(Kind::Boxes), "crowded columns");
    }
}

#[test]
fn picked_elements_are_where_they_belong() {
    let mut rng = StdRng::seed_from_u64(5);
    for (n, (extents, order)) in SHORT_ON_BOTH_SIDES.into_iter().enumerate().skip(1) {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                let (axes, start) = (plain(extents, order), [2, n as isize]);
                let len = start.map(|start| start as usize + fuse::points(&axes) + n);
                dispatch!(dtype, T => compare::<T>(&mut rng, simd, 1 + n % 3, Random { axes, start, len }));
            }
        }
    }
}

#[test]
fn elements_are_picked_wherever_source_and_result_begin() {
    let mut rng = StdRng::seed_from_u64(4);
    for (simd, size) in
        Simd::ALL.into_iter().filter(|simd| simd.is_available()).flat_map(|simd| [4, 8, 16].map(|size| (simd, size)))
    {
        let width = size / 4;
        // Complex numbers of eight bytes begin at any word, which may be an odd one.
        let from: Vec<u32> = (0..200 * width as u32 + WORDS as u32).collect();
        let signs: [u32; WORDS] = std::array::from_fn(|word| if word % width == width - 1 { 1 << 31 } else { 0 });
        for (begin, len) in (0..WORDS).flat_map(|begin| [0, 1, 15, 16, 77].map(|len| (begin, len))) {
            let from = &from[rng.random_range(0..WORDS)..];
            let places: Vec<i32> = (0..len).map(|_| rng.random_range(-100..100)).collect();
            let mut found = vec![u32::MAX; begin + len * width + WORDS];
            let mut expected = found.clone();
            for (to, &place) in expected[begin..].chunks_mut(width).zip(&places) {
                to.copy_from_slice(&from[(place + 100) as usize * width..][..width]);
                to.iter_mut().zip(signs).for_each(|(word, sign)| *word ^= sign);
            }
            let coming: Vec<isize> = (0..rng.random_range(0..12)).map(|_| rng.random_range(-100..100i32) as isize).collect();
            let memory = Memory {
                from: from[100 * width..].as_ptr().cast(),
                end: from.as_ptr_range().end.cast(),
                to: found[begin..].as_mut_ptr().cast(),
                ahead: 8,
                signs,
                stream: rng.random_bool(0.5),
                near: false,
                asks: false,
                coming: &coming,
                piece: 100,
            };
            let kernels = kernels(simd, size);
            // SAFETY: all places lie inside the source, and there is room for as many elements.
            unsafe {
                (kernels.pick)(&memory, Picked { places: &places });
                (kernels.fence)();
            }
            assert_eq!(found, expected, "{simd:?}, {size} bytes, {len} from word {begin}");
        }
    }
}
