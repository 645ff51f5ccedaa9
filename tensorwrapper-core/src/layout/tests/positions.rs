//! Properties of random layouts, extents 0 and 1 included, each judged by the model.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::model::{indices, memory};
use super::*;
use crate::element::Element;

#[test]
fn indices_and_positions_are_the_models() {
    let mut random = StdRng::seed_from_u64(11);
    for case in 0..CASES {
        let stored = any(&mut random);
        let (memory, indexer) = (memory(&stored), stored.indexer());
        assert_eq!((stored.buffer_len(), indexer.buffer_len()), (memory.len(), memory.len()), "case {case}: {stored}");
        assert_eq!(stored.byte_size(), memory.len() * stored.dtype().size());
        let all = indices(stored.extents());
        let mut found = vec![9; stored.rank()];
        for (position, cell) in memory.iter().enumerate() {
            let given = indexer.index_at(position, &mut found).then_some(&found);
            assert_eq!(given, cell.map(|number| &all[number]), "case {case}: {stored} at {position}");
            assert_eq!(stored.index_at(position).unwrap().as_ref(), given, "case {case}: {stored} at {position}");
        }
        assert!(!indexer.index_at(memory.len(), &mut found) && stored.index_at(memory.len()).is_err());
        for (number, index) in all.iter().enumerate() {
            let position = indexer.position(index).unwrap();
            assert_eq!(memory[position], Some(number), "case {case}: {stored} at {index:?}");
            assert_eq!(stored.position(index).unwrap(), position);
            if let Some(strides) = stored.strides() {
                assert_eq!(index.iter().zip(strides).map(|(i, s)| i * s).sum::<usize>(), position, "case {case}: {stored}");
            }
        }
        for axis in 0..stored.rank() {
            let mut outside = vec![0; stored.rank()];
            outside[axis] = stored.extents()[axis];
            assert!(indexer.position(&outside).is_none() && stored.position(&outside).is_err(), "case {case}: {stored}");
        }
        assert_eq!(indexer.position(&vec![0; stored.rank() + 1]), None);
    }
}

#[test]
fn texts_are_read_back() {
    let mut random = StdRng::seed_from_u64(12);
    for _ in 0..CASES {
        let mut stored = any(&mut random);
        if stored.rank() > 0 && random.random_bool(0.3) {
            stored = Physical::new(stored.logical().clone().with_dynamic(-1).unwrap(), stored.layout().clone()).unwrap();
        }
        let text = stored.to_string();
        assert_eq!(text.parse::<Physical>().unwrap(), stored, "{text}");
        assert_eq!(stored.layout().to_string().parse::<Layout>().unwrap(), *stored.layout(), "{text}");
        assert_eq!(stored.logical().to_string().parse::<Logical>().unwrap(), *stored.logical(), "{text}");
    }
}

#[test]
fn elements_come_out_as_they_went_in() {
    fn check<T: Element>(stored: &Physical, memory: &[Option<usize>]) {
        let element = |n: usize| T::from_complex(Complex::new(n as f64 + 2.0, 0.25));
        let elements: Vec<T> = (0..stored.logical().element_count()).map(element).collect();
        let buffer = stored.store(&elements).unwrap();
        assert!(
            buffer.iter().eq(memory.iter().map(|cell| cell.map_or(stored.fill().value(), element)).collect::<Vec<T>>().iter())
        );
        assert_eq!(stored.load(&buffer).unwrap(), elements, "{stored}");
    }
    let mut random = StdRng::seed_from_u64(13);
    for _ in 0..CASES / 4 {
        let stored = any(&mut random);
        dispatch!(stored.dtype(), T => check::<T>(&stored, &memory(&stored)));
    }
}

