//! Products with few rows of many terms against the definition.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::Cpu;
use crate::road_tests::compare;
use crate::simd::Simd;
use crate::strategy::Route;
use crate::tests::sized_contract;
use tensorwrapper_core::element::{Dtype, dispatch};

const EQUATIONS: [&str; 8] =
    ["xk,ka->xa", "ka,kx->xa", "kla,lkx->xa", "lkx,kla->xa", "bka,xk->bxa", "zka,zkx->zxa", "kba,xk->bxa", "kya,kx->yxa"];

fn size(a: usize, k: usize, x: usize) -> impl Fn(char) -> usize {
    move |label| match label {
        'a' => a,
        'k' => k,
        'x' => x,
        _ => 2,
    }
}

/// The device chooses this road; runs that are cut and whole, terms behind the last four and behind a leaf, batches, several axes of terms
/// and rows.
#[test]
fn products_with_few_rows_take_this_road() {
    let mut rng = StdRng::seed_from_u64(43);
    for columns in [2, 3, 5, 6, 7, 11, 16] {
        // With more than six columns, half a second cache of any processor at least.
        let sizes = if columns <= 6 { [(1601, 37), (1700, 70)] } else { [(1400, 261), (2049, 190)] };
        for (n, (a, k)) in sizes.into_iter().enumerate() {
            let equation = EQUATIONS[(columns + n) % EQUATIONS.len()];
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                dispatch!(dtype, T => compare::<T>(&mut rng, equation, &size(a, k, columns), 1 + columns % 3, "flat matrix"));
            }
        }
    }
}

/// Every set of instructions, conjugated small factors, and large ones, which this road leaves to the engine.
#[test]
fn every_set_of_instructions_agrees_with_the_definition() {
    let mut rng = StdRng::seed_from_u64(44);
    for columns in [1, 2, 5, 6] {
        for (n, equation) in EQUATIONS.into_iter().enumerate() {
            // Of one equation, terms behind a leaf.
            let size = size(301 + n, if n == 0 { 283 } else { 70 + n }, columns);
            for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                let cpu = Cpu::forced(1, Route::Flat(simd));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }
}
