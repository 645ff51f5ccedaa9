//! The dipole moment of coupled cluster with orbitals that follow the field.
//!
//! In a field the Hartree-Fock orbitals are C·exp(K), where K mixes occupied and empty orbitals by κ such that the Fock matrix has no
//! elements between them. This makes κ a function of the field, a fixed point, and its response to the field is the derivative of the
//! fixed point: the coupled perturbed Hartree-Fock equations (J. Gerratt, I. M. Mills, J. Chem. Phys. 49, 1719 (1968)) are nowhere
//! written down.

use tensorwrapper::Tolerance;
use tensorwrapper::prelude::*;

use super::naive::ccsd::cc::{Amplitudes, Orbitals};
use super::naive::ccsd::molecule::Molecule;
use super::naive::ccsd::scf::HartreeFock;
use super::naive::ccsd::{Failure, Matrix, Tensor4};
use super::{Field, Recorded};

/// Hartree-Fock ends where the Fock matrix is diagonal to this.
const CONVERGED: f64 = 1e-9;

type Recording<'a> = Expr<'a, f64, Shape![_, _]>;

/// The derivatives of the Lagrangian by the integrals and by the blocks of the Fock matrix.
struct Densities {
    oooo: Tensor4,
    ooov: Tensor4,
    oovv: Tensor4,
    ovov: Tensor4,
    ovvv: Tensor4,
    vvvv: Tensor4,
    oo: Matrix,
    ov: Matrix,
    vv: Matrix,
}

impl Densities {
    /// For the multipliers that solve their equations, where the Lagrangian was recorded over `first`.
    fn new(
        recorded: &Recorded<'_>,
        (mo, vvvv): (&Orbitals, &Tensor4),
        first: &Amplitudes,
        m: &Amplitudes,
    ) -> Result<Densities, Error> {
        let (L, context) = (&recorded.L, Context::default());
        let (g1, g2, g3, g4, g5, g6) = L.grad((&mo.oooo, &mo.ooov, &mo.oovv, &mo.ovov, &mo.ovvv, vvvv))?;
        let integrals = context.prepare_all((&g1, &g2, &g3, &g4, &g5, &g6), &[&first.t1, &first.t2])?;
        let (oooo, ooov, oovv, ovov, ovvv, vvvv) = integrals.run(&[&m.t1, &m.t2])?;
        let (g1, g2, g3) = L.grad((&recorded.f_oo, &recorded.f_ov, &recorded.f_vv))?;
        let (oo, ov, vv) = context.prepare_all((&g1, &g2, &g3), &[&first.t1, &first.t2])?.run(&[&m.t1, &m.t2])?;
        Ok(Densities { oooo, ooov, oovv, ovov, ovvv, vvvv, oo, ov, vv })
    }
}

/// What orbitals in a field depend on.
struct Frame<'a> {
    molecule: &'a Molecule,
    eri: &'a Tensor4,
    C: &'a Matrix,
    z: &'a Matrix,
    strength: &'a Tensor<f64, ()>,
    one: Matrix,
    /// How much an element of κ changes by that of the Fock matrix: 1/(ε_a - ε_i).
    slopes: Matrix,
}

