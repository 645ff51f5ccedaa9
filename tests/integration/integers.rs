//! Equations over integers, against plain loops that wrap around.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper::prelude::*;
use tensorwrapper::{CastInto, Context, ErrorKind, Graph, Numeric, contract, einsum};

/// Integers of either few digits, whose equations double precision holds, or of all digits.
fn drawn<T: Numeric>(rng: &mut StdRng, extents: &[usize], bits: u32) -> Tensor<T> {
    Tensor::from_fn(extents, |_| T::whole(rng.random::<i64>() >> (64 - bits))).unwrap()
}

/// The sum of products that subscripts stand for, computed in 64 bits for every index of the result.
fn by_loops<T: Numeric + CastInto<i64>>(subscripts: &str, operands: &[&Tensor<T>]) -> Vec<T> {
    let (inputs, output) = subscripts.split_once("->").unwrap();
    let mut labels: Vec<(char, usize)> = Vec::new();
    for (labelled, operand) in inputs.split(',').zip(operands) {
        for (label, &extent) in labelled.chars().zip(operand.extents()) {
            if !labels.contains(&(label, extent)) {
                labels.push((label, extent));
            }
        }
    }
    // Those of the result run slowest, in their order.
    labels.sort_by_key(|(label, _)| output.find(*label).unwrap_or(usize::MAX));
    let total: usize = labels.iter().map(|(_, extent)| extent).product();
    let kept: usize = labels.iter().filter(|(label, _)| output.contains(*label)).map(|(_, extent)| extent).product();
    let mut sums = vec![0i64; kept];
    for point in 0..total {
        let mut rest = point;
        let mut index: Vec<(char, usize)> = Vec::new();
        for (label, extent) in labels.iter().rev() {
            index.push((*label, rest % extent));
            rest /= extent;
        }
        let of = |label: char| index.iter().find(|(known, _)| *known == label).unwrap().1;
        let product = inputs.split(',').zip(operands).fold(1i64, |product, (labelled, operand)| {
            let at: Vec<usize> = labelled.chars().map(of).collect();
            product.wrapping_mul(operand.get(&at).unwrap().cast_into())
        });
        sums[point / (total / kept)] = sums[point / (total / kept)].wrapping_add(product);
    }
    sums.into_iter().map(T::whole).collect()
}

/// Subscripts of up to four operands of rank up to three, and the extent of each label.
fn drawn_subscripts(rng: &mut StdRng) -> (String, Vec<usize>) {
    let extents: Vec<usize> = (0..5).map(|_| rng.random_range(1..5)).collect();
    let letter = |rng: &mut StdRng| char::from(b'a' + rng.random_range(0..5u8));
    let inputs: Vec<String> =
        (0..rng.random_range(1..5)).map(|_| (0..rng.random_range(0..4)).map(|_| letter(rng)).collect()).collect();
    let mut output: Vec<char> = inputs.concat().chars().filter(|_| rng.random_bool(0.4)).collect();
    output.sort_unstable();
    output.dedup();
    if rng.random_bool(0.5) {
        output.reverse();
    }
    (format!("{}->{}", inputs.join(","), output.into_iter().collect::<String>()), extents)
}

fn agrees<T: Numeric + CastInto<i64>>(seed: u64, bits: u32) {
    let mut rng = StdRng::seed_from_u64(seed);
    for _ in 0..150 {
        let (subscripts, extents) = drawn_subscripts(&mut rng);
        let inputs = subscripts.split_once("->").unwrap().0;
        let of = |labels: &str| labels.bytes().map(|label| extents[usize::from(label - b'a')]).collect::<Vec<usize>>();
        let operands: Vec<Tensor<T>> = inputs.split(',').map(|labels| drawn(&mut rng, &of(labels), bits)).collect();
        let operands: Vec<&Tensor<T>> = operands.iter().collect();
        let given: Vec<&dyn tensorwrapper::DynOperand<T>> = operands.iter().map(|&operand| operand as _).collect();
        let found = einsum(&subscripts, &given).unwrap();
        assert_eq!(found.as_slice(), by_loops(&subscripts, &operands), "{subscripts} {extents:?}");
    }
}

