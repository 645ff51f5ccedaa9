//! What layouts cost: from an index to a position and back, over 1024 of them that no branch predictor foresees; views; and
//! moving a tensor from one layout to another.
//!
//! `cargo bench --bench layouts`; times of indices are of all 1024. The figures stand in `docs/results/layouts.md`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tensorwrapper::prelude::*;
use tensorwrapper::{Indexer, Layout, Physical};

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

fn views(criterion: &mut Criterion) {
    let t = Tensor::<f64>::zeros([40, 50, 60]).expect("a small tensor fits");
    let mut group = criterion.benchmark_group("a view of a tensor of rank 3");
    group.bench_function("whole", |bench| bench.iter(|| black_box(black_box(&t).view())));
    let view = t.view();
    group.bench_function("slice", |bench| bench.iter(|| black_box(&view).slice(1, black_box(3)..20)));
    group.bench_function("chip", |bench| bench.iter(|| black_box(&view).chip(1, black_box(3))));
    group.bench_function("permute", |bench| bench.iter(|| black_box(&view).permute(black_box(&[2, 0, 1]))));
    group.bench_function("reshape", |bench| bench.iter(|| black_box(&view).reshape::<Shape>(black_box([2000, 60]))));
    group.finish();
}

/// 200 MB from one order of the axes to the other; the same as an equation; and the same memory copied as it is.
fn relayouts(criterion: &mut Criterion) {
    let n = 5000;
    let mut t = Tensor::<f64>::filled([n, n], 1.0).expect("200 MB of memory");
    let mut group = criterion.benchmark_group("200 MB");
    group.sample_size(10);
    let orders = [Layout::column_major(2), Layout::row_major(2)];
    let mut next = 0;
    group.bench_function("relayout", |bench| {
        bench.iter(|| {
            let taken = std::mem::replace(&mut t, Tensor::zeros([0, 0]).expect("nothing"));
            t = taken.relayout(&orders[next]).expect("200 MB of memory").0;
            next = 1 - next;
        })
    });
    let (t, _) = t.relayout(&orders[1]).expect("200 MB of memory");
    group.bench_function("tensor!", |bench| bench.iter(|| tensor!([j, i] = t[i, j])));
    group.bench_function("copied as it is", |bench| bench.iter(|| t.as_slice().to_vec()));
    group.finish();
}

criterion_group!(layouts, convert, views, relayouts);
criterion_main!(layouts);
