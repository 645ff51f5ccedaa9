//! Recorded results with other extents, and with a part replaced.

use tensorwrapper_notation::syntax::{Count, Index as Written, Range};

use super::indexed::labels;
use super::recordable::Recordable;
use super::recorder::{Index, Recorder};
use super::value::{Expr, Source, Value};
use crate::link::Link;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Extents, IntoShape};

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    /// The same elements in C order with other extents.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::from_fn([6], |i| i[0] as f64)?;
    /// let matrix = a.at("i").record("i")?.reshape([2, 3])?;
    /// assert_eq!(matrix.eval()?[[1, 0]], 3.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Extents that need another number of elements.
    pub fn reshape<S2: Extents>(&self, shape: impl IntoShape<S2>) -> Result<Expr<'a, T, S2>, Error> {
        let extents = shape.into_extents()?;
        let count = |extents: &[usize]| extents.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent));
        if count(&extents) != count(self.extents()) {
            let message = format!("a tensor of extents {:?} cannot become one of extents {extents:?}", self.extents());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        S2::check(&extents)?;
        Ok(Expr::new(Link::new(Value { extents, dtype: T::DTYPE, source: Source::Reshaped(Link::clone(self.value())) })))
    }

    /// A copy in which a part is replaced. `place` has an index for each axis, as in [`at`](Expr::at): a label, a slice `i in 2..5` or a
    /// position; the axes of the part are its labels, in order. A label that stands twice is the diagonal.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::filled([3, 3], 1.0)?;
    /// let row = Tensor::<f64>::from_fn([2], |i| 5.0 + i[0] as f64)?;
    /// let changed = a.at("i,j").record("i,j")?.with_part("2, j in 1..3", &row)?;
    /// let changed = changed.eval()?;
    /// assert_eq!((changed[[2, 0]], changed[[2, 1]], changed[[2, 2]]), (1.0, 5.0, 6.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A place that is not inside the tensor, a part with other extents, and fused axes.
    pub fn with_part(&self, place: &str, part: impl Recordable<'a, Elem = T>) -> Result<Expr<'a, T, S>, Error> {
        let (mut names, mut indices): (Vec<String>, Vec<Index<'_>>) = (Vec::new(), Vec::new());
        let mut number = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_string());
                names.len() - 1
            })
        };
        for index in labels(place)? {
            indices.push(match index {
                Written::Label(name) => Index::Label(number(&name.text)),
                Written::Slice(name, Range::Literal(start, end, _)) => Index::Slice(number(&name.text), start, end),
                Written::Chip(Count::Literal(position, _)) => Index::Chip(position),
                other => {
                    let message = format!("the index {other:?} of a part; write labels, slices and positions");
                    return Err(Error::new(ErrorKind::Unsupported(message)));
                }
            });
        }
        let axes: Vec<Index<'_>> = (0..names.len()).map(Index::Label).collect();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut recorder = Recorder::new(T::DTYPE, &known);
        let base = recorder.tensor(self.value(), "the tensor", &indices);
        let node = recorder.tensor(&part.recordable().0, "the part", &axes);
        Ok(Expr::new(recorder.finish_write(node, 1, &axes, base)?.after))
    }
}
