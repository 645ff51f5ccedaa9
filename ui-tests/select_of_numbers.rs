//! Numbers where a condition stands, and truth values where a number does.

use tensorwrapper::prelude::*;

fn main() {
    let a = Tensor::<f64, Shape![3]>::zeros((Const,)).unwrap();
    let chosen = tensor!([i] = select(a[i]; a[i], 1.0));
    let block = tensor! {
        let w[i] = 2.0 * a[i];
        let c[i] = select(w[i] || a[i] > 0.0; a[i], 1.0);
        let m[i] = w[i] > 1.0;
        let d[i] = c[i] * m[i];
        d
    };
    let _ = (chosen, block);
}
