//! Functions of drawn square matrices against the dense ones.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{ChargeGroup, Charges, Tiling};
use tensorwrapper_core::structure::{Flow, Structure};

use super::{charge, dense, distance, filled, group, thinned, tiling};
use crate::exec::{einsum_blocks, linalg};
use crate::tensor::{Blocks, Tensor};

/// Largest error of a solution: matrices are well conditioned.
const CLOSE: f64 = 1e-10;

/// What is on the diagonal beside drawn numbers, so that matrices are well conditioned.
const HEAVY: f64 = 8.0;

/// A drawn matrix of one or two pairs of axes, which are permuted, with charges or without, and the axes of its rows. All its
/// diagonal blocks are there, if it has a total charge at all, and heavy.
fn drawn_square<T: Element>(rng: &mut StdRng) -> (Blocks<T>, Vec<usize>) {
    let (group, pairs) = (group(rng), rng.random_range(1..3));
    let tilings: Vec<Tiling> = (0..pairs).map(|_| tiling(rng, group.as_ref())).collect();
    let mut axes: Vec<usize> = (0..2 * pairs).collect();
    axes.shuffle(rng);
    // The first half of these are the rows; the columns ascend, as they do for the functions.
    let rows = axes[..pairs].to_vec();
    axes[pairs..].sort_unstable();
    let mut cuts = vec![tilings[0].clone(); 2 * pairs];
    let mut signs = vec![1; 2 * pairs];
    for n in 0..pairs {
        let sign = if rng.random_bool(0.5) { 1 } else { -1 };
        for (axis, sign) in [(axes[n], sign), (axes[n + pairs], -sign)] {
            (cuts[axis], signs[axis]) = (tilings[n].clone(), sign);
        }
    }
    let plain = Structure::new(&cuts);
    let structure = match &group {
        Some(group) => plain.flow(&signs, group.neutral()).unwrap(),
        None => plain,
    };
    let is_diagonal = |block: &[usize]| (0..pairs).all(|n| block[axes[n]] == block[axes[n + pairs]]);
    let all: Vec<Vec<usize>> = structure.stored().unwrap().iter().collect();
    let share = rng.random_range(0.0..1.0);
    let blocks = all.into_iter().filter(|block| is_diagonal(block) || rng.random_bool(share));
    let structure = structure.with_blocks(blocks.collect::<Vec<_>>()).unwrap();
    let light = filled::<T>(rng, &structure);
    let heavy = light.map_indexed(|index, x| {
        let weight = if (0..pairs).all(|n| index[axes[n]] == index[axes[n + pairs]]) { HEAVY } else { 0.0 };
        T::from_complex(x.to_complex() + weight)
    });
    (heavy.unwrap(), rows)
}

/// The axes that are no rows.
fn columns_of<T: Element>(a: &Blocks<T>, rows: &[usize]) -> Vec<usize> {
    (0..a.structure().rank()).filter(|axis| !rows.contains(axis)).collect()
}

fn number_close<T: Element>(one: T, other: T) -> bool {
    (one.to_complex() - other.to_complex()).norm() < CLOSE * (1.0 + other.to_complex().norm())
}

fn functions_are_right<T: Element>(rng: &mut StdRng) {
    let (a, rows) = drawn_square::<T>(rng);
    let (columns, count) = (columns_of(&a, &rows), rows.len());
    let matrix = dense(&a, &rows, &columns);
    let (first, last): (Vec<usize>, Vec<usize>) = ((0..count).collect(), (count..2 * count).collect());
    let x = a.inv(&rows).unwrap();
    assert!(distance(&dense(&x, &first, &last), &linalg::inv(&matrix).eval().unwrap()) < CLOSE);
    if let Some(flow) = a.structure().charge_flow() {
        let turned: Vec<i64> = columns.iter().chain(&rows).map(|&axis| -flow.signs()[axis]).collect();
        assert_eq!(x.structure().charge_flow().unwrap().signs(), turned);
    }
    let scaled = a.map_indexed(|_, x| T::from_complex(x.to_complex() / HEAVY)).unwrap();
    powers_are_right(&scaled, &rows, a.structure().charge_flow());
}

