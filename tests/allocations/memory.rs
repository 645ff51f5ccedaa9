//! What runs take of memory is what their plans say, and never more than their context allows.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tensorwrapper::prelude::*;
use tensorwrapper::{
    Blocks, DynOperand, ErrorKind, Extents, Order, Prepared, RecordOperand, Structure, Symmetry, Tiling, keep_memory,
};

use crate::{alone, counting};

/// Bytes that a run takes beside tensors: lists, and what threads compute chunks of elements in.
const CHUNKS: usize = 100_000;

/// A product of random tensors.
struct Network<T: Element> {
    text: String,
    tensors: Vec<Tensor<T>>,
    /// Which tensor each factor is: some are there many times.
    factors: Vec<usize>,
}

impl<T: Element> Network<T> {
    /// Hyper-edges, diagonals, labels of one factor or of all, parts that hang together by nothing, extents 0 and 1, tensors that
    /// are there many times.
    fn random(rng: &mut StdRng) -> Network<T> {
        let labels = rng.random_range(2..9);
        let extents: Vec<usize> = (0..labels).map(|_| [0, 1, 2, 3, 4, 6, 9, 12][rng.random_range(0..8)]).collect();
        // Nothing at all is quickly computed: mostly there is something.
        let extents: Vec<usize> = extents.into_iter().map(|e| if e == 0 && rng.random_bool(0.9) { 6 } else { e }).collect();
        let everywhere = rng.random_bool(0.2);
        let (mut tensors, mut factors, mut words): (Vec<Tensor<T>>, Vec<usize>, Vec<String>) = Default::default();
        for _ in 0..rng.random_range(3..7) {
            let mut axes: Vec<usize> = (0..rng.random_range(0..4)).map(|_| rng.random_range(0..labels)).collect();
            if everywhere {
                axes.push(0);
            }
            let own: Vec<usize> = axes.iter().map(|&label| extents[label]).collect();
            let known = (0..tensors.len()).find(|&n| tensors[n].extents() == own && rng.random_bool(0.5));
            factors.push(known.unwrap_or(tensors.len()));
            if known.is_none() {
                let element = |_: &[usize]| T::from_complex(num_complex::Complex::new(rng.random_range(-1.0..1.0), 0.5));
                tensors.push(Tensor::from_fn(own, element).unwrap());
            }
            words.push(axes.iter().map(|&label| (b'a' + label as u8) as char).collect());
        }
        let mut output: Vec<char> = words.concat().chars().filter(|_| rng.random_bool(0.3)).collect();
        output.sort_unstable();
        output.dedup();
        let text = format!("{}->{}", words.join(","), output.into_iter().collect::<String>());
        Network { text, tensors, factors }
    }

    fn operands(&self) -> Vec<&dyn DynOperand<T>> {
        self.factors.iter().map(|&n| &self.tensors[n] as &dyn DynOperand<T>).collect()
    }
}

/// Runs once to make each thread's blocks and once to count.
fn measured<T: Element>(prepared: &Prepared<T>, operands: &[&dyn DynOperand<T>]) -> usize {
    drop(prepared.run(operands).unwrap());
    keep_memory(0);
    counting::most_bytes(|| prepared.run(operands).unwrap())
}

/// Ever smaller limits of networks: how many runs were in parts, and how many networks were refused in the end.
fn shrink<T: Element>(seed: u64, cases: usize, near: f64) -> [usize; 2] {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut counts = [0, 0];
    for case in 0..cases {
        let network = Network::<T>::random(&mut rng);
        let operands = network.operands();
        let order = [Order::Auto, Order::Greedy, Order::AsWritten][case % 3].clone();
        let context = [Context::cpu(), Context::cpu().threads(1), Context::reference()][case / 3 % 3].clone().order(order);
        let whole = context.prepare(&network.text, &operands).unwrap();
        let expected = whole.run(&operands).unwrap();
        let scale = expected.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
        let mut limit = whole.peak_bytes();
        loop {
            let limited = match context.clone().memory_limit(limit).prepare(&network.text, &operands) {
                Ok(limited) => limited,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
                    counts[1] += 1;
                    break;
                }
            };
            assert!(limited.peak_bytes() <= limit, "{} of {limit}: {}", limited.peak_bytes(), network.text);
            // Which of several threads makes its blocks in which run is chance.
            let most = if case / 3 % 3 == 0 { 0 } else { measured(&limited, &operands) };
            assert!(most <= limit + CHUNKS, "{most} of {limit}: {}", network.text);
            let found = limited.run(&operands).unwrap();
            assert_eq!(found.extents(), expected.extents());
            for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
                let error = (a.to_complex() - b.to_complex()).norm();
                assert!(error <= near * scale, "{a} instead of {b}, case {case}, limit {limit}: {}", network.text);
            }
            counts[0] += usize::from(limited.peak_bytes() < whole.peak_bytes());
            // Below what it takes now, so that each limit asks for smaller parts.
            limit = limited.peak_bytes().saturating_sub(1) * 3 / 4;
            if limit == 0 {
                break;
            }
        }
    }
    counts
}

