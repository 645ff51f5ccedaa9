//! Methods of whole tensors against plain loops, for views of any strides, and what is refused.

use std::ops::MulAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};

use num_complex::Complex;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{concatenate, select, stack};
use crate::tensor::{Tensor, TensorRef};
use crate::{ErrorKind, Shape};

fn random(rng: &mut StdRng, extents: &[usize]) -> Tensor<f64> {
    // Few different values, so that there are equal ones.
    Tensor::from_fn(extents, |_| f64::from(rng.random_range(-4..5))).unwrap()
}

/// A view of such elements that may be permuted, reversed, stepped or repeated.
fn view<'a>(rng: &mut StdRng, of: &'a Tensor<f64>) -> TensorRef<'a, f64> {
    let mut view = of.view().into_dyn();
    for _ in 0..rng.random_range(0..3) {
        view = match rng.random_range(0..4) {
            0 => view.permute(&(0..view.rank()).rev().collect::<Vec<_>>()).unwrap(),
            1 if view.rank() > 0 => view.reverse(rng.random_range(0..view.rank())).unwrap(),
            2 if view.rank() > 0 => view.step(rng.random_range(0..view.rank()), 2).unwrap(),
            3 => view.repeat(rng.random_range(0..=view.rank()), 2).unwrap(),
            _ => view,
        };
    }
    view
}

fn drawn(rng: &mut StdRng) -> Tensor<f64> {
    let extents: Vec<usize> = (0..rng.random_range(0..4)).map(|_| rng.random_range(0..5)).collect();
    random(rng, &extents)
}

#[test]
fn operators_are_their_loops() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..500 {
        let tensor = drawn(&mut rng);
        let x = view(&mut rng, &tensor);
        let other = random(&mut rng, x.extents());
        let y: Vec<f64> = other.as_slice().to_vec();
        let by = |f: fn(f64, f64) -> f64| -> Vec<f64> { x.elements().zip(&y).map(|(x, y)| f(*x, *y)).collect() };
        assert_eq!((x.clone() + &other).as_slice(), by(|x, y| x + y));
        assert_eq!((x.clone() - &other).as_slice(), by(|x, y| x - y));
        assert_eq!((x.clone() * &other.view()).as_slice(), by(|x, y| x * y));
        let copy = x.to_tensor().unwrap();
        assert_eq!((&copy * 2.0).as_slice(), by(|x, _| x * 2.0));
        assert_eq!((2.0 - &copy).as_slice(), by(|x, _| 2.0 - x));
        assert_eq!((-&copy).as_slice(), by(|x, _| -x));
        let mut sum = copy.clone();
        sum += &other;
        sum -= 1.0;
        assert_eq!(sum.as_slice(), by(|x, y| x + y - 1.0));
        assert_eq!((copy + other).as_slice(), by(|x, y| x + y));
    }
}

#[test]
fn large_tensors_are_computed_as_small_ones() {
    let mut rng = StdRng::seed_from_u64(2);
    let (a, b) = (random(&mut rng, &[300, 700]), random(&mut rng, &[700, 300]));
    let found = &a + b.transpose();
    assert!(found.iter().zip(a.iter().zip(b.transpose())).all(|(c, (a, b))| *c == a + b));
    let quotient = 2.0 / (&a + 10.0);
    assert!(quotient.iter().zip(&a).all(|(c, a)| *c == 2.0 / (a + 10.0)));
    let mut product = a.clone();
    product *= &a;
    product /= 4.0;
    assert!(product.iter().zip(&a).all(|(c, a)| *c == a * a / 4.0));
    assert_eq!(a.sum(), a.iter().sum::<f64>(), "small whole numbers are added without rounding");
}

#[test]
fn integers_wrap_and_truths_combine() {
    let a = Tensor::from_array([250u8, 5]).unwrap();
    assert_eq!((&a + &a).as_slice(), [244, 10]);
    assert_eq!((&a * 2).as_slice(), [244, 10]);
    assert_eq!((-&a).as_slice(), [6, 251]);
    assert_eq!((1 - &a).as_slice(), [7, 252]);
    let z = Tensor::from_array([Complex::new(1.0f64, 2.0)]).unwrap();
    assert_eq!((2.0 * &z / 4.0).as_slice(), [Complex::new(0.5, 1.0)]);
    let truth = Tensor::from_array([true, false]).unwrap();
    assert_eq!((!&truth | &truth).as_slice(), [true, true]);
    assert_eq!(format!("{truth:?}"), "Tensor<bool, extents [2]>\n[ true, false]");
    assert_eq!(Tensor::<i64, _>::arange(-1..2).unwrap().to_string(), "[-1,  0,  1]");
}