/// Functions of a matrix whose rows and columns are cut alike; those that are matrices conserve this charge, if any.
fn powers_are_right<T: Element>(a: &Blocks<T>, rows: &[usize], flow: Option<&Flow>) {
    let columns = columns_of(a, rows);
    let matrix = dense(a, rows, &columns);
    let e = a.expm(rows).unwrap();
    assert!(distance(&dense(&e, rows, &columns), &linalg::expm(&matrix).eval().unwrap()) < CLOSE);
    assert_eq!(e.structure().charge_flow(), flow);
    for exponent in [-2, 0, 1, 3] {
        let power = a.matpow(rows, exponent).unwrap();
        let expected = linalg::matpow(&matrix, exponent).eval().unwrap();
        assert!(distance(&dense(&power, rows, &columns), &expected) < CLOSE);
        assert_eq!(power.structure().charge_flow(), flow);
    }
    let number = |t: Tensor<T>| t.as_slice()[0];
    assert!(number_close(a.det(rows).unwrap(), number(linalg::det(&matrix).eval().unwrap())));
    assert!(number_close(a.trace(rows).unwrap(), number(linalg::trace(&matrix).eval().unwrap())));
    let ((sign, logarithm), (phase, size)) = (a.slogdet(rows).unwrap(), linalg::slogdet(&matrix).eval().unwrap());
    assert!(number_close(sign, number(phase)) && number_close(logarithm, size.as_slice()[0]));
}

#[test]
fn functions_of_drawn_matrices() {
    let mut rng = StdRng::seed_from_u64(2321);
    for round in 0..200 {
        if round % 2 == 0 { functions_are_right::<f64>(&mut rng) } else { functions_are_right::<Complex<f64>>(&mut rng) }
    }
}

/// A right side whose first axes are the rows of a matrix.
fn right_side<T: Element>(rng: &mut StdRng, a: &Blocks<T>, rows: &[usize]) -> Blocks<T> {
    let flow = a.structure().charge_flow().filter(|_| rng.random_bool(0.8)).cloned();
    let group: Option<ChargeGroup> = flow.as_ref().map(|flow| flow.group().clone());
    let mut cuts: Vec<Tiling> = rows.iter().map(|&axis| a.structure().tilings()[axis].clone()).collect();
    cuts.extend((0..rng.random_range(0..3)).map(|_| tiling(rng, group.as_ref())));
    let plain = Structure::new(&cuts);
    let structure = match &flow {
        Some(flow) => {
            let mut signs: Vec<i64> = rows.iter().map(|&axis| flow.signs()[axis]).collect();
            signs.extend((rows.len()..cuts.len()).map(|_| if rng.random_bool(0.5) { 1 } else { -1 }));
            plain.flow(signs, charge(rng, flow.group())).unwrap()
        }
        None => plain,
    };
    let structure = thinned(rng, structure);
    filled(rng, &structure)
}

fn solutions_are_right<T: Element>(rng: &mut StdRng, (a, rows): (Blocks<T>, Vec<usize>)) {
    let b = right_side(rng, &a, &rows);
    let (columns, sides) = (columns_of(&a, &rows), b.structure().rank() - rows.len());
    let x = a.solve(&rows, &b).unwrap();
    let names: String = (0..a.structure().rank() + sides).map(|axis| (b'a' + axis as u8) as char).collect();
    let pick = |axes: &[usize]| axes.iter().map(|&axis| names.as_bytes()[axis] as char).collect::<String>();
    let (own, side) = names.split_at(a.structure().rank());
    let again = einsum_blocks(&format!("{own},{}{side}->{}{side}", pick(&columns), pick(&rows)), &[&a, &x]).unwrap();
    assert!(distance(&again.to_dense().unwrap(), &b.to_dense().unwrap()) < CLOSE);
    let Some(flow) = a.structure().charge_flow().filter(|_| !x.structure().tilings().is_empty()) else { return };
    // The matrix adds its charge to that of the solution.
    let with_its_own = x.structure().charge_flow().map(|other| added(flow.group(), other.total(), flow.total()));
    assert_eq!(with_its_own, b.structure().charge_flow().map(|other| other.total().to_vec()));
}

