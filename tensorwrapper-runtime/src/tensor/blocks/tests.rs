//! Block tensors: elements that follow, and conversions.

mod drawn;

pub(crate) use drawn::{drawn_structure, rounds};

use num_complex::Complex;
use tensorwrapper_core::structure::{Sparsity, Structure};
use tensorwrapper_core::symmetry::{Sign, Symmetry};
use tensorwrapper_core::{Charges, Shape, Tiling};

use super::Blocks;
use crate::tensor::Tensor;

/// A number that differs from index to index.
fn number(index: &[usize]) -> f64 {
    index.iter().fold(1.0, |sum, &n| (sum * 3.7 + n as f64 * 1.3).sin())
}

#[test]
fn parts_begin_where_they_do_in_the_whole() {
    let cut = Tiling::cuts([2, 3]);
    let whole = Blocks::<f64>::from_fn(&Structure::new([&cut; 3]), number).unwrap();
    assert_eq!((whole.shape().origin(), whole.to_string().contains("beginning")), (&[0; 3][..], false));
    let part = whole.slice(&[1..5, 0..2, 2..5]).unwrap();
    let inner = part.slice(&[1..3, 0..2, 1..2]).unwrap();
    assert_eq!((part.shape().origin(), inner.shape().origin()), (&[1, 0, 2][..], &[2, 0, 3][..]));
    assert!(inner.shape().indices().zip(inner.shape().offsets()).all(|(index, at)| inner.get(&at) == whole.get(&index)));
    assert_eq!(part.chip(0, 2).unwrap().shape().origin(), [0, 2]);
    assert!(part.to_string().starts_with("Structure[[1, 3], [2], [3]] of 2 blocks beginning at [1, 0, 2]\nblock"));
    assert_eq!(format!("{:?}", part.chip(0, 0).unwrap()), "Blocks<f64> of Structure[[2], [3]] of 1 block beginning at [0, 2]");
    // Other cuts, layers and types are those of the same part.
    let recut = part.tiled(&[Tiling::each(4), Tiling::whole(2), Tiling::whole(3)]).unwrap().nested([1, 2]).unwrap();
    for same in [
        recut.clone().flat(),
        recut,
        part.smooth().unwrap(),
        part.map_indexed(|_, x| x).unwrap().into_dyn(),
        part.untied().unwrap(),
        part.truncated(0.0).unwrap(),
        part.without_equal_blocks().unwrap(),
    ] {
        assert_eq!(same.shape().origin(), part.shape().origin());
    }
    let vector = Blocks::<f64>::zeros(&Structure::new([&cut]).with_blocks([[0]]).unwrap()).unwrap();
    let mut grown = vector.slice(std::slice::from_ref(&(1..4))).unwrap();
    grown.set(&[2], 1.0).unwrap();
    assert_eq!((grown.shape().origin(), grown.blocks().len()), (&[1][..], 2));
    assert!(grown.clone().with_origin([usize::MAX]).is_err() && grown.with_origin([7]).unwrap().shape().origin() == [7]);
}

#[test]
fn dense_and_back() {
    let (cut, other) = (Tiling::cuts([2, 0, 3, 1]), Tiling::cuts([4, 1]));
    let symmetry = Symmetry::none(3).antisymmetric([0, 2]).unwrap();
    for structure in [
        Structure::new([&cut, &other]),
        Structure::new([&cut, &other]).with_blocks([[0, 1], [2, 0]]).unwrap(),
        Structure::new([&cut, &other, &cut]).with(symmetry).unwrap(),
        Structure::new([]),
    ] {
        let blocks = Blocks::<f64>::from_fn(&structure, number).unwrap();
        let dense = blocks.to_dense().unwrap();
        for index in &structure.shape() {
            assert_eq!(blocks.get(&index).unwrap(), dense.get(&index).unwrap(), "{structure:?} at {index:?}");
        }
        let again = Blocks::from_dense(&dense, &structure).unwrap();
        assert_eq!(again.slab(), blocks.slab());
    }
}

