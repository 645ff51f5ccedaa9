//! Kernels of linear algebra that were collected for one small and one large matrix serve all sizes.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::linear::cases;
use super::{Collection, DTYPES, Folder, Run, Schedule, can_compile, host};

/// Batches of matrices and single matrices. With prime orders no operand has more than three axes, which would need kernels of
/// their own.
fn run(run: &mut Run<'_>, sizes: &[(&[usize], usize, usize)]) {
    let mut rng = StdRng::seed_from_u64(21);
    for &(batch, m, n) in sizes {
        for (number, (case, arguments)) in cases(&mut rng, batch, m, n).into_iter().enumerate() {
            run.drawn(&mut rng, &case, DTYPES[number % 4], arguments);
            run.drawn(&mut rng, &case, DTYPES[(number + 2) % 4], arguments);
        }
    }
}

#[test]
fn kernels_of_two_sizes_serve_all() {
    if !can_compile("sizes") {
        return;
    }
    let (folder, collection) = (Folder::new("sizes"), Collection::default());
    let mut collected = Run { device: &|route| collection.device(route, host()), faults: Vec::new() };
    // The second is large enough for positions of 64 bits.
    run(&mut collected, &[(&[], 2, 2), (&[], 37, 37)]);
    let compiled = collection.compile(&folder.0, str::to_string).unwrap_or_else(|error| panic!("{}", error.kind()));
    let mut others = Run { device: &|route| compiled.device(Schedule::Forward, route, host()), faults: Vec::new() };
    run(&mut others, &[(&[], 17, 13), (&[3], 13, 17), (&[5], 7, 7), (&[], 1, 1), (&[], 67, 67)]);
    assert!(others.faults.is_empty(), "{} faults\n{}", others.faults.len(), others.faults.join("\n"));
}