/// The sum of two charges.
fn added(group: &ChargeGroup, one: &[i64], other: &[i64]) -> Vec<i64> {
    let mut sum = one.to_vec();
    group.add(&mut sum, 1, other);
    sum
}

#[test]
fn solutions_of_drawn_systems() {
    let mut rng = StdRng::seed_from_u64(2322);
    for _ in 0..100 {
        let (real, complex) = (drawn_square::<f64>(&mut rng), drawn_square::<Complex<f64>>(&mut rng));
        solutions_are_right(&mut rng, real);
        solutions_are_right(&mut rng, complex);
    }
}

/// A drawn matrix that changes the charge and has an inverse, and its rows. Tiles of the columns are those of the rows in another order,
/// each with the charge that is led to its row. A second pair of axes keeps its charges.
fn drawn_with_total<T: Element>(rng: &mut StdRng) -> (Blocks<T>, Vec<usize>) {
    let moduli: &[i64] = [&[0][..], &[2], &[3], &[0, 2]][rng.random_range(0..4)];
    let group = ChargeGroup::product(moduli.iter().copied()).unwrap();
    let total = loop {
        let total = added(&group, &group.neutral(), &charge(rng, &group));
        if total != group.neutral() {
            break total;
        }
    };
    let extents: Vec<usize> = (0..rng.random_range(1..4)).map(|_| rng.random_range(1..4)).collect();
    let charges: Vec<Vec<i64>> = extents.iter().map(|_| charge(rng, &group)).collect();
    let sign = if rng.random_bool(0.5) { 1 } else { -1 };
    let mut order: Vec<usize> = (0..extents.len()).collect();
    order.shuffle(rng);
    let tiling = |order: &[usize], shift: i64| {
        let shifted = order.iter().map(|&tile| {
            let mut charge = charges[tile].clone();
            group.add(&mut charge, shift, &total);
            charge
        });
        let charges = Charges::new(group.clone(), shifted.collect::<Vec<_>>()).unwrap();
        Tiling::cuts(order.iter().map(|&tile| extents[tile])).charged(charges).unwrap()
    };
    let one = tiling(&(0..extents.len()).collect::<Vec<_>>(), 0);
    let other = tiling(&order, -sign);
    let row_of: Vec<usize> = order.iter().flat_map(|&tile| one.bounds()[tile]..one.bounds()[tile + 1]).collect();
    let pairs = rng.random_range(1..3);
    let structure = match pairs {
        1 => Structure::new([&one, &other]).flow([sign, -sign], total),
        _ => Structure::new([&one, &one, &other, &one]).flow([sign, 1, -sign, -1], total),
    };
    let light = filled::<T>(rng, &structure.unwrap());
    let heavy = light.map_indexed(|index, x| {
        let is_heavy = index[0] == row_of[index[pairs]] && (pairs == 1 || index[1] == index[3]);
        T::from_complex(x.to_complex() * 0.2 + if is_heavy { HEAVY } else { 0.0 })
    });
    (heavy.unwrap(), (0..pairs).collect())
}

fn inverses_with_total_are_right<T: Element>(rng: &mut StdRng) {
    let (a, rows) = drawn_with_total::<T>(rng);
    let x = a.inv(&rows).unwrap();
    let (first, last): (Vec<usize>, Vec<usize>) = ((0..rows.len()).collect(), (rows.len()..2 * rows.len()).collect());
    let expected = linalg::inv(&dense(&a, &rows, &columns_of(&a, &rows))).eval().unwrap();
    assert!(distance(&dense(&x, &first, &last), &expected) < CLOSE);
    let [own, back] = [&a, &x].map(|tensor| tensor.structure().charge_flow().unwrap());
    assert_eq!(added(own.group(), own.total(), back.total()), own.group().neutral());
    solutions_are_right(rng, (a, rows));
}

