//! Products of row-major tensors against the definition, with the road that they are to take.

use num_complex::Complex;
use rand::rngs::StdRng;

use super::Cpu;
use super::contract::prepare;
use super::engine::GemmElement;
use super::strategy::Route;
use super::tests::on_both;
use tensorwrapper_core::backend::{Contraction, LoopNest, RunContraction};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, number};

/// Computes `left,right->out` over row-major tensors with these extents by the road that the device chooses, which is to be `method`, and
/// by loops.
pub(super) fn compare<T: GemmElement>(
    rng: &mut StdRng,
    equation: &str,
    size: &dyn Fn(char) -> usize,
    threads: usize,
    method: &str,
) {
    let (inputs, out) = equation.split_once("->").unwrap();
    let (left, right) = inputs.split_once(',').unwrap();
    let summed = left.chars().filter(|label| right.contains(*label) && !out.contains(*label));
    let all: Vec<char> = out.chars().chain(summed).collect();
    let extents: Vec<usize> = all.iter().map(|&label| size(label)).collect();
    // Each begins somewhere in its memory.
    let placed = |rng: &mut StdRng, labels: &str, rank: usize, offset: usize| {
        let len = offset + labels.chars().map(size).product::<usize>();
        let stride =
            |label: &char| labels.find(*label).map_or(0, |at| labels[at + 1..].chars().map(size).product::<usize>() as isize);
        let strides: Vec<isize> = all[..rank].iter().map(stride).collect();
        let layout = Strided::within(&extents[..rank], &strides, offset, len).unwrap();
        let data: Vec<T> = (0..len).map(|_| number(rng)).collect();
        Placed { data, layout, conjugate: false }
    };
    let factors = [left, right].map(|labels| placed(rng, labels, all.len(), 1));
    let output = placed(rng, out, out.len(), 3);
    let nest = LoopNest::new(extents.clone(), out.len());
    let layouts = factors.each_ref().map(|factor| (&factor.layout, false));
    let alpha = Complex::new(-2.0, 0.0);
    let contraction =
        Contraction { nest: &nest, alpha, dtype: T::DTYPE, factors: &layouts, output: &output.layout, then: None, others: &[] };
    let prepared = prepare::<T>(threads, Route::Chosen, &contraction).unwrap();
    assert_eq!(prepared.method(), Some(method), "{equation} of {extents:?}");
    on_both(&Cpu::new(Some(threads)), &nest, alpha, &factors, &output);
}