#[test]
fn operators_say_what_does_not_fit() {
    let (a, b) = (Tensor::<f64>::zeros([2, 3]).unwrap(), Tensor::<f64>::zeros([2, 4]).unwrap());
    let said = |operator: &dyn Fn()| *catch_unwind(AssertUnwindSafe(operator)).unwrap_err().downcast::<String>().unwrap();
    let sentence = "`+` of two tensors: extents [2, 3] and [2, 4] differ on axis 1; nothing is broadcast, as an equation does by `1[i] * b[j]`";
    assert_eq!(said(&|| drop(&a + &b)), sentence);
    let vector = Tensor::<f64>::zeros([2]).unwrap();
    assert_eq!(said(&|| a.clone().mul_assign(&vector)), "`*` of two tensors: extents [2, 3] and [2] are of ranks 2 and 1");
}

#[test]
fn reductions_are_their_loops() {
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..500 {
        let tensor = drawn(&mut rng);
        let x = view(&mut rng, &tensor);
        let (rank, len) = (x.rank(), x.len());
        assert_eq!(x.sum(), x.elements().sum::<f64>());
        assert_eq!(x.max(), x.elements().copied().reduce(f64::max));
        assert_eq!(x.argmin().map(|at| x[&at]), x.elements().copied().reduce(f64::min));
        if len > 0 {
            let mean = x.elements().sum::<f64>() / len as f64;
            let variance = x.elements().map(|x| (x - mean).powi(2)).sum::<f64>() / len as f64;
            assert!((x.mean() - mean).abs() < 1e-14 && (x.var() - variance).abs() < 1e-13);
        }
        if rank == 0 {
            continue;
        }
        let axis = rng.random_range(0..rank);
        let (sums, largest) = (x.sum_along(axis).unwrap(), x.max_along(axis));
        let whole = x.map(|x| x as i32).unwrap();
        assert_eq!(whole.sum_along(axis).unwrap(), sums.map(|x| x as i32).unwrap());
        let lanes: Vec<Vec<f64>> = x.lanes(axis).unwrap().map(|lane| lane.elements().copied().collect()).collect();
        // Where the axis has no index, no lane begins, but the sum of nothing is 0.
        if x.extents()[axis] == 0 {
            assert!(sums.iter().all(|&sum| sum == 0.0) && lanes.is_empty());
            assert_eq!(largest.is_err(), !sums.is_empty());
            assert_eq!(x.argmax_along(axis).is_err(), !sums.is_empty());
            continue;
        }
        assert_eq!(sums.as_slice(), lanes.iter().map(|lane| lane.iter().sum()).collect::<Vec<f64>>());
        let place = |lane: &Vec<f64>| lane.iter().position(|x| lane.iter().all(|y| x >= y)).unwrap() as i64;
        assert_eq!(x.argmax_along(axis).unwrap().as_slice(), lanes.iter().map(place).collect::<Vec<i64>>());
        assert_eq!(whole.max_along(axis).unwrap(), largest.unwrap().map(|x| x as i32).unwrap());
        let (sorted, order) = (x.sort_along(axis).unwrap(), x.argsort_along(axis).unwrap());
        for ((lane, sorted), order) in lanes.iter().zip(sorted.lanes(axis).unwrap()).zip(order.lanes(axis).unwrap()) {
            assert!(sorted.elements().is_sorted());
            assert!(order.elements().map(|&n| lane[n as usize]).eq(sorted.elements().copied()));
            let ties = order.elements().zip(order.elements().skip(1)).filter(|&(&n, &m)| lane[n as usize] == lane[m as usize]);
            assert!(ties.into_iter().all(|(n, m)| n < m), "equal elements keep their order");
        }
        let running = x.cumsum_along(axis).unwrap();
        let last = running.view().chip(axis, x.extents()[axis] - 1).unwrap();
        assert!(last.elements().eq(sums.as_slice()));
        let all: Vec<usize> = (0..rank).collect();
        assert_eq!(x.sum_along(all).unwrap()[[]], x.sum());
        assert_eq!(x.var_along(axis).unwrap().as_slice(), x.lanes(axis).unwrap().map(|lane| lane.var()).collect::<Vec<_>>());
    }
}