#[test]
fn products_of_any_subscripts() {
    agrees::<i32>(1, 10);
    agrees::<i64>(2, 12);
    agrees::<u8>(3, 8);
    // Nothing but wrapping arithmetic in 64 bits holds these.
    agrees::<i64>(4, 64);
    agrees::<i32>(5, 32);
}

#[test]
fn numbered_labels_and_views() {
    let a = Tensor::<i64>::from_fn([4, 6], |i| (i[0] * 6 + i[1]) as i64).unwrap();
    let columns = a.view().slice(1, 1..4).unwrap();
    let rows = a.view().permute(&[1, 0]).unwrap();
    let found = contract(&[(&columns, &[0, 1]), (&rows, &[2, 0])], &[1, 2]).unwrap();
    let expected = |j: usize, k: usize| (0..4).map(|i| a[[i, j + 1]] * a[[i, k]]).sum::<i64>();
    assert_eq!(found, Tensor::<i64>::from_fn([3, 6], |i| expected(i[0], i[1])).unwrap());
    let written = tensor!([j, k] = columns[i, j] * rows[k, i]);
    assert_eq!(written, found);
}

#[test]
fn sums_that_double_precision_lacks_are_exact() {
    let a = Tensor::<i64>::from_fn([3], |i| (1 << 53) + 1 + i[0] as i64).unwrap();
    let expected: i64 = a.iter().sum();
    let sum = tensor!([] = sum(i; a[i]));
    assert_eq!(sum, expected);
    let difference = tensor!([i, j] = a[i] * 1[j] - 1[i] * a[j]);
    assert_eq!(difference[[2, 0]], 2);
    // Numbers of the program, too.
    let n = i64::MAX - 4;
    let shifted = tensor!([i] = 1[i] * n - a[i] + 1[i] * n);
    assert_eq!(shifted[[1]], n.wrapping_add(n).wrapping_sub(a[[1]]));
    let (p, q) = (3i64.pow(25), 3i64.pow(26));
    assert_eq!(tensor!([i] = p * q * a[i]).as_slice(), a.map(|x| p.wrapping_mul(q).wrapping_mul(x)).unwrap().as_slice());
    assert_eq!(
        tensor!([i] = 3000000000 * p * a[i] - q * a[i])[[0]],
        3000000000i64.wrapping_mul(p).wrapping_sub(q).wrapping_mul(a[[0]])
    );
    let large = tensor!([i] = 3000000001 * 4000000001 * a[i]);
    assert_eq!(large[[0]], 3000000001i64.wrapping_mul(4000000001).wrapping_mul(a[[0]]));
    let error = try_tensor!([] = 3000000001 * 4000000001 * a[i] * a[i]).unwrap_err();
    assert!(error.to_string().starts_with("literals that are together beyond 2⁵³"), "{error}");
    // As variables, they are exact.
    let (m, n) = (3000000001, 4000000001);
    let expected = a.iter().fold(0i64, |sum, x| sum.wrapping_add(x.wrapping_mul(*x)));
    assert_eq!(tensor!([] = m * n * a[i] * a[i]), 3000000001i64.wrapping_mul(4000000001).wrapping_mul(expected));
}

#[test]
fn results_that_a_type_lacks_wrap_around() {
    let a = Tensor::<u8>::filled([2], 200).unwrap();
    assert_eq!(tensor!([i] = a[i] + a[i]).as_slice(), [144, 144]);
    assert_eq!(tensor!([i] = -a[i]).as_slice(), [56, 56]);
    // They are compared before that.
    assert_eq!(tensor!([i] = a[i] + a[i] > 300).as_slice(), [true, true]);
    let b = Tensor::<i32>::filled([2], i32::MAX).unwrap();
    assert_eq!(tensor!([] = b[i] * b[i]), i32::MAX.wrapping_mul(i32::MAX).wrapping_mul(2));
}

