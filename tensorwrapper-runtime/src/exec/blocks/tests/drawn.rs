//! Drawn equations over drawn structures against the dense ones.

use super::*;
use crate::exec::RecordOperand;
use rand::seq::{IndexedRandom, SliceRandom};

/// Labels of an equation, each with a cut.
struct Drawn {
    cuts: Vec<Tiling>,
    operands: Vec<Vec<usize>>,
    result: Vec<usize>,
}

/// Two to four operands of rank up to four over few cuts, so that axes are often cut alike.
fn draw(rng: &mut StdRng) -> Drawn {
    let kinds: Vec<Tiling> =
        (0..2).map(|_| Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(0..4)).collect::<Vec<_>>())).collect();
    let labels = rng.random_range(2..7);
    let cuts: Vec<Tiling> = (0..labels).map(|_| kinds.choose(rng).unwrap().clone()).collect();
    let operands: Vec<Vec<usize>> = (0..rng.random_range(1..5))
        .map(|_| {
            let mut all: Vec<usize> = (0..labels).collect();
            all.shuffle(rng);
            all.truncate(rng.random_range(1..5));
            all
        })
        .collect();
    let mut used: Vec<usize> = operands.concat();
    used.sort_unstable();
    used.dedup();
    used.shuffle(rng);
    used.truncate(rng.random_range(0..4));
    Drawn { cuts, operands, result: used }
}

/// A symmetry of axes that are cut alike, or none.
pub(super) fn symmetry(rng: &mut StdRng, cuts: &[&Tiling], conjugates: bool) -> Symmetry {
    let mut found = Symmetry::none(cuts.len());
    for _ in 0..rng.random_range(0..3) {
        let mut axes: Vec<usize> = (0..cuts.len()).collect();
        axes.shuffle(rng);
        let alike = axes.iter().enumerate().all(|(n, &axis)| cuts[n].same_cuts(cuts[axis]));
        let sign = *[Sign::Plus, Sign::Minus].choose(rng).unwrap();
        if alike && let Ok(larger) = found.generator(&axes, sign, conjugates && rng.random_bool(0.5)) {
            found = larger;
        }
    }
    found
}

/// The same, or with some blocks that are equal.
fn with_equal(rng: &mut StdRng, mut structure: Structure) -> Structure {
    let counts: Vec<usize> = structure.tilings().iter().map(Tiling::len).collect();
    if rng.random_bool(0.5) || counts.contains(&0) {
        return structure;
    }
    for _ in 0..6 {
        let mut block = || counts.iter().map(|&count| rng.random_range(0..count)).collect::<Vec<usize>>();
        // Blocks of other extents are not equal.
        structure = structure.equal_blocks([block(), block()]).unwrap_or(structure);
    }
    structure
}

/// Whether the equation can also be computed in parts, in less memory.
fn compare<T: Element>(rng: &mut StdRng, drawn: &Drawn) -> bool {
    let mut tensors: Vec<Blocks<T>> = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    for labels in &drawn.operands {
        let cuts: Vec<&Tiling> = labels.iter().map(|&label| &drawn.cuts[label]).collect();
        // Sometimes a tensor that is an operand already.
        let fits = |tensor: &Blocks<T>| tensor.structure().tilings().iter().eq(cuts.iter().copied());
        let known: Vec<usize> = (0..tensors.len()).filter(|&n| fits(&tensors[n])).collect();
        if let Some(&again) = known.choose(rng).filter(|_| rng.random_bool(0.6)) {
            chosen.push(again);
            continue;
        }
        let share = *[0.3, 0.7, 1.0].choose(rng).unwrap();
        let structure = sparse(rng, &cuts, share).with(symmetry(rng, &cuts, T::DTYPE.is_complex())).unwrap();
        let structure = with_equal(rng, structure);
        tensors.push(filled(rng, &structure));
        chosen.push(tensors.len() - 1);
    }
    let letters = |labels: &[usize]| labels.iter().map(|&label| (b'a' + label as u8) as char).collect::<String>();
    let inputs: Vec<String> = drawn.operands.iter().map(|labels| letters(labels)).collect();
    let subscripts = format!("{}->{}", inputs.join(","), letters(&drawn.result));
    let operands: Vec<&Blocks<T>> = chosen.iter().map(|&n| &tensors[n]).collect();
    let result = agrees(&subscripts, &operands);
    // What the structure says of the elements holds, within blocks too.
    let again = Blocks::from_dense(&result.to_dense().unwrap(), result.structure()).unwrap();
    let scale = result.slab().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
    for (again, own) in again.slab().iter().zip(result.slab()) {
        assert!((again.to_complex() - own.to_complex()).norm() <= 1e-13 * scale, "{subscripts} has no such symmetry: {result:?}");
    }
    parts::agrees_in_parts(&subscripts, &operands)
}

