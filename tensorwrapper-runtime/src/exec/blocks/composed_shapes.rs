//! Shapes and symmetries that are composed by labels: tiled, jagged and nested shapes of an equation's result, and its symmetry, without
//! any elements.

use std::collections::BTreeMap;

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{AnyShape, JaggedShape, Nested, Shape, TiledShape, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::Symmetry;
use tensorwrapper_notation::syntax::{Index, Indices, Name};

use super::composed::IndexedStructure;
use crate::expr::labels;

/// Indices of the ragged axes of a jagged result at most, as those whose extents a structure tells: each is visited.
const MOST_ROWS: usize = 1 << 24;

/// A shape that is composed as the structure of a tensor that has it.
pub trait Composed: AnyShape {
    /// A structure of this shape.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a shape that does not begin at zero, or is the null shape.
    fn structure(&self) -> Result<Structure, Error>;

    /// The shape of a structure.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when no such shape has its indices.
    fn of_structure(structure: &Structure) -> Result<Self, Error>;
}

/// That labels stand for indices from zero on.
fn begins_at_zero(shape: &impl AnyShape, (origin, is_null): (&[usize], bool)) -> Result<(), Error> {
    if is_null || origin.iter().any(|&first| first != 0) {
        let message = format!("labels of shapes that do not begin at zero, as `{shape:?}`");
        return Err(Error::new(ErrorKind::Unsupported(message)));
    }
    Ok(())
}

impl Composed for Shape {
    fn structure(&self) -> Result<Structure, Error> {
        begins_at_zero(self, (self.origin(), self.is_null()))?;
        Ok(Structure::new(&self.extents().iter().map(|&extent| Tiling::whole(extent)).collect::<Vec<_>>()))
    }

    fn of_structure(structure: &Structure) -> Result<Shape, Error> {
        Ok(structure.shape())
    }
}

impl Composed for TiledShape {
    fn structure(&self) -> Result<Structure, Error> {
        begins_at_zero(self, (self.origin(), false))?;
        // Cuts do not depend on blocks, and without any there is nothing to be joined.
        Structure::new(self.tilings()).with_blocks([[0; 0]; 0])
    }

    fn of_structure(structure: &Structure) -> Result<TiledShape, Error> {
        Ok(TiledShape::new(structure.tilings()))
    }
}

impl Composed for JaggedShape {
    fn structure(&self) -> Result<Structure, Error> {
        begins_at_zero(self, (self.padded().origin(), self.is_null()))?;
        Structure::jagged(self)
    }

    fn of_structure(structure: &Structure) -> Result<JaggedShape, Error> {
        Rows::of(structure)?.within(&mut Vec::new())
    }
}

impl IndexedStructure<TiledShape> {
    /// The shape of the result of `[left] = self`, each axis cut as in the first operand that has its label.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Error, LabelAxes as _, TiledShape, Tiling};
    /// let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([4, 1]));
    /// let shape = TiledShape::new([&occ, &vir]);
    /// assert_eq!((shape.at("i,k") * shape.at("j,k")).tiled("i,j")?, TiledShape::new([&occ, &occ]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Context::einsum_blocks`](crate::Context::einsum_blocks); and [`ErrorKind::Unsupported`] for shapes that do not begin at zero.
    pub fn tiled(&self, left: &str) -> Result<TiledShape, Error> {
        TiledShape::of_structure(&self.composed(left, |factor| factor.value.structure())?)
    }
}

impl IndexedStructure<JaggedShape> {
    /// The shape of the result of `[left] = self`. A sum over two ragged labels is one over their common part; a ragged label against
    /// another one is refused.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Error, JaggedShape, LabelAxes as _, Shape};
    /// let rows: JaggedShape = "{[1], [3], [2]}".parse()?;
    /// assert_eq!((rows.at("i,j") * rows.at("k,j")).jagged("i,k")?, Shape::new([3, 3]).into());
    /// // Column 1 has rows 1 and 2, column 2 has row 1.
    /// assert_eq!(rows.at("i,j").jagged("j,i")?, "{[3], [1..3], [1..2]}".parse()?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Context::einsum_blocks`](crate::Context::einsum_blocks); [`ErrorKind::Shape`] when the indices of a row of the result do not
    /// follow each other, and [`ErrorKind::Unsupported`] for shapes that do not begin at zero.
    pub fn jagged(&self, left: &str) -> Result<JaggedShape, Error> {
        JaggedShape::of_structure(&self.composed(left, |factor| factor.value.structure())?)
    }
}

impl<S: Composed> IndexedStructure<Nested<S>> {
    /// The shape of the result of `[left] = self`. Layers of `left` stand between `;`, the outer one first. Without `;` the result has as
    /// many layers as the operands, and each label stands in the outermost layer that it has in a factor.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Error, LabelAxes as _, Nested, Shape};
    /// let matrices: Nested<Shape> = "[2, 10, 20] in layers of [1, 2] axes".parse()?;
    /// let products = (matrices.at("p, a, b") * matrices.at("p, c, b")).nested("p, a, c")?;
    /// assert_eq!(products, Nested::new([1, 2], Shape::new([2, 10, 10]))?);
    /// assert_eq!(matrices.at("p, a, b").nested("p; a; b")?.n_layers(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of the shape without layers; and [`ErrorKind::Label`] when a label of two addends stands in different layers, or, without
    /// `;`, an outer label behind an inner one.
    pub fn nested(&self, left: &str) -> Result<Nested<S>, Error> {
        let found = self.composed(left, |factor| {
            let structure = (*factor.value).structure()?;
            // Structures cannot have layers without axes, so these are left out. Layers are compared only where the labels have `;`.
            if labels(&factor.labels)?.counts().is_empty() {
                return Ok(structure);
            }
            structure.nested(factor.value.layers().iter().copied().filter(|&axes| axes > 0).collect::<Vec<usize>>())
        })?;
        let left = labels(left)?;
        let outermost = self.outermost(&left)?;
        let layers = match left.counts() {
            counts if !counts.is_empty() => counts,
            _ => {
                let layers = self.factors().map(|factor| factor.value.n_layers()).max().unwrap_or(0);
                layers_of(&left, &outermost, layers)?
            }
        };
        Nested::new(layers, S::of_structure(&found)?)
    }

    /// The outermost layer of each label of the left side, which is the same in all products.
    fn outermost(&self, left: &Indices) -> Result<Outermost<'_>, Error> {
        let is_on_left = |name: &&Name| left.iter().flat_map(Index::labels).any(|label| label.text == name.text);
        let (mut all, mut number) = (Outermost::new(), 0);
        for product in self.products() {
            let mut found = Outermost::new();
            for factor in product {
                number += 1;
                for (axis, index) in labels(&factor.labels)?.iter().enumerate() {
                    let Some(layer) = factor.value.layer_of(axis) else { continue };
                    for name in index.labels().iter().filter(is_on_left) {
                        let outer = found.entry(name.text.clone()).or_insert((layer, (number, &factor.labels)));
                        if layer < outer.0 {
                            *outer = (layer, (number, &factor.labels));
                        }
                    }
                }
            }
            for (label, (layer, (n, factor))) in found {
                let &mut (known, (m, first)) = all.entry(label.clone()).or_insert((layer, (n, factor)));
                if known != layer {
                    let message = format!(
                        "`{label}` stands in layer {known} of operand {m}, `[{first}]`, but in layer {layer} of operand {n}, `[{factor}]`"
                    );
                    return Err(Error::new(ErrorKind::Label(message)));
                }
            }
        }
        Ok(all)
    }
}

