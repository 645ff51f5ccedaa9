//! Iteration spaces and the strided memory that they run over.

use crate::element::{Dtype, Element};
use crate::layout::Strided;
use crate::shape::PerAxis;
use crate::storage::{SliceMut, SliceRef};

/// An iteration space: the output's axes first, then the axes that are reduced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopNest {
    extents: PerAxis<usize>,
    kept: usize,
}

impl LoopNest {
    /// A space of these extents, of which the first `kept` axes are the output's.
    ///
    /// # Panics
    /// When there are fewer than `kept` axes.
    #[inline]
    pub fn new(extents: impl Into<PerAxis<usize>>, kept: usize) -> LoopNest {
        let extents = extents.into();
        assert!(kept <= extents.len(), "more output axes than axes");
        LoopNest { extents, kept }
    }

    /// Extents of all axes.
    #[inline]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Number of leading axes that the output has.
    #[inline]
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Extents of the reduced axes.
    #[inline]
    pub fn reduced_extents(&self) -> &[usize] {
        &self.extents[self.kept..]
    }
}

/// Memory to read, with one stride for each axis of the iteration space: 0 where it does not depend on that axis.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    data: SliceRef<'a>,
    layout: &'a Strided,
    /// Whether each element is conjugated as it is read.
    pub conjugate: bool,
}

/// Memory to write, with one stride for each output axis of the iteration space.
#[derive(Debug)]
pub struct Output<'a> {
    data: SliceMut<'a>,
    layout: &'a Strided,
}

impl<'a> Operand<'a> {
    /// Pairs memory with a layout whose extents are those of the whole iteration space.
    ///
    /// # Panics
    /// When an element would lie outside the memory. Kernels rely on this check and do not repeat it.
    #[inline]
    pub fn new(data: SliceRef<'a>, layout: &'a Strided) -> Operand<'a> {
        assert_inside(layout, data.len());
        Operand { data, layout, conjugate: false }
    }

    /// As [`new`](Operand::new), if the plan knows that the layout starts inside the memory and needs `reach` elements of it.
    ///
    /// # Panics
    /// When the memory has fewer elements than that.
    #[inline]
    pub fn reaching(data: SliceRef<'a>, layout: &'a Strided, reach: usize, conjugate: bool) -> Operand<'a> {
        assert_reach(layout, data.len(), reach);
        Operand { data, layout, conjugate }
    }

    /// The same memory with another layout.
    ///
    /// # Panics
    /// As [`new`](Operand::new).
    #[inline]
    pub fn within<'l>(&self, layout: &'l Strided) -> Operand<'l>
    where
        'a: 'l,
    {
        Operand { conjugate: self.conjugate, ..Operand::new(self.data, layout) }
    }

    /// The memory; its first element is *not* the operand's first.
    #[inline]
    pub fn data(&self) -> SliceRef<'a> {
        self.data
    }

    /// The memory as elements of type `T`, which is the element type of the operation.
    ///
    /// # Panics
    /// When the elements have another type.
    #[inline]
    pub fn typed<T: Element>(&self) -> &'a [T] {
        T::typed(self.data).expect("all operands of an operation are of one element type")
    }

    /// The element at a position, converted if it has another type; a real type keeps the real part.
    #[inline]
    pub fn converted<T: Element>(&self, position: usize) -> T {
        match self.data {
            SliceRef::F32(data) => T::from_complex(data[position].to_complex()),
            SliceRef::F64(data) => T::from_complex(data[position].to_complex()),
            SliceRef::C32(data) => T::from_complex(data[position].to_complex()),
            SliceRef::C64(data) => T::from_complex(data[position].to_complex()),
        }
    }

    /// The extents of the iteration space, and the strides and offset of this operand.
    #[inline]
    pub fn layout(&self) -> &Strided {
        self.layout
    }
}

impl<'a> Output<'a> {
    /// Pairs memory with a layout whose extents are those of the output.
    ///
    /// # Panics
    /// When an element would lie outside the memory. Kernels rely on this check and do not repeat it.
    #[inline]
    pub fn new(data: SliceMut<'a>, layout: &'a Strided) -> Output<'a> {
        assert_inside(layout, data.len());
        Output { data, layout }
    }

    /// As [`new`](Output::new), if the plan knows that the layout starts inside the memory and needs `reach` elements of it.
    ///
    /// # Panics
    /// When the memory has fewer elements than that.
    #[inline]
    pub fn reaching(data: SliceMut<'a>, layout: &'a Strided, reach: usize) -> Output<'a> {
        assert_reach(layout, data.len(), reach);
        Output { data, layout }
    }

    /// The layout of the output.
    #[inline]
    pub fn layout(&self) -> &Strided {
        self.layout
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> Dtype {
        self.data.dtype()
    }

    /// The memory; its first element is *not* the output's first.
    #[inline]
    pub fn into_data(self) -> SliceMut<'a> {
        self.data
    }

    /// The memory as elements of type `T`, which is the element type of the operation. Its first element is *not* the output's first.
    ///
    /// # Panics
    /// When the elements have another type.
    #[inline]
    pub fn elements<T: Element>(&mut self) -> &mut [T] {
        T::typed_mut(self.data.reborrow()).expect("the output is of the operation's element type")
    }

    /// The memory as elements of type `T`, which is the element type of the operation, and the layout of the output in it.
    ///
    /// # Panics
    /// When the elements have another type.
    #[inline]
    pub fn typed<T: Element>(self) -> (&'a mut [T], &'a Strided) {
        (T::typed_mut(self.data).expect("the output is of the operation's element type"), self.layout)
    }
}

#[inline]
fn assert_reach(layout: &Strided, len: usize, reach: usize) {
    debug_assert_eq!(layout.reach(), Some(reach), "what {layout:?} needs has changed since it was planned");
    assert!(reach <= len, "{layout:?} reaches outside of {len} elements");
}

#[inline]
fn assert_inside(layout: &Strided, len: usize) {
    if let Some(span) = layout.span() {
        assert!(span.start >= 0 && span.end <= len as i128, "{layout:?} reaches outside of {len} elements");
    }
}