#[test]
fn drawn_products_agree_with_dense_ones() {
    let mut rng = StdRng::seed_from_u64(2301);
    let mut in_parts = 0;
    for round in 0..600 {
        let drawn = draw(&mut rng);
        in_parts += usize::from(match round % 3 {
            0 => compare::<Complex<f64>>(&mut rng, &drawn),
            _ => compare::<f64>(&mut rng, &drawn),
        });
    }
    assert!(in_parts > 100, "{in_parts} equations were computed in parts");
}

#[test]
fn drawn_charges_agree_with_dense_ones() {
    let mut rng = StdRng::seed_from_u64(2302);
    for _ in 0..200 {
        let mut axis = || {
            let tiles = rng.random_range(1..4);
            let charges: Vec<i64> = (0..tiles).map(|_| rng.random_range(-2..3)).collect();
            let extents: Vec<usize> = (0..tiles).map(|_| rng.random_range(1..4)).collect();
            Tiling::cuts(extents).charged(Charges::from(charges)).unwrap()
        };
        let cuts = [axis(), axis(), axis(), axis()];
        let [i, j, k, l] = &cuts;
        let total = rng.random_range(-1..2);
        let a = filled::<f64>(&mut rng, &Structure::new([i, j, k]).flow([1, 1, -1], [total]).unwrap());
        let b = filled::<f64>(&mut rng, &Structure::new([k, l, j]).flow([1, -1, -1], [0]).unwrap());
        let c = filled::<f64>(&mut rng, &Structure::new([l, i]).flow([1, -1], [1]).unwrap());
        let product = agrees("ijk,klj->il", &[&a, &b]);
        assert_eq!(product.structure().charge_flow().unwrap().total(), [total]);
        agrees("ijk,klj,li->", &[&a, &b, &c]);
        agrees("ijk,klj,lm->im", &[&a, &b, &c]);
    }
}

/// Blocks so large that they are multiplied where they lie, some with images that lie across, others cut by a neighbour.
fn large<T: Element>(rng: &mut StdRng) {
    let sizes: Vec<usize> = (0..4).map(|_| *[15, 16, 17, 24, 33].choose(rng).unwrap()).collect();
    let cut = Tiling::cuts(sizes.clone());
    let finer = Tiling::cuts([sizes[0], sizes[1], sizes[2] - 7, 7, sizes[3]]);
    let none = Symmetry::none(2);
    let twin = if T::DTYPE.is_complex() { none.hermitian(0, 1) } else { none.antisymmetric([0, 1]) };
    let symmetries = [none.clone(), none.symmetric([0, 1]).unwrap(), twin.unwrap()];
    let tensor = |rng: &mut StdRng, cuts: [&Tiling; 2]| -> Blocks<T> {
        let symmetry = if cuts[0] == cuts[1] { symmetries.choose(rng).unwrap() } else { &none };
        let structure = sparse(rng, &cuts, 0.6).with(symmetry.clone()).unwrap();
        filled(rng, &structure)
    };
    let (a, b, c) = (tensor(rng, [&cut, &cut]), tensor(rng, [&cut, &cut]), tensor(rng, [&finer, &cut]));
    for subscripts in ["ik,kj->ij", "ki,kj->ji", "ik,jk->ij", "ij,ij->", "ij,ij->ij", "ij,jk->k"] {
        agrees(subscripts, &[&a, &b]);
        agrees(subscripts, &[&a, &a]);
        agrees(subscripts, &[&c, &b]);
        agrees(subscripts, &[&a, &c]);
    }
}

#[test]
fn drawn_products_of_large_blocks_agree_with_dense_ones() {
    let mut rng = StdRng::seed_from_u64(2303);
    for _ in 0..12 {
        large::<f64>(&mut rng);
        large::<Complex<f64>>(&mut rng);
    }
}

