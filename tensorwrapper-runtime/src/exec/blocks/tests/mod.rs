//! Equations over block tensors against the same ones over dense tensors.

mod copies;
mod defined;
mod drawn;
mod expressions;
mod orders;
mod packed;
mod parts;
mod ragged;
mod slices;
mod threads;
mod ties;
mod tuples;
mod watched;

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Charges, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, Symmetry};

use super::super::context::Context;
use super::super::entry_points::einsum;
use super::einsum_blocks;
use crate::Accumulate;
use crate::exec::DynOperand;
use crate::tensor::{Blocks, Tensor};

/// Elements that differ.
fn filled<T: Element>(rng: &mut StdRng, structure: &Structure) -> Blocks<T> {
    Blocks::from_fn(structure, |_| T::from_complex(Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))))
        .unwrap()
}

/// Compares with the dense result.
fn agrees<T: Element>(subscripts: &str, operands: &[&Blocks<T>]) -> Blocks<T> {
    let given: Vec<&dyn DynOperand<T>> = operands.iter().map(|&operand| operand as &dyn DynOperand<T>).collect();
    let result = einsum_blocks(subscripts, &given).unwrap();
    is_as_defined(&result, &Context::reference().einsum_blocks(subscripts, &given).unwrap(), subscripts);
    let dense: Vec<Tensor<T>> = operands.iter().map(|operand| operand.to_dense().unwrap()).collect();
    let operands: Vec<&dyn DynOperand<T>> = dense.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
    let expected = einsum(subscripts, &operands).unwrap();
    same(&result, &expected, subscripts);
    result
}

/// Compares with what the reference device computes over dense tensors.
fn is_as_defined<T: Element>(result: &Blocks<T>, defined: &Blocks<T>, what: &str) {
    assert_eq!(result.structure(), defined.structure(), "{what}");
    let stored = defined.structure().stored().unwrap();
    // Large blocks begin at round addresses, with gaps between them.
    let elements = |of: &Blocks<T>| -> Vec<T> {
        (0..stored.len()).flat_map(|n| of.slab()[stored.start(n)..][..stored.size(n)].to_vec()).collect()
    };
    let (result, defined) = (elements(result), elements(defined));
    let scale = defined.iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
    for (found, expected) in result.iter().zip(&defined) {
        let error = (found.to_complex() - expected.to_complex()).norm();
        assert!(error <= 1e-13 * scale, "{what}: {found} is not {expected}");
    }
}

fn same<T: Element>(result: &Blocks<T>, expected: &Tensor<T>, what: &str) {
    let found = result.to_dense().unwrap();
    assert_eq!(found.extents(), expected.extents());
    let scale = expected.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
    for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
        let error = (found.to_complex() - expected.to_complex()).norm();
        assert!(error <= 1e-13 * scale, "{what}: {found} is not {expected} in {result:?}");
    }
}

/// Some of the blocks, at random.
fn sparse(rng: &mut StdRng, tilings: &[&Tiling], share: f64) -> Structure {
    let structure = Structure::new(tilings.iter().copied());
    let blocks: Vec<Vec<usize>> = structure.stored().unwrap().iter().filter(|_| rng.random_bool(share)).collect();
    structure.with_blocks(&blocks).unwrap()
}

#[test]
fn products_of_sparse_blocks() {
    let mut rng = StdRng::seed_from_u64(1);
    let cuts = [Tiling::cuts([4, 3, 5, 2]), Tiling::cuts([6, 2, 4]), Tiling::cuts([1, 7, 3])];
    let [i, k, j] = &cuts;
    for share in [0.0, 0.3, 0.6, 1.0] {
        let structure = sparse(&mut rng, &[i, k], share);
        let a = filled::<f64>(&mut rng, &structure);
        let structure = sparse(&mut rng, &[k, j], share);
        let b = filled::<f64>(&mut rng, &structure);
        let structure = sparse(&mut rng, &[i, j, k], share);
        let c = filled::<f64>(&mut rng, &structure);
        for subscripts in ["ik,kj->ij", "ik,kj->ji", "ik,kj->", "ik,kj->i", "ik,kj->ikj"] {
            agrees(subscripts, &[&a, &b]);
        }
        for subscripts in ["ik,kj,ijk->ij", "ik,kj,ijk->", "ik,kj,ijk->kij", "ik,kj,ilk->jl"] {
            agrees(subscripts, &[&a, &b, &c]);
        }
        for subscripts in ["ijk->kij", "ijk->j", "ijk->", "ijk->ijk"] {
            agrees(subscripts, &[&c]);
        }
    }
}