/// Every operation that integers have, on numbers of each size.
fn operations(bits: u32, scale: i64) {
    let mut rng = StdRng::seed_from_u64(7);
    let a = drawn::<i64>(&mut rng, &[5, 4], bits);
    let v = drawn::<i64>(&mut rng, &[4], bits);
    let m = tensor!([i, j] = a[i, j] > v[j]);
    let of = |f: &dyn Fn(usize, usize) -> i64| Tensor::<i64>::from_fn([5, 4], |i| f(i[0], i[1])).unwrap();
    let (x, y) = (|i: usize, j: usize| a[[i, j]], |j: usize| v[[j]]);
    assert_eq!(m, Tensor::<bool>::from_fn([5, 4], |i| x(i[0], i[1]) > y(i[1])).unwrap());
    assert_eq!(
        tensor!([i, j] = 3 * a[i, j] - a[i, j] * v[j] + 1[i, j] * scale),
        of(&|i, j| { 3i64.wrapping_mul(x(i, j)).wrapping_sub(x(i, j).wrapping_mul(y(j))).wrapping_add(scale) })
    );
    assert_eq!(tensor!([i, j] = powi(a[i, j], 3)), of(&|i, j| x(i, j).wrapping_pow(3)));
    assert_eq!(tensor!([i, j] = abs(a[i, j])), of(&|i, j| x(i, j).wrapping_abs()));
    assert_eq!(tensor!([i, j] = clip(a[i, j], { -scale }, scale)), of(&|i, j| x(i, j).clamp(-scale, scale)));
    assert_eq!(
        tensor!([i, j] = select(m[i, j]; a[i, j], -v[j])),
        of(&|i, j| if x(i, j) > y(j) { x(i, j) } else { y(j).wrapping_neg() })
    );
    assert_eq!(
        tensor!([i, j] = select(a[i, j] == v[j] || !m[i, j]; iota[i], 7)),
        of(&|i, j| if x(i, j) <= y(j) { i as i64 } else { 7 })
    );
    let column = |j: usize| (0..5).map(|i| x(i, j)).collect::<Vec<_>>();
    assert_eq!(tensor!([j] = max(i; a[i, j])).as_slice(), (0..4).map(|j| *column(j).iter().max().unwrap()).collect::<Vec<_>>());
    assert_eq!(tensor!([j] = min(i; a[i, j])).as_slice(), (0..4).map(|j| *column(j).iter().min().unwrap()).collect::<Vec<_>>());
    let product = |j: usize| column(j).into_iter().fold(1i64, i64::wrapping_mul);
    assert_eq!(tensor!([j] = prod(i; a[i, j])).as_slice(), (0..4).map(product).collect::<Vec<_>>());
    let argmax = |j: usize| (0..5).rev().max_by_key(|&i| x(i, j)).unwrap() as i64;
    assert_eq!(tensor!([j] = argmax(i; a[i, j])).as_slice(), (0..4).map(argmax).collect::<Vec<_>>());
    let count = tensor!([j] = sum(i; select(a[i, j] > v[j]; 1, 0)));
    assert_eq!(count[[2]], (0..5).filter(|&i| x(i, 2) > y(2)).count() as i64);
}

#[test]
fn every_operation_on_few_and_on_all_digits() {
    operations(8, 5);
    operations(64, i64::MAX / 3);
}

