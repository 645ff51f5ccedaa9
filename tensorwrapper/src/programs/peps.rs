//! A projected entangled pair state of 2×3 sites: the correlation of two spins, by double layers.

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    // Axes of a site: its spin, and the bonds up, left, down and right.
    let site = |u, l, d, r| {
        let mut n = 0f64;
        Tensor::<f64>::from_fn([2, u, l, d, r], |_| {
            n += 1.0;
            n.cos()
        })
    };
    let (a, b, c, d, e, f) =
        (site(1, 1, 3, 3)?, site(1, 3, 3, 3)?, site(1, 3, 3, 1)?, site(3, 1, 1, 3)?, site(3, 3, 1, 3)?, site(3, 3, 1, 1)?);
    // The bonds of the bra have capital letters; the first and the last spin have a diagonal operator between bra and ket.
    let value = |z: &Tensor<f64>| {
        let row = einsum!("gxyai,g,gXYAI,szibj,sZIBJ,twjcv,tWJCV->aAbBcC", a, z, a, b, b, c, c);
        einsum!("aAbBcC,uaklm,uAKLM,rbmno,rBMNO,ecopq,e,eCOPQ->", row, d, d, e, e, f, z, f)
    };
    Ok(value(&Tensor::from_array([1.0, -1.0])?.into_dyn()) / value(&Tensor::ones([2])?))
}
