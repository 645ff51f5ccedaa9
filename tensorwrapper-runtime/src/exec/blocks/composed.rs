//! Structures and sparsity that are composed by labels: what the result of an equation has, without any elements. `composed_shapes` has
//! the same of shapes and symmetries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Add, Mul, Sub};

use num_complex::Complex;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{JaggedShape, Nested, Shape, TiledShape, Tiling};
use tensorwrapper_core::structure::{Sparsity, Structure};
use tensorwrapper_core::symmetry::Symmetry;
use tensorwrapper_notation::syntax::{Count, Index, Range};

use super::operand::BlockOperand;
use super::tree::TreeHoles;
use super::{ByName, Context};
use crate::expr::{LabelAxes, equation_of_text, labels};

/// What is said of tensors, with labels, or a sum of products of that; see [`LabelAxes::at`]. Faults are reported where the result is asked
/// for.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Error, LabelAxes as _, Shape, Sparsity, Structure, Tiling};
/// let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([4, 1]));
/// let a = Structure::new([&occ, &vir]).with_blocks([[0, 1]])?;
/// let b = Structure::new([&vir, &occ]);
/// let product = (a.at("i,k") * b.at("k,j")).structure("j,i")?;
/// assert_eq!(product.stored()?.iter().collect::<Vec<_>>(), [[0, 0], [1, 0]]);
///
/// let corner = Sparsity::elements(&Shape::new([5, 5]), [[0, 4]])?;
/// let row = (corner.at("i,k") * Sparsity::zero_elements(&Shape::new([5, 5]), [[4, 4]])?.at("k,j")).sparsity("i,j")?;
/// assert_eq!(row, Sparsity::elements(&Shape::new([5, 5]), [[0, 0], [0, 1], [0, 2], [0, 3]])?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is composed before the result is asked for"]
pub struct IndexedStructure<V = Structure> {
    /// Products, each with whether it is subtracted.
    terms: Vec<(bool, Vec<Labelled<V>>)>,
}

/// A value with its labels.
#[derive(Clone, Debug)]
pub struct Labelled<V> {
    pub(super) value: V,
    pub(super) labels: String,
    conjugates: bool,
}

macro_rules! label_axes {
    ($($V:ty),*) => { $(
        impl LabelAxes for $V {
            type Labelled = IndexedStructure<$V>;
            fn at(&self, labels: &str) -> IndexedStructure<$V> {
                let labelled = Labelled { value: self.clone(), labels: labels.to_string(), conjugates: false };
                IndexedStructure { terms: vec![(false, vec![labelled])] }
            }
        }
    )* };
}

label_axes!(Structure, Sparsity, Symmetry, TiledShape, JaggedShape, Nested<Shape>, Nested<TiledShape>, Nested<JaggedShape>);

/// The labels of a text as an equation has them: names between commas.
fn spelled(text: &str) -> Result<String, Error> {
    let (indices, mut spelled) = (labels(text)?, String::new());
    for (n, index) in indices.iter().enumerate() {
        spelled += match n {
            0 => "",
            n if indices.begins_layer(n) => ";",
            _ => ",",
        };
        spelled += &match index {
            Index::Label(name) => name.text.clone(),
            Index::Slice(name, Range::Literal(start, end, _)) => {
                format!("{} in {start}..{}", name.text, end.map_or(String::new(), |end| end.to_string()))
            }
            Index::Chip(Count::Literal(position, _)) => position.to_string(),
            _ => {
                let message = format!("`{text}` has something other than labels, positions and ranges");
                return Err(Error::new(ErrorKind::Unsupported(message)));
            }
        };
    }
    Ok(spelled)
}

impl<V: Clone> IndexedStructure<V> {
    /// The same of the complex conjugates, which turns the signs of charges.
    pub fn conj(mut self) -> IndexedStructure<V> {
        let factors = self.terms.iter_mut().flat_map(|(_, factors)| factors);
        factors.for_each(|factor| factor.conjugates = !factor.conjugates);
        self
    }

    /// The factors of each product.
    pub(super) fn products(&self) -> impl Iterator<Item = &[Labelled<V>]> {
        self.terms.iter().map(|(_, factors)| &**factors)
    }

    pub(super) fn factors(&self) -> impl Iterator<Item = &Labelled<V>> {
        self.products().flatten()
    }