#[test]
fn blocks_and_places_of_integers() {
    let a = Tensor::<i32>::from_fn([3, 3], |i| (i[0] * 3 + i[1]) as i32).unwrap();
    let n = Tensor::<i32, _>::filled((), 2).unwrap();
    let (square, trace, doubled) = tensor! {
        let s[i, j] = a[i, k] * a[k, j];
        let t = s[i, i];
        let d[i] = n * s[i, i] - 1[i] * t;
        (s, t, d)
    };
    assert_eq!((square.as_slice(), trace), (&[15, 18, 21, 42, 54, 66, 69, 90, 111][..], 180));
    assert_eq!(doubled.as_slice(), [-150, -72, 42]);
    let mut c = Tensor::<i32>::zeros([3, 3]).unwrap();
    tensor!(c[i, i] = a[i, 1]);
    tensor!(c[i, j] += a[j, i]);
    tensor!(c[0, j] -= a[2, j]);
    tensor!(c[i, j in 1..3] *= 10);
    assert_eq!(c.as_slice(), [-5, -40, -20, 1, 80, 70, 2, 50, 150]);
    let mut column = c.view_mut().chip(1, 0).unwrap();
    tensor!(column[i] = a[0, i]);
    assert_eq!((c[[0, 0]], c[[1, 0]], c[[2, 0]]), (0, 1, 2));
}

#[test]
fn integers_are_cast_where_they_are_read() {
    let n = Tensor::<i32>::from_fn([3], |i| i[0] as i32 - 1).unwrap();
    let x = Tensor::<f64>::filled([3], 0.5).unwrap();
    assert_eq!(tensor!([i] = x[i] * cast(n[i])).as_slice(), [-0.5, 0.0, 0.5]);
    assert_eq!(tensor!([i] = exp(cast(f32; n[i])))[[1]], 1.0f32);
    // Recorded, too, and read again by a block of later numbers.
    let graph = Graph::new();
    let recorded = tensor!(in &graph; [i] = x[i] * cast(n[i]));
    assert_eq!(recorded.eval().unwrap().as_slice(), [-0.5, 0.0, 0.5]);
    assert_eq!(tensor!([] = recorded[i] * recorded[i]), 0.5);
    // A block of both.
    let (total, scaled) = tensor! {
        let t = n[i] * n[i];
        let s[i] = x[i] * cast(n[i] + 1[i] * t);
        (t, s)
    };
    assert_eq!((total, scaled.as_slice()), (2, &[0.5, 1.0, 1.5][..]));
}

#[test]
fn generic_code_over_numbers_of_any_type() {
    fn gram<T: Numeric>(a: &Tensor<T>) -> Tensor<T> {
        tensor!([i, j] = a[k, i] * a[k, j]).into_dyn()
    }
    assert_eq!(gram(&Tensor::<u8>::filled([2, 1], 3).unwrap()).as_slice(), [18]);
    assert_eq!(gram(&Tensor::<f32>::filled([2, 1], 0.5).unwrap()).as_slice(), [0.5]);
}

#[test]
fn what_integers_are_refused_for_is_named() {
    let n = Tensor::<i32>::filled([3], 2).unwrap();
    let other = Tensor::<i32>::filled([4], 2).unwrap();
    let error = try_tensor!([i] = n[i] * other[i]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Extent { .. }), "{error}");
    let graph = Graph::new();
    let error = try_tensor!(in &graph; [i] = n[i] * n[i]).unwrap_err();
    assert!(error.to_string().starts_with("equations over integers are computed at once, and not recorded"), "{error}");
    let exponent = -1;
    let error = try_tensor!([i] = powi(n[i], exponent)).unwrap_err();
    assert!(error.to_string().contains("integers have no powers with a negative exponent"), "{error}");
    let nothing = Tensor::<i32>::zeros([0]).unwrap();
    assert_eq!(tensor!([] = nothing[i] * nothing[i]), 0);
    assert!(try_tensor!([] = max(i; nothing[i])).is_err());
}

#[test]
fn every_backend_and_setting_computes_integers() {
    let mut rng = StdRng::seed_from_u64(9);
    for bits in [8, 64] {
        let (a, b) = (drawn::<i64>(&mut rng, &[7, 5], bits), drawn::<i64>(&mut rng, &[5, 6], bits));
        let expected = by_loops("ik,kj->ij", &[&a, &b]);
        for context in [Context::cpu(), Context::reference(), Context::cpu().memory_limit(1 << 20)] {
            assert_eq!(tensor!(in &context; [i, j] = a[i, k] * b[k, j]).as_slice(), expected);
        }
    }
}

