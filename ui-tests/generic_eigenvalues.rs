//! Eigenvalues in generic code are of the elements' real type.

use tensorwrapper::prelude::*;

fn equation<T: Element>(a: &Tensor<T>, x: &Tensor<T>) {
    let w = tensor! {
        let (e[n], v[p, n]) = eigh(a[p, q]);
        let w[p] = v[p, n] * e[n] * x[n];
        w
    };
    drop(w);
}

fn main() {}
