//! A factor copied into memory of its own before it is multiplied: prepared once, made in each run.

use std::sync::Arc;

use super::permute::{Pair, Permutation};
use super::product::Triple;
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{Axis, Strides};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// The copy of a factor.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    permutation: Arc<Permutation>,
    /// Where the factor starts.
    from: isize,
    len: usize,
}

/// The copy of an operand over those of these axes that it has, the last fastest, and its number of elements; the axes get the
/// strides of the copy.
pub(super) fn side_by_side<'x, S: Strides + 'x>(
    axes: impl DoubleEndedIterator<Item = &'x mut Axis<S>>,
    operand: usize,
) -> (Vec<Pair>, usize) {
    let mut pairs = Vec::new();
    let mut stride = 1;
    for axis in axes.rev() {
        let own = &mut axis.strides.as_mut()[operand];
        if *own != 0 {
            pairs.push(Axis { extent: axis.extent, strides: [std::mem::replace(own, stride), stride] });
            stride *= axis.extent as isize;
        }
    }
    (pairs, stride as usize)
}

impl Packed {
    /// Prepares the copy of a factor over those of these axes that it has, the last fastest; they get the strides of the
    /// copy, and it starts at its first element.
    pub(super) fn new<'x, T>(axes: impl DoubleEndedIterator<Item = &'x mut Triple>, side: usize, start: &mut isize) -> Packed {
        let (pairs, len) = side_by_side(axes, side);
        let from = std::mem::replace(start, 0);
        Packed { permutation: Arc::new(Permutation::new(pairs, size_of::<T>())), from, len }
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
