//! The ground state of a Heisenberg chain by evolution in imaginary time (TEBD; Vidal, Phys. Rev. Lett. 93, 040502).

use tensorwrapper::prelude::*;

const SITES: usize = 6;
const BOND: usize = 8;

type Pair = Tensor<f64, Shape![2, 2, 2, 2]>;
type State = Tensor<f64, Shape![_, 2, _]>;

fn bond_energy() -> Result<Pair, Error> {
    let z = Tensor::from_array([[0.5, 0.0], [0.0, -0.5]])?;
    let up = Tensor::from_array([[0.0, 1.0], [0.0, 0.0]])?;
    try_tensor!([s, t, u, v] = z[s, u] * z[t, v] + 0.5 * (up[s, u] * up[v, t] + up[u, s] * up[t, v]))
}

fn apply(gate: &Pair, psi: &mut [State], n: usize) -> Result<(), Error> {
    let (a, b) = (&psi[n], &psi[n + 1]);
    let (u, s, v) =
        try_tensor!(([a, u, n], [n], [n, v, c]) = svd(sum(b, s, t; a[a, s, b] * b[b, t, c] * gate[s, t, u, v]); max = BOND))?;
    let v = tensor!([n, v, c] = s[n] * v[n, v, c] / sqrt(sum(k; s[k] * s[k])));
    (psi[n], psi[n + 1]) = (u, v);
    Ok(())
}

pub fn run() -> Result<f64, Error> {
    let h = bond_energy()?;
    let gate = try_tensor!([s, t, u, v] = expm((s, t), (u, v); -0.1 * h[s, t, u, v]))?;
    let site = |n| Tensor::from_fn((1, Const, 1), |i| if i[1] == n % 2 { 1.0 } else { 0.0 });
    let mut psi: Vec<State> = (0..SITES).map(site).collect::<Result<_, _>>()?;
    for _ in 0..100 {
        for n in (0..SITES - 1).step_by(2).chain((1..SITES - 1).step_by(2)) {
            apply(&gate, &mut psi, n)?;
        }
    }
    let mut state = tensor!([s, b] = (psi[0])[0, s, b]).into_dyn();
    for b in &psi[1..] {
        state = try_tensor!([(s, t), c] = state[s, b] * b[b, t, c])?.into_dyn();
    }
    let mut energy = 0.0;
    for n in 0..SITES - 1 {
        let (pair, _) = state.clone().reshape((1 << n, 2, 2, 1 << (SITES - 2 - n)))?;
        energy += tensor!([] = pair[a, s, t, c] * h[s, t, u, v] * pair[a, u, v, c]);
    }
    Ok(energy / tensor!([] = state[s, b] * state[s, b]))
}