#[test]
fn nan_is_largest_and_last() {
    let a = Tensor::from_array([2.0, f64::NAN, 1.0, f64::NAN]).unwrap();
    assert!(a.max().unwrap().is_nan() && a.mean().is_nan());
    assert_eq!((a.argmax().unwrap(), a.argmin().unwrap()), ([1].into(), [1].into()));
    assert_eq!(a.argsort_along(0).unwrap().as_slice(), [2, 0, 1, 3]);
    assert_eq!(a.unique().unwrap().len(), 3);
    // The same among so many lines that these are sorted side by side where there is no NaN, and with more NaN than a table holds.
    for len in [10, 1000] {
        let lines = a.tile(&[len]).unwrap().reshape((len, 4)).unwrap();
        assert_eq!(lines.argsort_along(1).unwrap().as_slice()[4..8], [2, 0, 1, 3]);
        assert!(
            lines
                .sort_along(1)
                .unwrap()
                .as_slice()
                .chunks(4)
                .all(|line| line[..2] == [1.0, 2.0] && line[2..].iter().all(|x| x.is_nan()))
        );
        let all = lines.unique().unwrap();
        assert!(all.len() == 3 && all.as_slice()[..2] == [1.0, 2.0] && all[[2]].is_nan());
    }
    // Beside so many lines without NaN that they would be sorted side by side, along an axis in the middle.
    let cube = Tensor::<f64>::from_fn([4, 5, 6], |at| f64::from(((at[0] * 7 + at[1] * 11 + at[2] * 5) % 9) as u8)).unwrap();
    let (sorted, whole) = (cube.sort_along(1).unwrap(), cube.map(|x| x as u8).unwrap().sort_along(1).unwrap());
    for (lane, sorted) in cube.lanes(1).unwrap().zip(sorted.lanes(1).unwrap()) {
        let mut expected: Vec<f64> = lane.elements().copied().collect();
        expected.sort_by(f64::total_cmp);
        assert!(sorted.elements().eq(&expected));
    }
    assert_eq!(sorted.map(|x| x as u8).unwrap(), whole);
    assert_eq!(cube.map(|x| x > 4.0).unwrap().sort_along(1).unwrap(), sorted.map(|x| x > 4.0).unwrap());
    assert_eq!(cube.map(|x| x as i64).unwrap().argsort_along(1).unwrap(), cube.argsort_along(1).unwrap());
    assert_eq!(Tensor::from_array([0.0, -0.0, 1.0, -0.0]).unwrap().unique().unwrap().as_slice(), [0.0, 1.0]);
    assert_eq!(a.clip(0.0, 1.5).unwrap().as_slice()[..1], [1.5]);
    assert_eq!(a.equal(&a).unwrap().count(), 2);
    assert!(Tensor::<f64>::zeros([0]).unwrap().mean().is_nan());
}

/// The first of equal elements is found wherever they are in a long tensor, and so is the first NaN.
#[test]
fn places_in_long_tensors() {
    let mut rng = StdRng::seed_from_u64(8);
    for _ in 0..300 {
        let len = rng.random_range(1..3000);
        let mut x: Vec<f64> = (0..len).map(|_| f64::from(rng.random_range(-3i32..3))).collect();
        let nan = (0..rng.random_range(0..3)).map(|_| rng.random_range(0..2 * len)).filter(|&n| n < len);
        nan.for_each(|n| x[n] = f64::NAN);
        let first = |is_it: &dyn Fn(f64) -> bool| x.iter().position(|&x| is_it(x));
        let wanted = |best: f64| [first(&f64::is_nan).or_else(|| first(&|x| x == best)).unwrap()];
        let (least, most) = (x.iter().copied().reduce(f64::min).unwrap(), x.iter().copied().reduce(f64::max).unwrap());
        let tensor = Tensor::from_vec([len], x.clone()).unwrap();
        assert_eq!(tensor.argmax().unwrap()[..], wanted(most));
        assert_eq!(tensor.argmin().unwrap()[..], wanted(least));
    }
}

