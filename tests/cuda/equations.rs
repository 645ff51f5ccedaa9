//! The equations: the corpus in every element type, and programs of the language with what the corpus has not.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{CastInto, DynOperand, RealNumber};

use cases::{Case, Expected, stream};

use crate::{blocks, integers};

// The program's reader, so that a case has one meaning; the program evaluates in the type that a case names.
#[allow(dead_code)]
#[path = "../../examples/einsum/cases.rs"]
pub(crate) mod cases;

/// What an equation is called, and the elements of its result or the sentence of its error.
pub(crate) type Tell<'t> = dyn FnMut(&str, Result<Vec<Complex<f64>>, String>) + 't;

/// Computes the corpus and the programs on a device, in the same order on every device.
pub(crate) fn all(context: &Context, tell: &mut Tell<'_>) {
    corpus::<f32>(context, tell);
    corpus::<f64>(context, tell);
    corpus::<Complex<f32>>(context, tell);
    corpus::<Complex<f64>>(context, tell);
    all_programs(context, tell);
}

/// Computes the programs.
pub(crate) fn all_programs(context: &Context, tell: &mut Tell<'_>) {
    programs::<f32>(context, tell);
    programs::<f64>(context, tell);
    programs::<Complex<f32>>(context, tell);
    programs::<Complex<f64>>(context, tell);
    ordered::<f32>(context, tell);
    ordered::<f64>(context, tell);
    derivatives(context, tell);
    blocks::all(context, tell);
    integers::all(context, tell);
}

/// Equations that are large enough for blocks of every kind to be chosen: for devices that only collect.
pub(crate) fn all_large(context: &Context) {
    large::<f32>(context);
    large::<f64>(context);
    large::<Complex<f32>>(context);
    large::<Complex<f64>>(context);
}

fn large<T: Element>(context: &Context) {
    let cases: [(&str, &[&[usize]]); 7] = [
        ("aebf,dfce->abcd", &[&[40, 12, 40, 9], &[38, 9, 40, 12]]),
        ("ik,kj->ij", &[&[1500, 100], &[100, 1501]]),
        ("ki,jk->ji", &[&[100, 1500], &[1501, 100]]),
        ("bik,bjk->bij", &[&[300, 40, 33], &[300, 50, 33]]),
        ("ik,kj->ij", &[&[40, 20_000], &[20_000, 50]]),
        ("k,k->", &[&[100_000], &[100_000]]),
        ("abcd->dcba", &[&[20, 30, 11, 40]]),
    ];
    for (subscripts, shapes) in cases {
        let operands: Vec<Tensor<T>> =
            shapes.iter().map(|&shape| Tensor::filled(shape, T::ONE).expect("memory for some megabytes")).collect();
        let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
        context.einsum(subscripts, &operands).unwrap_or_else(|error| panic!("{subscripts}: {error}"));
    }
}

fn corpus<T: Element>(context: &Context, tell: &mut Tell<'_>) {
    each_case::<T>(|id, subscripts, operands| {
        let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
        tell(&format!("{} {id}", T::DTYPE), told(context.einsum(subscripts, &operands)));
    });
}

/// The cases of the corpus that have a value: what each is called, its subscripts and its operands.
pub(crate) fn each_case<T: Element>(mut tell: impl FnMut(&str, &str, &[Tensor<T>])) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/einsum_cases.json");
    for case in cases::read(file.as_ref()).expect("the corpus is a file of cases") {
        if !case.broadcasts && !matches!(case.expected, Expected::Error(_)) {
            tell(&case.id, &case.subscripts, &operands::<T>(&case));
        }
    }
}

fn operands<T: Element>(case: &Case) -> Vec<Tensor<T>> {
    let tensor = |(shape, &seed): (&Vec<usize>, &u64)| sample(shape, seed);
    case.shapes.iter().zip(&case.seeds).map(tensor).collect()
}

pub(crate) fn sample<T: Element>(shape: &[usize], seed: u64) -> Tensor<T> {
    let mut next = stream(seed);
    Tensor::from_fn(shape, |_| T::from_complex(Complex::new(next(), next()))).expect("memory for a few numbers")
}

pub(crate) fn told<T: Element, S: Extents>(result: Result<Tensor<T, S>, Error>) -> Result<Vec<Complex<f64>>, String> {
    match result {
        Ok(tensor) => Ok(tensor.as_slice().iter().map(|x| x.to_complex()).collect()),
        Err(error) => Err(error.to_string()),
    }
}

