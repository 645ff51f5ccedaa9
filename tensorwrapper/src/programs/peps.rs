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
    // The bonds of the bra have capital letters; the spins `g` of the first site and `e` of the last stay.
    let row = einsum!("gxyai,gXYAI,szibj,sZIBJ,twjcv,tWJCV->gaAbBcC", a, a, b, b, c, c);
    let weights = einsum!("gaAbBcC,uaklm,uAKLM,rbmno,rBMNO,ecopq,eCOPQ->ge", row, d, d, e, e, f, f);
    let z = Tensor::from_array([1.0, -1.0])?;
    Ok(einsum!("ge,g,e->", weights, z, z) / weights.sum())
}