/// The outermost layer that each label stands in, and the number and the labels of the operand that says so.
type Outermost<'e> = BTreeMap<String, (usize, (usize, &'e str))>;

/// The number of axes in each of so many layers of a left side that is not written in layers.
fn layers_of(left: &Indices, outermost: &Outermost<'_>, layers: usize) -> Result<Vec<usize>, Error> {
    let mut counts = vec![0; layers];
    let mut before: Option<(&str, usize)> = None;
    for name in left.iter().flat_map(Index::labels) {
        let layer = outermost.get(&name.text).map_or(0, |&(layer, _)| layer);
        if let Some((inner, behind)) = before.filter(|&(_, behind)| behind > layer) {
            let message = format!(
                "`{}` of layer {layer} stands behind `{inner}` of layer {behind} on the left; `;` between them says where layers of the result begin",
                name.text
            );
            return Err(Error::new(ErrorKind::Label(message)));
        }
        counts[layer] += 1;
        before = Some((&name.text, layer));
    }
    Ok(counts)
}

impl IndexedStructure<Symmetry> {
    /// The symmetry of the result of `[left] = self`, as an equation over tensors of these symmetries infers it. Operands are taken to be
    /// different tensors of complex numbers.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Error, LabelAxes as _, Symmetry};
    /// let pair = Symmetry::none(2).antisymmetric([0, 1])?;
    /// assert_eq!((pair.at("i,j") * pair.at("a,b")).symmetry("a,b,i,j")?, "[-(0, 1, 3, 2), -(1, 0, 2, 3)]".parse()?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Context::einsum_blocks`](crate::Context::einsum_blocks).
    pub fn symmetry(&self, left: &str) -> Result<Symmetry, Error> {
        // Axes of one index would be symmetric whatever is on them. The symmetry does not depend on blocks.
        let found = self.composed(left, |factor| {
            let whole = Structure::new(&vec![Tiling::whole(2); factor.value.rank()]).with(factor.value.clone())?;
            whole.with_blocks([[0; 0]; 0])
        })?;
        Ok(found.symmetry().clone())
    }
}

