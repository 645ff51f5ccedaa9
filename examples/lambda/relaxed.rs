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

type Recording<'a> = Result<Expr<'a, f64>, Error>;

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
    fn new(recorded: &Recorded<'_>, mo: &Orbitals, first: &Amplitudes, m: &Amplitudes) -> Result<Densities, Error> {
        let (L, context) = (&recorded.L, Context::default());
        let (g1, g2, g3, g4, g5, g6) = L.grad((&mo.oooo, &mo.ooov, &mo.oovv, &mo.ovov, &mo.ovvv, &mo.vvvv))?;
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
    C: &'a Matrix,
    z: &'a Matrix,
    strength: &'a Tensor<f64, ()>,
    one: Matrix,
    /// How much an element of κ changes by that of the Fock matrix: 1/(ε_a - ε_i).
    slopes: Matrix,
}

/// The derivative of the correlation energy by the field, with its orbitals.
pub(crate) fn slope(
    (molecule, hf, mo, field): (&Molecule, &HartreeFock, &Orbitals, &Field),
    recorded: &Recorded<'_>,
    (first, m): (&Amplitudes, &Amplitudes),
) -> Result<f64, Failure> {
    let densities = Densities::new(recorded, mo, first, m)?;
    let one = Tensor::from_fn((molecule.nao, molecule.nao), |i| if i[0] == i[1] { 1.0 } else { 0.0 })?;
    let (eo, ev) = (&mo.eo, &mo.ev);
    let slopes = tensor!([a, i] = 1.0 / (ev[a] - eo[i]));
    let frame = Frame { molecule, C: &hf.C, z: &field.z, strength: &field.strength, one, slopes };
    let start = Tensor::zeros([mo.nvir, mo.nocc])?;
    let kappa = Context::default().fixed_point(|kappa, ()| frame.next(&kappa), &start, (), Tolerance::new(CONVERGED))?;
    // By its integrals the Lagrangian is linear, so that this sum changes with the field as it does.
    let (Co, Cv) = frame.orbitals(&kappa)?;
    let F = frame.fock(&Co)?;
    let of = |kind: char| if kind == 'o' { &Co } else { &Cv };
    let fock = |row, column| (F.at("pq") * of(row).at("pi") * of(column).at("qj")).record("ij");
    let integrals = |[a, b, c, d]: [char; 4]| {
        (molecule.eri.at("pqrs") * of(a).at("pa") * of(c).at("qc") * of(b).at("rb") * of(d).at("sd")).record("abcd")
    };
    let changing = densities.oo.at("ij") * fock('o', 'o')?.at("ij")
        + densities.ov.at("ij") * fock('o', 'v')?.at("ij")
        + densities.vv.at("ij") * fock('v', 'v')?.at("ij")
        + densities.oooo.at("abcd") * integrals(['o', 'o', 'o', 'o'])?.at("abcd")
        + densities.ooov.at("abcd") * integrals(['o', 'o', 'o', 'v'])?.at("abcd")
        + densities.oovv.at("abcd") * integrals(['o', 'o', 'v', 'v'])?.at("abcd")
        + densities.ovov.at("abcd") * integrals(['o', 'v', 'o', 'v'])?.at("abcd")
        + densities.ovvv.at("abcd") * integrals(['o', 'v', 'v', 'v'])?.at("abcd")
        + densities.vvvv.at("abcd") * integrals(['v', 'v', 'v', 'v'])?.at("abcd");
    Ok(changing.record("")?.grad(&field.strength)?.eval()?.as_slice()[0])
}

impl Frame<'_> {
    /// Orbitals turned by κ: the occupied ones and the empty ones.
    fn orbitals<'a>(&'a self, kappa: &Expr<'a, f64>) -> Result<(Expr<'a, f64>, Expr<'a, f64>), Error> {
        let (occupied, empty) = (format!("q, i in ..{}", self.molecule.nocc), format!("q, a in {}..", self.molecule.nocc));
        let mixed = (self.one.at(&format!("p, a in {}..", self.molecule.nocc)) * kappa.at("ai") * self.one.at(&occupied))
            .record("p,q")?;
        let turn = (mixed.at("pq") - mixed.at("qp")).record("pq")?.at("pq").expm("pq").record()?;
        let all = (self.C.at("mp") * turn.at("pq")).record("mq")?;
        Ok((all.at(&occupied).record("q,i")?, all.at(&empty).record("q,a")?))
    }

    /// The Fock matrix of occupied orbitals, in the field.
    fn fock<'a>(&'a self, Co: &Expr<'a, f64>) -> Recording<'a> {
        let density = (Co.at("pi") * Co.at("qi") * 2.0).record("pq")?;
        let (H, eri) = (&self.molecule.H, &self.molecule.eri);
        let repulsion = eri.at("pqrs") * density.at("rs") - eri.at("prqs") * density.at("rs") * 0.5;
        (H.at("pq") + self.strength.at("") * self.z.at("pq") + repulsion).record("pq")
    }

    /// The next κ: the energy falls along what the Fock matrix has between occupied and empty orbitals.
    fn next<'a>(&'a self, kappa: &Expr<'a, f64>) -> Recording<'a> {
        let (Co, Cv) = self.orbitals(kappa)?;
        let mixed = (self.fock(&Co)?.at("pq") * Co.at("pi") * Cv.at("qa")).record("ai")?;
        (kappa.at("ai") - mixed.at("ai") * self.slopes.at("ai")).record("ai")
    }
}
