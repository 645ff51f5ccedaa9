//! Integrals over orbitals, second-order perturbation theory and coupled cluster with singles and doubles.
//!
//! Closed shell, adapted to spin: one set of amplitudes serves all spins, `t2[i,j,a,b]` is that of i and a with spin up and
//! j and b with spin down. Intermediates are named as by S. Hirata et al., J. Chem. Phys. 120, 2581 (2004); integrals are
//! in physicists' order, `oovv[i,j,a,b]` = <ij|ab> = (ia|jb). The Fock matrix of canonical orbitals is diagonal, and what
//! it contributes stands in the denominators.

use tensorwrapper::prelude::*;

use super::diis::{Diis, DiisVector};
use super::molecule::Molecule;
use super::scf::HartreeFock;
use super::{Failure, Matrix, Tensor4, Vector};

/// The last step changes the amplitudes by less; the error of the energy is then of the same order.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: usize = 100;
const DIIS_CAPACITY: usize = 8;
/// Perturbation theory divides by the gap between occupied and empty orbitals, in Hartree.
const SMALLEST_GAP: f64 = 1e-6;

/// The molecule as its electrons see it: canonical orbitals, and <pq|rs> between occupied (o) and empty (v) ones.
pub(crate) struct Orbitals {
    pub(crate) nocc: usize,
    pub(crate) nvir: usize,
    /// Energies of the occupied orbitals.
    pub(crate) eo: Vector,
    /// Energies of the empty orbitals.
    pub(crate) ev: Vector,
    pub(crate) oooo: Tensor4,
    pub(crate) ooov: Tensor4,
    pub(crate) oovv: Tensor4,
    pub(crate) ovov: Tensor4,
    pub(crate) ovvv: Tensor4,
    pub(crate) vvvv: Tensor4,
}

impl Orbitals {
    pub(crate) fn new(molecule: &Molecule, hf: &HartreeFock) -> Result<Orbitals, Failure> {
        let Molecule { nocc, nao, eri, .. } = molecule;
        let (nocc, nvir) = (*nocc, nao - nocc);
        let HartreeFock { eps, C, .. } = hf;
        if let [.., homo] = eps.as_slice()[..nocc]
            && let [lumo, ..] = eps.as_slice()[nocc..]
            && lumo - homo < SMALLEST_GAP
        {
            let gap = "the highest occupied and the lowest empty orbital have the same energy";
            return Err(Failure::Calculation(format!("{gap}, so no perturbation theory starts from this closed shell")));
        }

        // Four steps of n^5 each, one orbital after the other, where a sum over p, q, r, s at once would take n^8.
        let (eo, ev, oooo, ooov, oovv, ovov, ovvv, vvvv) = tensor! {
            let eo[i] = eps[i in ..nocc];
            let ev[a] = eps[a in nocc..];
            let Co[p,i] = C[p, i in ..nocc];
            let Cv[p,a] = C[p, a in nocc..];
            let oooo[i,j,k,l] = eri[p,q,r,s] * Co[p,i] * Co[q,k] * Co[r,j] * Co[s,l];
            let ooov[i,j,k,a] = eri[p,q,r,s] * Co[p,i] * Co[q,k] * Co[r,j] * Cv[s,a];
            let oovv[i,j,a,b] = eri[p,q,r,s] * Co[p,i] * Cv[q,a] * Co[r,j] * Cv[s,b];
            let ovov[i,a,j,b] = eri[p,q,r,s] * Co[p,i] * Co[q,j] * Cv[r,a] * Cv[s,b];
            let ovvv[i,a,b,c] = eri[p,q,r,s] * Co[p,i] * Cv[q,b] * Cv[r,a] * Cv[s,c];
            let vvvv[a,b,c,d] = eri[p,q,r,s] * Cv[p,a] * Cv[q,c] * Cv[r,b] * Cv[s,d];
            (eo, ev, oooo, ooov, oovv, ovov, ovvv, vvvv)
        };
        Ok(Orbitals { nocc, nvir, eo, ev, oooo, ooov, oovv, ovov, ovvv, vvvv })
    }
}

/// What coupled cluster solves for.
pub(crate) struct Amplitudes {
    /// `t1[i,a]`: one electron from i to a.
    pub(crate) t1: Matrix,
    /// `t2[i,j,a,b]`: two electrons, from i to a and from j to b.
    pub(crate) t2: Tensor4,
}

