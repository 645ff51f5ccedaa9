//! A factor copied into memory of its own before it is multiplied: prepared once, made in each run.

use std::sync::Arc;

use super::contract::Triple;
use super::fuse::Axis;
use super::permute::{Pair, Permutation};
use super::sink::Sink;
use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;

/// The copy of a factor.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    permutation: Arc<Permutation>,
    /// Where the factor starts.
    from: isize,
    len: usize,
}

impl Packed {
    /// Prepares the copy of a factor over those of these axes that it has, the last fastest; they get the strides of the
    /// copy, and it starts at its first element.
    pub(super) fn new<'x>(axes: impl DoubleEndedIterator<Item = &'x mut Triple>, side: usize, start: &mut isize) -> Packed {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in axes.rev().filter(|axis| axis.strides[side] != 0) {
            pairs.push(Axis { extent: axis.extent, strides: [axis.strides[side], stride] });
            axis.strides[side] = stride;
            stride *= axis.extent as isize;
        }
        let from = std::mem::replace(start, 0);
        Packed { permutation: Arc::new(Permutation::new(pairs)), from, len: stride as usize }
    }

    /// Number of its elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes it.
    pub(super) fn make<T: Element>(&self, threads: usize, data: &[T]) -> Result<Vec<T>, Error> {
        let mut packed = zeros::<T>(self.len)?;
        self.permutation.run(threads, [self.from, 0], data, Sink::new(&mut packed), false);
        Ok(packed)
    }
}
