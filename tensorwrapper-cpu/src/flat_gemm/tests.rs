//! Products with few rows of many terms against the definition.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::Cpu;
use crate::simd::Simd;
use crate::strategy::Route;
use crate::tests::sized_contract;

/// Runs that are cut and whole, terms behind the last four and behind a leaf, every number of columns, batches, several axes of terms and rows.
#[test]
fn products_with_a_flat_matrix_agree_with_the_definition() {
    let mut rng = StdRng::seed_from_u64(43);
    let equations = ["xk,ka->xa", "ka,kx->xa", "kla,lkx->xa", "bka,xk->bxa", "zka,zkx->zxa", "kba,xk->bxa", "kya,kx->yxa"];
    for columns in 1..=17 {
        let equation = equations[columns % equations.len()];
        for [a, k] in [[64, 17], [129, 23], [700, 20], [257, 530]] {
            let size = |label| match label {
                'a' => a,
                'k' => k,
                'x' => columns,
                _ => 2,
            };
            for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                let cpu = Cpu::forced(1 + columns % 3, Route::Flat(simd));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }
}