#[test]
fn elements_follow_by_every_element_of_the_group() {
    let cut = Tiling::cuts([2, 1]);
    let symmetry = Symmetry::none(4).hermitian(0, 1).unwrap().exchange(&[0, 1], &[2, 3], Sign::Minus).unwrap();
    let structure = Structure::new([&cut; 4]).with(symmetry).unwrap();
    let blocks =
        Blocks::<Complex<f64>>::from_fn(&structure, |index| Complex::new(number(index), number(&[index, &[7]].concat())));
    let blocks = blocks.unwrap();
    for index in &Shape::new([3; 4]) {
        for by in structure.symmetry().elements() {
            let image = by.image(&index);
            assert_eq!(
                blocks.get(&index).unwrap(),
                super::erased::follows(blocks.get(&image).unwrap(), by),
                "{index:?} by {by:?}"
            );
        }
    }
}

#[test]
fn mistakes_are_told() {
    let structure = Structure::new([&Tiling::cuts([2, 1])]);
    let blocks = Blocks::<f64>::zeros(&structure).unwrap();
    assert_eq!(blocks.get(&[3]).unwrap_err().to_string(), "`Tiling[2, 1]` has no index 3; it has 3");
    assert!(blocks.get(&[0, 0]).unwrap_err().to_string().contains("rank 1"));
    assert_eq!(blocks.block(&[2]).unwrap_err().to_string(), "`Tiling[2, 1]` has no tile 2; it has 2");
    let dense = Tensor::<f64>::zeros([4]).unwrap();
    let refused = Blocks::from_dense(&dense, &structure).unwrap_err();
    assert_eq!(refused.to_string(), "a tensor of extents [4] has no blocks of Structure[[2, 1]]");
}

#[test]
fn other_cuts_have_the_same_elements() {
    let cut = Tiling::cuts([2, 1, 3]);
    let pair = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
    let structure = Structure::new([&cut, &cut]).with(pair).unwrap().with_blocks([[0, 1], [1, 2], [2, 2]]).unwrap();
    let b = Blocks::<f64>::from_fn(&structure, |i| (1 + 7 * i[0] + i[1]) as f64).unwrap();
    for (tilings, group) in [
        ([Tiling::cuts([1, 4, 1]), Tiling::cuts([1, 4, 1])], 2),
        ([Tiling::each(6), Tiling::whole(6)], 1),
        ([Tiling::cuts([0, 6]), Tiling::cuts([3, 0, 3])], 1),
    ] {
        let other = b.tiled(&tilings).unwrap();
        assert_eq!(other.to_dense().unwrap().as_slice(), b.to_dense().unwrap().as_slice());
        assert_eq!((other.structure().tilings(), other.structure().symmetry().order()), (&tilings[..], group));
    }
    assert!(b.tiled(&[cut.clone(), Tiling::whole(5)]).is_err() && b.tiled(&[cut]).is_err());
}

#[test]
fn one_block_has_the_same_elements() {
    let (cut, other) = (Tiling::cuts([2, 0, 3]), Tiling::cuts([4, 1]));
    let spin = Tiling::cuts([2, 1]).charged([-1, 1]).unwrap();
    let pair = Symmetry::none(3).antisymmetric([0, 2]).unwrap();
    for structure in [
        Structure::new([&cut, &other]).with_blocks([[0, 1]]).unwrap().nested([1, 1]).unwrap(),
        Structure::new([&cut, &other, &cut]).with(pair).unwrap(),
        Structure::new([&spin, &spin]).flow([1, -1], [2]).unwrap(),
        Structure::new([&other, &cut, &other]).tied([0, 2]).unwrap(),
        Structure::new([&other, &Tiling::whole(0)]),
        Structure::new([&cut]).with_blocks([[0; 1]; 0]).unwrap(),
        Structure::new([]),
    ] {
        let blocks = Blocks::<f64>::from_fn(&structure, number).unwrap();
        let smooth = blocks.smooth().unwrap();
        assert_eq!(smooth.to_dense().unwrap().as_slice(), blocks.to_dense().unwrap().as_slice(), "{structure:?}");
        assert!(smooth.blocks().len() <= 1 && smooth.bytes() == 8 * structure.shape().size().unwrap());
        assert_eq!(smooth.structure().symmetry(), structure.symmetry());
        assert_eq!(smooth.structure().layers(), structure.layers());
        assert_eq!(smooth.flat().structure().layers(), [structure.rank()]);
    }
}

