//! Which shape types say at least what another one says, so that a tensor can be read as one of the other.

use super::extent::{Const, Dyn, Extent};
use super::extents::Extents;
use super::value::Shape;

/// An extent type that says at least what `E` says: every one for [`Dyn`], and the same constant for [`Const`].
#[diagnostic::on_unimplemented(
    message = "an axis of extent `{Self}` is not one of extent `{E}`",
    label = "the shapes do not fit",
    note = "`Const<3>` is an extent of 3, and `Dyn` one that only the run knows; `into_typed` checks it there"
)]
pub trait ExtentAtLeast<E: Extent>: Extent {}

impl<E: Extent> ExtentAtLeast<Dyn> for E {}
impl<const N: usize> ExtentAtLeast<Const<N>> for Const<N> {}

/// A shape type that says at least what `S` says: the same rank, and each constant that `S` has. Every shape says what [`Shape`] says.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{AtLeast, Shape};
/// fn fits<S: AtLeast<T>, T: tensorwrapper::Extents>() {}
/// fits::<Shape![3, 4], Shape![3, _]>();
/// fits::<Shape![3, _], Shape![_, _]>();
/// fits::<Shape![3, _], Shape>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a tensor of shape `{Self}` is not one of shape `{S}`",
    label = "the shapes do not fit",
    note = "`Const<3>` is an extent of 3, and `Dyn` one that only the run knows; `into_typed` checks it there",
    note = "extents in a tuple, `(3, 4)`, make a tensor whose type has the rank; extents in an array, `[3, 4]`, make one whose rank only the run knows"
)]
pub trait AtLeast<S: Extents>: Extents {}

impl<S: Extents> AtLeast<Shape> for S {}

macro_rules! tuples {
    ($($($own:ident.$other:ident)*;)*) => { $(
        impl<$($own: ExtentAtLeast<$other>, $other: Extent),*> AtLeast<($($other,)*)> for ($($own,)*) {}
    )* };
}

/// Calls a macro with pairs of names of types for the axes, for each rank that a tuple can have.
macro_rules! each_rank {
    ($then:ident) => {
        $then! {
            ;
            A.AA;
            A.AA B.BB;
            A.AA B.BB C.CC;
            A.AA B.BB C.CC D.DD;
            A.AA B.BB C.CC D.DD E.EE;
            A.AA B.BB C.CC D.DD E.EE F.FF;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK L.LL;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK L.LL M.MM;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK L.LL M.MM N.NN;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK L.LL M.MM N.NN O.OO;
            A.AA B.BB C.CC D.DD E.EE F.FF G.GG H.HH I.II J.JJ K.KK L.LL M.MM N.NN O.OO P.PP;
        }
    };
}
pub(super) use each_rank;

each_rank!(tuples);