#[test]
fn axes_of_one_label_that_are_cut_differently() {
    let mut rng = StdRng::seed_from_u64(2);
    let (one, other) = (Tiling::cuts([6, 3, 3]), Tiling::cuts([4, 4, 4]));
    let a = filled::<f64>(&mut rng, &Structure::new([&one, &one]));
    let b = filled::<f64>(&mut rng, &Structure::new([&other, &one]).with_blocks([[0, 1], [2, 2], [1, 0]]).unwrap());
    for subscripts in ["ik,kj->ij", "ki,kj->ji", "ij,ij->ij", "ij,ij->", "ij,ki->kj"] {
        agrees(subscripts, &[&a, &b]);
        agrees(subscripts, &[&b, &a]);
    }
    agrees("ii->i", &[&b]);
    agrees("ii->", &[&b]);
    agrees("ij,jj->i", &[&a, &b]);
}

#[test]
fn symmetry_is_found_and_used() {
    let mut rng = StdRng::seed_from_u64(3);
    let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([3, 1, 2]));
    let none = Symmetry::none;
    let amplitudes = none(4).antisymmetric([0, 1]).unwrap().antisymmetric([2, 3]).unwrap();
    let t = filled::<f64>(&mut rng, &Structure::new([&occ, &occ, &vir, &vir]).with(amplitudes.clone()).unwrap());
    let integrals = amplitudes.exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap();
    let v = filled::<f64>(&mut rng, &Structure::new([&vir; 4]).with(integrals).unwrap());
    let ladder = agrees("abcd,ijcd->ijab", &[&v, &t]);
    assert_eq!(ladder.structure().symmetry(), &amplitudes);
    agrees("abcd,abcd->", &[&v, &v]);
    let square = agrees("ijab,klab->ijkl", &[&t, &t]);
    assert_eq!(square.structure().symmetry().order(), 8);
    let plain = agrees("ijab,jkbc->ikac", &[&t, &t]);
    assert_eq!(plain.structure().symmetry(), &none(4).exchange(&[0, 2], &[1, 3], Sign::Plus).unwrap());
}

#[test]
fn complex_tensors_and_conjugates() {
    let mut rng = StdRng::seed_from_u64(4);
    let cut = Tiling::cuts([2, 3, 1]);
    let h =
        filled::<Complex<f64>>(&mut rng, &Structure::new([&cut, &cut]).with(Symmetry::none(2).hermitian(0, 1).unwrap()).unwrap());
    let c = filled::<Complex<f64>>(&mut rng, &Structure::new([&cut, &cut]));
    let context = Context::cpu();
    let sandwich = context.eval_blocks("[p, q] = conj(C[i, p]) * H[i, j] * C[j, q]", &[("C", &c), ("H", &h)]).unwrap();
    assert_eq!(sandwich.structure().symmetry(), h.structure().symmetry());
    let (c, h) = (c.to_dense().unwrap(), h.to_dense().unwrap());
    let expected = crate::record("[p, q] = conj(C[i, p]) * H[i, j] * C[j, q]", &[("C", &c), ("H", &h)]).unwrap().eval().unwrap();
    same(&sandwich, &expected, "a Hermitian sandwich");
}