#[test]
fn equal_blocks_are_stored_once() {
    let (cell, other) = (Tiling::cuts([2, 2, 2]), Tiling::cuts([1, 2]));
    let chain = Structure::new([&cell, &other, &cell]);
    let chain = chain.equal_blocks((0..3).map(|n| [n, 1, n])).unwrap();
    let chain = chain.equal_blocks([[0, 0, 1], [1, 0, 2]]).unwrap().with_blocks([[1, 1, 1], [0, 0, 1], [2, 0, 0]]).unwrap();
    let blocks = Blocks::<f64>::from_fn(&chain, number).unwrap();
    let (dense, whole) = (blocks.to_dense().unwrap(), blocks.without_equal_blocks().unwrap());
    assert_eq!((blocks.bytes(), whole.bytes()), (8 * (8 + 4 + 4), 8 * (3 * 8 + 2 * 4 + 4)));
    for index in &chain.shape() {
        let expected = dense.get(&index).unwrap();
        assert_eq!((blocks.get(&index).unwrap(), whole.get(&index).unwrap()), (expected, expected));
    }
    assert_eq!(whole.to_dense().unwrap().as_slice(), dense.as_slice());
    let square: f64 = dense.as_slice().iter().map(|x| x * x).sum();
    assert!((blocks.frobenius_norm() - square.sqrt()).abs() < 1e-13);
    assert_eq!(blocks.norm(&[2, 1, 2]).unwrap(), blocks.norm(&[0, 1, 0]).unwrap());
    let again = Blocks::from_coo(&chain, blocks.to_coo().unwrap()).unwrap();
    assert_eq!(again.slab(), blocks.slab());
    let mut wrong = blocks.to_coo().unwrap();
    wrong[0].1 += 1.0;
    assert!(Blocks::from_coo(&chain, wrong).unwrap_err().to_string().contains("do not agree"));
    assert_eq!(Blocks::from_dense(&dense, &chain).unwrap().slab(), blocks.slab());
    let twice = Blocks::<f64>::from_fn(&Structure::new([&cell]), |_| 2.0).unwrap();
    let scaled = blocks.scaled_along(2, &twice).unwrap();
    assert!(scaled.to_dense().unwrap().as_slice().iter().zip(dense.as_slice()).all(|(x, y)| *x == 2.0 * y));
    for other in [blocks.tiled(&[Tiling::each(6), other.clone(), cell.clone()]).unwrap(), blocks.smooth().unwrap()] {
        assert_eq!(other.to_dense().unwrap().as_slice(), dense.as_slice());
    }
    let (part, expected) = (blocks.slice(&[1..5, 0..3, 0..6]).unwrap(), dense.view().slice(0, 1..5).unwrap());
    assert_eq!(part.to_dense().unwrap().as_slice(), expected.elements().copied().collect::<Vec<f64>>());
    assert!(whole.clone().widened(&chain).is_err() && blocks.clone().widened(whole.structure()).is_ok());
    assert!(blocks.truncated(0.0).unwrap().to_dense().unwrap().as_slice() == dense.as_slice());
}

#[test]
fn single_elements_and_back() {
    let (cut, other) = (Tiling::cuts([2, 0, 3, 1]), Tiling::cuts([4, 1]));
    let spin = Tiling::cuts([2, 1]).charged([-1, 1]).unwrap();
    let symmetric = Symmetry::none(3).antisymmetric([0, 2]).unwrap();
    for structure in [
        Structure::new([&cut, &other]),
        Structure::new([&cut, &other, &cut]).with(symmetric).unwrap(),
        Structure::new([&spin, &spin]).flow([1, -1], [2]).unwrap(),
        Structure::new([&other, &cut, &other]).tied([0, 2]).unwrap(),
        Structure::new([]),
    ] {
        let blocks = Blocks::<f64>::from_fn(&structure, |i| if i.iter().sum::<usize>() % 2 == 0 { number(i) } else { 0.0 });
        let (blocks, dense) = (blocks.as_ref().unwrap(), blocks.as_ref().unwrap().to_dense().unwrap());
        let elements = blocks.to_coo().unwrap();
        let expected: Vec<(Vec<usize>, f64)> =
            structure.shape().into_iter().map(|i| (i.to_vec(), dense.get(&i).unwrap())).collect();
        assert_eq!(elements, expected.into_iter().filter(|(_, x)| *x != 0.0).collect::<Vec<_>>(), "{structure:?}");
        let again = Blocks::from_coo(&structure, elements.clone()).unwrap();
        assert_eq!(again.to_dense().unwrap().as_slice(), dense.as_slice());
        assert_eq!(again.blocks(), blocks.truncated(0.0).unwrap().blocks());
        if structure.rank() == 2 {
            let (starts, columns, values) = blocks.to_csr().unwrap();
            let again = Blocks::from_csr(&structure, &starts, &columns, &values).unwrap();
            assert_eq!(again.to_coo().unwrap(), elements);
        }
    }
}