/// Products as matrices, what is done with them in the same pass, turned axes, diagonals, functions, casts and functions of the
/// program's own.
fn programs<T: Element>(context: &Context, tell: &mut Tell<'_>)
where
    f32: CastInto<T>,
{
    let matrix = |seed: u64, m: usize, n: usize| sample::<T>(&[m, n], seed);
    let (a, b, c, d) = (matrix(1, 37, 21), matrix(2, 21, 40), matrix(3, 37, 40), matrix(4, 40, 37));
    let t = sample::<T>(&[5, 7, 6, 9], 5);
    let v = sample::<T>(&[37], 6);
    let narrow = sample::<f32>(&[37, 40], 7);
    let mut tell = |name: &str, result| tell(&format!("{} {name}", T::DTYPE), result);
    let ctx = context;
    tell("product", told(try_tensor!(in ctx; let x[i, j] = a[i, k] * b[k, j]; x)));
    tell("turned product", told(try_tensor!(in ctx; let x[j, i] = 2 * a[i, k] * b[k, j]; x)));
    tell("product with its rest", told(try_tensor!(in ctx; let x[i, j] = (a[i, k] * b[k, j] + c[i, j]) * conj(d[j, i]); x)));
    tell("product and function", told(try_tensor!(in ctx; let x[i, j] = tanh(sum(k; a[i, k] * b[k, j])) - c[i, j] / 3; x)));
    tell("four axes", told(try_tensor!(in ctx; let x[a, d, c, b] = t[a, e, c, f] * conj(t[b, e, d, f]); x)));
    tell("turned", told(try_tensor!(in ctx; let x[d, b, a, c] = t[a, b, c, d]; x)));
    tell("turned and added", told(try_tensor!(in ctx; let x[i, j] = c[i, j] - 3 * d[j, i]; x)));
    tell("functions", told(try_tensor!(in ctx; let x[i, j] = exp(c[i, j]) * sin(d[j, i]) + cos(c[i, j]) * abs(d[j, i]); x)));
    tell("powers", told(try_tensor!(in ctx; let x[i, j] = powi(c[i, j], 3) - powi(d[j, i], 2); x)));
    tell("outer", told(try_tensor!(in ctx; let x[i, j] = v[i] * c[i, j] * v[i]; x)));
    tell("row sums", told(try_tensor!(in ctx; let x[i] = sum(j; c[i, j]) + v[i]; x)));
    tell("column sums", told(try_tensor!(in ctx; let x[j] = sum(i; c[i, j] * c[i, j]); x)));
    tell("products", told(try_tensor!(in ctx; let x[a, c] = prod(b, d; 1 + t[a, b, c, d] / 4); x)));
    tell("cast", told(try_tensor!(in ctx; let x[i, j] = cast(narrow[i, j]) * c[i, j]; x)));
    tell("function of the program", told(try_tensor!(in ctx; let x[i, j] = map(|x: T| x * x + x; c[i, j]); x)));
    tell("part", told(try_tensor!(in ctx; let x[i, j] = c[i in 3..20, j] * c[i in 0..17, 2]; x)));
}

/// A gradient of two layers, and its change along a direction.
fn derivatives(context: &Context, tell: &mut Tell<'_>) {
    let (a, b, c) = (sample::<f64>(&[37, 21], 1), sample::<f64>(&[21, 40], 2), sample::<f64>(&[37, 40], 3));
    let (direction, ctx) = (sample::<f64>(&[21, 40], 4), context);
    let gradient = try_tensor! {
        in ctx;
        let z[i, j] = a[i, k] * b[k, j];
        let y[i, j] = tanh(z[i, j]) - c[i, j];
        let L = y[i, j] * y[i, j];
        let g[k, j] = grad(L; b[k, j]);
        g
    };
    tell("f64 gradient", told(gradient));
    let along = try_tensor! {
        in ctx;
        let z[i, j] = a[i, k] * b[k, j];
        let y[i, j] = tanh(z[i, j]) - c[i, j];
        let L = y[i, j] * y[i, j];
        let g[k, j] = grad(L; b[k, j]);
        let h[k, j] = grad(g[k, j]; b[p, q]) * direction[p, q];
        h
    };
    tell("f64 second derivative", told(along));
    maxima::<f32>(context, tell);
    maxima::<f64>(context, tell);
}

/// Which elements reach a maximum is found by comparing products with it, which a device may round in another way than a difference.
fn maxima<T: RealNumber>(context: &Context, tell: &mut Tell<'_>) {
    let (a, b, ctx) = (sample::<T>(&[37, 21], 1), sample::<T>(&[37, 21], 2), context);
    let gradient = try_tensor! {
        in ctx;
        let most[i] = max(j; a[i, j] * b[i, j] / 3);
        let L = sum(i; most[i]) - min(i, j; a[i, j] - b[i, j]);
        let g[i, j] = grad(L; a[i, j]);
        g
    };
    tell(&format!("{} gradient of a maximum", T::DTYPE), told(gradient));
}

/// What needs an order.
fn ordered<T: RealNumber + PartialOrd>(context: &Context, tell: &mut Tell<'_>) {
    let (c, ctx) = (sample::<T>(&[37, 40], 8), context);
    let mut tell = |name: &str, result| tell(&format!("{} {name}", T::DTYPE), result);
    tell("largest of rows", told(try_tensor!(in ctx; let x[i] = max(j; c[i, j]); x)));
    tell("smallest of columns", told(try_tensor!(in ctx; let x[j] = min(i; c[i, j]); x)));
    let d = sample::<T>(&[40, 37], 9);
    let chosen = try_tensor!(in ctx; let x[i, j] = select(c[i, j] > d[j, i]; c[i, j], 2 * d[j, i]); x);
    tell("choices", told(chosen));
    let several = try_tensor! {
        in ctx;
        let x[i, j] = select(c[i, j] < 0.2 && !(d[j, i] <= c[i, j]) || c[i, j] == d[j, i]; exp(c[i, j]), 0.0);
        x
    };
    tell("choices by several conditions", told(several));
    tell("limits", told(try_tensor!(in ctx; let x[i, j] = clip(c[i, j] + d[j, i], -0.3, 0.2); x)));
    let positions = try_tensor! {
        in ctx;
        let x[i, j] = select(iota[i] >= iota[j]; c[i, j] * (iota[i] + 1), iota[j]);
        x
    };
    tell("values of indices", told(positions));
    tell("place of the largest", told(try_tensor!(in ctx; let x[i] = argmax(j; c[i, j]); x)));
    tell("place of the smallest", told(try_tensor!(in ctx; let x[j] = argmin(i; c[i, j]); x)));
    tell("means", told(try_tensor!(in ctx; let x[i] = mean(j; c[i, j]) + var(j; c[i, j]) - std(j; c[i, j]); x)));
    let mask = c.greater(sample::<T>(&[37, 40], 10)).expect("the shapes are the same");
    tell("truth values", told(try_tensor!(in ctx; let x[i] = sum(j; select(mask[i, j]; c[i, j], 1.0)); x)));
}