#[test]
fn inverses_and_solutions_of_what_changes_the_charge() {
    let mut rng = StdRng::seed_from_u64(2324);
    for _ in 0..60 {
        inverses_with_total_are_right::<f64>(&mut rng);
        inverses_with_total_are_right::<Complex<f64>>(&mut rng);
    }
}

fn powers_with_total_are_right<T: Element>(rng: &mut StdRng) {
    let (count, extent) = (rng.random_range(2..4), rng.random_range(1..4));
    let total = rng.random_range(1..count as i64);
    let plain = Tiling::cuts(vec![extent; count]);
    // Z_2 and Z_3, where each charge is led to another one; and U(1), where a column has another charge than the row with its number.
    let cycle = Charges::modulo([count as i64], (0..count as i64).map(|n| [n]).collect::<Vec<_>>()).unwrap();
    let cycle = plain.clone().charged(cycle).unwrap();
    let [one, other] =
        [0, total].map(|less| plain.clone().charged((0..count as i64).map(|n| n - less).collect::<Vec<_>>()).unwrap());
    for (rows, columns) in [(&cycle, &cycle), (&one, &other)] {
        let structure = Structure::new([rows, columns]).flow([1, -1], [total]).unwrap();
        let heavy = filled::<T>(rng, &structure).map_indexed(|index, x| {
            let weight = if index[0] % extent == index[1] % extent { 1.0 } else { 0.0 };
            T::from_complex(x.to_complex() * 0.2 + weight)
        });
        powers_are_right(&heavy.unwrap(), &[0], None);
    }
}

#[test]
fn powers_of_what_changes_the_charge() {
    let mut rng = StdRng::seed_from_u64(2325);
    for _ in 0..40 {
        powers_with_total_are_right::<f64>(&mut rng);
        powers_with_total_are_right::<Complex<f64>>(&mut rng);
    }
}

fn triangles_are_right<T: Element>(rng: &mut StdRng) {
    let (group, name) = (group(rng), "ij,kj->ik");
    let cut = tiling(rng, group.as_ref());
    let plain = Structure::new([&cut, &cut]);
    let plain = match &group {
        Some(group) => plain.flow([1, -1], group.neutral()).unwrap(),
        None => plain,
    };
    let blocks: Vec<Vec<usize>> = plain.stored().unwrap().iter().filter(|b| b[0] == b[1] || rng.random_bool(0.3)).collect();
    let a = filled::<T>(rng, &plain.with_blocks(blocks).unwrap());
    let conjugated = a.map_indexed(|_, x| x.conj()).unwrap().to_dense().unwrap();
    // A·Aᴴ + 1, of which all is there that a sector of A has.
    let product = crate::exec::einsum(name, &[&a.to_dense().unwrap(), &conjugated]).unwrap();
    let shifted = Tensor::from_fn([cut.extent(); 2], |i| {
        T::from_complex(product.get(&[i[0], i[1]]).unwrap().to_complex() + f64::from(u8::from(i[0] == i[1])))
    });
    let shifted = shifted.unwrap();
    let h = Blocks::from_dense(&shifted, &plain).unwrap();
    let l = h.cholesky([0]).unwrap();
    let l = dense(&l, &[0], &[1]);
    let adjoint = Tensor::from_fn(l.extents().to_vec(), |i| l.get(&[i[0], i[1]]).unwrap().conj()).unwrap();
    let again = crate::exec::einsum(name, &[&l, &adjoint]).unwrap();
    assert!(distance(&again, &shifted) < CLOSE);
}

#[test]
fn triangles_of_drawn_matrices() {
    let mut rng = StdRng::seed_from_u64(2323);
    for round in 0..100 {
        if round % 2 == 0 { triangles_are_right::<f64>(&mut rng) } else { triangles_are_right::<Complex<f64>>(&mut rng) }
    }
}