#[test]
fn single_elements_that_do_not_fit() {
    let cut = Tiling::cuts([2, 1]);
    let told = |result: Result<Blocks<f64>, crate::Error>| result.unwrap_err().to_string();
    let plain = Structure::new([&cut, &cut]);
    assert!(told(Blocks::from_coo(&plain, [([0, 3], 1.0)])).contains("has no index 3"));
    assert!(told(Blocks::from_coo(&plain, [([0], 1.0)])).contains("rank 2"));
    let diagonal = plain.tied([0, 1]).unwrap();
    assert_eq!(told(Blocks::from_coo(&diagonal, [([0, 1], 1.0)])), "axes are tied, so that there is no element [0, 1]");
    let some = plain.with_blocks([[0, 0]]).unwrap();
    assert_eq!(told(Blocks::from_coo(&some, [([2, 1], 1.0)])), "the structure has no block [1, 0], where element [2, 1] is");
    let antisymmetric = plain.with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap();
    assert_eq!(
        told(Blocks::from_coo(&antisymmetric, [([0, 1], 1.0), ([1, 0], 1.0)])),
        "elements [0, 1] and [1, 0] follow from each other, but do not agree"
    );
    assert_eq!(told(Blocks::from_coo(&antisymmetric, [([1, 1], 2.0)])), "element [1, 1] is 2+0i, but by symmetry -2+0i");
    assert_eq!(told(Blocks::from_csr(&plain, &[0, 1], &[0], &[1.0])), "the beginnings and ends of 3 rows are 4 numbers, not 2");
    assert_eq!(told(Blocks::from_csr(&plain, &[0, 1, 1, 1], &[], &[1.0])), "1 element, but 0 columns are given");
    assert!(told(Blocks::from_csr(&plain, &[0, 1, 0, 1], &[0], &[1.0])).contains("ascend from 0 to 1"));
    assert!(told(Blocks::zeros(&plain).unwrap().truncated(f64::NAN)).contains("not NaN"));
}

#[test]
fn elements_that_are_no_numbers_go_out_and_in() {
    let cut = Tiling::cuts([2, 1]);
    let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let blocks = Blocks::<f64>::from_fn(&symmetric, |i| if i[0] == i[1] { f64::NAN } else { 1.0 }).unwrap();
    let again = Blocks::from_coo(&symmetric, blocks.to_coo().unwrap()).unwrap();
    assert!(again.get(&[1, 1]).unwrap().is_nan() && again.get(&[2, 0]).unwrap() == 1.0);
}