#[test]
fn networks_are_equal_within_any_memory_limit() {
    let _alone = alone(0);
    let [parts, refused] = shrink::<f64>(31, 200, 1e-11);
    assert!(parts > 100 && refused > 100, "{parts} runs in parts, {refused} networks refused");
}

#[test]
fn networks_of_other_element_types_are_equal_within_any_memory_limit() {
    let _alone = alone(0);
    assert!(shrink::<f32>(32, 60, 1e-3)[0] > 30);
    assert!(shrink::<num_complex::Complex<f64>>(33, 60, 1e-11)[0] > 30);
    assert!(shrink::<num_complex::Complex<f32>>(34, 60, 1e-3)[0] > 30);
}

/// That a run takes what its plan says, up to lists.
fn assert_near(found: usize, said: usize, what: &str) {
    assert!(found.abs_diff(said) * 20 <= said, "{what}: {found} bytes, but the plan says {said}");
}

#[test]
fn peak_of_contraction_is_as_planned() {
    let _alone = alone(0);
    let context = Context::cpu().threads(1);
    let tensor = |extents: &[usize]| Tensor::<f64>::from_fn(extents, |i| (i.iter().sum::<usize>() % 7) as f64).unwrap();
    let cases: [(&str, &[&[usize]]); 8] = [
        ("ab,bc,cd,de,ef->af", &[&[300, 200], &[200, 300], &[300, 100], &[100, 400], &[400, 300]]),
        ("ab,bc,cd,da->", &[&[300, 300], &[300, 300], &[300, 300], &[300, 300]]),
        // Networks with hyper-edges, a summed factor, parts that share nothing.
        ("abc,ade,bdf,cef->", &[&[24, 24, 24], &[24, 24, 24], &[24, 24, 24], &[24, 24, 24]]),
        ("abx,bcx,cdx,dax->x", &[&[30, 30, 20], &[30, 30, 20], &[30, 30, 20], &[30, 30, 20]]),
        ("ik,kj->ijk", &[&[60, 50], &[50, 70]]),
        ("ikl,kj->ij", &[&[500, 500, 4], &[500, 500]]),
        ("ab,bc,de,ef->ad", &[&[200, 200], &[200, 200], &[200, 200], &[200, 200]]),
        ("bik,bkj,blj->bil", &[&[40, 60, 50], &[40, 50, 60], &[40, 60, 60]]),
    ];
    for (text, extents) in cases {
        let tensors: Vec<_> = extents.iter().map(|extents| tensor(extents)).collect();
        let operands: Vec<&dyn DynOperand<f64>> = tensors.iter().map(|tensor| tensor as _).collect();
        for order in [Order::Auto, Order::AsWritten] {
            let prepared = context.clone().order(order).prepare(text, &operands).unwrap();
            assert_near(measured(&prepared, &operands), prepared.peak_bytes(), text);
            // In a quarter less, if that can be.
            let limit = prepared.peak_bytes() * 3 / 4;
            if let Ok(limited) = context.clone().memory_limit(limit).prepare(text, &operands) {
                assert!(measured(&limited, &operands) <= limit + limit / 20, "{text}");
            }
        }
    }
}

