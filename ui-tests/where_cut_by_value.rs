//! A `where` takes a cut by reference.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Tiling};

fn main() {
    let cut = Tiling::whole(2);
    let a = Blocks::<f64>::zeros(&Structure::new([&cut; 2])).unwrap();
    let _c = tensor!([i, j] = 2.0 * a[i, j] where i: cut);
}
