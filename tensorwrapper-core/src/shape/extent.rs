//! The extent of one axis: [`Const`] is known to the compiler, [`Dyn`] at run time only.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// An extent known at compile time.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Const, Dyn, Extent, IntoShape};
/// assert_eq!((Const::<3>::KNOWN, Dyn::KNOWN), (Some(3), None));
/// // The shape of a new tensor: 3 is part of its type, 4 is not.
/// let extents = IntoShape::<(Const<3>, Dyn)>::into_extents((Const::<3>, 4))?;
/// assert_eq!(extents, [3, 4]);
/// # Ok::<(), tensorwrapper_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Const<const N: usize>;

/// An extent known at run time only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dyn(pub usize);

/// The extent of an axis that does not exist. It agrees with every other extent, so that a wrong rank is reported only once.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bad {}

/// The type of an axis' extent. Sealed: [`Const`] and [`Dyn`].
pub trait Extent: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// The more precise of two extents that are equal: `Const` if either is.
    type Meet<R: Extent>: Extent;
    /// The extent, if it is known at compile time.
    const KNOWN: Option<usize>;
}

impl<const N: usize> sealed::Sealed for Const<N> {}
impl<const N: usize> Extent for Const<N> {
    type Meet<R: Extent> = Const<N>;
    const KNOWN: Option<usize> = Some(N);
}

impl sealed::Sealed for Dyn {}
impl Extent for Dyn {
    type Meet<R: Extent> = R;
    const KNOWN: Option<usize> = None;
}

impl sealed::Sealed for Bad {}
impl Extent for Bad {
    type Meet<R: Extent> = R;
    const KNOWN: Option<usize> = None;
}

/// An extent `D` for which `D::Meet<D>` is `D`. This holds for every extent, but the compiler does not know it for an abstract
/// `D: Extent`. Generic functions over shapes take this bound instead.
pub trait Len: Extent<Meet<Self> = Self> {}
impl<E: Extent<Meet<E> = E>> Len for E {}