/// The least that a block may be allowed is what it takes: found by trying.
fn assert_least(what: &str, block: impl Fn(&Context) -> Result<(), Error>) {
    let context = Context::cpu().threads(1);
    block(&context).unwrap();
    keep_memory(0);
    let most = counting::most_bytes(|| block(&context).unwrap());
    let (mut low, mut high) = (0, 2 * most);
    while high - low > most / 200 {
        let middle = (low + high) / 2;
        match block(&context.clone().memory_limit(middle)) {
            Ok(()) => high = middle,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
                low = middle;
            }
        }
    }
    assert_near(most, high, what);
}

#[test]
fn peak_of_block_is_as_planned() {
    let _alone = alone(0);
    let (o, v) = (8, 20);
    let tensor = |extents: &[usize]| Tensor::<f64>::from_fn(extents, |i| (i.iter().sum::<usize>() % 7) as f64).unwrap();
    let (t, w, u, f) = (tensor(&[v, v, o, o]), tensor(&[v, v, v, v]), tensor(&[v, o, o, v]), tensor(&[v, v]));
    assert_least("doubles", |context| {
        try_tensor! { in context;
            let ladder[a, b, i, j] = w[a, b, c, d] * t[c, d, i, j];
            let ring[a, b, i, j] = u[a, k, i, c] * t[c, b, k, j];
            let new[a, b, i, j] = ladder[a, b, i, j] + ring[a, b, i, j] - ring[b, a, i, j] + f[a, c] * t[c, b, i, j];
            new
        }
        .map(drop)
    });
    let x = tensor(&[600, 700]);
    assert_least("rows that sum to one", |context| {
        try_tensor! { in context;
            let most[i] = max(j; x[i, j]);
            let weight[i, j] = exp(x[i, j] - most[i]);
            let share[i, j] = weight[i, j] / sum(k; weight[i, k]);
            let twice[i, j] = sqrt(share[j, i in ..600] + share[i, j in ..600]);
            twice
        }
        .map(drop)
    });
}

/// Two readers keep an element-wise result from being joined with either; the last of them writes over it.
#[test]
fn last_reader_writes_over_its_operand() {
    let _alone = alone(0);
    let context = Context::cpu().threads(1);
    let (rows, columns) = (1500, 1000);
    let x = Tensor::<f64>::from_fn([rows, columns], |i| ((i[0] * 31 + i[1] * 17) % 101) as f64 / 50.0 - 1.0).unwrap();
    let w = Tensor::<f64>::from_fn([columns], |i| (i[0] % 7) as f64).unwrap();
    let graph = Graph::new();
    let (sums, last) = tensor! { in &graph;
        let weight[i, j] = exp(x[i, j]);
        let sums[i] = weight[i, j] * w[j];
        let last[i, j] = weight[i, j] / sum(k; weight[i, k]) + x[i, j];
        (sums, last)
    };
    let run = || context.eval_all((&sums, &last)).unwrap();
    let (some, all) = run();
    for i in 0..rows {
        let row: Vec<f64> = (0..columns).map(|j| x[[i, j]].exp()).collect();
        let sum: f64 = row.iter().sum();
        assert!((0..columns).all(|j| (all[[i, j]] - (row[j] / sum + x[[i, j]])).abs() < 1e-12));
        let expected: f64 = row.iter().enumerate().map(|(j, weight)| weight * w[[j]]).sum();
        assert!((some[[i]] - expected).abs() < 1e-9 * expected.abs().max(1.0));
    }
    drop((some, all));
    keep_memory(0);
    // The weights lie where the result will be: beside that there is a block.
    let (result, most) = (8 * rows * columns, counting::most_bytes(run));
    assert!(most < result + result / 8, "{most} bytes, the result has {result}");
    let said = context.explain((&sums, &last)).unwrap().peak_bytes() as usize;
    assert_near(most, said, "what is written over");
}

/// What an equation of linear algebra takes, and what its plan says.
fn assert_said<S: Extents>(context: &Context, what: &str, expr: Expr<'_, f64, S>) {
    let said = context.explain((&expr,)).unwrap().peak_bytes() as usize;
    // Once for what threads keep.
    drop(context.eval(&expr).unwrap());
    keep_memory(0);
    assert_near(counting::most_bytes(|| context.eval(&expr).unwrap()), said, what);
}

