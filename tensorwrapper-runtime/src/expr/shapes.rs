//! Computes the shape or layout of an equation's result from labelled shapes and layouts, without any elements.
//!
//! A labelled shape is represented by a tensor that repeats one number, so that the same recorder finds the same faults with
//! the same messages. Origins and the order in memory are stored beside it.

use std::collections::HashMap;
use std::ops::{Add, Mul, Neg, Sub};

use tensorwrapper_notation::syntax::{Index, Range};

use super::indexed::{Indexed, labels};
use super::value::{Source, Value};
use crate::link::Link;
use crate::tensor::AnyRef;
use tensorwrapper_core::element::{Dtype, Element as _};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::{Physical, Strided};
use tensorwrapper_core::shape::Shape;

/// A labelled shape, or an expression of labelled shapes; see [`LabelAxes::at`]. Faults are collected and reported by
/// [`shape`](IndexedShape::shape).
#[derive(Clone, Debug)]
#[must_use = "nothing is composed before `shape`"]
pub struct IndexedShape {
    extents: Result<Indexed<'static, f64>, Error>,
    /// The first index of each label and the operand in which it was found, in order of discovery.
    origins: Vec<Begin>,
}

/// Where a label begins.
#[derive(Clone, Debug)]
struct Begin {
    label: String,
    index: usize,
    operand: String,
}

/// Shapes and layouts whose axes can be labelled; [`Tensor::at`](crate::Tensor::at) is a method of its own.
pub trait LabelAxes {
    /// The shape or layout with its labels.
    type Labelled;
    /// Labels the axes: with one letter per axis (`"ik"`), or with names between commas (`"i,k"`); at most 256 labels. Labelled
    /// shapes can be added, subtracted and multiplied as tensors can, which gives the shape of the result. The rules and the
    /// error messages are those of [`Indexed`].
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{LabelAxes as _, Shape};
    /// let s = Shape::new([10, 20, 30]);
    /// assert_eq!((s.at("i,j,k") + s.at("i,j,k")).shape("j,i,k")?, Shape::new([20, 10, 30])); // permuted
    /// assert_eq!((s.at("i,j,k") * s.at("i,j,k")).shape("i,k")?, Shape::new([10, 30])); // summed over j
    /// assert_eq!((s.at("i,j,k") * s.at("i,j,l")).shape("i,j,k,l")?, Shape::new([10, 20, 30, 30]));
    /// assert_eq!(
    ///     (s.at("j,i,k") * s.at("i,j,k")).shape("i,k").unwrap_err().to_string(),
    ///     "index `i` has extent 20 in `[j,i,k]` but 10 in `[i,j,k]`\n\
    ///      index `j` has extent 10 in `[j,i,k]` but 20 in `[i,j,k]`"
    /// );
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// Positions `3` and ranges `i in 2..5` count from 0, as in equations, whatever the origin of the shape; those of
    /// [`slice`](Shape::slice) and [`chip`](Shape::chip) count from its origin.
    fn at(&self, labels: &str) -> Self::Labelled;
}

impl LabelAxes for Shape {
    type Labelled = IndexedShape;
    fn at(&self, labels: &str) -> IndexedShape {
        IndexedShape { extents: repeated_number(self, labels), origins: begins(self, labels) }
    }
}

/// A tensor of these extents that needs no memory.
fn repeated_number(shape: &Shape, text: &str) -> Result<Indexed<'static, f64>, Error> {
    if shape.is_null() {
        return Err(Error::new(ErrorKind::Shape("the null shape has no axes, not even those of a scalar".into())));
    }
    static NUMBER: [f64; 1] = [0.0];
    // A shape needs no memory, so its size is not checked.
    let number = Strided::row_major(&[])?;
    let layout = shape.extents().iter().rev().fold(number, |layout, &extent| layout.repeat(0, extent));
    let source = Source::Tensor(AnyRef { data: f64::erase(&NUMBER), layout });
    let value = Value { extents: shape.extents().to_vec(), dtype: Dtype::F64, source };
    Ok(Indexed::new(Ok(Link::new(value)), text))
}