/// Large tensors are read as they lie, in 32 bits where these hold everything and in 64 otherwise.
#[test]
fn element_by_element_work_on_many() {
    fn compare<T: Numeric + PartialOrd + CastInto<f64>>(numbers: impl Fn(usize) -> i64 + Copy) {
        let (rows, columns) = (70, 61);
        let tensor = |turn: usize| Tensor::<T>::from_fn([rows, columns], |i| T::whole(numbers(turn + i[0] * 61 + i[1]))).unwrap();
        let (a, b) = (tensor(0), tensor(3));
        let turned = Tensor::<T>::from_fn([columns, rows], |i| a[[i[1], i[0]]]).unwrap();
        let line = Tensor::<T>::from_fn([columns], |i| b[[0, i[0]]]).unwrap();
        let k = T::whole(numbers(5));
        let of = |expected: &dyn Fn(T, T, T) -> T| -> Vec<T> {
            let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
            all.map(|(i, j)| expected(a[[i, j]], b[[i, j]], line[[j]])).collect()
        };
        let two = T::whole(2);
        let squares = tensor!([i, j] = 2 * a[i, j] + a[i, j] * a[i, j]);
        assert_eq!(squares.as_slice(), of(&|a, _, _| two.times(a).plus(a.times(a))));
        let scaled = tensor!([i, j] = k * turned[j, i] - powi(b[i, j], 3) + 1[i] * line[j]);
        assert_eq!(scaled.as_slice(), of(&|a, b, line| k.times(a).minus(b.times(b).times(b)).plus(line)));
        let chosen = tensor!([i, j] = select(a[i, j] > b[i, j]; a[i, j], -b[i, j]) + 1[i] * abs(line[j]));
        let size = |x: T| if x < T::NOTHING { x.negated() } else { x };
        assert_eq!(chosen.as_slice(), of(&|a, b, line| (if a > b { a } else { b.negated() }).plus(size(line))));
        // A result that a later equation reads, which sums; and a part of one.
        let (sums, part) = tensor! {
            let c[i, j] = a[i, j] * b[i, j];
            let sums[i] = sum(j; c[i, j]);
            let part[i, j] = c[i in 3..5, j] + 1[i, j];
            (sums, part)
        };
        let products = of(&|a, b, _| a.times(b));
        let sum = |row: &[T]| row.iter().fold(T::NOTHING, |sum, &x| sum.plus(x));
        assert_eq!(sums.as_slice(), products.chunks(columns).map(sum).collect::<Vec<_>>());
        assert_eq!(part.as_slice(), products[3 * columns..5 * columns].iter().map(|x| x.plus(T::whole(1))).collect::<Vec<_>>());
        // Beside an equation over other numbers.
        let (halves, negated) = tensor! {
            let halves[i, j] = cast(f64; a[i, j]) / 2;
            let negated[i, j] = -a[i, j];
            (halves, negated)
        };
        assert_eq!(negated.as_slice(), of(&|a, _, _| a.negated()));
        let expected: Vec<f64> = a.as_slice().iter().map(|&a| CastInto::<f64>::cast_into(a) / 2.0).collect();
        assert_eq!(halves.as_slice(), expected);
    }
    let mixed = |n: usize| (n as i64).wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64);
    // Of 5, 20, 40 and 64 bits: products fit 32, 64, or wrap around.
    for bits in [5, 20, 40, 64] {
        let numbers = move |n: usize| mixed(n) >> (64 - bits);
        compare::<i32>(numbers);
        compare::<i64>(numbers);
    }
    let small = |n: usize| (n % 4) as i64;
    let a = Tensor::<u8>::from_fn([5000], |i| small(i[0]) as u8).unwrap();
    let expected: Vec<u8> = a.as_slice().iter().map(|&a| a * 7 + a * a).collect();
    assert_eq!(tensor!([i] = 7 * a[i] + a[i] * a[i]).as_slice(), expected);
}

