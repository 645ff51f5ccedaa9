//! Operators of whole block tensors: those of dense tensors, and the structures of equations.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper::{Blocks, Context, Shape, Structure, Symmetry, Tensor, Tiling, tensor};

use super::block_tensors::{blocks, same, tilings, value};

/// A structure of matrices of these cuts, of some kind and with some of its blocks.
fn drawn(rng: &mut StdRng, cut: &Tiling) -> Structure {
    let none = Symmetry::none(2);
    let square = Structure::new([cut, cut]);
    let structure = match rng.random_range(0..6) {
        0 => square,
        1 => square.with(none.symmetric([0, 1]).unwrap()).unwrap(),
        2 => square.with(none.antisymmetric([0, 1]).unwrap()).unwrap(),
        3 => square.tied([0, 1]).unwrap(),
        4 => square.lower().unwrap(),
        _ => return square,
    };
    some_blocks(rng, &structure)
}

/// The same with some of its blocks.
fn some_blocks(rng: &mut StdRng, structure: &Structure) -> Structure {
    let mut kept: Vec<Vec<usize>> = structure.stored().unwrap().iter().collect();
    kept.retain(|_| rng.random_range(0..3) > 0);
    structure.with_blocks(kept).unwrap()
}

#[test]
fn operators_are_equations_over_drawn_structures() {
    let mut rng = StdRng::seed_from_u64(2319);
    for _ in 0..60 {
        let cut = Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(1..4)));
        let [a, b] = [0, 1].map(|_| blocks(&drawn(&mut rng, &cut)));
        // Equations find that axes of one index change places, which tensors of one structure need not say.
        if cut.extent() == 1 {
            continue;
        }
        let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
        let sum = tensor!([i, j] = a[i, j] + b[i, j]);
        assert_eq!((&a + &b).structure(), sum.structure());
        same(&(&a + &b), &(&x + &y));
        same(&(a.clone() + b.clone()), &(&x + &y));
        same(&(a.clone() - &b), &(&x - &y));
        let product = tensor!([i, j] = a[i, j] * b[i, j]);
        assert_eq!((&a * &b).structure(), product.structure());
        same(&(&a * b.clone()), &(&x * &y));
        let mut c = a.clone();
        c += &b;
        c *= 3.0;
        c -= a.clone();
        c /= 2.0;
        same(&c, &(((&x + &y) * 3.0 - &x) / 2.0));
        let before = c.to_dense().unwrap();
        c *= &b;
        same(&c, &(before * &y));
        same(&(2.0 * &a - b / 4.0), &(2.0 * &x - &y / 4.0));
        assert_eq!((-&a).structure(), a.structure());
        same(&-a, &-x);
    }
}

#[test]
fn charges_are_conserved_by_sums() {
    let spin = Tiling::cuts([1, 2, 1]).charged([-1, 0, 1]).unwrap();
    let structure = Structure::new([&spin, &spin]).flow([1, -1], 0).unwrap();
    let (a, b) = (blocks(&structure.with_blocks([[0, 0]]).unwrap()), blocks(&structure.with_blocks([[2, 2]]).unwrap()));
    let sum = &a + 2.0 * &b;
    assert_eq!((sum.blocks(), sum.structure().charge_flow()), (vec![vec![0, 0], vec![2, 2]], structure.charge_flow()));
    same(&sum, &(a.to_dense().unwrap() + 2.0 * b.to_dense().unwrap()));
    let mut rng = StdRng::seed_from_u64(2320);
    for _ in 0..20 {
        let [a, b] = [0, 1].map(|_| blocks(&some_blocks(&mut rng, &structure)));
        let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
        let (sum, product) = (tensor!([i, j] = a[i, j] + b[i, j]), tensor!([i, j] = a[i, j] * b[i, j]));
        assert_eq!(((&a + &b).structure(), (&a * &b).structure()), (sum.structure(), product.structure()));
        same(&(&a - &b), &(&x - &y));
        same(&(&a * &b), &(&x * &y));
        same(&(&a * &a), &(&x * &x));
    }
}

#[test]
fn layers_stay_whichever_blocks_are_there() {
    let cut = Tiling::cuts([1, 2]);
    let flat = Structure::new([&cut, &cut]);
    let all = flat.nested([1, 1]).unwrap();
    let few = all.with_blocks([[0, 1], [1, 1]]).unwrap();
    for [left, right] in [[&all, &all], [&all, &few], [&few, &all], [&all, &flat], [&few, &flat], [&flat, &few]] {
        let [a, b] = [left, right].map(blocks);
        let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
        let mut c = a.clone();
        c += &b;
        for (found, expected) in [(&a + &b, &x + &y), (&a - &b, &x - &y), (&a * &b, &x * &y), (c, &x + &y)] {
            assert_eq!(found.structure().layers(), [1, 1]);
            same(&found, &expected);
        }
    }
    let rows = Blocks::rows([2, 3].map(|n| Tensor::<f64>::from_fn([n, n], value).unwrap())).unwrap();
    let (dense, nested) = (rows.to_dense().unwrap(), rows.clone().nested([1, 2]).unwrap());
    for (found, expected) in
        [(&nested + &rows, 2.0 * &dense), (&rows * &nested, &dense * &dense), (&nested * &nested, &dense * &dense)]
    {
        assert_eq!((found.structure().layers(), found.structure().row_extents(1).unwrap()), (vec![1, 2], vec![2, 3]));
        same(&found, &expected);
    }
}

