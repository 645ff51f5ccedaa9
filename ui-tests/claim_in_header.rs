//! A claim of symmetry is one equation's, not a block's.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Tiling};

fn main() {
    let a = Blocks::<f64>::zeros(&Structure::new([&Tiling::whole(2); 2])).unwrap();
    let _c = tensor! {
        where sym(i, j);
        let c[i, j] = a[i, k] * a[j, k];
        c
    };
}