#[test]
fn sums_of_terms_with_numbers_and_exchanges() {
    let mut rng = StdRng::seed_from_u64(5);
    let cut = Tiling::cuts([2, 3]);
    let structure = sparse(&mut rng, &[&cut, &cut], 0.7);
    let a = filled::<f64>(&mut rng, &structure);
    let structure = sparse(&mut rng, &[&cut, &cut], 0.7);
    let b = filled::<f64>(&mut rng, &structure);
    let (da, db) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    let none = Symmetry::none(2);
    for (equation, symmetry) in [
        ("[i, j] = 2.0 * A[i, k] * B[k, j] - B[j, i] / 4.0", none.clone()),
        ("[i, j] = asym(i, j; A[i, k] * B[k, j])", none.antisymmetric([0, 1]).unwrap()),
        ("[i, j] = sym(i, j; A[i, k] * B[k, j]) + A[k, i] * A[k, j] * 1.5 + 0.0 * B[i, j]", none.symmetric([0, 1]).unwrap()),
        ("[i, j] = (A[i, k] + B[i, k]) * (A[k, j] - 0.5 * B[k, j])", none.clone()),
        ("[] = sum(i, j; A[i, j] * B[i, j]) + sum(i; A[i, i])", Symmetry::none(0)),
    ] {
        let found = Context::cpu().eval_blocks(equation, &[("A", &a), ("B", &b)]).unwrap();
        is_as_defined(&found, &Context::reference().eval_blocks(equation, &[("A", &a), ("B", &b)]).unwrap(), equation);
        assert_eq!(found.structure().symmetry(), &symmetry, "{equation}");
        let expected = crate::record(equation, &[("A", &da), ("B", &db)]).unwrap().eval().unwrap();
        same(&found, &expected, equation);
    }
}

#[test]
fn charges_are_conserved_and_mistakes_told() {
    let mut rng = StdRng::seed_from_u64(6);
    let left = Tiling::cuts([1, 2, 1]).charged([-2, 0, 2]).unwrap();
    let site = Tiling::cuts([1, 1]).charged([-1, 1]).unwrap();
    let middle = Tiling::cuts([2, 3, 3, 2]).charged([-3, -1, 1, 3]).unwrap();
    let a = filled::<f64>(&mut rng, &Structure::new([&left, &site, &middle]).flow([1, 1, -1], [0]).unwrap());
    let b = filled::<f64>(&mut rng, &Structure::new([&middle, &site, &left]).flow([1, 1, -1], [0]).unwrap());
    let theta = agrees("lsm,mtr->lstr", &[&a, &b]);
    let flow = theta.structure().charge_flow().unwrap();
    assert_eq!((flow.signs(), flow.total()), (&[1, 1, 1, -1][..], &[0][..]));
    let both = einsum_blocks("lsm,ltm->st", &[&a, &a]).unwrap_err();
    assert!(both.to_string().starts_with("index `l` enters `operand 0` twice"), "{both}");
    let other = Tiling::cuts([2, 3, 3, 2]).charged([-4, -1, 1, 3]).unwrap();
    let c = filled::<f64>(&mut rng, &Structure::new([&other]).flow([1], [1]).unwrap());
    let charges = einsum_blocks("lsm,m->ls", &[&a, &c]).unwrap_err();
    assert_eq!(charges.to_string(), "index `m` carries charges -3, -1, 1, 3 in `operand 0` but -4, -1, 1, 3 in `operand 1`");
}

#[test]
fn what_is_not_computed_is_said() {
    let blocks = Blocks::<f64>::zeros(&Structure::new([&Tiling::cuts([2, 1]); 2])).unwrap();
    let told = |equation: &str| Context::cpu().eval_blocks(equation, &[("A", &blocks)]).unwrap_err().to_string();
    assert!(told("[(i, j)] = A[i, j]").starts_with("fused axes in an equation of block tensors"));
    assert!(told("[i, j] = B[i, j]").starts_with("the equation reads `B`"));
    assert!(told("[i] = A[i, j, k]").contains("rank 2"));
}