    /// The structure of the result of `[left] = self`, where each factor has the structure that this makes of it.
    pub(super) fn composed(
        &self,
        left: &str,
        structure: impl Fn(&Labelled<V>) -> Result<Structure, Error>,
    ) -> Result<Structure, Error> {
        let (mut text, mut names, mut operands) = (format!("[{}] =", spelled(left)?), Vec::new(), Vec::new());
        for (n, (is_subtracted, factors)) in self.terms.iter().enumerate() {
            text += match (n, is_subtracted) {
                (0, false) => " ",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            for (m, factor) in factors.iter().enumerate() {
                let labels = spelled(&factor.labels)?;
                let read = format!("s{}[{labels}]", operands.len());
                let read = if factor.conjugates { format!("conj({read})") } else { read };
                text = text + if m > 0 { " * " } else { "" } + &read;
                names.push(format!("[{labels}]"));
                // Elements of their own, though nobody reads them: equal structures need not be those of one tensor.
                let slab = Cow::Owned(vec![Complex::<f64>::ZERO]);
                operands.push(BlockOperand { structure: structure(factor)?, slab, is_dense: false });
            }
        }
        let read: Vec<String> = (0..operands.len()).map(|n| format!("s{n}")).collect();
        let texts: Vec<&str> = read.iter().map(String::as_str).collect();
        let holes = |same| -> Box<dyn TreeHoles + '_> { Box::new(ByName { same, texts: &texts, numbers: &[] }) };
        let planned = Context::reference().planned_blocks(&equation_of_text(&text)?, names, &operands, &holes)?;
        Ok(planned.structure().clone())
    }
}

impl IndexedStructure {
    /// The structure of the result of `[left] = self`: its cuts, blocks, symmetry and charges, as an equation over tensors of these
    /// structures infers them. Operands are taken to be different tensors of complex numbers.
    ///
    /// # Errors
    /// As [`Context::einsum_blocks`].
    pub fn structure(&self, left: &str) -> Result<Structure, Error> {
        self.composed(left, |factor| Ok(factor.value.clone()))
    }
}

impl IndexedStructure<Sparsity> {
    /// Which elements of the result of `[left] = self` may be other than zero, exactly: those to which some product of elements contributes
    /// that may be so.
    ///
    /// # Errors
    /// As [`Context::einsum_blocks`]; and [`ErrorKind::Unsupported`] for positions and ranges, and for shapes that do not begin at zero.
    pub fn sparsity(&self, left: &str) -> Result<Sparsity, Error> {
        let refused = |what: &str| Err(Error::new(ErrorKind::Unsupported(format!("{what} in labels of sparsity"))));
        // All operands are cut wherever a part of one begins or ends, so that blocks are zero as a whole or nowhere.
        let mut bounds: HashMap<String, Vec<usize>> = HashMap::new();
        for factor in self.factors() {
            if factor.value.shape().origin().iter().any(|&first| first != 0) {
                return refused("shapes that do not begin at zero");
            }
            for (axis, index) in labels(&factor.labels)?.iter().enumerate() {
                let Index::Label(name) = index else { return refused("positions and ranges") };
                let own = bounds.entry(name.text.clone()).or_default();
                for part in factor.value.parts() {
                    let ends = |axis: usize| Some((*part.origin().get(axis)?, *part.extents().get(axis)?));
                    own.extend(ends(axis).into_iter().flat_map(|(begin, extent)| [begin, begin + extent]));
                }
            }
        }
        bounds.values_mut().for_each(|bounds| {
            bounds.sort_unstable();
            bounds.dedup();
        });
        let cut = |(label, &extent): (&Index, &usize)| {
            let own = label.labels().first().and_then(|name| bounds.get(&name.text)).map_or(&[][..], Vec::as_slice);
            let within = own.iter().copied().filter(|&bound| bound > 0 && bound < extent);
            let ends: Vec<usize> = [0].into_iter().chain(within).chain([extent]).collect();
            Tiling::cuts(ends.windows(2).map(|ends| ends[1] - ends[0]))
        };
        let found = self.composed(left, |factor| {
            let (shape, labels) = (factor.value.shape(), labels(&factor.labels)?);
            if labels.len() != shape.rank() {
                let (operand, rank) = (format!("[{}]", factor.labels), shape.rank());
                return Err(Error::new(ErrorKind::Rank { operand, rank, given: labels.len() }));
            }
            let tilings: Vec<Tiling> = labels.iter().zip(shape.extents()).map(cut).collect();
            Structure::new(&tilings).with_sparsity(&factor.value)
        })?;
        let (mut parts, stored) = (Vec::new(), found.stored()?);
        for number in 0..stored.len() {
            let blocks = found.orbit(number)?;
            parts.extend(blocks.iter().map(|(block, _)| found.block_shape(block)).collect::<Result<Vec<Shape>, _>>()?);
        }
        Sparsity::blocks(&found.shape(), &parts)
    }
}

impl<V> Add for IndexedStructure<V> {
    type Output = IndexedStructure<V>;
    fn add(mut self, other: IndexedStructure<V>) -> IndexedStructure<V> {
        self.terms.extend(other.terms);
        self
    }
}

impl<V> Sub for IndexedStructure<V> {
    type Output = IndexedStructure<V>;
    fn sub(mut self, other: IndexedStructure<V>) -> IndexedStructure<V> {
        self.terms.extend(other.terms.into_iter().map(|(is_subtracted, factors)| (!is_subtracted, factors)));
        self
    }
}

/// Sums are multiplied term by term.
impl<V: Clone> Mul for IndexedStructure<V> {
    type Output = IndexedStructure<V>;
    fn mul(self, other: IndexedStructure<V>) -> IndexedStructure<V> {
        let both = |(one, left): &(bool, Vec<Labelled<V>>)| {
            let left = left.clone();
            let one = *one;
            other.terms.iter().map(move |(two, right)| (one != *two, [&left[..], &right[..]].concat())).collect::<Vec<_>>()
        };
        IndexedStructure { terms: self.terms.iter().flat_map(both).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(structure: &Structure) -> Vec<Vec<usize>> {
        structure.stored().unwrap().iter().collect()
    }

    #[test]
    fn structures_are_those_of_results() {
        let (occ, vir) = (Tiling::cuts([2, 1]), Tiling::cuts([1, 3]));
        let pair = Structure::new([&vir, &vir]).with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap();
        let t = Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 1]]).unwrap();
        // One value read twice is not one tensor, so that nothing is known to be symmetric.
        let square = (t.at("ia") * pair.at("ab") * t.at("jb")).structure("ij").unwrap();
        assert_eq!((square.symmetry().order(), stored(&square).len()), (1, 4));
        assert_eq!(pair.at("ab").structure("ba").unwrap(), pair);
        assert_eq!((pair.at("a,b") - pair.at("b,a")).structure("a,b").unwrap().symmetry(), pair.symmetry());
        let sum = (t.at("ia") + (t.at("ib") - t.at("ib")) * pair.at("ba")).structure("ai").unwrap();
        assert_eq!(stored(&sum), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        let spin = Tiling::cuts([1, 1]).charged([-1, 1]).unwrap();
        let raising = Structure::new([&spin, &spin]).flow([1, -1], [2]).unwrap();
        let identity = (raising.at("ki").conj() * raising.at("kj")).structure("ij").unwrap();
        assert_eq!((identity.charge_flow().unwrap().total(), stored(&identity)), (&[0][..], vec![vec![0, 0]]));
        assert!((raising.at("ki") * raising.at("kj")).structure("ij").unwrap_err().to_string().contains("enters both"));
        let layers = pair.nested([1, 1]).unwrap();
        assert_eq!(layers.at("a;b").structure("a;b").unwrap().layers(), [1, 1]);
        let error = (t.at("ia") * t.at("ai")).structure("").unwrap_err().to_string();
        assert_eq!(error, "index `a` has extent 4 in `[i,a]` but 3 in `[a,i]`");
        assert!(t.at("iaa").structure("i").is_err() && t.at("i").structure("j").is_err());
    }

