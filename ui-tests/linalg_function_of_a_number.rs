//! An argument that is no tensor.
use tensorwrapper::linalg;

fn main() {
    let _ = linalg::inv(&2.0);
}
