//! The free energy of the Ising model by the tensor renormalisation group (Levin, Nave, Phys. Rev. Lett. 99, 120601).

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    let bonds = Tensor::from_array([[0.4f64, -0.4], [-0.4, 0.4]])?.into_dyn();
    // A bond is a product of two halves, one for each of its ends.
    let w = tensor!([p, n] = cholesky(exp(bonds[p, q])));
    let mut t = einsum!("xu,xl,xd,xr->uldr", w, w, w, w);
    let mut ln_z = 0.0;
    for step in 0..=16 {
        let trace = einsum!("ulul->", t);
        ln_z += trace.ln() / 2f64.powi(step);
        t /= trace;
        // Each site is cut in two along one diagonal, or the other; four halves make a site of the coarser lattice.
        let (u, s, v) = tensor!(([a, b, n], [n], [n, c, d]) = svd(t[a, b, c, d]; max = 8));
        let (p, r, q) = tensor!(([b, c, n], [n], [n, d, a]) = svd(t[a, b, c, d]; max = 8));
        let (s, r) = (s.sqrt()?, r.sqrt()?);
        t = einsum!("uxa,abr,bcd,lcx,u,l,d,r->uldr", v, p, u, q, s, r, s, r);
    }
    Ok(ln_z)
}