#[test]
fn permuting_moves_nothing_and_has_an_inverse() {
    let mut random = StdRng::seed_from_u64(14);
    for case in 0..CASES {
        let stored = any(&mut random);
        let axes = order(&mut random, stored.rank());
        let permuted = stored.permute(&axes).unwrap();
        let mut back = vec![0; axes.len()];
        axes.iter().enumerate().for_each(|(new, &old)| back[old] = new);
        assert_eq!(permuted.permute(&back).unwrap(), stored, "case {case}: {stored} by {axes:?}");
        assert_eq!(permuted.buffer_len(), stored.buffer_len());
        let (here, there) = (stored.indexer(), permuted.indexer());
        for index in indices(stored.extents()) {
            let moved: Vec<usize> = axes.iter().map(|&axis| index[axis]).collect();
            assert_eq!(here.position(&index), there.position(&moved), "case {case}: {stored} by {axes:?}");
        }
    }
}

#[test]
fn bumping_meets_all_indices_in_order() {
    let mut random = StdRng::seed_from_u64(15);
    for _ in 0..CASES / 10 {
        let logical = any(&mut random).logical().clone();
        let all = indices(logical.extents());
        assert_eq!(all.len(), logical.element_count());
        for pair in all.windows(2) {
            let mut index = pair[0].clone();
            assert!(logical.bump(&mut index).unwrap());
            assert_eq!(index, pair[1], "{logical}");
        }
        if let Some(last) = all.last() {
            let mut index = last.clone();
            assert!(!logical.bump(&mut index).unwrap());
            assert_eq!(&index, last);
        }
    }
}

#[test]
fn walks_go_the_way_of_memory() {
    let mut random = StdRng::seed_from_u64(16);
    for case in 0..CASES {
        let stored = any(&mut random);
        let mut pick = |end: usize| random.random_range(0..=end);
        let base: Vec<usize> = stored.extents().iter().map(|&extent| pick(extent)).collect();
        let count: Vec<usize> = stored.extents().iter().zip(&base).map(|(extent, base)| pick(extent - base)).collect();
        let step: Vec<usize> = base.iter().map(|_| 1 + pick(2)).collect();
        // All indices, the most minor axis fastest, of which some are met.
        let order = stored.major_to_minor();
        let in_order: Vec<usize> = order.iter().map(|&axis| stored.extents()[axis]).collect();
        let wanted = indices(&in_order).into_iter().map(|at| {
            let mut index = vec![0; order.len()];
            order.iter().zip(at).for_each(|(&axis, i)| index[axis] = i);
            index
        });
        let met = |index: &Vec<usize>| {
            (0..index.len())
                .all(|n| (base[n]..base[n] + count[n]).contains(&index[n]) && (index[n] - base[n]).is_multiple_of(step[n]))
        };
        let mut walk = stored.walk(&base, &count, &step).unwrap();
        for index in wanted.clone().filter(met) {
            assert_eq!(
                walk.next(),
                Some(stored.position(&index).unwrap()),
                "case {case}: {stored} from {base:?} {count:?} {step:?}"
            );
            assert_eq!(walk.index(), index);
        }
        assert_eq!((walk.next(), walk.next()), (None, None), "case {case}: {stored} from {base:?} {count:?} {step:?}");
        assert!(stored.walk_all().eq(wanted.map(|index| stored.position(&index).unwrap())));
    }
}

#[test]
fn positions_far_out_are_exact() {
    let stored = read("f32[3037000499,758750124]{0,1}");
    let indexer = stored.indexer();
    let mut index = [0; 2];
    for wanted in [[0, 0], [3_037_000_498, 0], [0, 758_750_123], [3_037_000_498, 758_750_123], [1, 758_750_122]] {
        let position = indexer.position(&wanted).unwrap();
        assert_eq!(position, wanted[0] + 3_037_000_499 * wanted[1]);
        assert!(indexer.index_at(position, &mut index));
        assert_eq!(index, wanted);
    }
    assert_eq!(indexer.position(&[usize::MAX, usize::MAX]), None);
    assert!(!indexer.index_at(usize::MAX, &mut index));
}
