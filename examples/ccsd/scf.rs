//! Restricted Hartree-Fock: each electron in the mean field of all others.
//!
//! The Roothaan equations F(C) C = S C eps are solved again and again, with the Fock matrix F of the last orbitals C, until
//! both agree (A. Szabo, N. S. Ostlund, *Modern Quantum Chemistry* (1989), chapter 3).

use tensorwrapper::prelude::*;

use super::diis::{Diis, DiisVector};
use super::molecule::Molecule;
use super::{Failure, Matrix, Vector};

/// The commutator of Fock and density matrix is this short at the end. The energy is then exact to rounding (its error is of
/// second order), and occupied and empty orbitals no longer mix, which coupled cluster relies on.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: usize = 200;
const DIIS_CAPACITY: usize = 8;

/// A solution of the Hartree-Fock equations.
pub(crate) struct HartreeFock {
    /// Total energy, with the repulsion of the nuclei.
    pub(crate) energy: f64,
    /// Orbital energies, ascending.
    pub(crate) eps: Vector,
    /// Orbital coefficients `C[p,n]`: orbital n in basis functions p.
    pub(crate) C: Matrix,
}

/// The lowest state found. Where an iteration ends depends on where it starts, and a symmetric molecule keeps the wrong
/// occupation for ever if the first guess has it; so there are two starts, and the lower end counts.
pub(crate) fn lowest_state(molecule: &Molecule) -> Result<HartreeFock, Failure> {
    let Molecule { S, H, .. } = molecule;
    // Wolfsberg and Helmholz: what two functions share of the energy goes by their overlap, as in extended Hueckel theory.
    let mut hueckel = tensor!([p,q] = 1.75 * S[p,q] * (H[p,p] + H[q,q]) / 2.0);
    tensor!(hueckel[p,p] = H[p,p]);

    let starts = [("the core Hamiltonian", H.clone()), ("extended Hueckel theory", hueckel)];
    let mut states = Vec::new();
    for (name, guess) in starts {
        states.extend(self_consistent_field(molecule, name, guess)?);
    }
    states.into_iter().min_by(|x, y| x.energy.total_cmp(&y.energy)).ok_or_else(|| {
        Failure::Calculation(format!("Hartree-Fock did not converge from any start, in {MOST_ITERATIONS} iterations"))
    })
}

/// Iterates from a first guess of the Fock matrix. Nothing where that does not converge.
fn self_consistent_field(molecule: &Molecule, name: &str, guess: Matrix) -> Result<Option<HartreeFock>, Error> {
    let Molecule { S, H, eri, .. } = molecule;
    let nocc = molecule.nocc;
    println!("\nHartree-Fock from {name}\n{:>9} {:>20} {:>12} {:>12}", "iteration", "energy", "change", "|FDS - SDF|");

    let mut diis = Diis::new(DIIS_CAPACITY);
    let mut F = guess;
    let mut last = 0.0;
    for iteration in 1..=MOST_ITERATIONS {
        let (_, C) = tensor!(([n], [p,n]) = eigh(F[p,q], S[p,q]));
        // two electrons in each of the lowest orbitals, and the field they make: Coulomb and exchange
        let D = tensor!([p,q] = 2.0 * C[p, i in ..nocc] * C[q, i in ..nocc]);
        let field = try_tensor!([p,q] = eri[p,q,r,s] * D[r,s] - 0.5 * eri[p,r,q,s] * D[r,s])?.to_dense()?;
        F = tensor!([p,q] = H[p,q] + field[p,q]);
        let electronic = tensor!([] = 0.5 * D[p,q] * (H[p,q] + F[p,q]));
        let commutator = tensor!([p,s] = F[p,q] * D[q,r] * S[r,s] - S[p,q] * D[q,r] * F[r,s]);

        let energy = electronic + molecule.E_nuc;
        let residual = Matrix::overlap(&commutator, &commutator).sqrt();
        println!("{iteration:>9} {energy:>20.12} {:>12.1e} {residual:>12.1e}", energy - last);
        if !residual.is_finite() {
            return Ok(None);
        }
        if residual < CONVERGED {
            let (eps, C) = tensor!(([n], [p,n]) = eigh(F[p,q], S[p,q]));
            return Ok(Some(HartreeFock { energy, eps, C }));
        }
        F = diis.extrapolate(F, commutator);
        last = energy;
    }
    println!("not converged");
    Ok(None)
}

impl DiisVector for Matrix {
    fn overlap(x: &Matrix, y: &Matrix) -> f64 {
        tensor!([] = x[p,q] * y[p,q])
    }

    fn times(c: f64, x: &Matrix) -> Matrix {
        tensor!([p,q] = c * x[p,q])
    }

    fn plus(mut sum: Matrix, c: f64, x: &Matrix) -> Matrix {
        tensor!(sum[p,q] += c * x[p,q]);
        sum
    }
}
