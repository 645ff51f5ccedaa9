//! The values that can be given as the shape of a new tensor, and the shape type that the tensor has then.

use super::extent::{Const, Dyn, Extent};
use super::extents::Extents;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

/// One extent of a new tensor: a `usize` is a run-time extent, and a [`Const`] is known at compile time.
pub trait IntoExtent {
    /// The type of the extent.
    type Extent: Extent;
    /// The extent.
    fn into_extent(self) -> usize;
}

impl IntoExtent for usize {
    type Extent = Dyn;
    fn into_extent(self) -> usize {
        self
    }
}

impl IntoExtent for Dyn {
    type Extent = Dyn;
    fn into_extent(self) -> usize {
        self.0
    }
}

impl<const N: usize> IntoExtent for Const<N> {
    type Extent = Const<N>;
    fn into_extent(self) -> usize {
        N
    }
}

/// The shape of a new tensor. Arrays, slices and vectors of extents give a run-time rank ([`Shape`]). Tuples give a static rank; each
/// entry is a `usize` or a [`Const`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe a shape of type `{S}`",
    label = "give `[n, m]` for a run-time rank, or `(n, m)` with a `usize` or `Const` for each axis of a static rank"
)]
pub trait IntoShape<S: Extents> {
    /// The extents.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] for [`Shape::null`], which no tensor has.
    fn into_extents(self) -> Result<Vec<usize>, Error>;
}

impl<const R: usize> IntoShape<Shape> for [usize; R] {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        Ok(self.into())
    }
}

impl<const R: usize> IntoShape<Shape> for &[usize; R] {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        Ok(self.to_vec())
    }
}

impl IntoShape<Shape> for &[usize] {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        Ok(self.to_vec())
    }
}

impl IntoShape<Shape> for Vec<usize> {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        Ok(self)
    }
}

impl IntoShape<Shape> for &Vec<usize> {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        Ok(self.clone())
    }
}

/// The shape's extents. Its origin is ignored, because the indices of a tensor count from zero.
impl IntoShape<Shape> for &Shape {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        if self.is_null() {
            return Err(Error::new(ErrorKind::Shape(
                "a tensor cannot have the null shape, which has neither axes nor elements".into(),
            ))
            .with_help("a scalar's shape is `Shape::new([])`"));
        }
        Ok(self.extents().to_vec())
    }
}

impl IntoShape<Shape> for Shape {
    fn into_extents(self) -> Result<Vec<usize>, Error> {
        (&self).into_extents()
    }
}

macro_rules! tuples {
    ($($($X:ident.$axis:tt),*;)*) => { $(
        impl<$($X: IntoExtent),*> IntoShape<($($X::Extent,)*)> for ($($X,)*) {
            fn into_extents(self) -> Result<Vec<usize>, Error> {
                Ok(vec![$(self.$axis.into_extent()),*])
            }
        }
    )* };
}

tuples! {
    ;
    A.0;
    A.0, B.1;
    A.0, B.1, C.2;
    A.0, B.1, C.2, D.3;
    A.0, B.1, C.2, D.3, E.4;
    A.0, B.1, C.2, D.3, E.4, F.5;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13, O.14;
    A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11, M.12, N.13, O.14, P.15;
}
