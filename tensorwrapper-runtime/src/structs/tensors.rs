//! [`Tensors`]: a struct of tensors as one vector.

use std::path::Path;

use super::folder;
use super::member::HasElements;
use super::name::Name;
use crate::tensor::{TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A struct of tensors: a vector whose parts have names. `#[derive(Tensors)]` implements it, with the feature `derive`.
///
/// All tensors of a struct have elements of one type. A field is a [`Tensor`](crate::Tensor), another such struct, or a `Vec`, an
/// `Option`, an array or a tuple of them; a field of another kind is marked `#[tensors(skip)]`, and copies keep it. A tensor's name
/// is its way through the struct: `t1`, `layers.0.weight`.
///
/// For a struct `Amplitudes` the derive makes another, `AmplitudesRecorded`, with recorded values in place of the tensors. A reference
/// to either is a variable of a [derivative](crate::Variables), and the gradient by it is an `AmplitudesRecorded`, whose
/// `eval` returns `Amplitudes`. Fixed points, repeated steps and prepared gradients take and return such structs, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct of tensors",
    note = "write `#[derive(Tensors)]` above the struct"
)]
pub trait Tensors: HasElements {
    /// Shows each tensor with its name, in the order of the fields.
    fn visit<'t>(&'t self, mut visitor: impl FnMut(&str, TensorRef<'t, Self::Elem>)) {
        self.each(&mut Name::default(), &mut visitor);
    }