/// A place of a program keeps the plans of its equations for operands of the same extents, whatever their elements and strides.
#[test]
fn kept_plans_are_for_extents_and_not_for_elements() {
    let run = |a: &TensorRef<'_, i64>, m: &Tensor<bool>, n: i64, c: &mut Tensor<i64>| {
        tensor! {
            let s[i] = select(m[i]; sum(j; n * a[i, j]), iota[i]);
            let t = s[i] * s[i];
            c[i] += s[i] - 1[i] * t;
            let d[i] = -c[i];
            (t, d)
        }
    };
    let mut rng = StdRng::seed_from_u64(11);
    for (extents, bits) in [([2, 3], 8), ([2, 3], 64), ([3, 2], 8), ([2, 3], 9), ([3, 2], 64)] {
        let a = drawn::<i64>(&mut rng, &extents, bits);
        let turned = Tensor::<i64>::from_fn([extents[1], extents[0]], |i| a[[i[1], i[0]]]).unwrap();
        let m = Tensor::<bool>::from_fn([extents[0]], |_| rng.random::<bool>()).unwrap();
        let n = rng.random::<i64>() >> (64 - bits);
        let sum = |i: usize| (0..extents[1]).fold(0i64, |sum, j| sum.wrapping_add(n.wrapping_mul(a[[i, j]])));
        let s: Vec<i64> = (0..extents[0]).map(|i| if m[[i]] { sum(i) } else { i as i64 }).collect();
        let t = s.iter().fold(0i64, |t, x| t.wrapping_add(x.wrapping_mul(*x)));
        let d: Vec<i64> = s.iter().map(|s| 1i64.wrapping_add(s.wrapping_sub(t)).wrapping_neg()).collect();
        for view in [a.view(), turned.view().permute(&[1, 0]).unwrap()] {
            let mut c = Tensor::<i64>::filled([extents[0]], 1).unwrap();
            let (square, negated) = run(&view, &m, n, &mut c);
            assert_eq!((square, negated.as_slice()), (t, &d[..]), "{extents:?}, {bits} bits");
            assert_eq!(c.map(|c| c.wrapping_neg()).unwrap().as_slice(), d);
        }
    }
}

#[test]
fn prepared_products_of_integers() {
    let mut rng = StdRng::seed_from_u64(12);
    let draw = |rng: &mut StdRng, bits| [[3, 4], [4, 2], [2, 5]].map(|extents| drawn::<i32>(rng, &extents, bits));
    for context in [Context::cpu(), Context::reference(), Context::cpu().memory_limit(1 << 20)] {
        let [a, b, c] = draw(&mut rng, 8);
        let product = context.prepare("ij,jk,kl->li", &[&a, &b, &c]).unwrap();
        assert_eq!(product.extents(), [5, 3]);
        for bits in [8, 32, 9] {
            let [a, b, c] = draw(&mut rng, bits);
            let expected = by_loops("ij,jk,kl->li", &[&a, &b, &c]);
            let turned = Tensor::<i32>::from_fn([4, 3], |i| a[[i[1], i[0]]]).unwrap();
            let turned = turned.view().permute(&[1, 0]).unwrap();
            assert_eq!(product.run(&[&turned, &b, &c]).unwrap().as_slice(), expected);
            assert_eq!(context.einsum("ij,jk,kl->li", &[&turned, &b, &c]).unwrap().as_slice(), expected);
            let mut target = Tensor::<i32>::zeros([3, 5]).unwrap();
            product.run_into(&[&a, &b, &c], &mut target.view_mut().permute(&[1, 0]).unwrap()).unwrap();
            assert_eq!(target, Tensor::<i32>::from_fn([3, 5], |i| expected[i[1] * 3 + i[0]]).unwrap());
        }
        let error = product.run(&[&b, &a, &c]).unwrap_err();
        assert_eq!(error.to_string(), "operand 0 of `ij,jk,kl->li` has extents [4, 2], but the plan was made for extents [3, 4]");
        assert!(matches!(product.run(&[&a, &b]).unwrap_err().kind(), ErrorKind::Shape(_)));
        assert!(matches!(product.run_into(&[&a, &b, &c], &mut b.clone()).unwrap_err().kind(), ErrorKind::Shape(_)));
    }
    let (a, b) = (drawn::<u8>(&mut rng, &[3], 8), drawn::<u8>(&mut rng, &[3], 8));
    let product = Context::cpu().prepare_contraction(&[(&a, &[7]), (&b, &[7])], &[]).unwrap();
    assert_eq!(product.run(&[&a, &b]).unwrap().as_slice(), by_loops("a,a->", &[&a, &b]));
}

