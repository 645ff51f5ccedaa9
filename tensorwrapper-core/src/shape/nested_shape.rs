//! [`Nested`]: a shape whose axes are put into layers, so that a tensor is seen as a tensor of tensors.
//!
//! Knows nothing of how layers are laid out in memory.

use std::fmt;
use std::ops::Deref;

use tensorwrapper_notation::sentence::counted;

use super::any_shape::{AnyShape, sealed::Sealed};
use super::axes::PerAxis;
use super::index::MultiIndex;
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// A shape and the number of axes in each layer, the outermost first: layers of 2 and 2 axes make a shape of rank 4 a matrix of matrices.
///
/// The axes of the shape go to the layers from left to right. A layer may have no axes: it holds one element of the next. The layers change
/// neither the indices nor their order, and a nested shape dereferences to the shape inside it.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Nested, Shape};
/// let nested = Nested::new([1, 2], Shape::new([10, 20, 30]))?;
/// assert_eq!((nested.n_layers(), nested.rank_layer(1)?, nested.rank()), (2, 2, 3));
/// assert_eq!((nested.elements_in_layer(0)?, nested.elements_in_layer(1)?), (10, 6000));
/// assert_eq!(nested.element([4])?, Nested::new([2], Shape::new([20, 30]))?);
///
/// let error = Nested::new([2, 2], Shape::new([10, 20, 30])).unwrap_err();
/// assert_eq!(error.to_string(), "layers [2, 2] have 4 axes in all, but `Shape[10, 20, 30]` has rank 3");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Nested<S> {
    layers: PerAxis<usize>,
    shape: S,
}

impl<S: AnyShape> Nested<S> {
    /// A shape with so many axes in each layer, the outermost first.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the numbers do not sum to the rank of the shape.
    pub fn new(layers: impl AsRef<[usize]>, shape: S) -> Result<Nested<S>, Error> {
        let layers = layers.as_ref();
        let sum = layers.iter().try_fold(0usize, |sum, &axes| sum.checked_add(axes));
        if sum != Some(shape.rank()) {
            let axes = sum.map_or_else(|| format!("more than {} axes", usize::MAX), |sum| counted(sum, "axis"));
            let message = format!("layers {layers:?} have {axes} in all, but `{shape:?}` has rank {}", shape.rank());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(Nested { layers: PerAxis::from_slice(layers), shape })
    }

    /// The shape without layers.
    pub fn flat(self) -> S {
        self.shape
    }

    /// Number of axes in each layer, the outermost first.
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// Number of layers.
    pub fn n_layers(&self) -> usize {
        self.layers.len()
    }

    /// Number of axes in a layer.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such layer.
    pub fn rank_layer(&self, layer: usize) -> Result<usize, Error> {
        self.check_layer(layer).map(|()| self.layers[layer])
    }

    /// The layer of an axis.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Nested, Shape};
    /// let nested = Nested::new([1, 0, 2], Shape::new([10, 20, 30]))?;
    /// assert_eq!((nested.layer_of(0), nested.layer_of(1), nested.layer_of(3)), (Some(0), Some(2), None));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn layer_of(&self, axis: usize) -> Option<usize> {
        let ends = self.layers.iter().scan(0, |end, &axes| {
            *end += axes;
            Some(*end)
        });
        ends.into_iter().position(|end| axis < end)
    }

    /// Number of elements that all tensors of a layer have together; those of the last layer are the indices of the shape.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such layer, or when the number exceeds `usize::MAX`.
    pub fn elements_in_layer(&self, layer: usize) -> Result<usize, Error> {
        self.check_layer(layer)?;
        self.shape.size_of_leading(self.layers[..=layer].iter().sum())
    }

    /// The shape of an element of an outer layer, which has the layers behind that one. The index has the axes of the first layer, or of
    /// the first layers together; an element of the last layer is a scalar without layers.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Nested, Shape};
    /// let jagged = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// let nested = Nested::new([1, 1], jagged)?;
    /// assert_eq!(nested.element([1])?, Nested::new([1], Shape::new([20]).into())?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the index is not one of whole layers, and as [`AnyShape::chip_at`].
    pub fn element(&self, index: impl AsRef<[usize]>) -> Result<Nested<S>, Error> {
        let index = index.as_ref();
        let ends = (1..=self.n_layers()).map(|layers| self.layers[..layers].iter().sum::<usize>());
        match ends.clone().position(|end| end == index.len()) {
            Some(layer) => Nested::new(&self.layers[layer + 1..], self.shape.chip_at(index)?),
            None => {
                let ends: Vec<usize> = ends.collect();
                let message = format!("an index of {} leads to no element of `{self:?}`", counted(index.len(), "number"));
                let error = Error::new(ErrorKind::Shape(message));
                let Some((last, before)) = ends.split_last() else { return Err(error) };
                let before: String = before.iter().map(|end| format!("{end} or ")).collect();
                Err(error.with_help(format!("it has {before}{}", counted(*last, "number"))))
            }
        }
    }

