//! Sums of products of integers: two factors at a time, as batches of products of matrices.

use crate::tensor::in_c_order;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::Label;
use tensorwrapper_core::layout::{Strided, element_count};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_cpu::{Loops, vectorised};

/// Integers in C order whose axes have these labels, each once.
#[derive(Debug)]
pub(super) struct Labelled {
    pub(super) labels: Vec<Label>,
    pub(super) numbers: Owned<i64>,
}

impl Labelled {
    /// The elements with axes of these labels; labels that it lacks repeat them.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn arranged(self, labels: &[Label], extents: &[usize]) -> Result<Owned<i64>, Error> {
        if self.labels == labels {
            return Ok(self.numbers);
        }
        let extents_of = |labels: &[Label]| labels.iter().map(|&label| extents[label]).collect::<Vec<usize>>();
        let place = |label: &Label| labels.iter().position(|known| known == label);
        let places: Vec<usize> =
            self.labels.iter().map(|label| place(label).unwrap_or_else(|| unreachable!("no axis is left out"))).collect();
        let layout = Strided::row_major(&extents_of(&self.labels))?.gather(&places, &extents_of(labels));
        in_c_order(&self.numbers, &layout)
    }

    /// The sums over the labels that are not kept.
    ///
    /// # Errors
    /// Memory.
    fn summed(self, is_kept: impl Fn(&Label) -> bool, extents: &[usize]) -> Result<Labelled, Error> {
        let (kept, summed): (Vec<Label>, Vec<Label>) = self.labels.iter().partition(|label| is_kept(label));
        if summed.is_empty() {
            return Ok(self);
        }
        let terms = size(&summed, extents)?;
        let numbers = self.arranged(&[kept.clone(), summed].concat(), extents)?;
        let mut sums = Owned::with_room(size(&kept, extents)?)?;
        match terms {
            0 => sums.extend(std::iter::repeat_n(0, size(&kept, extents)?)),
            _ => {
                sums.extend(numbers.chunks_exact(terms).map(|terms| terms.iter().fold(0i64, |sum, &term| sum.wrapping_add(term))))
            }
        }
        Ok(Labelled { labels: kept, numbers: sums })
    }
}

/// The number of indices of some labels together.
fn size(labels: &[Label], extents: &[usize]) -> Result<usize, Error> {
    element_count(&labels.iter().map(|&label| extents[label]).collect::<Vec<usize>>())
}

/// `alpha · Σ Π factors` with axes of these labels.
///
/// # Errors
/// Memory.
pub(super) fn contract(alpha: i64, factors: Vec<Labelled>, output: &[Label], extents: &[usize]) -> Result<Owned<i64>, Error> {
    let in_none = |label: &usize| !output.contains(label) && !factors.iter().any(|factor| factor.labels.contains(label));
    let repeated = (0..extents.len()).filter(in_none).fold(alpha, |times, label| times.wrapping_mul(extents[label] as i64));
    let mut factors = factors.into_iter();
    let mut product = match factors.next() {
        Some(first) => first,
        None => Labelled { labels: Vec::new(), numbers: Owned::filled(1, 1)? },
    };
    while let Some(right) = factors.next() {
        let later = factors.as_slice();
        let is_kept = |label: &Label| output.contains(label) || later.iter().any(|later| later.labels.contains(label));
        let (of_left, of_right) = (product.labels.clone(), right.labels.clone());
        let left = product.summed(|label| is_kept(label) || of_right.contains(label), extents)?;
        let right = right.summed(|label| is_kept(label) || of_left.contains(label), extents)?;
        product = pair(left, right, is_kept, extents)?;
    }
    let product = product.summed(|label| output.contains(label), extents)?;
    let mut result = product.arranged(output, extents)?;
    if repeated != 1 {
        result.iter_mut().for_each(|number| *number = number.wrapping_mul(repeated));
    }
    Ok(result)
}