/// The derivative of the correlation energy by the field, with its orbitals.
pub(crate) fn slope(
    (molecule, hf, mo, vvvv, field): (&Molecule, &HartreeFock, &Orbitals, &Tensor4, &Field),
    recorded: &Recorded<'_>,
    (first, m): (&Amplitudes, &Amplitudes),
) -> Result<f64, Failure> {
    let densities = Densities::new(recorded, (mo, vvvv), first, m)?;
    let eri: Tensor4 = molecule.eri.to_dense()?.into_typed()?;
    let one = Tensor::from_fn((molecule.nao, molecule.nao), |i| if i[0] == i[1] { 1.0 } else { 0.0 })?;
    let (eo, ev) = (&mo.eo, &mo.ev);
    let slopes = tensor!([a, i] = 1.0 / (ev[a] - eo[i]));
    let frame = Frame { molecule, eri: &eri, C: &hf.C, z: &field.z, strength: &field.strength, one, slopes };
    let start = Tensor::zeros((mo.nvir, mo.nocc))?;
    let kappa = Context::default().fixed_point(|kappa, ()| frame.next(&kappa), &start, (), Tolerance::new(CONVERGED))?;
    // By its integrals the Lagrangian is linear, so that this sum changes with the field as it does.
    let (Co, Cv) = frame.orbitals(&kappa)?;
    let (F, eri, strength) = (frame.fock(&Co)?, &eri, &field.strength);
    let Densities { oooo, ooov, oovv, ovov, ovvv, vvvv, oo, ov, vv } = &densities;
    let slope: f64 = try_tensor! {
        let changing = oo[i,j] * F[p,q] * Co[p,i] * Co[q,j]
            + ov[i,a] * F[p,q] * Co[p,i] * Cv[q,a]
            + vv[a,b] * F[p,q] * Cv[p,a] * Cv[q,b]
            + oooo[i,j,k,l] * eri[p,q,r,s] * Co[p,i] * Co[q,k] * Co[r,j] * Co[s,l]
            + ooov[i,j,k,a] * eri[p,q,r,s] * Co[p,i] * Co[q,k] * Co[r,j] * Cv[s,a]
            + oovv[i,j,a,b] * eri[p,q,r,s] * Co[p,i] * Cv[q,a] * Co[r,j] * Cv[s,b]
            + ovov[i,a,j,b] * eri[p,q,r,s] * Co[p,i] * Co[q,j] * Cv[r,a] * Cv[s,b]
            + ovvv[i,a,b,c] * eri[p,q,r,s] * Co[p,i] * Cv[q,b] * Cv[r,a] * Cv[s,c]
            + vvvv[a,b,c,d] * eri[p,q,r,s] * Cv[p,a] * Cv[q,c] * Cv[r,b] * Cv[s,d];
        let slope = grad(changing; strength);
        slope
    }?;
    Ok(slope)
}

impl Frame<'_> {
    /// Orbitals turned by κ: the occupied ones and the empty ones.
    fn orbitals<'a>(&'a self, kappa: &Recording<'a>) -> Result<(Recording<'a>, Recording<'a>), Error> {
        let (graph, nocc) = (Graph::new(), self.molecule.nocc);
        try_tensor! {
            in &graph;
            let mixed[p,q]     = self.one[p, a in nocc..] * kappa[a,i] * self.one[q, i in ..nocc];
            let generator[p,q] = mixed[p,q] - mixed[q,p];
            let turn[p,q]      = expm(generator[p,q]);
            let all[m,q]       = self.C[m,p] * turn[p,q];
            let Co[m,i]        = all[m, i in ..nocc];
            let Cv[m,a]        = all[m, a in nocc..];
            (Co, Cv)
        }
    }

    /// The Fock matrix of occupied orbitals, in the field.
    fn fock<'a>(&'a self, Co: &Recording<'a>) -> Result<Recording<'a>, Error> {
        let (graph, Molecule { H, .. }, eri) = (Graph::new(), self.molecule, self.eri);
        try_tensor! {
            in &graph;
            let density[p,q] = 2.0 * Co[p,i] * Co[q,i];
            let F[p,q] = H[p,q] + self.strength * self.z[p,q]
                + eri[p,q,r,s] * density[r,s] - 0.5 * eri[p,r,q,s] * density[r,s];
            F
        }
    }

    /// The next κ: the energy falls along what the Fock matrix has between occupied and empty orbitals.
    fn next<'a>(&'a self, kappa: &Recording<'a>) -> Result<Recording<'a>, Error> {
        let graph = Graph::new();
        let (Co, Cv) = self.orbitals(kappa)?;
        let F = self.fock(&Co)?;
        try_tensor! {
            in &graph;
            let mixed[a,i] = F[p,q] * Co[p,i] * Cv[q,a];
            let next[a,i]  = kappa[a,i] - mixed[a,i] * self.slopes[a,i];
            next
        }
    }
}