#[test]
fn parts_put_together_are_the_whole() {
    let mut rng = StdRng::seed_from_u64(4);
    for round in 0..700 {
        let mut tensor = drawn(&mut rng);
        if round % 3 == 0 {
            // Long enough to be copied in runs.
            let extents = [rng.random_range(1..4), rng.random_range(1..4), rng.random_range(16..40)];
            tensor = random(&mut rng, &extents);
        }
        let x = view(&mut rng, &tensor);
        if x.rank() == 0 {
            continue;
        }
        let axis = rng.random_range(0..x.rank());
        let extent = x.extents()[axis];
        let mut ends = [rng.random_range(0..=extent), rng.random_range(0..=extent)];
        ends.sort_unstable();
        let whole = x.to_tensor().unwrap();
        assert_eq!(concatenate(axis, x.split_at(axis, &ends).unwrap()).unwrap(), whole);
        if extent > 0 {
            assert_eq!(stack(axis, x.chips(axis).unwrap()).unwrap(), whole);
            let error = stack(axis, [&x.view(), &x.chip(axis, 0).unwrap()]).unwrap_err().to_string();
            assert!(error.starts_with("`stack`: tensor 0 has extents"), "{error}");
            assert_eq!(concatenate(axis, x.split(axis, extent).unwrap()).unwrap(), whole);
            // Two whole tensors, along every axis, the new last one among them.
            let parts = [whole.clone(), whole.map(|x| x + 0.5).unwrap()];
            let other = rng.random_range(0..=x.rank());
            let both = stack(other, &parts).unwrap();
            assert_eq!(both.extents()[other], 2);
            (0..2).for_each(|n| assert_eq!(both.view().chip(other, n).unwrap(), parts[n].view()));
        }
        let by = rng.random_range(-7..8i32) as isize;
        assert_eq!(x.roll(by, axis).unwrap().roll(-by, axis).unwrap(), whole);
        let widths: Vec<(usize, usize)> = x.extents().iter().map(|_| (rng.random_range(0..3), rng.random_range(0..3))).collect();
        let padded = x.pad(&widths, 7.5).unwrap();
        let mut inside = padded.view();
        for (axis, &(before, after)) in widths.iter().enumerate() {
            inside = inside.slice(axis, before..padded.extents()[axis] - after).unwrap();
        }
        assert_eq!(inside, x);
        assert_eq!(padded.equal(7.5).unwrap().count(), padded.len() - x.len());
        let times: Vec<usize> = x.extents().iter().map(|_| rng.random_range(0..3)).collect();
        let tiled = x.tile(&times).unwrap();
        let at = |at: &[usize]| at.iter().zip(x.extents()).map(|(i, extent)| i % extent).collect::<Vec<_>>();
        assert!(tiled.shape().indices().all(|index| tiled[&index] == x[&at(&index)]));
        let mask = x.greater(0.0).unwrap();
        assert_eq!(x.compress(&mask).unwrap().len(), mask.count());
        assert_eq!(select(&mask, &whole, 0.0).unwrap().sum(), x.compress(&mask).unwrap().sum());
        assert_eq!((mask & x.less(3.0).unwrap()).count(), x.elements().filter(|&&x| x > 0.0 && x < 3.0).count());
    }
}

#[test]
fn what_is_taken_by_indices() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..500 {
        let tensor = drawn(&mut rng);
        let x = view(&mut rng, &tensor);
        if x.rank() == 0 || x.is_empty() {
            continue;
        }
        let axis = rng.random_range(0..x.rank());
        let extent = x.extents()[axis];
        // Orders as they lie, and with their axes in another order.
        let order = x.argsort_along(axis).unwrap();
        assert_eq!(x.take_along(axis, &order).unwrap(), x.sort_along(axis).unwrap());
        let turned: Vec<usize> = (0..x.rank()).rev().collect();
        let order = order.view().permute(&turned).unwrap().to_tensor().unwrap();
        assert_eq!(x.take_along(axis, order.view().permute(&turned).unwrap()).unwrap(), x.sort_along(axis).unwrap());
        let at: Vec<i64> = (0..rng.random_range(0..5)).map(|_| rng.random_range(0..extent) as i64).collect();
        let parts: Vec<_> = at.iter().map(|&n| x.slice(axis, n as usize..n as usize + 1).unwrap()).collect();
        let at = Tensor::<i64>::from_vec([at.len()], at).unwrap();
        let taken = x.take(axis, &at).unwrap();
        match parts.is_empty() {
            true => assert!(taken.is_empty() && taken.extents()[axis] == 0),
            false => assert_eq!(taken, concatenate(axis, &parts).unwrap()),
        }
        let outside = if rng.random_bool(0.5) { -1 } else { extent as i64 };
        let sentence = format!("index {outside} is out of range for axis {axis} of `tensor`, which has extent {extent}");
        assert_eq!(x.take(axis, Tensor::scalar(outside)).unwrap_err().to_string(), sentence);
        let everywhere = Tensor::<i64>::filled(x.extents(), outside).unwrap();
        assert_eq!(x.take_along(axis, &everywhere).unwrap_err().to_string(), sentence);
        // A number takes the axis away, as a chip does.
        assert_eq!(x.take(axis, Tensor::scalar(0i64)).unwrap(), x.chip(axis, 0).unwrap().to_tensor().unwrap());
    }
    let nothing = Tensor::<f64>::zeros([2, 0]).unwrap();
    assert!(nothing.take_along(1, Tensor::<i64>::zeros([2, 1]).unwrap()).is_err());
    assert!(nothing.take_along(1, Tensor::<i64>::zeros([2, 0]).unwrap()).unwrap().is_empty());
    assert!(nothing.take_along(0, Tensor::<i64>::zeros([2]).unwrap()).is_err());
}