/// Decompositions read their matrices into memory of their own, their algorithms take some, and results wait there until all of a
/// round are computed.
#[test]
fn peak_of_linear_algebra_is_as_planned() {
    let _alone = alone(0);
    let context = Context::cpu().threads(1);
    for (batch, n, k) in [(1, 192, 64), (1, 256, 300), (1, 512, 8), (6, 128, 40)] {
        let element = |i: &[usize]| {
            let (i, j) = (i[1].max(i[2]), i[1].min(i[2]));
            ((i * 31 + j * 17) % 101) as f64 / 100.0 + if i == j { n as f64 } else { 0.0 }
        };
        let a = Tensor::<f64>::from_fn([batch, n, n], element).unwrap();
        let b = Tensor::<f64>::from_fn([batch, n, k], |i| (i.iter().sum::<usize>() % 7) as f64).unwrap();
        let tall = Tensor::<f64>::from_fn([batch, n, n / 2], element).unwrap();
        let graph = Graph::new();
        // Of several results the one that is taken has the others beside it.
        let name = |operation: &str| format!("{operation} of {batch} x {n}");
        let (_values, vectors) = tensor! { in &graph; let (w[z, k], v[z, i, k]) = eigh(a[z, i, j]); (w, v) };
        assert_said(&context, &name("eigh"), vectors);
        let (_u, _s, v) = tensor! { in &graph; let (u[z, i, k], s[z, k], v[z, k, j]) = svd(a[z, i, j]); (u, s, v) };
        assert_said(&context, &name("svd"), v);
        let (_u, _s, v) = tensor! { in &graph; let (u[z, i, k], s[z, k], v[z, k, j]) = svd(tall[z, i, j]); (u, s, v) };
        assert_said(&context, &name("svd of a tall matrix"), v);
        let (q, _r) = tensor! { in &graph; let (q[z, i, k], r[z, k, j]) = qr(tall[z, i, j]); (q, r) };
        assert_said(&context, &name("qr"), q);
        let lower = tensor! { in &graph; let l[z, i, k] = cholesky(i, j; a[z, i, j]); l };
        if batch == 1 {
            // A single matrix may be computed where its result lies; a plan does not know whether it is.
            let said = context.explain((&lower,)).unwrap().peak_bytes() as usize;
            let found = counting::most_bytes(|| context.eval(&lower).unwrap());
            assert!(8 * n * n <= found && found <= said + said / 20, "{}: {found} bytes, {said} are said", name("cholesky"));
        } else {
            assert_said(&context, &name("cholesky"), lower);
        }
        assert_said(&context, &name("solve"), tensor! { in &graph; let x[z, j, c] = solve(a[z, i, j], b[z, i, c]); x });
        let across = Tensor::<f64>::from_fn([batch, k, n], |i| (i.iter().sum::<usize>() % 7) as f64).unwrap();
        let x = tensor! { in &graph; let x[z, j, c] = solve(a[z, i, j], across[z, c, i]); x };
        assert_said(&context, &name("solve of right sides across"), x);
        assert_said(&context, &name("inv"), tensor! { in &graph; let x[z, j, i] = inv(i, j; a[z, i, j]); x });
    }
}

