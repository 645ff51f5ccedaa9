//! What it costs to go from an index to a position and back, over 1024 of them that no branch predictor foresees.
//!
//! `cargo bench --bench layouts`; times are of all 1024. The figures stand in `docs/results/layouts.md`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tensorwrapper::{Indexer, Physical};

const COUNT: usize = 1024;

/// Positions of elements, all over the memory.
fn positions(indexer: &Indexer, rank: usize) -> Vec<usize> {
    let (mut found, mut index, mut state) = (Vec::new(), vec![0; rank], 1u64);
    while found.len() < COUNT {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let position = (state >> 33) as usize % indexer.buffer_len();
        if indexer.index_at(position, &mut index) {
            found.push(position);
        }
    }
    found
}

/// As one would divide by hand, the most minor axis first.
fn divide(mut position: usize, extents: &[usize], minor_to_major: &[usize], index: &mut [usize]) {
    for &axis in minor_to_major {
        index[axis] = position % extents[axis];
        position /= extents[axis];
    }
}

fn convert(criterion: &mut Criterion) {
    let texts = [
        "f32[700,900]{1,0}",
        "f32[12,30,20,50]{2,0,3,1}",
        "f32[12,30,20,50]{3,2,1,0:W(13,32,24,64)}",
        "f32[3,5,4,6,7,3,2,9]{7,6,5,4,3,2,1,0}",
        "f32[700,900]{1,0:T(8,128)}",
        "f32[700,900]{1,0:T(8,128)(2,1)}",
    ];
    for text in texts {
        let stored: Physical = text.parse().expect("a layout");
        let (indexer, rank) = (stored.indexer(), stored.rank());
        let positions = positions(&indexer, rank);
        let mut indices = vec![0; COUNT * rank];
        for (&position, index) in positions.iter().zip(indices.chunks_exact_mut(rank)) {
            assert!(indexer.index_at(position, index));
        }
        let mut group = criterion.benchmark_group(text);
        group.bench_function("index to position", |bench| {
            bench.iter(|| {
                let (indexer, indices) = (black_box(&indexer), black_box(&indices));
                indices.chunks_exact(rank).map(|index| indexer.position(index).expect("in range")).fold(0, usize::wrapping_add)
            })
        });
        let mut index = vec![0; rank];
        group.bench_function("position to index", |bench| {
            bench.iter(|| {
                let (indexer, positions) = (black_box(&indexer), black_box(&positions));
                positions.iter().filter(|&&position| indexer.index_at(position, black_box(&mut index))).count()
            })
        });
        if stored.layout().tiles().is_empty() && stored.layout().padded_extents().is_none() {
            group.bench_function("position to index, dividing", |bench| {
                bench.iter(|| {
                    let (extents, order) = (black_box(stored.extents()), stored.layout().minor_to_major());
                    black_box(&positions).iter().for_each(|&position| divide(position, extents, order, black_box(&mut index)));
                })
            });
        }
        group.finish();
    }
}

criterion_group!(layouts, convert);
criterion_main!(layouts);