/// The correlation energy that the amplitudes give.
fn energy(mo: &Orbitals, t: &Amplitudes) -> f64 {
    let (oovv, Amplitudes { t1, t2 }) = (&mo.oovv, t);
    tensor!([] = (2.0 * oovv[i,j,a,b] - oovv[i,j,b,a]) * (t2[i,j,a,b] + t1[i,a] * t1[j,b]))
}

/// Second-order Moller-Plesset theory: its energy, and its amplitudes, which are where coupled cluster starts.
pub(crate) fn mp2(mo: &Orbitals) -> Result<(f64, Amplitudes), Failure> {
    let Orbitals { eo, ev, oovv, .. } = mo;
    let t1 = Tensor::zeros((mo.nocc, mo.nvir))?;
    let t2 = tensor!([i,j,a,b] = oovv[i,j,a,b] / (eo[i] + eo[j] - ev[a] - ev[b]));
    let amplitudes = Amplitudes { t1, t2 };
    Ok((energy(mo, &amplitudes), amplitudes))
}

/// The next amplitudes by the last ones, as they are recorded: singles and doubles.
pub(crate) type Next<'a> = (Expr<'a, f64, Shape![_, _]>, Expr<'a, f64, Shape![_, _, _, _]>);

/// Coupled-cluster equations: they record what the next amplitudes are, and hand it on.
pub(crate) type Equations = fn(&Orbitals, &Amplitudes, &mut dyn FnMut(&Next<'_>) -> Result<(), Failure>) -> Result<(), Failure>;

/// Solves coupled-cluster equations, from a first guess of the amplitudes. They are planned once; what the integrals alone
/// decide is computed then.
pub(crate) fn solve(mo: &Orbitals, guess: &Amplitudes, equations: Equations) -> Result<(f64, Amplitudes), Failure> {
    let mut solution = None;
    equations(mo, guess, &mut |(next1, next2)| {
        let step = Context::default().prepare_all((next1, next2), &[&guess.t1, &guess.t2])?;
        solution = Some(iterate(mo, guess, |t| {
            let (t1, t2) = step.run(&[&t.t1, &t.t2])?;
            Ok(Amplitudes { t1, t2 })
        })?);
        Ok(())
    })?;
    Ok(solution.expect("equations hand on what they record"))
}

/// Repeats a step until the amplitudes no longer change.
fn iterate(
    mo: &Orbitals,
    guess: &Amplitudes,
    step: impl Fn(&Amplitudes) -> Result<Amplitudes, Error>,
) -> Result<(f64, Amplitudes), Failure> {
    println!("\nCCSD\n{:>9} {:>20} {:>12} {:>12}", "iteration", "energy", "change", "|step|");
    let mut diis = Diis::new(DIIS_CAPACITY);
    let mut last = energy(mo, guess);
    let mut t = Amplitudes { t1: guess.t1.clone(), t2: guess.t2.clone() };
    for iteration in 1..=MOST_ITERATIONS {
        let next = step(&t)?;
        let change = Amplitudes::plus(Amplitudes::times(-1.0, &t), 1.0, &next);
        let length = Amplitudes::overlap(&change, &change).sqrt();
        t = diis.extrapolate(next, change);

        let energy = energy(mo, &t);
        println!("{iteration:>9} {energy:>20.12} {:>12.1e} {length:>12.1e}", energy - last);
        if length < CONVERGED {
            return Ok((energy, t));
        }
        if !length.is_finite() {
            break;
        }
        last = energy;
    }
    Err(Failure::Calculation(format!("CCSD did not converge in {MOST_ITERATIONS} iterations")))
}

/// The CCSD equations, solved for the amplitudes that the orbital energies multiply.
pub(crate) fn equations(
    mo: &Orbitals,
    t: &Amplitudes,
    then: &mut dyn FnMut(&Next<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Orbitals { nocc, nvir, eo, ev, oooo, ooov, oovv, ovov, ovvv, vvvv } = mo;
    let (nocc, nvir) = (*nocc, *nvir);
    let Amplitudes { t1, t2 } = t;
    let graph = Graph::new();
    let next = tensor! {
        in &graph;
        where i, j, k, l: nocc; a, b, c, d: nvir;

        // both electrons at once, together and each for itself; integrals summed over the spin of electron 2
        let tau[i,j,a,b] = t2[i,j,a,b] + t1[i,a] * t1[j,b];
        let woovv[k,l,c,d] = 2.0 * oovv[k,l,c,d] - oovv[k,l,d,c];
        let wvovv[a,k,c,d] = 2.0 * ovvv[k,a,d,c] - ovvv[k,a,c,d];
        let wooov[k,l,i,c] = 2.0 * ooov[k,l,i,c] - ooov[l,k,i,c];

        // one electron in the field of the others and of what the amplitudes make of them
        let Fki[k,i] = woovv[k,l,c,d] * tau[i,l,c,d];
        let Fac[a,c] = -woovv[k,l,c,d] * tau[k,l,a,d];
        let Fkc[k,c] = woovv[k,l,c,d] * t1[l,d];
        let Lki[k,i] = Fki[k,i] + wooov[k,l,i,c] * t1[l,c];
        let Lac[a,c] = Fac[a,c] + wvovv[a,k,c,d] * t1[k,d];

        // two electrons: hole-hole, particle-particle, and particle-hole in both orders; the other particle-hole pair adds
        // the same again, so each takes one half of what both make of t2
        let Wklij[k,l,i,j] = oooo[k,l,i,j] + ooov[l,k,j,c] * t1[i,c] + ooov[k,l,i,c] * t1[j,c] + oovv[k,l,c,d] * tau[i,j,c,d];
        let Wabcd[a,b,c,d] = vvvv[a,b,c,d] - ovvv[k,b,c,d] * t1[k,a] - ovvv[k,a,d,c] * t1[k,b];
        let theta[i,l,d,a] = 0.5 * t2[i,l,d,a] + t1[i,d] * t1[l,a];
        let Wakic[a,k,i,c] = oovv[i,k,a,c] + ovvv[k,a,c,d] * t1[i,d] - ooov[l,k,i,c] * t1[l,a]
                           - oovv[l,k,d,c] * theta[i,l,d,a] + 0.5 * woovv[l,k,d,c] * t2[i,l,a,d];
        let Wakci[a,k,c,i] = ovov[k,a,i,c] + ovvv[k,a,d,c] * t1[i,d] - ooov[k,l,i,c] * t1[l,a] - oovv[l,k,c,d] * theta[i,l,d,a];
        let Wabic[a,b,i,c] = ovvv[i,b,a,c] - ovov[k,b,i,c] * t1[k,a];
        let Wakij[a,k,i,j] = ooov[j,i,k,a] + oovv[i,k,a,c] * t1[j,c];

        let singles[i,a] = Fac[a,c] * t1[i,c] - Fki[k,i] * t1[k,a]
            + Fkc[k,c] * (2.0 * t2[k,i,c,a] - t2[i,k,c,a] + t1[i,c] * t1[k,a])
            + (2.0 * oovv[k,i,c,a] - ovov[k,a,i,c]) * t1[k,c]
            + wvovv[a,k,c,d] * tau[i,k,c,d] - wooov[k,l,i,c] * tau[k,l,a,c];

        // one half; the other follows when the electrons change places
        let half[i,j,a,b] = Lac[a,c] * t2[i,j,c,b] - Lki[k,i] * t2[k,j,a,b]
            + Wabic[a,b,i,c] * t1[j,c] - Wakij[a,k,i,j] * t1[k,b]
            + (2.0 * Wakic[a,k,i,c] - Wakci[a,k,c,i]) * t2[k,j,c,b]
            - Wakic[a,k,i,c] * t2[k,j,b,c] - Wakci[b,k,c,i] * t2[k,j,a,c];
        let doubles[i,j,a,b] = oovv[i,j,a,b] + Wklij[k,l,i,j] * tau[k,l,a,b] + Wabcd[a,b,c,d] * tau[i,j,c,d]
            + half[i,j,a,b] + half[j,i,b,a];

        let next1[i,a] = singles[i,a] / (eo[i] - ev[a]);
        let next2[i,j,a,b] = doubles[i,j,a,b] / (eo[i] + eo[j] - ev[a] - ev[b]);
        (next1, next2)
    };
    then(&next)
}

impl DiisVector for Amplitudes {
    fn overlap(x: &Amplitudes, y: &Amplitudes) -> f64 {
        tensor!([] = x.t1[i,a] * y.t1[i,a] + x.t2[i,j,a,b] * y.t2[i,j,a,b])
    }

    fn times(c: f64, x: &Amplitudes) -> Amplitudes {
        Amplitudes { t1: tensor!([i,a] = c * x.t1[i,a]), t2: tensor!([i,j,a,b] = c * x.t2[i,j,a,b]) }
    }

    fn plus(sum: Amplitudes, c: f64, x: &Amplitudes) -> Amplitudes {
        let Amplitudes { mut t1, mut t2 } = sum;
        tensor!(t1[i,a] += c * x.t1[i,a]);
        tensor!(t2[i,j,a,b] += c * x.t2[i,j,a,b]);
        Amplitudes { t1, t2 }
    }
}