/// An operator that changes the charge has an inverse that changes it back, and an exponential of no charge.
#[test]
fn operators_that_change_the_charge() {
    let (one, other) = (Tiling::cuts([2, 1]).charged([0, 1]).unwrap(), Tiling::cuts([1, 2]).charged([0, -1]).unwrap());
    let lowering = Structure::new([&other, &one]).flow([1, -1], [-1]).unwrap();
    let a = filled::<f64>(&mut StdRng::seed_from_u64(4), &lowering);
    let x = a.inv([0]).unwrap();
    assert_eq!(x.structure().charge_flow().unwrap().total(), [1]);
    assert_eq!(x.blocks(), [[0, 1], [1, 0]]);
    let unit = einsum_blocks("ij,jk->ik", &[&a, &x]).unwrap().to_dense().unwrap();
    assert!(unit.as_slice().iter().zip([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).all(|(x, y)| (x - y).abs() < CLOSE));
    let spin = Tiling::cuts([1, 1]).charged([-1, 1]).unwrap();
    let raising = Blocks::<f64>::from_fn(&Structure::new([&spin, &spin]).flow([1, -1], [2]).unwrap(), |_| 3.0).unwrap();
    let e = raising.expm([0]).unwrap();
    assert!(e.structure().charge_flow().is_none());
    assert_eq!((e.get(&[1, 0]).unwrap(), e.blocks()), (3.0, vec![vec![0, 0], vec![1, 0], vec![1, 1]]));
}

#[test]
fn what_has_no_inverse_is_told() {
    let (cut, other) = (Tiling::cuts([1, 2]), Tiling::cuts([1, 1, 1]));
    let told = |result: Result<Blocks<f64>, crate::Error>| result.unwrap_err().to_string();
    let plain = Structure::new([&cut, &other]);
    let ones = |structure: &Structure| Blocks::<f64>::from_fn(structure, |_| 1.0).unwrap();
    let blocks = plain.with_blocks([[0, 0], [0, 1], [1, 2]]).unwrap();
    assert_eq!(
        told(ones(&blocks).inv([0])),
        "the matrix of `inv` is singular: the sector with blocks [0, 0], [0, 1] has 1 row, but 2 columns"
    );
    let text = told(ones(&plain).inv([0]));
    assert!(text.contains("the 3×3 matrix of `inv` is singular") && text.contains("[0, 2], [1, 0] and 2 more"), "{text}");
    let two = Structure::new([&other, &other]).with_blocks([[0, 0], [1, 1], [2, 2]]).unwrap();
    let diagonal = Blocks::<f64>::from_fn(&two, |i| [1.0, 0.0, 2.0][i[0]]).unwrap();
    let text = told(diagonal.inv([0]));
    assert!(text.contains("the 1×1 matrix of `inv` is singular") && text.contains("the sector with blocks [1, 1]"), "{text}");
    let right = ones(&Structure::new([&cut]));
    assert_eq!(
        told(diagonal.solve([0], &right)),
        "axis 0 of the right side of `solve` is cut 1, 2, but that of the rows 1, 1, 1"
    );
    assert_eq!(
        told(ones(&Structure::new([&cut, &Tiling::whole(4)])).inv([0])),
        "`inv` needs as many rows as columns, but there are 3 rows and 4 columns"
    );
    assert!(told(ones(&plain).expm([0])).starts_with("`expm` needs rows and columns that are cut alike"));
    // Only what is on the right is solved.
    let right = ones(&Structure::new([&other]).with_blocks([[2]]).unwrap());
    assert_eq!(diagonal.solve([0], &right).unwrap().get(&[2]).unwrap(), 0.5);
}

/// A diagonal of which either axis is the rows: charges go the way that they go for a matrix that stores its zeros.
#[test]
fn charges_of_functions_of_a_diagonal() {
    let spin = Tiling::cuts([2, 1]).charged([-1, 1]).unwrap();
    let values = Blocks::<f64>::from_fn(&Structure::new([&spin]), |i| 2.0 + i[0] as f64).unwrap();
    let structure = Structure::new([&spin, &spin]).tied([0, 1]).unwrap().flow([1, -1], [0]).unwrap();
    let diagonal = Blocks::<f64>::from_fn(&structure, |i| values.get(&i[..1]).unwrap()).unwrap();
    let whole = diagonal.untied().unwrap();
    for row in [0, 1] {
        for (name, [own, expected]) in [
            ("inv", [&diagonal, &whole].map(|a| a.inv([row]).unwrap())),
            ("expm", [&diagonal, &whole].map(|a| a.expm([row]).unwrap())),
            ("matpow", [&diagonal, &whole].map(|a| a.matpow([row], -2).unwrap())),
        ] {
            let signs = |a: &Blocks<f64>| a.structure().charge_flow().unwrap().signs().to_vec();
            assert_eq!(signs(&own), signs(&expected), "{name} with rows [{row}]");
            assert!(distance(&own.to_dense().unwrap(), &expected.to_dense().unwrap()) < CLOSE, "{name}");
        }
        // The new axis is that of the rows, which charges leave where they enter those.
        let l = diagonal.cholesky([row]).unwrap();
        let again = crate::Context::cpu().eval_blocks::<f64>("[i, j] = L[i, k] * conj(L[j, k])", &[("L", &l)]).unwrap();
        assert_eq!(again.structure().charge_flow().unwrap().signs(), [[1, -1], [-1, 1]][row]);
    }
}

#[test]
fn ragged_rows_are_no_matrix() {
    let row = |extent| Tensor::<f64>::from_fn([extent], |_| 1.0).unwrap();
    let rows = Blocks::rows([row(2), row(1)]).unwrap();
    let error = rows.expm([0]).unwrap_err().to_string();
    assert!(error.starts_with("linear algebra of a tensor whose axis 1 is ragged"), "{error}");
    assert!(rows.svd([0]).is_err() && rows.smooth().unwrap().expm([0]).is_ok());
    assert!(Blocks::rows([row(2), row(2)]).unwrap().svd([0]).is_ok());
}

#[test]
fn sectors_within_a_memory_limit() {
    let cut = Tiling::cuts([20, 10]);
    let structure = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]]).unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| if i[0] == i[1] { 40.0 } else { 1.0 / (1 + i[0] + i[1]) as f64 }).unwrap();
    let context = |bytes: usize| crate::Context::cpu().memory_limit(bytes);
    // Of 500 elements: three times for a function, two factors and the largest sector.
    for (name, needed, computed) in [
        ("inv", 8 * 1500, &(|c: &crate::Context| c.inv_blocks(&a, [0]).map(|_| ())) as &dyn Fn(&crate::Context) -> _),
        ("expm", 8 * 1500, &|c| c.expm_blocks(&a, [0]).map(|_| ())),
        ("cholesky", 8 * 1500, &|c| c.cholesky_blocks(&a, [0]).map(|_| ())),
        ("svd", 8 * (2 * 1030 + 400), &|c| c.svd_blocks(&a, [0]).map(|_| ())),
        ("eigh", 8 * (2 * 1030 + 400), &|c| c.eigh_blocks(&a, [0]).map(|_| ())),
    ] {
        assert!(computed(&context(needed)).is_ok(), "{name}");
        let error = computed(&context(needed - 1)).unwrap_err();
        let expected = format!(
            "an intermediate of extents [20, 20] needs 3200 bytes, {needed} with what is needed at the same time, but the context allows {}",
            needed - 1
        );
        assert!(error.to_string().starts_with(&expected), "{name}: {error}");
    }
    // Equal sectors are computed side by side, on fewer threads where memory is short.
    let equal = Tiling::cuts([10, 10, 10]);
    let structure = Structure::new([&equal, &equal]).with_blocks([[0, 0], [1, 1], [2, 2]]).unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| if i[0] == i[1] { 9.0 } else { 0.5 }).unwrap();
    for threads in [1, 2, 3] {
        let svd = |bytes: usize| crate::Context::cpu().threads(threads).memory_limit(bytes).svd_blocks(&a, [0]).map(|_| ());
        let needed = 8 * (2 * 630 + 100);
        assert!(svd(needed).is_ok(), "{threads} threads");
        assert!(svd(needed - 1).unwrap_err().to_string().contains(&format!("{needed} with what is needed")), "{threads} threads");
    }
}
