//! Sets of labels as rows of bits, and the product of the extents in a set. It must not know what has the labels.
//!
//! All rows are in one allocation: rotating a tree takes three unions, so an allocation for each set would be most of the work.

use tensorwrapper_core::graph::Label;

/// Sets of labels, one row for each, in one allocation. Unions are computed a word at a time.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    /// Empty sets.
    pub(super) fn new(rows: usize, labels: usize) -> Rows {
        let words = labels.div_ceil(64).max(1);
        Rows { words, bits: vec![0; words * rows] }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    pub(super) fn put(&mut self, row: usize, label: Label) {
        self.bits[row * self.words + label / 64] |= 1 << (label % 64);
    }

    pub(super) fn set(&mut self, row: usize, words: &[u64]) {
        self.bits[row * self.words..][..self.words].copy_from_slice(words);
    }
}

/// The labels of a set, ascending.
pub(super) fn labels(row: impl Iterator<Item = u64>) -> impl Iterator<Item = Label> {
    row.enumerate().flat_map(|(n, mut word)| {
        std::iter::from_fn(move || {
            let label = (word != 0).then(|| 64 * n + word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(label)
        })
    })
}

/// The logarithm that stands for an extent of 0. It is below any other sum of logarithms here, and finite, so that it can be added and
/// subtracted again.
pub(super) const NOTHING: f64 = -1_048_576.0;

/// The logarithm of an extent, to base 2 as all logarithms here.
pub(super) fn log2(extent: usize) -> f64 {
    if extent == 0 { NOTHING } else { (extent as f64).log2() }
}

/// Logarithms of the extents.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    logs: Vec<f64>,
    /// The logarithm that all labels share, if there is one: then bits need only be counted.
    uniform: Option<f64>,
}

impl Weights {
    pub(super) fn new(extents: &[usize]) -> Weights {
        let logs: Vec<f64> = extents.iter().map(|&extent| log2(extent)).collect();
        let mut weights = Weights { logs, uniform: None };
        weights.look();
        weights
    }

    fn look(&mut self) {
        let first = self.logs.first().copied().unwrap_or(0.0);
        self.uniform = self.logs.iter().all(|&log| log == first).then_some(first);
    }

    pub(super) fn of(&self, label: Label) -> f64 {
        self.logs[label]
    }

    /// Gives a label another extent.
    pub(super) fn set(&mut self, label: Label, extent: usize) {
        self.logs[label] = log2(extent);
        self.look();
    }

    /// The logarithm of the number of elements that a tensor of these labels has.
    pub(super) fn size(&self, row: impl Iterator<Item = u64>) -> f64 {
        match self.uniform {
            Some(log) => log * f64::from(row.map(u64::count_ones).sum::<u32>()),
            None => labels(row).map(|label| self.logs[label]).sum(),
        }
    }
}
