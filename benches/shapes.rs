//! What walking the indices of a shape costs: 10⁸ of them, beside nested loops over the same extents.
//!
//! `cargo bench --bench shapes`.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tensorwrapper::Shape;

/// About 10⁸ indices with long, short and very short rows.
const EXTENTS: [[usize; 3]; 3] = [[100, 1_000, 1_000], [10_000, 1_000, 10], [10_000, 3_333, 3]];

/// What is done with each index: cheap, and a number depends on all of them.
#[inline(always)]
fn mixed(sum: usize, i: usize, j: usize, k: usize) -> usize {
    sum.wrapping_add((i ^ j).wrapping_mul(k | 1))
}

fn nested_loops(extents: [usize; 3]) -> usize {
    let mut sum = 0;
    for i in 0..extents[0] {
        for j in 0..extents[1] {
            for k in 0..extents[2] {
                sum = mixed(sum, i, j, k);
            }
        }
    }
    sum
}

fn visited(shape: &Shape) -> usize {
    let mut sum = 0;
    shape.indices().visit(|index| sum = mixed(sum, index[0], index[1], index[2]));
    sum
}

fn visited_on_threads(shape: &Shape) -> usize {
    // One number a row, so that threads seldom meet.
    let (sum, row) = (AtomicUsize::new(0), shape.extents()[2]);
    let rows = Shape::new(&shape.extents()[..2]);
    rows.indices().par_visit(|index| {
        let of_row = (0..row).fold(0, |sum, k| mixed(sum, index[0], index[1], k));
        sum.fetch_add(of_row, Ordering::Relaxed);
    });
    sum.into_inner()
}

fn arrays(shape: &Shape) -> usize {
    shape.indices().of_rank().expect("rank 3").fold(0, |sum, [i, j, k]| mixed(sum, i, j, k))
}

fn arrays_in_a_for_loop(shape: &Shape) -> usize {
    let mut sum = 0;
    for [i, j, k] in shape.indices().of_rank().expect("rank 3") {
        sum = mixed(sum, i, j, k);
    }
    sum
}

fn values(shape: &Shape) -> usize {
    shape.indices().fold(0, |sum, index| mixed(sum, index[0], index[1], index[2]))
}

fn values_in_a_for_loop(shape: &Shape) -> usize {
    let mut sum = 0;
    for index in shape {
        sum = mixed(sum, index[0], index[1], index[2]);
    }
    sum
}

/// A way to walk a shape.
type Walk = fn(&Shape) -> usize;

fn indices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("indices");
    group.sample_size(10);
    for extents in EXTENTS {
        let name = format!("{}x{}x{}", extents[0], extents[1], extents[2]);
        let shape = Shape::new(extents);
        group.bench_function(BenchmarkId::new("nested loops", &name), |bench| bench.iter(|| nested_loops(black_box(extents))));
        let ways: [(&str, Walk); 6] = [
            ("visit", visited),
            ("of_rank, fold", arrays),
            ("of_rank, for", arrays_in_a_for_loop),
            ("values, fold", values),
            ("values, for", values_in_a_for_loop),
            ("par_visit of rows", visited_on_threads),
        ];
        for (way, walk) in ways {
            assert_eq!(walk(&shape), nested_loops(extents), "{way}");
            group.bench_function(BenchmarkId::new(way, &name), |bench| bench.iter(|| walk(black_box(&shape))));
        }
    }
    group.finish();
}

criterion_group!(shapes, indices);
criterion_main!(shapes);
