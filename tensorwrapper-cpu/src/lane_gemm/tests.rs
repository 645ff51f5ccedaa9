//! Gates on fast axes against the definition.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::Cpu;
use crate::simd::Simd;
use crate::strategy::Route;
use crate::tests::sized_contract;

/// On the fastest axis and on others, with axes of rows between them, fused and not, cut and with a shorter vector at the end.
#[test]
fn gates_on_fast_axes_agree_with_the_definition() {
    let mut rng = StdRng::seed_from_u64(31);
    let equations = [
        "aX,Xx->ax",
        "aXc,Xx->axc",
        "aXbYc,XYxy->axbyc",
        "aXbYc,yXYx->axbyc",
        "aXYZ,XYZxyz->axyz",
        "aXYZ,ZxYXzy->axyz",
        "bXaZc,XZxz->axbzc",
        "XYxy,aXbYc->axbyc",
        "aXYZ,XYZ->a",
    ];
    for (n, equation) in equations.into_iter().enumerate() {
        for [a, b, c] in [[512, 1, 1], [128, 8, 2], [67, 9, 1], [515, 3, 2], [64, 20, 4], [33, 33, 8], [70, 37, 1]] {
            let size = |label| match label {
                'a' => a,
                'b' => b,
                'c' => c,
                _ => 2,
            };
            for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                let cpu = Cpu::forced(1 + n % 3, Route::Lanes(simd));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }
}