/// The same bits on any number of threads, of an equation that is worth several tasks.
fn repeats<T: Element>(rng: &mut StdRng, (tiles, count): (usize, usize), symmetry: &Symmetry) {
    let cut = Tiling::even(tiles * count, tiles);
    let structures = [sparse(rng, &[&cut, &cut], 0.4), sparse(rng, &[&cut, &cut], 0.4).with(symmetry.clone()).unwrap()];
    let [a, b] = structures.map(|structure| filled::<T>(rng, &structure));
    // The second result has a symmetry of its own, so that pairs are packed and mirrored.
    for equation in ["[i, j] = A[i, k] * B[k, j] - 2.0 * B[i, k] * A[j, k]", "[i, j] = conj(A[k, i]) * B[k, l] * A[l, j]"] {
        let operands: [(&str, &dyn RecordOperand<T>); 2] = [("A", &a), ("B", &b)];
        let work = Context::cpu().prepare_blocks(equation, &operands).unwrap().multiplications();
        assert!(work > 3 << 20, "{work} multiplications are not shared");
        let run = |threads: usize| {
            let result = Context::cpu().threads(threads).eval_blocks(equation, &operands).unwrap();
            let bits = |x: &T| {
                let x = x.to_complex();
                [x.re.to_bits(), x.im.to_bits()]
            };
            result.slab().iter().map(bits).collect::<Vec<_>>()
        };
        let once = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == once, "{threads} threads, blocks of {tiles}, {}, {equation}", T::NAME);
        }
    }
}

/// The same of groups that are large enough to be computed on all threads, each by itself: dense operands beside small blocks, and tall
/// ones.
#[test]
fn large_groups_give_the_same_bits() {
    let mut rng = StdRng::seed_from_u64(2305);
    let sizes = [
        (384, 360, 360, 1.0),
        (30, 360, 4000, 1.0),
        (4000, 360, 12, 0.9),
        (6, 12_000, 300, 1.0),
        (70, 9_000, 66, 1.0),
        (70, 5_000, 66, 0.7),
    ];
    for (rows, terms, columns, share) in sizes {
        // One tile has more indices than are summed at once.
        let cuts = [Tiling::even(terms, if share == 0.7 { terms } else { 9 }), Tiling::even(columns, 3)];
        let structure = sparse(&mut rng, &cuts.each_ref(), share);
        let b = filled::<f64>(&mut rng, &structure);
        let dense = Tensor::<f64>::from_fn([rows, terms], |_| rng.random_range(-1.0..1.0)).unwrap();
        let operands: [(&str, &dyn RecordOperand<f64>); 2] = [("A", &dense), ("B", &b)];
        for equation in ["[i, j] = A[i, k] * B[k, j]", "[j, i] = A[i, k] * B[k, j]"] {
            let run = |threads: usize| {
                let result = Context::cpu().threads(threads).eval_blocks(equation, &operands).unwrap().to_dense().unwrap();
                result.as_slice().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let once = run(1);
            for threads in [2, 3, 8] {
                assert!(run(threads) == once, "{threads} threads, {rows} rows, {terms} terms, {columns} columns, {equation}");
            }
        }
    }
}

/// Many small pieces of one large product are gathered, unless memory is limited: the same values, and the same bits on any number of
/// threads.
#[test]
fn full_groups_of_small_pieces() {
    let mut rng = StdRng::seed_from_u64(2306);
    let b = filled::<f64>(&mut rng, &Structure::new([&Tiling::whole(1024), &Tiling::even(64, 1)]));
    let dense = Tensor::<f64>::from_fn([2048, 1024], |_| rng.random_range(-1.0..1.0)).unwrap();
    let operands: [(&str, &dyn RecordOperand<f64>); 2] = [("A", &dense), ("B", &b)];
    let prepared = |context: &Context| context.prepare_blocks("[i, j] = A[i, k] * B[k, j]", &operands).unwrap();
    let run = |context: &Context| prepared(context).run::<f64>(&[&dense, &b]).unwrap();
    let once = run(&Context::cpu().threads(1));
    for threads in [2, 3, 8] {
        let found = run(&Context::cpu().threads(threads));
        assert!(found.slab().iter().map(|x| x.to_bits()).eq(once.slab().iter().map(|x| x.to_bits())), "{threads} threads");
    }
    let limited = Context::cpu().threads(1).memory_limit(usize::MAX);
    assert!(prepared(&limited).peak_bytes() < prepared(&Context::cpu().threads(1)).peak_bytes());
    is_as_defined(&run(&limited), &once, "small pieces where they lie");
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let mut rng = StdRng::seed_from_u64(2304);
    let none = Symmetry::none(2);
    let (symmetric, antisymmetric) = (none.symmetric([0, 1]).unwrap(), none.antisymmetric([0, 1]).unwrap());
    let hermitian = none.hermitian(0, 1).unwrap();
    repeats::<f64>(&mut rng, (16, 20), &symmetric);
    repeats::<f32>(&mut rng, (16, 20), &antisymmetric);
    repeats::<Complex<f64>>(&mut rng, (16, 20), &hermitian);
    repeats::<f64>(&mut rng, (64, 6), &antisymmetric);
    repeats::<f64>(&mut rng, (6, 44), &antisymmetric);
}
