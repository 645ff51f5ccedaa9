//! Equations over integers and truth values: on the device where double precision holds every intermediate, on the host where it does not.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{CastInto, Numeric, Stored};

use crate::equations::{Tell, cases::stream};

/// Whole numbers below so many in absolute value.
fn whole<T: Numeric>(shape: &[usize], seed: u64, most: f64) -> Tensor<T>
where
    i64: CastInto<T>,
{
    let mut next = stream(seed);
    let numbers = Tensor::<i64>::from_fn(shape, |_| (next() * most).round() as i64).expect("memory for a few numbers");
    numbers.cast().expect("memory for a few numbers")
}

fn told<T, S: Extents>(result: Result<Tensor<T, S>, Error>, number: impl Fn(&T) -> f64) -> Result<Vec<Complex<f64>>, String>
where
    T: Stored,
{
    match result {
        Ok(tensor) => Ok(tensor.iter().map(|x| Complex::new(number(x), 0.0)).collect()),
        Err(error) => Err(error.to_string()),
    }
}

/// Products, sums, element-wise work and comparisons.
pub(crate) fn all(context: &Context, tell: &mut Tell<'_>) {
    let (m, n, small) = (whole::<i32>(&[12, 9], 1, 20.0), whole::<i32>(&[9, 11], 2, 20.0), whole::<i32>(&[12, 9], 3, 3.0));
    let large = whole::<i64>(&[9, 7], 4, 1e15);
    let (wide, ctx) = (whole::<i64>(&[12, 9], 5, 1e15), context);
    let mut tell32 = |name: &str, result: Result<Tensor<i32>, Error>| tell(&format!("i32 {name}"), told(result, |&x| x.into()));
    tell32("product", try_tensor!(in ctx; let x[i, j] = m[i, k] * n[k, j]; x).map(Tensor::into_dyn));
    tell32("prepared product", context.prepare::<i32>("ik,kj->ij", &[&m, &n]).and_then(|product| product.run(&[&m, &n])));
    tell32("element by element", try_tensor!(in ctx; let x[i, j] = 2 * m[i, j] + small[i, j] * m[i, j]; x).map(Tensor::into_dyn));
    tell32("sums", try_tensor!(in ctx; let x[i] = sum(j; m[i, j] * small[i, j]) + max(j; m[i, j]); x).map(Tensor::into_dyn));
    let chain = try_tensor!(in ctx; let y[i, j] = m[i, k] * n[k, j]; let x[j, l] = y[i, j] * small[i, l]; x);
    tell32("chain", chain.map(Tensor::into_dyn));
    let chosen = try_tensor!(in ctx; let x[i, j] = select(m[i, j] > small[i, j] && iota[j] < 6; m[i, j], 1); x);
    tell32("choices", chosen.map(Tensor::into_dyn));
    // Beyond what double precision holds: bits that are lost there are seen below.
    let product = try_tensor!(in ctx; let x[i, j] = wide[i, k] * large[k, j]; x);
    tell("i64 product in 64 bits, upper bits", told(product.clone(), |&x| (x >> 32) as f64));
    tell("i64 product in 64 bits, lower bits", told(product, |&x| f64::from(x as u32)));
    let greater = try_tensor!(in ctx; let x[i, j] = m[i, j] >= small[i, j]; x);
    tell("truth of integers", told(greater, |&x| f64::from(u8::from(x))));
}

#[test]
fn explanations_name_the_host() {
    let m = whole::<i32>(&[6, 6], 1, 20.0);
    let prepared = Context::cpu().prepare::<i32>("ij,jk->ik", &[&m, &m]).unwrap_or_else(|error| panic!("{error}"));
    let text = prepared.explain().to_string();
    assert!(text.contains("integers in double precision where it holds all of them, else on the host in 64 bits"), "{text}");
    let prepared = |context: Context| context.prepare::<i32>("ij,ij->ij", &[&m, &m]).unwrap_or_else(|error| panic!("{error}"));
    let text = prepared(Context::cpu()).explain().to_string();
    assert!(text.contains("integers as they lie, by a loop on the host"), "{text}");
    let text = prepared(Context::cpu().memory_limit(1 << 30)).explain().to_string();
    assert!(text.contains("integers in double precision"), "{text}");
    let real = Tensor::<f64>::filled([6, 6], 1.0).expect("memory for a few numbers");
    let prepared = Context::cpu().prepare("ij,jk->ik", &[&real, &real]).unwrap_or_else(|error| panic!("{error}"));
    assert!(!prepared.explain().to_string().contains("integers"));
}