    /// The part from `begin` up to, but not including, `end`, with the same layers. The range of an inner layer is that of all its tensors.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Nested, Shape};
    /// let matrices = Nested::new([2, 2], Shape::new([2, 2, 10, 10]))?;
    /// let part = Shape::new([1, 2, 5, 10]).with_origin([1, 0, 5, 0])?;
    /// assert_eq!(matrices.slice([1, 0, 5, 0], [2, 2, 10, 10])?, Nested::new([2, 2], part)?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`AnyShape::slice`].
    pub fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Nested<S>, Error> {
        Nested::new(&self.layers, self.shape.slice(begin, end)?)
    }

    /// The part at these indices of the leading axes, with the same layers.
    ///
    /// # Errors
    /// As [`AnyShape::slice_at`].
    pub fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<Nested<S>, Error> {
        Nested::new(&self.layers, self.shape.slice_at(leading)?)
    }

    /// The part from `begin` up to, but not including, `end`, without the axes on which this is a single index. Layers all of whose axes
    /// are dropped are dropped, too.
    ///
    /// # Errors
    /// As [`AnyShape::chip`].
    pub fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Nested<S>, Error> {
        let (begin, end) = (begin.as_ref(), end.as_ref());
        let shape = self.shape.chip(begin, end)?;
        self.with_axes(shape, |axis| end[axis] - begin[axis] != 1)
    }

    /// The part at these indices of the leading axes, without those axes, from the outermost layer on. Layers all of whose axes are dropped
    /// are dropped, too.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Nested, Shape};
    /// let matrices = Nested::new([2, 2], Shape::new([2, 2, 10, 10]))?;
    /// assert_eq!(matrices.chip_at([0])?, Nested::new([1, 2], Shape::new([2, 10, 10]))?);
    /// assert_eq!(matrices.chip_at([1, 1, 3])?, Nested::new([1], Shape::new([10]))?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`AnyShape::chip_at`].
    pub fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<Nested<S>, Error> {
        let leading = leading.as_ref();
        self.with_axes(self.shape.chip_at(leading)?, |axis| axis >= leading.len())
    }

    /// A shape that has some of the axes, in the layers of these.
    fn with_axes(&self, shape: S, kept: impl Fn(usize) -> bool) -> Result<Nested<S>, Error> {
        let mut next = 0;
        let mut layers = PerAxis::<usize>::new();
        for &axes in &self.layers {
            let left = (next..next + axes).filter(|&axis| kept(axis)).count();
            next += axes;
            layers.extend((left > 0 || axes == 0).then_some(left));
        }
        Nested::new(layers, shape)
    }

    fn check_layer(&self, layer: usize) -> Result<(), Error> {
        if layer < self.n_layers() {
            return Ok(());
        }
        let message = format!("`{self:?}` has no layer {layer}; it has {}, which count from 0", self.n_layers());
        Err(Error::new(ErrorKind::Shape(message)))
    }
}

impl<S> Deref for Nested<S> {
    type Target = S;
    fn deref(&self) -> &S {
        &self.shape
    }
}

impl<S: AnyShape> Sealed for Nested<S> {}
impl<S: AnyShape> AnyShape for Nested<S> {
    fn rank(&self) -> usize {
        self.shape.rank()
    }
    fn size_of_leading(&self, axes: usize) -> Result<usize, Error> {
        self.shape.size_of_leading(axes)
    }
    fn indices(&self) -> impl Iterator<Item = MultiIndex> + '_ {
        self.shape.indices()
    }
    fn offsets(&self) -> impl Iterator<Item = MultiIndex> + '_ {
        self.shape.offsets()
    }
    fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error> {
        Nested::slice(self, begin, end)
    }
    fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error> {
        Nested::slice_at(self, leading)
    }
    fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<Self, Error> {
        Nested::chip(self, begin, end)
    }
    fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<Self, Error> {
        Nested::chip_at(self, leading)
    }
}

/// Printed as the shape with its layers before it: `Nested[2, 2](Shape[2, 2, 10, 10])`.
impl<S: fmt::Debug> fmt::Debug for Nested<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nested{:?}({:?})", &self.layers[..], self.shape)
    }
}