/// Real numbers do not notice conjugation, but the charges do: an exchange of bra and ket is one with conjugation.
#[test]
fn real_tensors_keep_charges_when_bra_and_ket_are_exchanged() {
    let mut rng = StdRng::seed_from_u64(7);
    let spin = Tiling::cuts([2, 1]).charged([1, -1]).unwrap();
    let hermitian = Symmetry::none(2).hermitian(0, 1).unwrap();
    let structure = Structure::new([&spin, &spin]).with(hermitian).unwrap().flow([1, -1], [0]).unwrap();
    let h = filled::<f64>(&mut rng, &structure);
    let twice = Context::cpu().eval_blocks("[p, q] = 2.0 * H[p, q]", &[("H", &h)]).unwrap();
    assert_eq!(twice.structure(), h.structure());
    let square = agrees("pq,qr->pr", &[&h, &h]);
    assert_eq!(square.structure(), h.structure());
}

#[test]
fn sums_in_double_precision_are_refused_by_name() {
    let cut = Tiling::cuts([1, 2]);
    let x = Blocks::<f32>::from_fn(&Structure::new([&cut]), |index| [1e8, 1.0, -1e8][index[0]]).unwrap();
    // A plan that is kept is not run in another precision than is asked for.
    assert!(Context::cpu().einsum_blocks("i->", &[&x]).is_ok());
    let careful = Context::cpu().accumulate(Accumulate::Double);
    let said = [
        careful.einsum_blocks("i->", &[&x]).unwrap_err(),
        careful.eval_blocks("[] = sum(i; x[i])", &[("x", &x)]).unwrap_err(),
        careful.prepare_blocks("[] = sum(i; x[i])", &[("x", &x)]).unwrap_err(),
    ];
    for error in said {
        assert_eq!(error.to_string().lines().next(), Some("sums in double precision over block tensors of `f32`"));
    }
    // Nothing is summed here.
    assert!(careful.eval_blocks("[i] = 2.0 * x[i]", &[("x", &x)]).is_ok());
    let double = Blocks::<f64>::from_fn(&Structure::new([&cut]), |index| [1e8, 1.0, -1e8][index[0]]).unwrap();
    assert_eq!(careful.einsum_blocks("i->", &[&double]).unwrap().get(&[]).unwrap(), 1.0);
}

#[test]
fn what_a_reader_found() {
    let mut rng = StdRng::seed_from_u64(7);
    let cut = Tiling::cuts([2, 1]);
    // Quotients by literals far from one.
    let a = filled::<f64>(&mut rng, &Structure::new([&cut]));
    let small = Context::cpu().eval_blocks("[i] = A[i] / 1e200", &[("A", &a)]).unwrap();
    assert_eq!(small.get(&[1]).unwrap(), a.get(&[1]).unwrap() * (1.0 / 1e200));
    let tenth = Context::cpu().eval_blocks("[i] = A[i] / 0.1", &[("A", &a)]).unwrap();
    assert_eq!(tenth.get(&[1]).unwrap(), a.get(&[1]).unwrap() * (1.0 / 0.1));
    // A real product that would conserve a charge, or be symmetric: the charge stays.
    let charged = cut.clone().charged([-1, 1]).unwrap();
    let hermitian = Symmetry::none(2).hermitian(0, 1).unwrap();
    let l = Structure::new([&charged, &charged]).with(hermitian).unwrap().flow([1, -1], [0]).unwrap();
    let l = filled::<f64>(&mut rng, &l);
    let outer = agrees("pq,rs->pqrs", &[&l, &l]);
    assert_eq!(outer.structure().charge_flow().unwrap().signs(), [1, -1, 1, -1]);
    // Charges that are their own opposites have no signs.
    let irreps = Charges::modulo([2], [[0], [1]]).unwrap();
    let orbitals = cut.clone().charged(irreps).unwrap();
    let symmetric = Symmetry::none(2).symmetric([0, 1]).unwrap();
    let f = Structure::new([&orbitals, &orbitals]).with(symmetric).unwrap().flow([1, -1], [0]).unwrap();
    let f = filled::<f64>(&mut rng, &f);
    assert!(agrees("ij,jk->ik", &[&f, &f]).structure().charge_flow().is_some());
    // More axes than a group can be listed for, and a sum over more elements than a dense tensor has room for.
    let v = filled::<f64>(&mut rng, &Structure::new([&Tiling::whole(1)]));
    agrees("a,b,c,d,e,f,g,h,i->abcdefghi", &[&v; 9]);
    let each = Tiling::each(10_000);
    let few = Structure::new([&each, &each]).with_blocks([[1, 2], [9_999, 0]]).unwrap();
    let few = Blocks::<f64>::from_fn(&few, |index| index[0] as f64).unwrap();
    assert_eq!(einsum_blocks("ij->", &[&few]).unwrap().get(&[]).unwrap(), 10_000.0);
    // Names and texts.
    let twice = Context::cpu().eval_blocks("[i] = A[i]", &[("A", &a), ("A", &v)]).unwrap_err();
    assert_eq!(twice.to_string(), "`A` is given twice");
    assert!(einsum_blocks("[i] = A[i] A", &[&a]).is_err());
}