    #[test]
    fn labels_are_read_as_those_of_tensors() {
        let (row, pair) = (Structure::new([&Tiling::cuts([1, 2])]), Structure::new(&[Tiling::cuts([1, 2]), Tiling::each(2)]));
        // A name with a digit is one label.
        assert_eq!(row.at("i1").structure("i1").unwrap(), row);
        assert_eq!(pair.at("a, i1").structure("i1,a").unwrap().tilings(), [Tiling::each(2), Tiling::cuts([1, 2])]);
        assert_eq!(pair.at("a,1").structure("a").unwrap(), row);
        assert_eq!(pair.at("a in 1..3,i").structure("ai").unwrap().tilings()[0], Tiling::cuts([2]));
        assert_eq!(pair.at("a i").structure("ai").unwrap_err(), Shape::new([3, 2]).at("a i").shape("ai").unwrap_err());
        assert!(pair.at("(a,i),j").structure("j").unwrap_err().to_string().contains("other than labels"));
    }

    #[test]
    fn sparsity_of_results_is_exact() {
        let shape = Shape::new([4, 4]);
        let (a, b) = ([[0, 1], [2, 2], [3, 0], [2, 3]], [[1, 3], [2, 0], [0, 3]]);
        let (one, other) = (Sparsity::elements(&shape, a).unwrap(), Sparsity::elements(&shape, b).unwrap());
        let both = (one.at("ik") * other.at("kj")).sparsity("ji").unwrap();
        let pairs = a.iter().flat_map(|[i, k]| b.iter().filter(move |[l, _]| k == l).map(move |[_, j]| [*j, *i]));
        assert_eq!(both, Sparsity::elements(&shape, pairs).unwrap());
        assert_eq!((one.at("ij") + other.at("ij")).sparsity("ij").unwrap(), one.union(&other).unwrap());
        let rows = one.at("ij").sparsity("i").unwrap();
        assert_eq!(rows, Sparsity::elements(&Shape::new([4]), [[0], [2], [3]]).unwrap());
        // All parts of one and the rest of it have everything.
        let rest = Sparsity::zero_elements(&shape, a).unwrap();
        assert_eq!((one.at("ij") + rest.at("ij")).sparsity("ji").unwrap().fraction(), 1.0);
        assert!(one.at("i,1").sparsity("i").is_err() && one.at("i,j,k").sparsity("i").is_err());
    }
}
