//! Orders of products of block tensors: what they cost, and that contexts choose them.

use super::*;
use crate::exec::RecordOperand;
use tensorwrapper_order::Order;

/// All orders of three factors, in positions of what is left.
const ORDERS: [[(usize, usize); 2]; 3] = [[(0, 1), (0, 1)], [(0, 2), (0, 1)], [(1, 2), (0, 1)]];

#[test]
fn sparse_factors_come_first() {
    let mut rng = StdRng::seed_from_u64(71);
    let cut = Tiling::even(32, 4);
    let whole = Structure::new([&cut, &cut]);
    let [a, b] = [0; 2].map(|_| filled::<f64>(&mut rng, &whole));
    let s = filled::<f64>(&mut rng, &sparse(&mut StdRng::seed_from_u64(72), &[&cut, &cut], 0.05));
    let given: [(&str, &dyn RecordOperand<f64>); 3] = [("A", &a), ("B", &b), ("S", &s)];
    // Dense, any order takes as many multiplications, and the first is taken.
    for equation in ["[i, l] = A[i, j] * B[j, k] * S[k, l]", "[i, l] = S[i, j] * A[j, k] * B[k, l]"] {
        let taken = Context::cpu().prepare_blocks(equation, &given).unwrap();
        let all = ORDERS.map(|order| {
            let context = Context::cpu().order(Order::path(order));
            let prepared = context.prepare_blocks(equation, &given).unwrap();
            let [found, expected] =
                [&context, &Context::reference()].map(|context| context.eval_blocks(equation, &given).unwrap());
            same(&found, &expected.to_dense().unwrap(), equation);
            prepared.multiplications()
        });
        assert_eq!(taken.multiplications(), *all.iter().min().unwrap(), "{equation}: {all:?}");
        assert!(taken.multiplications() * 2 < *all.iter().max().unwrap(), "{equation}: {all:?}");
    }
}

#[test]
fn drawn_products_take_about_the_fewest_multiplications() {
    let mut rng = StdRng::seed_from_u64(73);
    let (mut taken, mut fewest, mut written) = (0.0, 0.0, 0.0);
    for _ in 0..60 {
        let cuts: Vec<Tiling> = (0..4).map(|_| Tiling::even(rng.random_range(6..40), rng.random_range(2..5))).collect();
        let shares = [0; 3].map(|_| [0.03, 0.1, 0.3, 1.0][rng.random_range(0..4)]);
        let mut draw = |first: usize| {
            filled::<f64>(
                &mut rng,
                &sparse(&mut StdRng::seed_from_u64(first as u64), &[&cuts[first], &cuts[first + 1]], shares[first]),
            )
        };
        let [a, b, c] = [draw(0), draw(1), draw(2)];
        let given: [(&str, &dyn RecordOperand<f64>); 3] = [("A", &a), ("B", &b), ("C", &c)];
        let equation = "[i, l] = A[i, j] * B[j, k] * C[k, l]";
        let cost = |context: Context| context.prepare_blocks(equation, &given).unwrap().multiplications() as f64;
        let all = ORDERS.map(|order| cost(Context::cpu().order(Order::path(order))));
        taken += cost(Context::cpu());
        written += all[0];
        fewest += all.into_iter().fold(f64::INFINITY, f64::min);
    }
    assert!(taken <= 1.05 * fewest && taken <= 0.9 * written, "{taken}: {fewest} is possible, {written} as written");
}

#[test]
fn an_order_that_does_not_fit_is_refused() {
    let cut = Tiling::cuts([2, 1]);
    let a = Blocks::<f64>::zeros(&Structure::new([&cut, &cut])).unwrap();
    let context = Context::cpu().order(Order::path([(0, 1)]));
    let error = context.einsum_blocks("ij,jk,kl->il", &[&a, &a, &a]).unwrap_err();
    assert_eq!(error.to_string(), "the path has 1 pair, but a product of 3 factors is made of 2");
    // Products of two need none.
    context.einsum_blocks("ij,jk->ik", &[&a, &a]).unwrap();
}

#[test]
fn labels_with_long_tiles_are_last_in_what_is_made_on_the_way() {
    let (long, short) = (Tiling::even(24, 12), Tiling::each(3));
    let x = Blocks::<f64>::zeros(&Structure::new([&long, &short, &long])).unwrap();
    let y = Blocks::<f64>::zeros(&Structure::new([&long, &long])).unwrap();
    let z = Blocks::<f64>::zeros(&Structure::new([&short, &short])).unwrap();
    let context = Context::cpu().order(Order::path([(0, 1), (0, 1)]));
    let given: [(&str, &dyn RecordOperand<f64>); 3] = [("X", &x), ("Y", &y), ("Z", &z)];
    let prepared = context.prepare_blocks("[i, s, k] = X[i, t, j] * Y[j, k] * Z[t, s]", &given).unwrap();
    let products: Vec<String> = prepared.products().into_iter().map(|product| product.equation).collect();
    assert_eq!(products, ["x1[t, i, k] = X[i, t, j] * Y[j, k]", "result[i, s, k] = Z[t, s] * x1[t, i, k]"]);
}

#[test]
fn what_is_made_on_the_way_has_a_name_of_its_own() {
    let cut = Tiling::cuts([2, 3]);
    let c = Blocks::<f64>::zeros(&Structure::new([&cut, &Tiling::whole(2)])).unwrap();
    let f = Blocks::<f64>::zeros(&Structure::new([&cut, &cut]).with_blocks([[0, 1]]).unwrap()).unwrap();
    let equation = "[p, q] = x1[i, p] * result[i, j] * x1[j, q]";
    let prepared = Context::cpu().prepare_blocks::<f64>(equation, &[("x1", &c), ("result", &f)]).unwrap();
    let products: Vec<String> = prepared.products().into_iter().map(|product| product.equation).collect();
    assert_eq!(products, ["x1_[i, q] = result[i, j] * x1[j, q]", "result_[p, q] = x1[i, p] * x1_[i, q]"]);
}
