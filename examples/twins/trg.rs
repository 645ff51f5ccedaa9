//! The free energy of the Ising model by the tensor renormalisation group (Levin, Nave, Phys. Rev. Lett. 99, 120601).

use tensorwrapper::prelude::*;

type Site = Tensor<f64, Shape![_, _, _, _]>;
type Half = Tensor<f64, Shape![_, _, _]>;

fn halves(t: &Site, bond: usize) -> Result<[Half; 2], Error> {
    let (u, s, v) = try_tensor!(([a, b, n], [n], [n, c, d]) = svd(t[a, b, c, d]; max = bond))?;
    Ok([tensor!([a, b, n] = u[a, b, n] * sqrt(s[n])), tensor!([n, c, d] = sqrt(s[n]) * v[n, c, d])])
}

fn coarser(t: Site, bond: usize) -> Result<Site, Error> {
    let [below, above] = halves(&t, bond)?;
    let [left, right] = halves(&tensor!([l, d, r, u] = t[u, l, d, r]), bond)?;
    try_tensor!([u, l, d, r] = above[u, x, a] * left[a, b, r] * below[b, c, d] * right[l, c, x])
}

pub fn run() -> Result<f64, Error> {
    let bonds = Tensor::<f64, Shape![_, _]>::from_fn((2, 2), |i| if i[0] == i[1] { 0.4f64 } else { -0.4 }.exp())?;
    let (e, x) = try_tensor!(([n], [p, n]) = eigh(bonds[p, q]))?;
    let w = tensor!([p, n] = x[p, n] * sqrt(e[n]));
    let mut t = tensor!([u, l, d, r] = w[x, u] * w[x, l] * w[x, d] * w[x, r]);
    let mut ln_z = 0.0;
    for step in 0..16 {
        let norm = tensor!([] = norm(t[u, l, d, r]));
        ln_z += norm.ln() / 2f64.powi(step);
        t = coarser(t / norm, 8)?;
    }
    Ok(ln_z + tensor!([] = t[u, l, u, l]).ln() / 2f64.powi(16))
}
