//! A claim of symmetry needs two labels that change places.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Tiling};

fn main() {
    let a = Blocks::<f64>::zeros(&Structure::new([&Tiling::whole(2); 2])).unwrap();
    let _c = tensor!([i, j] = a[i, k] * a[j, k] where asym(i));
}
