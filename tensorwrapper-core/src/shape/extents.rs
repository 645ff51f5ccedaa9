//! Shape types: tuples of extents, whose rank is known at compile time, and [`Shape`], whose rank is known at run time.

use super::extent::{Bad, Const, Dyn, Extent};
use super::outcome::Compared;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

mod sealed {
    pub trait Sealed {}
}

/// The shape of a tensor as a type: a tuple of [`Extent`]s, or [`Shape`]. Sealed.
pub trait Extents: sealed::Sealed + Clone + Send + Sync + 'static {
    /// The rank, if it is known at compile time.
    const RANK: Option<usize>;

    /// This shape with one more axis behind it.
    #[doc(hidden)]
    type With<E: Extent>: Extents;

    /// The axes of another shape, then those of this one: the shape of a Jacobian. Behind the sixteenth axis the rank is known at run time.
    #[doc(hidden)]
    type Behind<S: Extents>: Extents;

    /// The extent of an axis, if it is known at compile time.
    fn known(axis: usize) -> Option<usize>;

    /// Checks that a tensor of these extents may have this type.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the rank or a constant extent differs.
    fn check(extents: &[usize]) -> Result<(), Error> {
        let refuse = |message| Err(Error::new(ErrorKind::Shape(message)));
        if let Some(rank) = Self::RANK
            && rank != extents.len()
        {
            return refuse(format!("extents {extents:?} are of rank {}, but the type is of rank {rank}", extents.len()));
        }
        for (axis, &extent) in extents.iter().enumerate() {
            match Self::known(axis) {
                Some(known) if known != extent => {
                    return refuse(format!("axis {axis} has extent {extent}, but {known} by its type"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A shape type whose rank the compiler knows: tuples of up to 16 extents.
#[doc(hidden)]
pub trait StaticRank: Extents {
    /// The outcome of comparing the rank with a number of indices.
    type Ranks<const GIVEN: usize>;
    #[allow(missing_docs)]
    fn ranks<const GIVEN: usize>() -> Self::Ranks<GIVEN>;
}

/// The extent type of axis `I`.
#[doc(hidden)]
pub trait Axis<const I: usize> {
    type Extent: Extent;
}

/// The shape type that `GIVEN` indices select from: that of the operand, or [`Misfit`] if their number is wrong.
#[doc(hidden)]
pub trait Given<const GIVEN: usize> {
    #[allow(missing_docs)]
    type Shape;
}

/// The shape of an operand with a wrong number of indices. Its extents agree with every other extent, so that only the rank is reported.
#[doc(hidden)]
#[derive(Debug)]
pub struct Misfit;

impl<const I: usize> Axis<I> for Misfit {
    type Extent = Bad;
}
impl<const GIVEN: usize> Given<GIVEN> for Shape {
    type Shape = Shape;
}

impl sealed::Sealed for Shape {}
impl Extents for Shape {
    const RANK: Option<usize> = None;
    type With<E: Extent> = Shape;
    type Behind<S: Extents> = Shape;

    fn known(_: usize) -> Option<usize> {
        None
    }
}
impl<const I: usize> Axis<I> for Shape {
    type Extent = Dyn;
}

/// A shape type: `Shape![3, _]` is a matrix of three rows, with a number of columns that is known at run time.
///
/// Entries are constants (`3`, a `const` or const parameter `N`, `{ 2 * 3 }`) or `_`; up to 16 of them. rustc prints the tuple that it
/// stands for: `(Const<3>, Dyn)` in a message is `Shape![3, _]`.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Extents, Shape};
/// type ThreeRows = Shape![3, _];
/// assert_eq!((ThreeRows::RANK, ThreeRows::known(0), ThreeRows::known(1)), (Some(2), Some(3), None));
/// ThreeRows::check(&[3, 5])?;
///
/// let error = ThreeRows::check(&[4, 5]).unwrap_err();
/// assert_eq!(error.to_string(), "axis 0 has extent 4, but 3 by its type");
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! Shape {
    () => { () };
    (@each [$($done:tt)*]) => { ($($done)*) };
    (@each [$($done:tt)*] _ $(, $($rest:tt)*)?) => { $crate::Shape!(@each [$($done)* $crate::Dyn,] $($($rest)*)?) };
    (@each [$($done:tt)*] { $($extent:tt)* } $(, $($rest:tt)*)?) => {
        $crate::Shape!(@each [$($done)* $crate::Const<{ $($extent)* }>,] $($($rest)*)?)
    };
    (@each [$($done:tt)*] $extent:tt $(, $($rest:tt)*)?) => {
        $crate::Shape!(@each [$($done)* $crate::Const<{ $extent }>,] $($($rest)*)?)
    };
    (@each $($other:tt)*) => {
        ::core::compile_error!("an entry of `Shape![…]` is a number, the name of a constant, `{ an expression }` or `_`")
    };
    ($($entries:tt)+) => { $crate::Shape!(@each [] $($entries)+) };
}

macro_rules! tuples {
    ($($rank:literal: [$($E:ident.$axis:tt),*] misfits [$($misfit:literal),*] $($full:ident)?;)*) => { $(
        impl<$($E: Extent),*> sealed::Sealed for ($($E,)*) {}
        impl<$($E: Extent),*> Extents for ($($E,)*) {
            const RANK: Option<usize> = Some($rank);
            type With<Last: Extent> = tuples!(@with [$($full)?] ($($E,)* Last,));
            type Behind<First: Extents> = tuples!(@behind [First] $($E)*);

            fn known(axis: usize) -> Option<usize> {
                match axis {
                    $($axis => $E::KNOWN,)*
                    _ => None,
                }
            }
        }
        impl<$($E: Extent),*> StaticRank for ($($E,)*) {
            type Ranks<const GIVEN: usize> = Compared<$rank, GIVEN>;
            fn ranks<const GIVEN: usize>() -> Compared<$rank, GIVEN> {
                Compared
            }
        }
        impl<$($E: Extent),*> Given<$rank> for ($($E,)*) {
            type Shape = Self;
        }
        tuples!(@axes [$($E.$axis),*] ($($E),*));
        tuples!(@misfits [$($misfit),*] ($($E),*));
    )* };
    (@with [] $longer:ty) => { $longer };
    (@with [full] $longer:ty) => { Shape };
    (@behind [$all:ty]) => { $all };
    (@behind [$before:ty] $E:ident $($rest:ident)*) => { tuples!(@behind [<$before as Extents>::With<$E>] $($rest)*) };
    (@axes [] $all:tt) => {};
    (@axes [$E:ident.$axis:tt $(, $($rest:tt)*)?] ($($All:ident),*)) => {
        impl<$($All: Extent),*> Axis<$axis> for ($($All,)*) {
            type Extent = $E;
        }
        tuples!(@axes [$($($rest)*)?] ($($All),*));
    };
    (@misfits [] $all:tt) => {};
    (@misfits [$given:literal $(, $($rest:literal),*)?] ($($All:ident),*)) => {
        impl<$($All: Extent),*> Given<$given> for ($($All,)*) {
            type Shape = Misfit;
        }
        tuples!(@misfits [$($($rest),*)?] ($($All),*));
    };
}

tuples! {
    0: [] misfits [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    1: [A.0] misfits [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    2: [A.0, B.1] misfits [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    3: [A.0, B.1, C.2] misfits [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    4: [A.0, B.1, C.2, D.3] misfits [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    5: [A.0, B.1, C.2, D.3, E.4] misfits [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    6: [A.0, B.1, C.2, D.3, E.4, F.5] misfits [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    7: [A.0, B.1, C.2, D.3, E.4, F.5, G.6] misfits [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    8: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7] misfits [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16];
    9: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16];
    10: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16];
    11: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16];
    12: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16];
    13: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16];
    14: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16];
    15: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13, O.14] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16];
    16: [A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13, O.14, P.15] misfits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] full;
}

/// A constant extent converts to its number.
impl<const N: usize> From<Const<N>> for usize {
    fn from(_: Const<N>) -> usize {
        N
    }
}
