//! Which blocks are multiplied where they lie.

use super::*;
use crate::exec::RecordOperand;

/// Repulsion integrals times a density: to copy the integrals side by side would take as long as to read them for the product.
#[test]
fn large_factors_of_small_results_are_not_copied() {
    let mut rng = StdRng::seed_from_u64(81);
    let cut = Tiling::even(30, 8);
    let pairs = Symmetry::none(4).generator(&[1, 0, 2, 3], Sign::Plus, false).unwrap();
    let pairs = pairs.generator(&[2, 3, 0, 1], Sign::Plus, false).unwrap();
    let eri = filled::<f64>(&mut rng, &Structure::new([&cut; 4]).with(pairs).unwrap());
    let d = filled::<f64>(&mut rng, &Structure::new([&Tiling::whole(30); 2]));
    let given: [(&str, &dyn RecordOperand<f64>); 2] = [("eri", &eri), ("D", &d)];
    for equation in ["[p, q] = eri[p, q, r, s] * D[r, s]", "[p, q] = eri[p, r, q, s] * D[r, s]"] {
        let [found, expected] =
            [Context::cpu(), Context::reference()].map(|context| context.eval_blocks(equation, &given).unwrap());
        same(&found, &expected.to_dense().unwrap(), equation);
        let bytes = Context::cpu().threads(1).prepare_blocks(equation, &given).unwrap().peak_bytes();
        assert!(bytes * 20 < eri.bytes(), "{equation}: {bytes} of {}", eri.bytes());
    }
}