#[test]
fn choices_of_every_kind_of_side() {
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..200 {
        let tensor = drawn(&mut rng);
        let x = view(&mut rng, &tensor).to_tensor().unwrap();
        let (mask, y) = (x.greater(0.0).unwrap(), -1.0 * &x + 0.5);
        let turned: Vec<usize> = (0..x.rank()).rev().collect();
        let other = x.view().permute(&turned).unwrap().to_tensor().unwrap();
        let apart = other.view().permute(&turned).unwrap();
        let chosen = |x: f64, y: f64, n: usize| if mask.as_slice()[n] { x } else { y };
        let expected = |x: &[f64], y: &[f64]| (0..mask.len()).map(|n| chosen(x[n], y[n], n)).collect::<Vec<f64>>();
        let (two, three) = (vec![2.0; x.len()], vec![3.0; x.len()]);
        assert_eq!(select(&mask, &x, &y).unwrap().as_slice(), expected(x.as_slice(), y.as_slice()));
        assert_eq!(select(&mask, &apart, &y).unwrap().as_slice(), expected(x.as_slice(), y.as_slice()));
        assert_eq!(select(&mask, 2.0, &apart).unwrap().as_slice(), expected(&two, x.as_slice()));
        assert_eq!(select(&mask, 2.0, &y).unwrap().as_slice(), expected(&two, y.as_slice()));
        assert_eq!(select(&mask, &x, 3.0).unwrap().as_slice(), expected(x.as_slice(), &three));
        assert_eq!(select(&mask, 2.0, 3.0).unwrap().as_slice(), expected(&two, &three));
    }
}

#[test]
fn reversed_views_are_joined_in_runs() {
    let a = Tensor::<f64>::from_fn([4, 32], |at| (100 * at[0] + at[1]) as f64).unwrap();
    let x = a.view().reverse(0).unwrap().slice(0, 0..2).unwrap();
    let row = |n: usize| a.view().slice(0, n..n + 1).unwrap();
    assert_eq!(concatenate(0, [&x]).unwrap(), concatenate(0, [&row(3), &row(2)]).unwrap());
    assert_eq!(concatenate(0, [&x, &a.view().into_dyn().slice(0, 1..2).unwrap()]).unwrap()[[2, 31]], 131.0);
    assert_eq!(x.roll(1, 0).unwrap()[[0, 5]], 205.0);
    assert_eq!(x.tile(&[2, 1]).unwrap()[[3, 7]], 207.0);
    let empty = a.view().reverse(0).unwrap().slice(1, 32..32).unwrap();
    assert_eq!(empty.pad(&[(0, 0), (1, 1)], 0.5).unwrap(), Tensor::<f64>::filled([4, 2], 0.5).unwrap());
    // One part in runs, and one that is transposed.
    let square = Tensor::<f64>::from_fn([32, 32], |at| (100 * at[0] + at[1]) as f64).unwrap();
    let both = concatenate(0, [&square.view().into_dyn(), &square.transpose()]).unwrap();
    assert!((0..32).all(|i| (0..32).all(|j| both[[32 + i, j]] == square[[j, i]] && both[[i, j]] == square[[i, j]])));
}