/// A limit that parts of single elements alone would keep is refused at once.
#[test]
fn limit_that_needs_millions_of_parts_is_refused() {
    let _alone = alone(0);
    let a = Tensor::<f64>::filled([300, 300], 1.0).unwrap();
    let operands: [&dyn DynOperand<f64>; 4] = [&a; 4];
    let error = Context::cpu().memory_limit(400).prepare("ab,bc,cd,da->", &operands).unwrap_err();
    let ErrorKind::Limit { labels, extents, parts, allowed: 400, is_result: false, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((labels.len(), &extents[..]), (2, &[300, 300][..]));
    assert!(parts.is_some_and(|parts| parts > 1e6), "{error}");
    let said = error.to_string();
    assert!(said.starts_with("an intermediate `[") && said.contains("made in ") && said.ends_with(" parts"), "{said}");
}

/// Block tensors of three kinds, and equations over them that gather blocks, multiply them where they lie, sum over labels of one factor,
/// and go through several stages.
#[test]
fn peak_of_block_tensors_is_as_planned() {
    let _alone = alone(0);
    let cut = Tiling::even(240, 40);
    let small = Tiling::even(24, 6);
    let mut number = 0.0;
    let mut filled = |structure: Structure| {
        Blocks::<f64>::from_fn(&structure, |_| {
            number += 0.37;
            f64::sin(number)
        })
        .unwrap()
    };
    let every_third = |all: Structure| {
        let blocks: Vec<Vec<usize>> = all.stored().unwrap().iter().step_by(3).collect();
        all.with_blocks(&blocks).unwrap()
    };
    let [a, b, c] = [0; 3].map(|_| filled(every_third(Structure::new([&cut, &cut]))));
    let pairs = Symmetry::none(4).antisymmetric([0, 1]).unwrap().antisymmetric([2, 3]).unwrap();
    let v = filled(Structure::new([&small; 4]).with(pairs).unwrap());
    let cases = [
        ("[i, l] = A[i, j] * B[j, k] * C[k, l]", true),
        ("[i, k] = A[i, j] * B[j, k] - B[i, j] * A[j, k]", true),
        ("[i] = A[i, j] * B[j, k] * C[k, l] * A[l, m]", true),
        ("[i, k] = exp(sum(j; A[i, j] * B[j, k])) + sum(j; C[i, j] * A[j, k])", true),
        ("[i, j, a, b] = V[i, j, c, d] * V[c, d, e, f] * V[e, f, a, b]", false),
        ("[i, j] = sum(k, a, b; V[i, k, a, b] * V[j, k, a, b])", false),
    ];
    let mut in_parts = 0;
    for threads in [1, 2] {
        let context = Context::cpu().threads(threads);
        for (equation, is_matrix) in cases {
            let all: [(&str, &Blocks<f64>); 4] = [("A", &a), ("B", &b), ("C", &c), ("V", &v)];
            let read = all.iter().filter(|(name, _)| equation.contains(&format!("{name}[")) && (*name != "V") == is_matrix);
            let read: Vec<(&str, &Blocks<f64>)> = read.copied().collect();
            let named: Vec<(&str, &dyn RecordOperand<f64>)> = read.iter().map(|&(name, blocks)| (name, blocks as _)).collect();
            let prepared = context.prepare_blocks(equation, &named).unwrap();
            let operands: Vec<&dyn DynOperand<f64>> = read.iter().map(|&(_, blocks)| blocks as _).collect();
            drop(prepared.run(&operands).unwrap());
            keep_memory(0);
            let found = counting::most_bytes(|| prepared.run(&operands).unwrap());
            let said = prepared.peak_bytes();
            assert!(found <= said + said / 20 + CHUNKS, "{equation} on {threads} threads: {found} bytes, said {said}");
            // Which tasks run side by side is chance with two threads, and lists are not counted.
            if threads == 1 && said > CHUNKS {
                assert_near(found, said, equation);
            }
            match context.clone().memory_limit(said - 1).prepare_blocks(equation, &named) {
                Err(refused) => assert!(matches!(refused.kind(), ErrorKind::Limit { .. }), "{refused}"),
                Ok(parts) => {
                    drop(parts.run(&operands).unwrap());
                    keep_memory(0);
                    let (found, said) = (counting::most_bytes(|| parts.run(&operands).unwrap()), parts.peak_bytes());
                    assert!(found <= said + said / 20 + CHUNKS, "{equation} in parts: {found} bytes, said {said}");
                    in_parts += 1;
                }
            }
        }
    }
    assert!(in_parts >= 4, "{in_parts} equations were computed in parts");
}

#[test]
fn results_of_a_block_over_block_tensors_stay_as_long_as_they_are_read() {
    let _alone = alone(0);
    let context = Context::cpu().threads(1);
    let cut = Tiling::even(200, 50);
    let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (i[0] as f64 - i[1] as f64) / 200.0).unwrap();
    let powers = || {
        try_tensor! { in &context;
            let b[i, k] = a[i, j] * a[j, k];
            let c[i, k] = b[i, j] * a[j, k];
            let d[i, k] = c[i, j] * a[j, k];
            let e[i, k] = d[i, j] * a[j, k];
            let f[i, k] = e[i, j] * a[j, k];
            f
        }
        .unwrap()
    };
    drop(powers());
    keep_memory(0);
    let (found, one) = (counting::most_bytes(powers), 200 * 200 * 8);
    assert!(found < 2 * one + CHUNKS, "{found} bytes, where a result has {one}");
}
