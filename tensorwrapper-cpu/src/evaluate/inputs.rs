//! What programs read: the elements of inputs, brought into registers where they cannot be read where they lie.

use crate::access::{AccessPattern, PerOperand};
use crate::loops::runs;
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::SliceRef;

/// An input: its memory, and whether its elements are conjugated as they are read.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a, T> {
    pub(crate) data: Data<'a, T>,
    pub(crate) conjugate: bool,
}

/// The elements of an input.
#[derive(Clone, Copy)]
pub(crate) enum Data<'a, T> {
    /// Of the program's type.
    Own(&'a [T]),
    /// Of another type: converted as they are read.
    Other(SliceRef<'a>),
}

/// A chunk of an input.
#[derive(Clone, Copy)]
pub(super) struct InputChunk<'c> {
    /// The input's number, how it is read, and the axes along which chunks are cut.
    pub(super) number: usize,
    pub(super) access: AccessPattern,
    pub(super) axes: &'c [Axis<PerOperand>],
    /// Where point 0 of the axes lies, and the first point of the chunk.
    pub(super) start: isize,
    pub(super) first: usize,
}

impl<T: Scalar> Input<'_, T> {
    /// Gathers a chunk.
    #[inline(always)]
    pub(super) fn load(&self, simd: Simd, chunk: InputChunk<'_>, out: &mut [T]) {
        match &self.data {
            Data::Own(data) => match chunk.access {
                AccessPattern::Block(block) if block.transpose(simd, data, chunk.start, out) => {}
                _ => gather(chunk, data, out, |x| x),
            },
            Data::Other(SliceRef::F32(data)) => gather(chunk, data, out, convert),
            Data::Other(SliceRef::F64(data)) => gather(chunk, data, out, convert),
            Data::Other(SliceRef::C32(data)) => gather(chunk, data, out, convert),
            Data::Other(SliceRef::C64(data)) => gather(chunk, data, out, convert),
        }
        if self.conjugate {
            out.iter_mut().for_each(|x| *x = x.conj());
        }
    }
}

/// Copies a chunk.
#[inline(always)]
fn gather<U: Copy, T: Scalar>(chunk: InputChunk<'_>, data: &[U], out: &mut [T], convert: impl Fn(U) -> T) {
    let InputChunk { number, access, axes, start, first } = chunk;
    match access {
        AccessPattern::Contiguous => {
            let from = &data[(start + first as isize) as usize..][..out.len()];
            out.iter_mut().zip(from).for_each(|(x, &y)| *x = convert(y));
        }
        AccessPattern::Constant => out.fill(convert(data[start as usize])),
        AccessPattern::Block(block) => block.gather(data, start, out, convert),
        AccessPattern::Strided => runs(axes, number, start, first, out.len(), |position, stride, range| {
            if stride == 0 {
                return out[range].fill(convert(data[position as usize]));
            }
            let mut from = position;
            for x in &mut out[range] {
                *x = convert(data[from as usize]);
                from += stride;
            }
        }),
    }
}

/// A number as one of another type; a real type keeps the real part.
pub(crate) fn convert<U: Element, T: Element>(x: U) -> T {
    T::from_complex(x.to_complex())
}
