//! Block tensors of rows that have extents of their own, and tensors in layers.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Extents, JaggedShape, Shape};
use tensorwrapper_core::structure::Structure;

use super::super::dense::Tensor;
use super::Blocks;

impl<T: Element> Blocks<T> {
    /// A tensor of these rows, which are of one rank and need not have equal extents. Where extents differ, the axis is
    /// [ragged](Structure::ragged_by): in an equation its label stands for the indices of each row alone. A sum over two ragged axes is
    /// that over their common part, and one over a ragged axis and another one is refused. Rows that happen to be equal go with both.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Tensor};
    /// let row = |extent| Tensor::<f64>::from_fn([extent], |i| (i[0] + 1) as f64);
    /// let a = Blocks::rows([row(3)?, row(1)?, row(4)?])?;
    /// assert_eq!((a.get(&[2, 3])?, a.get(&[1, 3])?), (4.0, 0.0));
    /// let g: Blocks<f64> = Context::default().eval_blocks("[i, k] = A[i, j] * A[k, j]", &[("A", &a)])?;
    /// assert_eq!((g.get(&[0, 2])?, g.get(&[0, 1])?), (14.0, 1.0)); // 1·1 + 2·2 + 3·3, and 1·1
    ///
    /// let b = Tensor::<f64>::zeros([4])?;
    /// let error = Context::default().eval_blocks("[i] = A[i, j] * b[j]", &[("A", &a), ("b", &b)]).unwrap_err();
    /// assert_eq!(error.to_string(), "index `j` has extents 3, 1, 4 in `A`, one for each `i`, but extent 4 in `b`");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when rows differ in rank, [`ErrorKind::Memory`].
    pub fn rows(rows: impl IntoIterator<Item = Tensor<T>>) -> Result<Blocks<T>, Error> {
        let rows: Vec<Tensor<T>> = rows.into_iter().collect();
        let shape = JaggedShape::rows(rows.iter().map(|row| Shape::new(row.extents())))?;
        let structure = Structure::jagged(&shape)?;
        // Nothing tells which axes of equal rows are meant to be ragged: all may be.
        let structure = match shape.is_smooth() {
            true => structure.with_ragged((1..shape.rank()).map(|axis| (axis, vec![0])))?,
            false => structure,
        };
        Blocks::from_fn(&structure, |index| rows[index[0]].get(&index[1..]).unwrap_or(T::ZERO))
    }
}

impl<T: Element, S: Extents> Blocks<T, S> {
    /// The rows, each a dense tensor of its own extents: what [`rows`](Blocks::rows) was made from.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Tensor};
    /// let row = |extent| Tensor::<f64>::from_fn([extent], |i| i[0] as f64);
    /// let rows = Blocks::rows([row(2)?, row(3)?])?.into_rows()?;
    /// assert_eq!(rows.iter().map(|row| row.extents()[0]).collect::<Vec<_>>(), [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] for a tensor without axes, [`ErrorKind::Unsupported`] when rows are ragged themselves, [`ErrorKind::Memory`].
    pub fn into_rows(self) -> Result<Vec<Tensor<T>>, Error> {
        let structure = &self.structure;
        let Some(first) = structure.tilings().first() else {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: 0, given: 1 }));
        };
        let extents = (1..structure.rank()).map(|axis| match structure.ragged_by(axis) {
            None => Ok(vec![structure.tilings()[axis].extent(); first.extent()]),
            Some([0]) => structure.row_extents(axis),
            Some(by) => {
                let message = format!("rows of which axis {axis} is ragged by axes {by:?} are no dense tensors");
                Err(Error::new(ErrorKind::Unsupported(message)))
            }
        });
        let extents = extents.collect::<Result<Vec<_>, Error>>()?;
        let row = |row: usize| {
            let extents: Vec<usize> = extents.iter().map(|extents| extents[row]).collect();
            Tensor::from_fn(extents, |index| self.get(&[&[row], index].concat()).unwrap_or(T::ZERO))
        };
        (0..first.extent()).map(row).collect()
    }

    /// The same elements with the axes in layers of so many each, the outer one first: equations may then read a vector of matrices as
    /// `T[p; a, b]`. One layer, `[rank]`, is what every other tensor has.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Context, Error, Tensor};
    /// let domain = |n: usize| Tensor::<f64>::from_fn([n, n], |i| (i[0] + i[1]) as f64);
    /// let t = Blocks::rows([domain(2)?, domain(3)?])?.nested([1, 2])?;
    /// let e: Blocks<f64> = Context::default().eval_blocks("[p] = T[p; a, a]", &[("T", &t)])?;
    /// assert_eq!((e.get(&[0])?, e.get(&[1])?), (2.0, 6.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Structure::nested`].
    pub fn nested(self, layers: impl Into<Vec<usize>>) -> Result<Blocks<T, S>, Error> {
        Ok(Blocks { structure: self.structure.nested(layers)?, ..self })
    }

    /// The same elements with all axes in one layer. The blocks stay.
    ///
    /// ```
    /// # use tensorwrapper_runtime::{Blocks, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 2]);
    /// let t = Blocks::<f64>::zeros(&Structure::new([&cut; 4]))?.nested([2, 2])?;
    /// assert_eq!((t.structure().layers(), t.flat().structure().layers()), (vec![2, 2], vec![4]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flat(self) -> Blocks<T, S> {
        Blocks { structure: self.structure.flat(), ..self }
    }
}