#[test]
fn norms_of_large_and_of_small_elements() {
    let cut = Tiling::cuts([2, 1]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    for size in [1e-200, 1e-308, 1e200, 1.0] {
        let blocks = Blocks::<f64>::from_fn(&structure, |_| size).unwrap();
        assert!((blocks.frobenius_norm() / size - 3.0).abs() < 1e-14, "{size}");
        assert!((blocks.norm(&[0, 0]).unwrap() / size - 2.0).abs() < 1e-14, "{size}");
        assert_eq!(blocks.truncated(0.0).unwrap().blocks().len(), 3, "{size}");
    }
    let single = Blocks::<f32>::from_fn(&structure, |_| 1e-30).unwrap();
    assert!((single.frobenius_norm() / 3e-30 - 1.0).abs() < 1e-6);
    let infinite = Blocks::<f64>::from_fn(&structure, |_| f64::INFINITY).unwrap();
    assert_eq!((infinite.frobenius_norm(), infinite.norm(&[0, 1]).unwrap()), (f64::INFINITY, f64::INFINITY));
    let none = Blocks::<f64>::from_fn(&structure, |_| f64::NAN).unwrap();
    assert!(none.frobenius_norm().is_nan() && none.norm(&[0, 1]).unwrap().is_nan());
}

#[test]
fn rows_keep_their_extents() {
    let row = |elements: &[f64]| Tensor::<f64>::from_slice([elements.len()], elements).unwrap();
    let rows = Blocks::rows([row(&[1.0, 0.0, 0.0]), row(&[2.0]), row(&[0.0; 4])]).unwrap();
    let extents = |blocks: &Blocks<f64>| blocks.structure().row_extents(1).unwrap();
    assert_eq!(extents(&rows), [3, 1, 4]);
    let short = rows.truncated(0.0).unwrap();
    assert_eq!((extents(&short), short.to_coo().unwrap()), (vec![3, 1, 4], rows.to_coo().unwrap()));
    assert!(short.blocks().len() < rows.blocks().len());
    let again = Blocks::from_coo(rows.structure(), rows.to_coo().unwrap()).unwrap();
    assert_eq!(extents(&again), [3, 1, 4]);
    let nothing = Sparsity::elements(&rows.structure().shape(), [[0usize; 2]; 0]).unwrap();
    assert_eq!(rows.structure().with_sparsity(&nothing).unwrap().row_extents(1).unwrap(), [3, 1, 4]);
    let error = rows.tiled(&[Tiling::each(3), Tiling::whole(4)]).unwrap_err().to_string();
    assert!(error.starts_with("axis 1 has rows of extents [3, 1, 4]"), "{error}");
    assert_eq!(extents(&rows.tiled(&[Tiling::each(3), Tiling::each(4)]).unwrap()), [3, 1, 4]);
    // Blocks of two ragged axes end a row together.
    let square = |n: usize| Tensor::<f64>::from_fn([n, n], |i| if i[0] == 0 { 1.0 } else { 0.0 }).unwrap();
    let squares = Blocks::rows([square(1), square(3), square(2)]).unwrap();
    let short = squares.truncated(0.0).unwrap();
    for axis in [1, 2] {
        assert_eq!(short.structure().row_extents(axis).unwrap(), [1, 3, 2]);
    }
    assert!(short.blocks().len() < squares.blocks().len());
}

#[test]
fn charges_stay_with_their_indices() {
    let cut = |cuts: &[usize], charges: &[i64]| Tiling::cuts(cuts.to_vec()).charged(Charges::from(charges.to_vec())).unwrap();
    let spin = cut(&[2, 2], &[-1, 1]);
    let b = Blocks::<f64>::from_fn(&Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap(), number).unwrap();
    let finer = cut(&[1, 1, 2], &[-1, -1, 1]);
    assert!(b.tiled(&[finer.clone(), finer]).unwrap().structure().charge_flow().is_some());
    let shifted = cut(&[2, 2], &[0, 2]);
    let error = b.tiled(&[shifted.clone(), shifted]).unwrap_err().to_string();
    assert_eq!(error, "index 0 of axis 0 has charge [-1], but its new tile [0]");
}

#[test]
fn functions_of_blocks_of_a_diagonal_see_vectors() {
    let values = Blocks::<f64>::from_fn(&Structure::new([&Tiling::cuts([2, 3])]), |i| i[0] as f64).unwrap();
    let diagonal = Blocks::diagonal(values).unwrap();
    let reversed = |shape: &Shape, of: &[&[f64]], out: &mut [f64]| {
        assert_eq!(shape.extents(), [of[0].len()]);
        out.iter_mut().zip(of[0].iter().rev()).for_each(|(out, x)| *out = *x);
    };
    assert_eq!(Blocks::map_blocks(reversed, &[&diagonal]).unwrap().get(&[2, 2]).unwrap(), 4.0);
}

#[test]
fn functions_of_blocks_see_zeros_where_others_have_blocks() {
    let cut = Tiling::cuts([1, 2]);
    let less = |_: &Shape, of: &[&[f64]], out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(n, out)| *out = of[0][n] - 2.0 * of[1][n] + of[2][n])
    };
    let plain = Structure::new([&cut, &cut]);
    let pair = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
    let spin = cut.clone().charged([1, -1]).unwrap();
    for (structure, blocks) in [
        (plain.clone(), [[0, 0], [1, 0], [1, 1]]),
        (plain.with(pair).unwrap(), [[0, 1], [1, 1], [0, 1]]),
        (Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap(), [[0, 0], [1, 1], [1, 1]]),
        (plain.tied([0, 1]).unwrap(), [[0, 0], [1, 1], [0, 0]]),
    ] {
        let [a, b, c] = blocks.map(|block| Blocks::<f64>::from_fn(&structure.with_blocks([block]).unwrap(), number).unwrap());
        let found = Blocks::map_blocks(less, &[&a, &b, &c]).unwrap();
        assert_eq!(*found.structure(), structure.with_blocks(blocks).unwrap());
        for index in &structure.shape() {
            let [a, b, c] = [&a, &b, &c].map(|of| of.get(&index).unwrap());
            assert_eq!(found.get(&index).unwrap(), a - 2.0 * b + c, "{structure:?} at {index:?}");
        }
        // What differs in more than its blocks is refused.
        let other = Blocks::<f64>::zeros(&Structure::new([&Tiling::whole(3), &cut])).unwrap();
        let error = Blocks::map_blocks(less, &[&a, &b, &other]).unwrap_err().to_string();
        assert!(error.starts_with("the tensors have different structures"), "{error}");
    }
    let row = |extent: usize| Tensor::<f64>::filled([extent], 1.0).unwrap();
    let [long, short] = [[3, 1], [3, 2]].map(|extents| Blocks::rows(extents.map(row)).unwrap());
    assert!(Blocks::map_blocks(less, &[&long, &short]).is_err());
    assert!(Blocks::map_blocks(less, &[] as &[&Blocks<f64>]).is_err());
}