/// Where the labels of the axes begin. Faults of the text are found where the extents are labelled.
fn begins(shape: &Shape, text: &str) -> Vec<Begin> {
    let indices = labels(text).unwrap_or_default();
    let begin = |(index, &origin): (&Index, &usize)| {
        let (label, index) = match index {
            Index::Label(name) => (name, origin),
            Index::Slice(name, Range::Literal(start, _, _)) => (name, origin.saturating_add(*start)),
            // What is one position has no label, and labels that share an axis count from zero.
            _ => return None,
        };
        Some(Begin { label: label.text.clone(), index, operand: format!("[{text}]") })
    };
    indices.iter().zip(shape.origin()).filter_map(begin).collect()
}

impl IndexedShape {
    /// The shape of the result of `[left] = self`, whose axes are the labels in `left`. Each axis has the origin that its label
    /// has in the operands.
    ///
    /// # Errors
    /// As [`Indexed::record`]; and when a label has different origins in two operands.
    pub fn shape(&self, left: &str) -> Result<Shape, Error> {
        let expression = self.extents.clone()?.record(left)?;
        let mut known: HashMap<&str, &Begin> = HashMap::new();
        for begin in &self.origins {
            let first = known.entry(&begin.label).or_insert(begin);
            if first.index != begin.index {
                return Err(Error::new(ErrorKind::Shape(format!(
                    "index `{}` begins at {} in `{}` but at {} in `{}`",
                    begin.label, first.index, first.operand, begin.index, begin.operand
                ))));
            }
        }
        let origin = labels(left)?.into_iter().map(|index| match index {
            Index::Label(name) => known.get(name.text.as_str()).map_or(0, |begin| begin.index),
            _ => 0,
        });
        Shape::new(expression.extents()).with_origin(origin.collect::<Vec<usize>>())
    }

    fn combine(
        mut self,
        other: IndexedShape,
        join: impl FnOnce(Indexed<'static, f64>, Indexed<'static, f64>) -> Indexed<'static, f64>,
    ) -> IndexedShape {
        self.origins.extend(other.origins);
        let extents = match (self.extents, other.extents) {
            (Ok(left), Ok(right)) => Ok(join(left, right)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
        };
        IndexedShape { extents, origins: self.origins }
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident;)*) => { $(
        impl $Trait for IndexedShape {
            type Output = IndexedShape;
            fn $method(self, other: IndexedShape) -> IndexedShape {
                self.combine(other, |left, right| $Trait::$method(left, right))
            }
        }
    )* };
}
operators! {
    Add add;
    Sub sub;
    Mul mul;
}

impl Neg for IndexedShape {
    type Output = IndexedShape;
    fn neg(self) -> IndexedShape {
        IndexedShape { extents: self.extents.map(Neg::neg), ..self }
    }
}

/// A labelled layout; see [`LabelAxes::at`].
#[derive(Clone, Debug)]
#[must_use = "nothing is permuted before `physical`"]
pub struct IndexedPhysical {
    physical: Physical,
    labels: String,
}

/// Labels the axes of a layout, as those of a [`Shape`].
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{LabelAxes as _, Physical};
/// let stored: Physical = "f64[10,20,30]{2,1,0:W(10,20,32)}".parse()?;
/// assert_eq!(stored.at("i,j,k").physical("k,i,j")?.to_string(), "f64[30,10,20]{0,2,1:W(32,10,20)}");
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
impl LabelAxes for Physical {
    type Labelled = IndexedPhysical;
    fn at(&self, labels: &str) -> IndexedPhysical {
        IndexedPhysical { physical: self.clone(), labels: labels.to_string() }
    }
}