    /// Shows each tensor with its name, in the order of the fields, so that elements can be changed.
    fn visit_mut(&mut self, mut visitor: impl FnMut(&str, TensorMut<'_, Self::Elem>)) {
        self.each_mut(&mut Name::default(), &mut visitor);
    }

    /// The struct of the function's values, element by element. Fields that are skipped are cloned.
    #[must_use]
    fn map(&self, mut function: impl FnMut(Self::Elem) -> Self::Elem) -> Self {
        let mut result = self.cloned_member();
        result.visit_mut(|_, mut tensor| each_element(&mut tensor, |element| *element = function(*element)));
        result
    }

    /// The struct of the function's values at pairs of elements. Fields that are skipped are cloned from the first.
    ///
    /// # Errors
    /// Tensors with other names or extents.
    fn zip(&self, other: &Self, function: impl FnMut(Self::Elem, Self::Elem) -> Self::Elem) -> Result<Self, Error> {
        let pairs = pairs(self, other)?;
        let mut result = self.cloned_member();
        combine(&mut result, pairs.into_iter().map(|(_, other)| other).collect(), function);
        Ok(result)
    }

    /// Adds a multiple of another struct to this one: y ← a·x + y, as BLAS' `axpy`.
    ///
    /// # Errors
    /// Tensors with other names or extents. Then nothing has changed.
    fn axpy(&mut self, factor: Self::Elem, x: &Self) -> Result<(), Error> {
        let x = pairs(self, x)?.into_iter().map(|(_, x)| x).collect();
        combine(self, x, |y, x| factor * x + y);
        Ok(())
    }

    /// The inner product Σ conj(a)·b over all elements.
    ///
    /// # Errors
    /// Tensors with other names or extents, and what computing reports.
    fn dot(&self, other: &Self) -> Result<Self::Elem, Error> {
        let mut sum = Self::Elem::ZERO;
        for (a, b) in pairs(self, other)? {
            let labels: Vec<String> = (0..a.rank()).map(|axis| format!("x{axis}")).collect();
            let labels = labels.join(",");
            let product = a.at(&labels).conj() * b.at(&labels);
            sum += product.eval("")?.as_slice()[0];
        }
        Ok(sum)
    }

    /// The Euclidean norm, √Σ|x|² over all elements, without overflow and underflow on the way.
    fn norm(&self) -> f64 {
        let mut largest = 0.0f64;
        self.visit(|_, tensor| tensor.elements().for_each(|&x| largest = greater(largest, size(x))));
        if largest == 0.0 || !largest.is_finite() {
            return largest;
        }
        let mut sum = 0.0;
        self.visit(|_, tensor| sum += tensor.elements().map(|&x| (size(x) / largest).powi(2)).sum::<f64>());
        largest * sum.sqrt()
    }

    /// Writes the tensors to a folder of NumPy's files, each under its name: `layers.0.weight.npy`; and `tensors.txt`, a list of them.
    ///
    /// The folder is complete or as it was: all is written beside it first. An existing folder is replaced if this function wrote
    /// all that is in it.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the folder holds anything else, and what the system reports.
    fn save(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        folder::save(self, folder.as_ref())
    }

    /// Reads the tensors from a folder to which [`save`](Tensors::save) wrote. Fields that are skipped are `Default::default()`.
    ///
    /// # Errors
    /// Files that are missing or broken, that have another type or other extents than their fields, and tensors for which the struct has
    /// no field.
    fn load(folder: impl AsRef<Path>) -> Result<Self, Error> {
        folder::load(folder.as_ref())
    }
}

/// |x|, in double precision.
fn size(x: impl Element) -> f64 {
    let x = x.to_complex();
    x.re.hypot(x.im)
}

/// The larger number, or NaN where there is one.
fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn each_element<T: Element>(tensor: &mut TensorMut<'_, T>, mut change: impl FnMut(&mut T)) {
    if let Some(elements) = tensor.as_mut_slice() {
        return elements.iter_mut().for_each(change);
    }
    let mut indices = Vec::with_capacity(tensor.len());
    tensor.shape().indices().for_each(|index| indices.push(index.to_vec()));
    for index in indices {
        change(tensor.get_mut(&index).expect("these are the indices of the tensor"));
    }
}

/// Changes each element by that of another tensor in its place.
fn combine<X: Tensors>(to: &mut X, other: Vec<TensorRef<'_, X::Elem>>, mut function: impl FnMut(X::Elem, X::Elem) -> X::Elem) {
    let mut others = other.into_iter();
    to.visit_mut(|_, mut tensor| {
        let other = others.next().expect("there are as many tensors");
        match (tensor.as_mut_slice(), other.as_slice()) {
            (Some(to), Some(other)) => to.iter_mut().zip(other).for_each(|(to, &other)| *to = function(*to, other)),
            _ => {
                let mut other = other.elements();
                each_element(&mut tensor, |to| *to = function(*to, *other.next().expect("there are as many elements")));
            }
        }
    });
}

type Pair<'a, 'b, T> = (TensorRef<'a, T>, TensorRef<'b, T>);

/// The tensors of two structs.
fn pairs<'a, 'b, X: Tensors>(a: &'a X, b: &'b X) -> Result<Vec<Pair<'a, 'b, X::Elem>>, Error> {
    let (of_a, of_b) = (listed(a), listed(b));
    let refuse = |message: String| Err(Error::new(ErrorKind::Shape(message)));
    for ((name, a), (other, b)) in of_a.iter().zip(&of_b) {
        if name != other {
            return refuse(format!("one struct has a tensor `{name}` where the other has `{other}`"));
        }
        if a.extents() != b.extents() {
            return refuse(format!("`{name}` has extents {:?} in one struct but {:?} in the other", a.extents(), b.extents()));
        }
    }
    if let Some((name, _)) = of_a.get(of_b.len()).or_else(|| of_b.get(of_a.len()).map(|more| more as _)) {
        return refuse(format!("one struct has a tensor `{name}` that the other has not"));
    }
    Ok(of_a.into_iter().zip(of_b).map(|((_, a), (_, b))| (a, b)).collect())
}

fn listed<X: Tensors>(tensors: &X) -> Vec<(String, TensorRef<'_, X::Elem>)> {
    let mut all = Vec::new();
    tensors.visit(|name, tensor| all.push((name.to_string(), tensor)));
    all
}