/// The rows of a structure that has ragged axes.
struct Rows<'s> {
    structure: &'s Structure,
    ragged: Vec<Ragged<'s>>,
}

/// A ragged axis: its extent for each index of the axes that it depends on, in C order.
struct Ragged<'s> {
    axis: usize,
    by: &'s [usize],
    extents: Vec<usize>,
}

impl Ragged<'_> {
    /// The last axis whose index says whether another one is there.
    fn last(&self) -> usize {
        self.by.iter().copied().max().unwrap_or(0).max(self.axis)
    }
}

impl<'s> Rows<'s> {
    fn of(structure: &'s Structure) -> Result<Rows<'s>, Error> {
        let mut ragged = Vec::new();
        for axis in 0..structure.rank() {
            if let Some(by) = structure.ragged_by(axis).filter(|by| !by.is_empty()) {
                ragged.push(Ragged { axis, by, extents: structure.row_extents(axis)? });
            }
        }
        let rows = Rows { structure, ragged };
        let axes = rows.ragged.iter().map(Ragged::last).max().unwrap_or(0);
        let count: Shape = structure.tilings()[..(axes + 1).min(structure.rank())].iter().map(Tiling::extent).collect();
        if count.size()? > MOST_ROWS {
            let message = format!(
                "a jagged shape is composed up to {MOST_ROWS} indices of its ragged axes, and this one has {}",
                count.size()?
            );
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(rows)
    }

    /// The shape of the axes behind those of an index.
    fn within(&self, index: &mut Vec<usize>) -> Result<JaggedShape, Error> {
        let axis = index.len();
        let rest = &self.structure.tilings()[axis..];
        if self.ragged.iter().all(|ragged| ragged.last() < axis) {
            return Ok(rest.iter().map(Tiling::extent).collect::<Shape>().into());
        }
        let mut there = Vec::new();
        for n in 0..rest[0].extent() {
            index.push(n);
            there.extend(self.has(index).then_some(n));
            index.pop();
        }
        let first = there.first().copied().unwrap_or(0);
        if there.last().is_some_and(|last| last - first + 1 != there.len()) {
            let message = format!("axis {axis} has indices {there:?} at {index:?}, and those of a row follow each other");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        if there.is_empty() {
            let extents = rest[1..].iter().map(Tiling::extent);
            return Ok([0].into_iter().chain(extents).collect::<Shape>().into());
        }
        let mut rows = Vec::with_capacity(there.len());
        for n in there {
            index.push(n);
            rows.push(if rest.len() > 1 { self.within(index)? } else { Shape::new([]).into() });
            index.pop();
        }
        JaggedShape::of(rows)?.with_origin([first])
    }

    /// Whether an index of the first axes is there, as far as its last axis says.
    fn has(&self, index: &[usize]) -> bool {
        let decided = self.ragged.iter().filter(|ragged| ragged.last() + 1 == index.len());
        decided.into_iter().all(|ragged| {
            let row = ragged.by.iter().fold(0, |row, &by| row * self.structure.tilings()[by].extent() + index[by]);
            index[ragged.axis] < ragged.extents[row]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::LabelAxes as _;

    fn jagged(text: &str) -> JaggedShape {
        text.parse().unwrap()
    }

    #[test]
    fn tiled_shapes_are_composed() {
        let (occ, vir) = (Tiling::cuts([2, 1]), Tiling::cuts([1, 3]));
        let shape = TiledShape::new([&occ, &vir]);
        assert_eq!((shape.at("ia") * shape.at("ib")).tiled("ba").unwrap(), TiledShape::new([&vir, &vir]));
        let finer = TiledShape::new([&Tiling::each(3), &vir]);
        assert_eq!((shape.at("ia") + finer.at("ia")).tiled("ai").unwrap(), TiledShape::new([&vir, &occ]));
        assert!(shape.clone().with_origin([1, 0]).unwrap().at("ia").tiled("ia").is_err());
        // Nothing is joined: these would be 10¹² products of blocks.
        let many = TiledShape::new([&Tiling::each(10_000), &Tiling::each(10_000)]);
        assert_eq!((many.at("ik") * many.at("jk")).tiled("ij").unwrap(), many);
    }

    #[test]
    fn jagged_shapes_are_composed() {
        let rows = jagged("{[3], [1], [4]}");
        assert_eq!((rows.at("ij") * rows.at("ij")).jagged("ij").unwrap(), rows);
        assert_eq!((rows.at("ij") * rows.at("kj")).jagged("ik").unwrap(), Shape::new([3, 3]).into());
        // Column 1 holds rows 0 and 2.
        let told = rows.at("ij").jagged("ji").unwrap_err().to_string();
        assert_eq!(told, "axis 1 has indices [0, 2] at [1], and those of a row follow each other");
        let deep = jagged("{{[1, 2], [3, 2]}, {[2, 2]}}");
        assert_eq!(deep.at("ijab").jagged("ijab").unwrap(), deep);
        let vector = JaggedShape::from(Shape::new([3]));
        assert_eq!((rows.at("ij") * vector.at("i")).jagged("ij").unwrap(), rows);
        assert!((rows.at("ij") * JaggedShape::from(Shape::new([4])).at("j")).jagged("i").is_err());
        assert!(rows.with_origin([1]).unwrap().at("ij").jagged("ij").is_err() && JaggedShape::null().at("").jagged("").is_err());
    }

    #[test]
    fn nested_shapes_are_composed() {
        let cut = Tiling::cuts([2, 1]);
        let tiled = Nested::new([1, 1], TiledShape::new([&Tiling::each(2), &cut])).unwrap();
        assert_eq!((tiled.at("p;a") + tiled.at("p;a")).nested("p;a").unwrap(), tiled);
        assert_eq!(tiled.at("p;a").nested("a").unwrap(), Nested::new([0, 1], TiledShape::new([&cut])).unwrap());
        let told = tiled.at("p;a").nested("a,p").unwrap_err().to_string();
        assert!(told.starts_with("`p` of layer 0 stands behind `a` of layer 1 on the left; `;`"), "{told}");
        assert_eq!(tiled.at("p;a").nested("a;p").unwrap().layers(), [1, 1]);
        let rows = Nested::new([1, 1], jagged("{[1], [3]}")).unwrap();
        assert_eq!((rows.at("p;a") * rows.at("p;a")).nested("p;a").unwrap(), rows);
        assert!((tiled.at("p;a") + tiled.at("a;p")).nested("p;a").is_err());
        assert_eq!(tiled.at("p;a").nested("").unwrap().layers(), [0, 0]);
        // Layers without axes count, too.
        let (inner, outer) = (Nested::new([0, 1], Shape::new([3])).unwrap(), Nested::new([1, 0], Shape::new([3])).unwrap());
        let told = (inner.at("a") + outer.at("a")).nested("a").unwrap_err().to_string();
        assert_eq!(told, "`a` stands in layer 1 of operand 1, `[a]`, but in layer 0 of operand 2, `[a]`");
        assert_eq!((inner.at("a") * outer.at("a")).nested("a").unwrap(), outer);
        // Labels that are summed are those of their product alone.
        let (one, two) = (Nested::new([1, 1], Shape::new([2, 3])).unwrap(), Nested::new([2, 0], Shape::new([2, 3])).unwrap());
        let sum = one.at("ik") * one.at("jk") + two.at("ik") * two.at("jk");
        assert_eq!(sum.nested("ij").unwrap().layers(), [2, 0]);
    }

    #[test]
    fn symmetries_are_composed() {
        let pair = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
        let hermitian = Symmetry::none(2).hermitian(0, 1).unwrap();
        let both = (pair.at("ij") * Symmetry::none(1).at("k")).symmetry("kji").unwrap();
        assert_eq!(both, Symmetry::none(3).antisymmetric([1, 2]).unwrap());
        assert_eq!((hermitian.at("pq") + hermitian.at("pq")).symmetry("qp").unwrap(), hermitian);
        assert_eq!((hermitian.at("pq") - hermitian.at("qp")).symmetry("pq").unwrap().order(), 2);
        assert!(pair.at("ijk").symmetry("ijk").is_err());
    }
}
