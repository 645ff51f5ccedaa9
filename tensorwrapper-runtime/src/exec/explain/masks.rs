//! Matrices that derivatives multiply with, as text: the identity, triangles, signs. Their elements depend on which index is larger.

use std::cmp::Ordering;

use num_complex::Complex;

use super::words::constant;
use crate::tensor::AnyTensor;
use tensorwrapper_core::dtype::dispatch;
use tensorwrapper_core::element::Element;

/// A matrix by its elements where the row's index is less than the column's, where both are equal, and where it is larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mask([Complex<f64>; 3]);

impl Mask {
    /// The mask that a tensor is, if it is one.
    pub(super) fn of(tensor: &AnyTensor) -> Option<Mask> {
        let [rows, columns] = *tensor.extents() else { return None };
        let of = |at: &dyn Fn(usize, usize) -> Complex<f64>| {
            let mut known = [None; 3];
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let element = at(i, j);
                let order = match i.cmp(&j) {
                    Ordering::Less => 0,
                    Ordering::Equal => 1,
                    Ordering::Greater => 2,
                };
                if *known[order].get_or_insert(element) != element {
                    return None;
                }
            }
            Some(known)
        };
        let known = dispatch!(tensor.dtype(), T => tensor.view::<T>().ok().and_then(|own| of(&|i, j| own[[i, j]].to_complex())))?;
        Some(Mask(known.map(Option::unwrap_or_default)))
    }

    /// The right side of its equation under the names of its labels. Among complex numbers the values of indices have an order by their
    /// real parts alone.
    pub(super) fn text(&self, labels: [&str; 2], is_complex: bool) -> String {
        let [less, equal, larger] = self.0.map(constant);
        let select = |comparison: &str, one: &str, other: &str| {
            let index =
                |label| if is_complex && comparison != "==" { format!("re(iota[{label}])") } else { format!("iota[{label}]") };
            match one == other {
                true => one.to_string(),
                false => format!("select({} {comparison} {}; {one}, {other})", index(labels[0]), index(labels[1])),
            }
        };
        match () {
            () if less == larger => select("==", &equal, &larger),
            () if less == equal => select("<=", &less, &larger),
            () => select("<", &less, &select("==", &equal, &larger)),
        }
    }
}