impl IndexedPhysical {
    /// The layout of the same memory with its axes in another order: `[left] = self`, where the left side has the labels of the
    /// right side. Layouts cannot be added or multiplied, because sums and products of tensors are new tensors in C order.
    ///
    /// # Errors
    /// As [`Indexed::record`]; and when `left` is not a permutation of the labels, because such a result has no memory yet.
    pub fn physical(&self, left: &str) -> Result<Physical, Error> {
        // The equation reports what is wrong with labels and ranks.
        Shape::new(self.physical.extents()).at(&self.labels).shape(left)?;
        let (from, to) = (labels(&self.labels)?, labels(left)?);
        let axis = |wanted: &Index| {
            let Index::Label(wanted) = wanted else { return None };
            from.iter().position(|index| matches!(index, Index::Label(name) if name.text == wanted.text))
        };
        let axes = to.iter().map(axis).collect::<Option<Vec<usize>>>();
        let axes = axes.filter(|axes| axes.len() == self.physical.rank()).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported(format!(
                "`[{left}]` is no permutation of `[{}]`, and only that leaves the memory as it is",
                self.labels
            )))
        })?;
        self.physical.permute(&axes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(result: Result<impl std::fmt::Debug, Error>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn faults_are_those_of_equations() {
        let (s, t) = (Shape::new([10, 20]), Shape::new([20, 5]));
        assert_eq!((s.at("ij") * t.at("jk")).shape("ik").unwrap(), Shape::new([10, 5]));
        assert_eq!((s.at("ij") - s.at("ij")).shape("ij").unwrap(), s);
        let scalar = Shape::new([]);
        assert_eq!((scalar.at("") * s.at("ij")).shape("ij").unwrap(), s);
        assert_eq!(sentence(s.at("ijk").shape("ijk")), "`[ijk]` has rank 2 but 3 indices are given");
        assert_eq!(sentence((s.at("ij") * t.at("jk")).shape("il")), sentence(s.at("ij").shape("il")));
        let tensor = crate::Tensor::<f64>::zeros([10, 20]).unwrap();
        assert_eq!(sentence(s.at("i j").shape("ij")), sentence(tensor.at("i j").eval("ij")));
        assert!(sentence(Shape::null().at("").shape("")).contains("null shape"));
        let large = Shape::new([usize::MAX, 2]).at("ij").shape("ji").unwrap();
        assert_eq!((large.at("ij") * large.at("ij")).shape("j").unwrap(), Shape::new([usize::MAX]));
    }

    #[test]
    fn origins_go_with_their_labels() {
        let s = Shape::new([2, 3]).with_origin([10, 4]).unwrap();
        let permuted = s.at("i,j").shape("j,i").unwrap();
        assert_eq!((permuted.extents(), permuted.origin()), (&[3, 2][..], &[4, 10][..]));
        let row = Shape::new([3]).with_origin([4]).unwrap();
        assert_eq!((s.at("i,j") * row.at("j")).shape("i").unwrap().origin(), [10]);
        let part = s.at("i,j in 1..3").shape("j,i").unwrap();
        assert_eq!((part.extents(), part.origin()), (&[2, 2][..], &[5, 10][..]));
        assert_eq!(
            sentence((s.at("i,j") * Shape::new([3]).at("j")).shape("i")),
            "index `j` begins at 4 in `[i,j]` but at 0 in `[j]`"
        );
    }

    #[test]
    fn layouts_are_permuted() {
        let stored: Physical = "f32[2,3]{0,1}".parse().unwrap();
        assert_eq!(stored.at("ij").physical("ji").unwrap().to_string(), "f32[3,2]{1,0}");
        let no_permutation = "`[i]` is no permutation of `[ij]`, and only that leaves the memory as it is";
        assert_eq!(sentence(stored.at("ij").physical("i")), no_permutation);
        assert!(sentence(stored.at("ii").physical("i")).contains("has extent 2"));
    }
}