#[test]
fn blocks_that_are_missing_are_made_where_they_are_written() {
    let cut = Tiling::cuts([2, 1]);
    let none = Structure::new([&cut, &cut]).with_blocks([[0usize; 2]; 0]).unwrap();
    let mut b = Blocks::<f64>::zeros(&none).unwrap();
    b.set(&[2, 1], 3.0).unwrap();
    b.set_block(&[0, 0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(
        (b.blocks(), b.to_dense().unwrap().as_slice()),
        (vec![vec![0, 0], vec![1, 0]], &[1.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 3.0, 0.0][..])
    );
    let told = |result: Result<(), crate::Error>| result.unwrap_err().to_string();
    assert_eq!(told(b.set_block(&[1, 1], &[1.0, 2.0])), "block [1, 1] has 1 element, not 2");
    assert!(told(b.set_block(&[2, 0], &[])).contains("no tile 2") && told(b.set(&[0], 1.0)).contains("rank 2"));
    let antisymmetric = none.with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap();
    let mut t = Blocks::<f64>::zeros(&antisymmetric).unwrap();
    assert_eq!(told(t.set(&[1, 1], 2.0)), "element [1, 1] cannot be 2: by symmetry it is -2, too");
    assert!(told(t.set(&[1, 1], f64::NAN)).contains("by symmetry"));
    assert!(t.blocks().is_empty());
    let mut d = Blocks::<f64>::identity(&cut).unwrap();
    assert_eq!(told(d.set(&[0, 1], 2.0)), "axes are tied, so that there is no element [0, 1]");
    d.set_block(&[0, 0], &[5.0, 6.0]).unwrap();
    assert_eq!(d.to_dense().unwrap().as_slice(), [5.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 1.0]);
    let row = |extent: usize| Tensor::<f64>::filled([extent], 1.0).unwrap();
    let mut rows = Blocks::rows([row(2), row(1)]).unwrap();
    let error = told(rows.set(&[1, 1], 2.0));
    assert_eq!(
        error,
        "block [1, 1] lies behind the end of its row along axis 1\nhelp: `Blocks::rows` makes a tensor of longer rows"
    );
}
