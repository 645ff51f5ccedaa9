//! The parts of every tensor and view: elements, the layout that addresses them, and their placement.
//!
//! Each public type wraps one [`Located`]; they differ in the type that holds the elements. The macros here give them their
//! common methods, so that each is written once.

use super::placement::{ComputeDevice, Placement};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_notation::sentence::counted;

/// Elements held by a `D`, addressed by a layout.
///
/// The layout's span lies inside the elements: constructors check it, and selections keep it.
#[derive(Clone, Debug)]
pub(super) struct Located<D> {
    pub(super) data: D,
    pub(super) layout: Strided,
    pub(super) placement: Placement,
    pub(super) preferred: Option<ComputeDevice>,
}

impl<D> Located<D> {
    /// Elements in ordinary memory, without a wish for a device.
    pub(super) fn on_host(data: D, layout: Strided) -> Located<D> {
        Located { data, layout, placement: Placement::HOST, preferred: None }
    }

    /// Other elements at the same place, found through the same layout.
    pub(super) fn with_data<E>(&self, data: E) -> Located<E> {
        self.with_both(data, self.layout.clone())
    }

    /// Other elements at the same place, found through another layout, whose span must lie inside them.
    pub(super) fn with_both<E>(&self, data: E, layout: Strided) -> Located<E> {
        Located { data, layout, placement: self.placement.clone(), preferred: self.preferred }
    }

    /// Changes what holds the elements.
    pub(super) fn map<E>(self, hold: impl FnOnce(D) -> E) -> Located<E> {
        Located { data: hold(self.data), layout: self.layout, placement: self.placement, preferred: self.preferred }
    }

    /// The same elements found through another layout, whose span must lie inside them too.
    pub(super) fn with_layout(self, layout: Strided) -> Located<D> {
        Located { layout, ..self }
    }

    /// The element at a multi-index.
    pub(super) fn get<T>(&self, index: &[usize]) -> Option<&T>
    where
        D: AsRef<[T]>,
    {
        self.layout.position(index).map(|p| &self.data.as_ref()[p])
    }

    /// The element at a multi-index, writable.
    pub(super) fn get_mut<T>(&mut self, index: &[usize]) -> Option<&mut T>
    where
        D: AsMut<[T]>,
    {
        self.layout.position(index).map(|p| &mut self.data.as_mut()[p])
    }
}

/// Panics as slices do, with a message that names index and extents.
#[track_caller]
#[cold]
pub(super) fn no_such_element(index: &[usize], layout: &Strided) -> ! {
    let (rank, extents) = (layout.rank(), layout.extents());
    if index.len() == rank {
        panic!("index {index:?} is out of range for a tensor of extents {extents:?}")
    } else {
        let entries = counted(index.len(), "entry");
        panic!("index {index:?} has {entries}, but the tensor has rank {rank} with extents {extents:?}")
    }
}

/// Questions that every tensor and view answers from its `located` field, and the wish for a device.
macro_rules! metadata {
    () => {
        /// Number of indices along each axis.
        pub fn extents(&self) -> &[usize] {
            self.located.layout.extents()
        }

        /// Distance between neighbours along each axis, in elements: negative if the axis is reversed, 0 if every index leads
        /// to the same element. The stride of an axis with fewer than two indices has no meaning.
        pub fn strides(&self) -> &[isize] {
            self.located.layout.strides()
        }

        /// Number of axes.
        pub fn rank(&self) -> usize {
            self.located.layout.rank()
        }

        /// Number of elements: the product of the extents, 1 for rank 0.
        pub fn len(&self) -> usize {
            self.located.layout.len()
        }

        /// Whether there is no element, because some extent is 0.
        pub fn is_empty(&self) -> bool {
            self.located.layout.is_empty()
        }

        /// Rank and extents as a value.
        pub fn shape(&self) -> tensorwrapper_core::shape::Shape {
            tensorwrapper_core::shape::Shape::new(self.extents())
        }

        /// The device on which operations on this tensor should run, if its owner has chosen one. It does not say where the
        /// elements are.
        pub fn preferred_compute_device(&self) -> Option<$crate::tensor::ComputeDevice> {
            self.located.preferred
        }

        /// The same tensor with this preferred device for its operations, or with none. No element moves.
        #[must_use]
        pub fn with_preferred_compute_device(mut self, device: impl Into<Option<$crate::tensor::ComputeDevice>>) -> Self {
            self.located.preferred = device.into();
            self
        }
    };
}

/// Where elements lie that cannot be on a device without it being known here.
macro_rules! placement {
    () => {
        /// Where the elements lie.
        pub fn placement(&self) -> &$crate::tensor::Placement {
            &self.located.placement
        }
    };
}

/// Access by multi-index, for types whose `located` field holds a slice of elements.
macro_rules! indexing {
    ([$($generics:tt)*] $Type:ty) => {
        /// `t[[i, j]]`, as slices are indexed.
        ///
        /// # Panics
        /// When the index is out of range or of another rank.
        impl<$($generics)*, const R: usize> std::ops::Index<[usize; R]> for $Type {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: [usize; R]) -> &T {
                match self.located.get(&index) {
                    Some(element) => element,
                    None => $crate::tensor::located::no_such_element(&index, &self.located.layout),
                }
            }
        }

        /// As by an array: `t[&index]`, by what [`Shape::indices`](tensorwrapper_core::Shape::indices) yields, or any slice.
        ///
        /// ```
        /// # use tensorwrapper_runtime as tensorwrapper;
        /// use tensorwrapper::Tensor;
        /// let a = Tensor::from_array([[1.0, 2.0], [5.0, 8.0]])?;
        /// let trace: f64 = a.shape().indices().filter(|index| index[0] == index[1]).map(|index| a[&index]).sum();
        /// assert_eq!(trace, 9.0);
        /// # Ok::<(), tensorwrapper_runtime::Error>(())
        /// ```
        ///
        /// # Panics
        /// When the index is out of range or of another rank.
        impl<$($generics)*, I: AsRef<[usize]> + ?Sized> std::ops::Index<&I> for $Type {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: &I) -> &T {
                match self.located.get(index.as_ref()) {
                    Some(element) => element,
                    None => $crate::tensor::located::no_such_element(index.as_ref(), &self.located.layout),
                }
            }
        }
    };
    (mut [$($generics:tt)*] $Type:ty) => {
        indexing!([$($generics)*] $Type);

        /// `t[[i, j]] = x`, as slices are indexed.
        ///
        /// # Panics
        /// When the index is out of range or of another rank.
        impl<$($generics)*, const R: usize> std::ops::IndexMut<[usize; R]> for $Type {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: [usize; R]) -> &mut T {
                let Some(position) = self.located.layout.position(&index) else {
                    $crate::tensor::located::no_such_element(&index, &self.located.layout)
                };
                &mut self.located.data[position]
            }
        }

        /// As by an array.
        ///
        /// # Panics
        /// When the index is out of range or of another rank.
        impl<$($generics)*, I: AsRef<[usize]> + ?Sized> std::ops::IndexMut<&I> for $Type {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: &I) -> &mut T {
                let index = index.as_ref();
                let Some(position) = self.located.layout.position(index) else {
                    $crate::tensor::located::no_such_element(index, &self.located.layout)
                };
                &mut self.located.data[position]
            }
        }
    };
}

pub(super) use {indexing, metadata, placement};