/// The product of two factors, summed over the labels of both that are not kept.
fn pair(left: Labelled, right: Labelled, is_kept: impl Fn(&Label) -> bool, extents: &[usize]) -> Result<Labelled, Error> {
    // The factor with more labels of its own has the columns, which the innermost loop runs over.
    let own =
        |one: &Labelled, other: &Labelled| one.labels.iter().copied().filter(|l| !other.labels.contains(l)).collect::<Vec<_>>();
    let (rows, columns) = (own(&left, &right), own(&right, &left));
    if size(&rows, extents)? > size(&columns, extents)? {
        return pair(right, left, is_kept, extents);
    }
    let both = left.labels.iter().copied().filter(|label| right.labels.contains(label));
    let (batch, summed): (Vec<Label>, Vec<Label>) = both.partition(&is_kept);
    let sizes = [&batch, &rows, &columns, &summed].map(|labels| size(labels, extents));
    let [batches, height, width, terms] = sizes;
    let (height, width, terms) = (height?, width?, terms?);
    let a = left.arranged(&[&batch[..], &rows, &summed].concat(), extents)?;
    let b = right.arranged(&[&batch[..], &summed, &columns].concat(), extents)?;
    let labels = [batch, rows, columns].concat();
    let mut numbers = Owned::filled(size(&labels, extents)?, 0i64)?;
    for n in 0..batches? {
        let c = &mut numbers[n * height * width..][..height * width];
        vectorised(Multiply {
            a: &a[n * height * terms..][..height * terms],
            b: &b[n * terms * width..][..terms * width],
            c,
            terms,
            width,
        });
    }
    Ok(Labelled { labels, numbers })
}

/// A product of two matrices in C order, added to a third one.
struct Multiply<'m> {
    a: &'m [i64],
    b: &'m [i64],
    c: &'m mut [i64],
    terms: usize,
    width: usize,
}

/// Terms of a block, whose rows of the second matrix stay in a cache for all rows of the first one.
const BLOCK: usize = 64;

impl Loops for Multiply<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        if self.width == 0 || self.terms == 0 {
            return;
        }
        let rows = self.b.chunks(BLOCK * self.width).enumerate();
        for (block, rows) in rows {
            for (c, a) in self.c.chunks_exact_mut(self.width).zip(self.a.chunks_exact(self.terms)) {
                for (&a, b) in a[block * BLOCK..].iter().zip(rows.chunks_exact(self.width)) {
                    for (c, &b) in c.iter_mut().zip(b) {
                        *c = c.wrapping_add(a.wrapping_mul(b));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(labels: &[Label], numbers: &[i64]) -> Labelled {
        let mut own = Owned::with_room(numbers.len()).unwrap();
        own.extend(numbers.iter().copied());
        Labelled { labels: labels.to_vec(), numbers: own }
    }

    #[test]
    fn products_of_few_factors_are_their_sums() {
        let extents = [2, 3, 4];
        let a = || labelled(&[0, 1], &[1, 2, 3, 4, 5, 6]);
        let of = |alpha, factors, output: &[Label]| contract(alpha, factors, output, &extents).unwrap().to_vec();
        // A label that is nowhere repeats the sum: by four here.
        assert_eq!(of(1, vec![a()], &[1, 0]), [1, 4, 2, 5, 3, 6].map(|x| 4 * x));
        assert_eq!(of(-2, vec![a()], &[0]), [-48, -120]);
        // A label of the output that no factor has repeats the elements.
        assert_eq!(of(1, vec![a()], &[0, 2]), [6, 6, 6, 6, 15, 15, 15, 15]);
        assert_eq!(of(3, Vec::new(), &[2]), [18; 4]);
        let b = labelled(&[1, 2], &[1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, i64::MAX]);
        assert_eq!(
            of(1, vec![a(), b], &[0, 2]),
            [1, 2, 3, 3i64.wrapping_mul(i64::MAX).wrapping_add(2), 4, 5, 6, 6i64.wrapping_mul(i64::MAX).wrapping_add(8)]
        );
        let none = contract(1, vec![labelled(&[0, 1], &[])], &[1], &[0, 3]).unwrap();
        assert_eq!(none.to_vec(), [0; 3]);
    }
}
