//! Memory that runs take of a device, by its own count, against what their plans have foretold. On simulated devices that collect kernels:
//! they compute nothing, and take the memory for it all the same.

use num_complex::Complex;
use tensorwrapper::__private::cuda::{Collection, Route, collecting};
use tensorwrapper::prelude::*;
use tensorwrapper::{DynOperand, Explanation};

use crate::equations;
use crate::program::pool;

/// What there is beside what a plan has foretold: of functions that are summed to few numbers the sums of parts, at most three for each
/// block of threads that makes a GPU busy, in the largest element type.
const SUMS: u128 = 3 * 264 * 16;

/// Within a tenth; memory without elements has a byte.
fn assert_foretold(name: &str, explained: &Explanation, beside: u128) {
    let measured = explained.measured_peak_bytes().unwrap_or_else(|| panic!("{name}: nothing was counted"));
    let predicted = explained.peak_bytes();
    let off = measured.abs_diff(predicted);
    assert!(off <= predicted / 10 + 1 + beside, "{name}: {measured} bytes were taken, and {predicted} foretold\n{explained}");
}

fn corpus<T: Element>(context: &Context, route: Route) -> usize {
    let mut seen = 0;
    equations::each_case::<T>(|id, subscripts, operands| {
        let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
        let prepared = context.prepare(subscripts, &operands).unwrap_or_else(|error| panic!("{id}: {error}"));
        let explained = prepared.measure(&operands, 1).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_foretold(&format!("{id}, {}, {route:?}", T::DTYPE), &explained, 0);
        seen += 1;
    });
    seen
}

/// Shapes whose sums are cut into parts.
#[test]
fn peak_of_sums_in_parts_is_as_predicted() -> Result<(), Error> {
    let context = collecting(&Collection::default(), Route::Chosen);
    let cases: [(&str, &[usize]); 4] =
        [("ij->", &[1000, 2000]), ("ij->i", &[30, 100_000]), ("ij->j", &[100_000, 30]), ("ij,ij->", &[1000, 1000])];
    for (subscripts, extents) in cases {
        let a = Tensor::<f64>::filled(extents, 1.0)?;
        let operands: Vec<&dyn DynOperand<f64>> = vec![&a; subscripts.split(',').count()];
        let explained = context.prepare(subscripts, &operands)?.measure(&operands, 1)?;
        assert_foretold(subscripts, &explained, 0);
        assert!(subscripts != "ij->" || explained.peak_bytes() > 8, "the sums of parts are foretold");
    }
    let a = Tensor::<f64, Shape![_, _]>::filled((20, 20_000), 1.0)?;
    let graph = Graph::new();
    let sum = tensor!(in &graph; let x[i] = sum(j; exp(a[i, j])); x);
    assert_foretold("a function that is summed", &context.measure((&sum,), 1)?, SUMS);
    // What lies between the kernels of one step goes before the next step needs more.
    let (small, large) = tensor! {
        in &graph;
        let x[i, j] = a[i in 0..16, k] * a[j in 0..16, k];
        let y[i, j] = exp(sum(k; a[i, k] * a[j, k]));
        (x, y)
    };
    let explained = context.measure((&small, &large), 1)?;
    assert_foretold("two products", &explained, 0);
    assert!(explained.peak_bytes() > 8 * (16 * 16 + 20 * 20), "the sums of parts are foretold");
    Ok(())
}

#[test]
fn peak_of_plan_is_as_predicted() {
    let mut seen = 0;
    for route in [Route::Chosen, Route::LargeTiles, Route::SmallTiles, Route::Library] {
        let context = collecting(&Collection::default(), route);
        seen += corpus::<f32>(&context, route) + corpus::<Complex<f64>>(&context, route);
        for (name, explained) in pool::plans(&context, 40).unwrap_or_else(|error| panic!("{route:?}: {error}")) {
            assert_foretold(&format!("{name}, {route:?}"), &explained, 0);
            assert!(explained.to_string().contains("memory taken"), "{explained}");
        }
    }
    assert!(seen > 400, "{seen} plans");
}

/// Operands are no part of it, whether they are taken there for the run or are there already; neither is what others take.
#[test]
fn operands_and_memory_of_other_plans_are_not_counted() -> Result<(), Error> {
    let context = collecting(&Collection::default(), Route::Chosen);
    let a = Tensor::<f64>::filled([50, 50], 1.0)?;
    let prepared = context.prepare::<f64>("ij,jk,kl->il", &[&a, &a, &a])?;
    let taken = |operand: &Tensor<f64>| Ok(prepared.measure(&[operand, operand, operand], 2)?.measured_peak_bytes());
    let alone: Option<u128> = taken(&a)?;
    assert!(alone.is_some_and(|bytes| bytes >= 2 * 50 * 50 * 8), "{alone:?}: an intermediate and a result");
    assert_eq!(taken(&a.clone().to(&context)?)?, alone);
    let others = context.on_device()?.take(&a)?;
    assert_eq!(taken(&a)?, alone);
    drop(others);
    assert_eq!(prepared.explain().measured_peak_bytes(), None, "nothing was run");
    let here = Context::cpu().prepare::<f64>("ij,jk,kl->il", &[&a, &a, &a])?.measure(&[&a, &a, &a], 1)?;
    assert_eq!(here.measured_peak_bytes(), None, "the processor computes in the host's memory");
    Ok(())
}