#[test]
fn numbers_are_cast_to_integers_that_hold_them() {
    let x = Tensor::<f64>::from_slice([2, 2], &[2.7, -2.7, 2147483647.9, -2147483648.9]).unwrap();
    assert_eq!(x.cast::<i32>().unwrap().as_slice(), [2, -2, i32::MAX, i32::MIN]);
    assert_eq!(x.view().chip(0, 0).unwrap().cast::<i64>().unwrap().as_slice(), [2, -2]);
    let told = |error: tensorwrapper::Error, message: &str| {
        assert!(matches!(error.kind(), ErrorKind::Undefined(_)));
        assert!(error.to_string().starts_with(message), "{error}");
    };
    told(x.cast::<u8>().unwrap_err(), "element [0, 1] is -2.7, and `u8` holds whole numbers from 0 to 255");
    let columns = x.view().permute(&[1, 0]).unwrap();
    told(columns.cast::<u8>().unwrap_err(), "element [0, 1] is 2147483647.9, and");
    for bad in [f32::NAN, f32::INFINITY, 9.3e18] {
        let y = Tensor::<f32>::from_slice([2], &[1.0, bad]).unwrap();
        told(y.cast::<i64>().unwrap_err(), "element [1] is ");
    }
    assert_eq!(Tensor::<f64>::filled([1], -2f64.powi(63)).unwrap().cast::<i64>().unwrap().as_slice(), [i64::MIN]);
    assert_eq!(Tensor::<f64>::zeros([0, 2]).unwrap().cast::<u8>().unwrap().extents(), [0, 2]);
    // Integers that a shorter type does not hold are refused, too.
    let n = Tensor::<i32>::from_slice([2, 2], &[0, 255, 300, -1]).unwrap();
    told(n.cast::<u8>().unwrap_err(), "element [1, 0] is 300, and `u8` holds whole numbers from 0 to 255");
    told(n.view().t().cast::<u8>().unwrap_err(), "element [0, 1] is 300, and");
    let n = Tensor::<i64>::from_slice([3], &[i64::from(i32::MAX), i64::from(i32::MIN), i64::from(i32::MAX) + 1]).unwrap();
    told(n.cast::<i32>().unwrap_err(), "element [2] is 2147483648, and `i32` holds whole numbers from -2147483648 to 2147483647");
    assert_eq!(n.view().slice(0, ..2).unwrap().cast::<i32>().unwrap().as_slice(), [i32::MAX, i32::MIN]);
    let wide = Tensor::<i64>::from_slice([2], &[i64::MAX, i64::MIN]).unwrap();
    assert_eq!(wide.cast::<i64>().unwrap(), wide);
    told(wide.cast::<i32>().unwrap_err(), "element [0] is 9223372036854775807, and");
    // In double precision they become the nearest number.
    assert_eq!(Tensor::<i64>::filled([1], (1 << 53) + 1).unwrap().cast::<f64>().unwrap().as_slice(), [2f64.powi(53)]);
}