#[test]
fn copies_of_few_and_of_many_elements_are_in_order() {
    for columns in [64, 65] {
        let a = Tensor::<f64>::from_fn([32, columns], |at| (100 * at[0] + at[1]) as f64).unwrap();
        for x in [
            a.transpose(),
            a.view().into_dyn().reverse(1).unwrap(),
            a.transpose().reverse(0).unwrap(),
            a.view().chip(0, 3).unwrap().repeat(0, 32).unwrap(),
        ] {
            let copy = x.to_tensor().unwrap();
            assert!(copy.as_slice().iter().eq(x.elements()));
        }
    }
}

#[test]
fn triangles_and_products() {
    let a = Tensor::<f64>::from_fn([2, 3, 4], |i| (i[0] * 100 + i[1] * 10 + i[2]) as f64 + 1.0).unwrap();
    for offset in -4..5 {
        let (low, high) = (a.tril(offset).unwrap(), a.triu(offset + 1).unwrap());
        assert_eq!(low + high, a);
    }
    let (m, n) = (Tensor::<f64>::ones([2, 3]).unwrap(), Tensor::<f64>::filled([3, 4], 2.0).unwrap());
    assert_eq!(m.dot(&n).unwrap(), Tensor::<f64>::filled([2, 4], 6.0).unwrap());
    assert_eq!(m.outer(&n).unwrap().extents(), [2, 3, 3, 4]);
    for (rows, columns) in [(0, 3), (1, 1), (32, 32), (33, 32)] {
        let cell = |at: &[usize]| Complex::new(at[0] as f64 + 1.0, 2.0);
        let (x, y) = (Tensor::<_>::from_fn([rows], cell).unwrap(), Tensor::<_>::from_fn([columns], cell).unwrap());
        let expected = Tensor::<_>::from_fn([rows, columns], |at| x[[at[0]]] * y[[at[1]]]).unwrap();
        assert_eq!(x.outer(&y).unwrap(), expected);
        assert_eq!(x.view().reverse(0).unwrap().outer(&y).unwrap(), expected.view().reverse(0).unwrap().to_tensor().unwrap());
    }
    assert_eq!(m.kron(&n).unwrap(), Tensor::<f64>::filled([6, 12], 2.0).unwrap());
    assert_eq!(
        m.dot(&m).unwrap_err().to_string(),
        "`dot`: the last axis of extents [2, 3] and the first of [2, 3] are summed together, and differ"
    );
    let b: Tensor<f64, Shape![_, 4]> = Tensor::zeros((3, crate::Const)).unwrap();
    let t: TensorRef<'_, f64, Shape![4, _]> = b.t();
    assert_eq!(t.extents(), [4, 3]);
}

#[test]
fn refusals() {
    let a = Tensor::<f64>::zeros([2, 3]).unwrap();
    let shape = |result: Result<Tensor<f64>, crate::Error>| {
        let error = result.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape(_)), "{error:?}");
        error.to_string()
    };
    assert_eq!(shape(a.sum_along(2)), "there is no axis 2 in a tensor of rank 2");
    assert_eq!(shape(a.sum_along([1, 1])), "axis 1 is named twice in [1, 1]");
    assert_eq!(
        shape(concatenate(0, [&a, &Tensor::zeros([2, 4]).unwrap()])),
        "`concatenate` along axis 0: tensor 0 has extents [2, 3], tensor 1 has [2, 4]"
    );
    assert_eq!(shape(concatenate::<f64, &Tensor<f64>>(0, [])), "`concatenate` of no tensors");
    assert_eq!(shape(a.pad(&[(1, 1)], 0.0)), "1 pair of widths is given for a tensor of rank 2: one for each axis");
    assert_eq!(
        shape(Tensor::<f64>::zeros([1, 1, 1]).unwrap().diag()),
        "`diag` of extents [1, 1, 1], which are neither a vector nor a matrix; `view().diagonal(…)` takes any two axes"
    );
    let error = a.split(1, 2).unwrap_err();
    assert_eq!(error.to_string(), "axis 1 of extent 3 is not split into 2 equal parts; `split_at` takes their ends");
    let error = Tensor::<f64>::zeros([0, 2]).unwrap().min_along(0).unwrap_err();
    assert_eq!(error.to_string(), "extents [0, 2] have no smallest element along [0]");
}
