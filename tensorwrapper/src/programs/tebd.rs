//! The ground state of a Heisenberg chain by evolution in imaginary time (TEBD; Vidal, Phys. Rev. Lett. 93, 040502).

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    let (z, up) = (Tensor::from_array([0.5, -0.5])?.diag()?, Tensor::from_array([[0.0, 1.0], [0.0, 0.0]])?);
    let h = einsum!("su,tv->stuv", z, z) + (einsum!("su,vt->stuv", up, up) + einsum!("us,tv->stuv", up, up)) / 2.0;
    let gate = tensor!([s, t, u, v] = expm((s, t), (u, v); -0.1 * h[s, t, u, v]));
    let site = |upward: f64| Tensor::from_vec((1, Const::<2>, 1), vec![upward, 1.0 - upward]);
    let mut psi = [site(1.0)?, site(0.0)?, site(1.0)?, site(0.0)?, site(1.0)?, site(0.0)?];
    for _ in 0..100 {
        // Even bonds, then odd ones.
        for n in [0, 2, 4, 1, 3] {
            let theta = einsum!("asb,btc,stuv->auvc", psi[n], psi[n + 1], gate);
            let (u, s, v) = tensor!(([a, s, n], [n], [n, t, c]) = svd(theta[a, s, t, c]; max = 8));
            psi[n] = u;
            psi[n + 1] = einsum!("n,ntc->ntc", &s / s.norm(), v);
        }
    }
    let state = einsum!("asb,btc,cud,dve,ewf,fxg->stuvwx", psi[0], psi[1], psi[2], psi[3], psi[4], psi[5]);
    let mut energy = 0.0;
    for n in 0..5 {
        let pair = state.view().reshape((1 << n, 2, 2, 16 >> n))?;
        energy += einsum!("astc,stuv,auvc->", pair, h, pair);
    }
    Ok(energy / einsum!("stuvwx,stuvwx->", state, state))
}
