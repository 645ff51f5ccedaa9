//! Joins products that one sum reads several times alike: `X[i,j] - X[j,i] + Y[i,j] - Y[j,i]` reads `W = X + Y` twice, so that the
//! terms of X and Y can share factors. Derivatives by tensors whose equations have `2 * t[i,j] - t[j,i]` have this form.

use num_complex::Complex;

use super::gather::{Gathered, MOST_TERMS, Product, readers, substituted};
use super::work::rounded;
use tensorwrapper_core::graph::{EdgeAxis, Label, OpGraph, TensorId};

/// A sum that another one reads instead of several tensors.
pub(super) struct Repeated {
    /// What is read, which has the extents of the sum that reads it.
    pub(super) inner: Gathered,
    /// By which number each read is multiplied, and the label of each axis.
    pub(super) reads: Vec<(Complex<f64>, Vec<Label>)>,
}

/// A tensor in a sum: one of its reads, and the others relative to it.
struct Candidate {
    tensor: TensorId,
    first: Product,
    reads: Vec<(Complex<f64>, Vec<Label>)>,
}

/// For each tensor the sums that it is to read instead of tensors, which are taken out of its terms.
pub(super) fn repeated(
    graph: &OpGraph,
    gathered: &mut [Option<Gathered>],
    part_of: &mut [Option<TensorId>],
) -> Vec<Vec<Repeated>> {
    let readers = readers(graph);
    let mut found: Vec<Vec<Repeated>> = Vec::new();
    found.resize_with(gathered.len(), Vec::new);
    for whole in 0..gathered.len() {
        let Some(sum) = gathered[whole].as_ref().filter(|_| part_of[whole].is_none()) else { continue };
        let candidates = candidates(sum, |tensor, times| {
            let is_product = gathered[tensor.0].as_ref().is_some_and(|part| part.contracts);
            is_product && part_of[tensor.0].is_none() && times > 1 && times == readers[tensor.0]
        });
        for group in groups(candidates) {
            let tensors: Vec<TensorId> = group.iter().map(|one| one.tensor).collect();
            let mut inner = Gathered::of_products();
            let reads = group[0].reads.clone();
            for Candidate { tensor, first, .. } in group {
                let part = gathered[tensor.0].take();
                substituted(first, vec![part], &mut inner);
                part_of[tensor.0] = Some(TensorId(whole));
            }
            let sum = gathered[whole].as_mut().expect("it is a sum");
            let rest = std::mem::replace(sum, Gathered::of_products());
            let is_gone = |term: &Product| matches!(&term.factors[..], [(leaf, ..)] if tensors.contains(&leaf.tensor));
            rest.terms.into_iter().filter(|term| !is_gone(term)).for_each(|term| sum.push(term));
            found[whole].push(Repeated { inner, reads });
        }
    }
    found
}

/// The tensors that a sum reads as wholes, each with all its axes in some order, and nothing else reads.
fn candidates(sum: &Gathered, is_free: impl Fn(TensorId, usize) -> bool) -> Vec<Candidate> {
    let mut read: Vec<(TensorId, Vec<&Product>)> = Vec::new();
    for term in &sum.terms {
        if let [(leaf, false, labels)] = &term.factors[..]
            && leaf.axes.iter().all(|axis| matches!(axis, EdgeAxis::Label { start: 0, .. }))
            && is_order(labels, term.extents.len())
            && term.scale != Complex::ZERO
        {
            match read.iter_mut().find(|(tensor, _)| *tensor == leaf.tensor) {
                Some((_, terms)) => terms.push(term),
                None => read.push((leaf.tensor, vec![term])),
            }
        }
    }
    // A read that stands in two terms is one, and would hide another reader.
    read.retain(|(_, terms)| (1..terms.len()).all(|n| terms[..n].iter().all(|one| one.factors[0].2 != terms[n].factors[0].2)));
    let free = read.into_iter().filter(|(tensor, terms)| is_free(*tensor, terms.len()));
    free.map(|(tensor, terms)| candidate(tensor, &terms)).collect()
}

/// Whether labels are all those from 0 on, in any order.
fn is_order(labels: &[Label], len: usize) -> bool {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..len)
}

/// Of all reads of a tensor the first one is that beside which the others are least, so that tensors that are read alike have the
/// same reads.
fn candidate(tensor: TensorId, terms: &[&Product]) -> Candidate {
    let relative = |first: &Product| -> Vec<(Complex<f64>, Vec<Label>)> {
        let order = &first.factors[0].2;
        let read = |term: &&Product| {
            let mut labels = vec![0; order.len()];
            order.iter().zip(&term.factors[0].2).for_each(|(&axis, &label)| labels[axis] = label);
            (term.scale / first.scale, labels)
        };
        let mut reads: Vec<_> = terms.iter().map(read).collect();
        reads.sort_by_key(compared);
        reads
    };
    let all = terms.iter().map(|first| (relative(first), *first));
    let key = |reads: &[(Complex<f64>, Vec<Label>)]| reads.iter().map(compared).collect::<Vec<_>>();
    let (reads, first) = all.min_by_key(|(reads, _)| key(reads)).expect("it is read");
    Candidate { tensor, first: first.clone(), reads }
}

/// A read as what can be compared: its labels, and its number but for the last bits.
fn compared((scale, labels): &(Complex<f64>, Vec<Label>)) -> (Vec<Label>, [u64; 2]) {
    (labels.clone(), rounded(*scale))
}

/// Candidates with the same reads, where there are several.
fn groups(candidates: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    for one in candidates {
        let is_alike = |group: &&mut Vec<Candidate>| group[0].reads.iter().map(compared).eq(one.reads.iter().map(compared));
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.retain(|group| group.len() > 1 && group.len() <= MOST_TERMS);
    groups
}