#[test]
fn groups_too_large_to_be_searched_are_not_used() {
    let mut rng = StdRng::seed_from_u64(8);
    let all = Symmetry::none(7).antisymmetric([0, 1, 2, 3, 4, 5, 6]).unwrap();
    let structure = Structure::new([&Tiling::cuts([1, 1]); 7]).with(all).unwrap();
    let (a, b) = (filled::<f64>(&mut rng, &structure), filled::<f64>(&mut rng, &structure));
    agrees("abcdefg,abcdefg->", &[&a, &b]);
}

#[test]
fn parts_of_block_tensors() {
    let mut rng = StdRng::seed_from_u64(21);
    let cut = Tiling::cuts([2, 3, 1]);
    let pair = Symmetry::none(3).antisymmetric([0, 1]).unwrap();
    let whole = Structure::new([&cut, &cut, &cut]).with(pair).unwrap();
    let part = whole.with_blocks([[0, 1, 0], [0, 1, 2], [1, 1, 1], [1, 2, 0]]).unwrap();
    let (b, d) = (filled::<Complex<f64>>(&mut rng, &part), filled::<Complex<f64>>(&mut rng, &whole).to_dense().unwrap());
    let names: [(&str, &dyn crate::RecordOperand<Complex<f64>>); 2] = [("B", &b), ("D", &d)];
    let dense_b = b.to_dense().unwrap();
    let dense: [(&str, &dyn crate::RecordOperand<Complex<f64>>); 2] = [("B", &dense_b), ("D", &d)];
    for equation in [
        "[j, k] = B[3, j, k] + 2.0 * D[0, k, j]",
        "[i, j] = B[i in 1..4, j in 1..4, 0] + D[1, i in 2..5, j in ..3]",
        "[i, l] = B[i in 1..4, j, 5] * D[j, 0, l in 4..]",
        "[k] = B[2, 2, k] + D[0, 1, k]",
        "[i] = B[i, 0, 1] * exp(B[i, 4, 0]) + D[i, 0, 0]",
    ] {
        let result = Context::cpu().eval_blocks(equation, &names).unwrap();
        is_as_defined(&result, &Context::reference().eval_blocks(equation, &names).unwrap(), equation);
        let expected = crate::record(equation, &dense).unwrap().eval().unwrap();
        same(&result, &expected, equation);
    }
    // Both sides are one part, which is antisymmetric.
    let only: [(&str, &dyn crate::RecordOperand<Complex<f64>>); 1] = [("B", &b)];
    let gram = Context::cpu().eval_blocks("[i, k] = B[i in 0..5, j in 0..5, 0] * B[j in 0..5, k in 0..5, 0]", &only).unwrap();
    assert_eq!(gram.structure().symmetry(), &Symmetry::none(2).symmetric([0, 1]).unwrap());
    let error = Context::cpu().eval_blocks("[j] = B[6, j, 0]", &only).unwrap_err();
    assert_eq!(error.to_string(), "index 6 is out of range for axis 0 of `B`, which has extent 6");
}
