//! The same bits on any number of threads: of element-wise work, reductions, norms, and linear algebra of sectors whose matrices are too
//! small to be shared. Products are in `drawn`. Large matrices have the same bits for one number of threads, as dense ones have.

use super::*;
use crate::exec::RecordOperand;

/// The bits of all elements.
fn bits<T: Element>(blocks: &Blocks<T>) -> Vec<[u64; 2]> {
    let bits = |x: &T| {
        let x = x.to_complex();
        [x.re.to_bits(), x.im.to_bits()]
    };
    blocks.slab().iter().map(bits).collect()
}

/// Whatever one thread computes, others compute, too.
fn repeats<R: PartialEq>(what: &str, run: impl Fn(&Context) -> R) {
    let once = run(&Context::cpu().threads(1));
    for threads in [2, 3, 8] {
        assert!(run(&Context::cpu().threads(threads)) == once, "{what} on {threads} threads");
    }
}

#[test]
fn element_wise_work_and_reductions() {
    let mut rng = StdRng::seed_from_u64(2501);
    let cuts = [Tiling::even(900, 300), Tiling::cuts([500, 7, 393])];
    let symmetric = Structure::new([&cuts[0], &cuts[0]]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let structure = sparse(&mut rng, &cuts.each_ref(), 0.7);
    let (a, b, s) = (filled::<f64>(&mut rng, &structure), filled(&mut rng, &structure), filled(&mut rng, &symmetric));
    for equation in [
        "[i, j] = exp(A[i, j]) - 2.0 * B[i, j] / (3.0 + S[i, j])",
        "[j, i] = select(A[i, j] > S[j, i]; tanh(A[i, j]), B[i, j])",
        "[i] = sum(j; A[i, j] * B[i, j])",
        "[] = sum(i, j; sin(A[i, j]) * B[i, j])",
        "[j] = max(i; A[i, j] - S[j, i])",
        "[i] = prod(j; 1 + A[i, j] / 100)",
        "[i] = mean(j; S[i, j])",
        "[] = sum(i, j; S[i, j])",
    ] {
        let all: [(&str, &dyn RecordOperand<f64>); 3] = [("A", &a), ("B", &b), ("S", &s)];
        let read: Vec<_> = all.into_iter().filter(|(name, _)| equation.contains(&format!("{name}["))).collect();
        repeats(equation, |context| bits(&context.eval_blocks(equation, &read).unwrap()));
    }
    repeats("a product of norms", |context| {
        let product = context.einsum_blocks("ij,jk->ik", &[&a, &s]).unwrap();
        (product.frobenius_norm().to_bits(), product.norm(&product.blocks()[0]).unwrap().to_bits())
    });
}

/// A sector that is computed alone, whose products are shared, and small ones, side by side.
fn sectors<T: Element>(rng: &mut StdRng) {
    let cut = Tiling::cuts([300, 40, 3, 40]).charged([0, 1, 2, 3]).unwrap();
    let structure = Structure::new([&cut, &cut]).flow([1, -1], [0]).unwrap();
    let a = filled::<T>(rng, &structure);
    let positive = Context::cpu().threads(1).eval_blocks("[i, j] = A[i, k] * conj(A[j, k])", &[("A", &a)]).unwrap();
    let what = |name: &str| format!("{name} of {}", T::NAME);
    repeats(&what("svd"), |context| {
        let (u, s, v) = context.svd_blocks(&a, [0]).unwrap();
        (bits(&u), bits(&s), bits(&v))
    });
    repeats(&what("qr"), |context| context.qr_blocks(&a, [0]).map(|(q, r)| (bits(&q), bits(&r))).unwrap());
    repeats(&what("eigh"), |context| context.eigh_blocks(&positive, [0]).map(|(values, q)| (bits(&values), bits(&q))).unwrap());
    repeats(&what("inv"), |context| bits(&context.inv_blocks(&a, [0]).unwrap()));
    repeats(&what("expm"), |context| bits(&context.expm_blocks(&a, [0]).unwrap()));
    repeats(&what("solve"), |context| bits(&context.solve_blocks(&a, [0], &positive).unwrap()));
    repeats(&what("slogdet"), |context| {
        let (sign, logarithm) = context.slogdet_blocks(&a, [0]).unwrap();
        (sign.to_complex(), logarithm.to_complex())
    });
}

/// So many sectors of one size that they are cut into pieces, half of them triangles, beside some of another size.
fn equal_sectors<T: Element>(rng: &mut StdRng) {
    let cut = Tiling::cuts([9; 46].into_iter().chain([17, 17])).charged((0..48).collect::<Vec<i64>>()).unwrap();
    let structure = Structure::new([&cut, &cut]).flow([1, -1], [0]).unwrap();
    let lower = filled::<T>(rng, &structure);
    let a = Blocks::<T>::from_fn(&structure, |at| {
        let [i, j] = [at[0], at[1]];
        let number = T::from_complex(Complex::new(((7 * i + 3 * j) % 11) as f64 - 5.0, 0.0));
        if i < 23 * 9 && j > i {
            T::ZERO
        } else if i == j {
            T::from_complex(Complex::new(40.0, 0.0))
        } else {
            number
        }
    })
    .unwrap();
    let what = |name: &str| format!("{name} of equal sectors of {}", T::NAME);
    repeats(&what("inv"), |context| bits(&context.inv_blocks(&a, [0]).unwrap()));
    repeats(&what("solve"), |context| bits(&context.solve_blocks(&a, [0], &lower).unwrap()));
    repeats(&what("expm"), |context| bits(&context.expm_blocks(&lower, [0]).unwrap()));
}

#[test]
fn linear_algebra_by_sectors() {
    let mut rng = StdRng::seed_from_u64(2502);
    sectors::<f64>(&mut rng);
    sectors::<f32>(&mut rng);
    sectors::<Complex<f64>>(&mut rng);
    equal_sectors::<f64>(&mut rng);
    equal_sectors::<Complex<f32>>(&mut rng);
}