#[test]
fn a_sum_loses_the_symmetry_that_one_of_its_tensors_has_not() {
    let cut = Tiling::cuts([1, 2]);
    let plain = Structure::new([&cut, &cut]);
    let mut a = blocks(&plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap());
    let b = blocks(&plain.with_blocks([[1, 0]]).unwrap());
    let expected = a.to_dense().unwrap() + b.to_dense().unwrap();
    a += &b;
    assert_eq!(a.structure(), &plain);
    same(&a, &expected);
}

#[test]
fn types_keep_what_the_compiler_knows() {
    let (occ, vir) = tilings();
    let plain = blocks(&Structure::new([&occ, &vir]));
    let known: Blocks<f64, Shape![3, 6]> = plain.clone().into_typed().unwrap();
    let sum: Blocks<f64, Shape![3, 6]> = &plain + 0.5 * &known;
    same(&sum, &(plain.to_dense().unwrap() * 1.5));
    // Methods are those of any shape type.
    let mut result = tensor!([i, a] = 2.0 * known[i, a]);
    result.add_scaled(1.0, &plain).unwrap();
    result.scale(0.5).unwrap();
    assert_eq!(result.inner(&known).unwrap(), 1.5 * plain.inner(&plain).unwrap());
    assert_eq!(result.slice(&[0..2, 1..3]).unwrap().structure().shape().extents(), [2, 2]);
    let same_type: Blocks<f64, Shape![3, 6]> = known.truncated(0.0).unwrap().untied().unwrap().smooth().unwrap();
    assert_eq!(same_type.blocks().len(), 1);
    let largest = |_: &Shape, of: &[&[f64]], out: &mut [f64]| out.copy_from_slice(of[0]);
    let mapped: Blocks<f64, Shape![3, 6]> = Blocks::map_blocks(largest, &[&known, &sum]).unwrap();
    same(&mapped, &known.to_dense().unwrap());
}

#[test]
fn parts_begin_at_zero_in_results_and_stay_where_they_are_written() {
    let (occ, vir) = tilings();
    let mut part = blocks(&Structure::new([&occ, &vir])).slice(&[1..3, 2..5]).unwrap();
    assert_eq!(((&part + &part).shape().origin(), (2.0 * &part).shape().origin()), (&[0, 0][..], &[0, 0][..]));
    part /= 2.0;
    part += &blocks(&part.structure().with_blocks([[0, 0]]).unwrap());
    assert_eq!(part.shape().origin(), [1, 2]);
}

#[test]
fn complex_tensors_beside_real_numbers() {
    let cut = Tiling::cuts([1, 2]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).hermitian(0, 1).unwrap()).unwrap();
    let h = Blocks::<Complex<f64>>::from_fn(&structure, |i| Complex::new(value(i), 1.0 + i[0] as f64)).unwrap();
    let x = h.to_dense().unwrap();
    assert_eq!((2.0 * &h / 4.0 + &h).to_dense().unwrap(), 2.0 * &x / 4.0 + &x);
    assert_eq!((&h * Complex::new(2.0, 0.0)).structure(), &structure);
    // Hermitian tensors of other blocks: sums, and products element by element, are Hermitian.
    let [a, b] = [[[0, 0], [0, 1]], [[0, 0], [1, 1]]].map(|kept| {
        let own = structure.with_blocks(kept).unwrap();
        Blocks::<Complex<f64>>::from_fn(&own, |i| Complex::new(value(i), 1.0 + i[0] as f64)).unwrap()
    });
    let (x, y) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    let pairs = [(&a + &b, &x + &y), (&a - &b, &x - &y), (&a * &b, &x * &y), (&a * &a, &x * &x)];
    for (found, expected) in &pairs {
        assert_eq!(found.structure().symmetry(), structure.symmetry());
        let difference = found.to_dense().unwrap() - expected;
        assert!(difference.as_slice().iter().all(|z| z.norm() < 1e-12));
    }
}

#[test]
#[should_panic(expected = "a tensor whose symmetry conjugates is multiplied by real numbers only, not by 0+1i")]
fn hermitian_tensors_are_multiplied_by_real_numbers() {
    let cut = Tiling::cuts([1, 2]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).hermitian(0, 1).unwrap()).unwrap();
    let _ = Blocks::<Complex<f64>>::zeros(&structure).unwrap() * Complex::new(0.0, 1.0);
}

/// The sentence of an operator that panics.
fn panic_of(operator: impl FnOnce() -> Blocks<f64>) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(operator)).unwrap_err();
    panic.downcast_ref::<String>().expect("a sentence").clone()
}

#[test]
fn what_does_not_fit_has_the_sentence_of_dense_tensors_or_of_equations() {
    let [a, b, c, d] = [vec![3, 2], vec![2, 3], vec![1, 1], vec![5]].map(Tiling::cuts);
    let square = blocks(&Structure::new([&a, &a]));
    let of = |tilings: &[&Tiling]| blocks(&Structure::new(tilings.iter().copied()));
    for other in [of(&[&a, &c]), of(&[&a])] {
        let dense = (square.to_dense().unwrap(), other.to_dense().unwrap());
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| &dense.0 + &dense.1)).unwrap_err();
        assert_eq!(told.downcast_ref::<String>(), Some(&panic_of(|| &square + &other)));
    }
    assert_eq!(panic_of(|| &square * &of(&[&a])), "`*` of two tensors: extents [5, 5] and [5] are of ranks 2 and 1");
    for other in [of(&[&a, &b]), of(&[&d, &a])] {
        let named = [("left", &square as _), ("right", &other as _)];
        match Context::default().eval_blocks("[i0, i1] = left[i0, i1] + right[i0, i1]", &named) {
            Err(error) => assert_eq!(panic_of(|| &square + &other), error.to_string()),
            Ok(told) => assert_eq!(told.structure(), (&square + &other).structure()),
        }
    }
}
