//! The iteration: amplitudes from the last ones, until they no longer change.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

use super::ccsd::Failure;
use super::ccsd::cc::Orbitals;
use super::ccsd::diis::{Diis, DiisVector};
use super::equations::{ENERGY, ITERATION, Program};
use super::integrals::{SpinOrbitals, Tensors};

/// The last step changes the amplitudes by less; the error of the energy is then of the same order.
const CONVERGED: f64 = 1e-10;
const MOST_ITERATIONS: usize = 100;
const DIIS_CAPACITY: usize = 8;

/// A molecule's integrals and amplitudes, and the equations planned for them.
pub(crate) struct Calculation {
    /// The energies of occupied and of empty spin orbitals.
    energies: [Tensor<f64>; 2],
    pub(crate) tensors: Tensors,
    pub(crate) iteration: Program,
    energy: Program,
}

impl Calculation {
    /// Starts from the amplitudes of perturbation theory.
    pub(crate) fn new(context: &Context, mo: &Orbitals) -> Result<Calculation, Failure> {
        let spins = SpinOrbitals::new(mo.nocc, mo.nvir)?;
        let mut tensors = spins.integrals(mo)?;
        let energies = spins.energies(mo)?;
        let ([eo, ev], oovv) = (&energies, &tensors["oovv"]);
        // Occupied indices are the ket of an amplitude.
        let guess = try_tensor!([i, j, a, b] = conj(oovv[i, j, a, b]) / (eo[i] + eo[j] - ev[a] - ev[b]))?.into_dyn();
        tensors.insert("T1", Blocks::zeros(&spins.singles()?)?);
        tensors.insert("T2", guess);
        let iteration = Program::new(context, &ITERATION, &mut tensors)?;
        let energy = Program::new(context, &ENERGY, &mut tensors)?;
        for (residual, amplitudes) in [("R1", "T1"), ("R2", "T2")] {
            let [found, wanted] = [residual, amplitudes].map(|name| tensors[name].structure());
            if found != wanted {
                return Err(Failure::Calculation(format!("{residual} has {found:?}, but {amplitudes} has {wanted:?}")));
            }
        }
        Ok(Calculation { energies, tensors, iteration, energy })
    }

    /// The correlation energy of the amplitudes.
    pub(crate) fn energy(&mut self) -> Result<f64, Error> {
        self.energy.run(&mut self.tensors)?;
        self.tensors["E"].get(&[])
    }

    /// Iterates, and gives the energy.
    pub(crate) fn solve(&mut self) -> Result<f64, Failure> {
        println!("\nCCSD in spin orbitals\n{:>9} {:>20} {:>12} {:>12}", "iteration", "energy", "change", "|step|");
        let mut diis = Diis::new(DIIS_CAPACITY);
        let mut last = self.energy()?;
        for iteration in 1..=MOST_ITERATIONS {
            self.iteration.run(&mut self.tensors)?;
            let next = self.next()?;
            let change = Amplitudes::plus(next.clone(), -1.0, &self.amplitudes());
            let length = Amplitudes::overlap(&change, &change).sqrt();
            let Amplitudes { t1, t2 } = diis.extrapolate(next, change);
            self.tensors.insert("T1", t1);
            self.tensors.insert("T2", t2);

            let energy = self.energy()?;
            println!("{iteration:>9} {energy:>20.12} {:>12.1e} {length:>12.1e}", energy - last);
            if length < CONVERGED {
                return Ok(energy);
            }
            if !length.is_finite() {
                break;
            }
            last = energy;
        }
        Err(Failure::Calculation(format!("CCSD did not converge in {MOST_ITERATIONS} iterations")))
    }

    /// The amplitudes that the residuals ask for.
    fn next(&self) -> Result<Amplitudes, Error> {
        let ([eo, ev], r1, r2) = (&self.energies, &self.tensors["R1"], &self.tensors["R2"]);
        let t1 = try_tensor!([i, a] = r1[i, a] / (eo[i] - ev[a]))?.into_dyn();
        let t2 = try_tensor!([i, j, a, b] = r2[i, j, a, b] / (eo[i] + eo[j] - ev[a] - ev[b]))?.into_dyn();
        Ok(Amplitudes { t1, t2 })
    }

    fn amplitudes(&self) -> Amplitudes {
        Amplitudes { t1: self.tensors["T1"].clone(), t2: self.tensors["T2"].clone() }
    }
}

/// Singles and doubles.
#[derive(Clone)]
struct Amplitudes {
    t1: Blocks<f64>,
    t2: Blocks<f64>,
}

impl DiisVector for Amplitudes {
    fn overlap(x: &Amplitudes, y: &Amplitudes) -> f64 {
        let ([x1, x2], [y1, y2]) = ([&x.t1, &x.t2], [&y.t1, &y.t2]);
        let (one, two): (f64, f64) = tensor! {
            let one = conj(x1[i, a]) * y1[i, a];
            let two = conj(x2[i, j, a, b]) * y2[i, j, a, b];
            (one, two)
        };
        one + two
    }

    fn times(c: f64, x: &Amplitudes) -> Amplitudes {
        let (t1, t2) = (&x.t1, &x.t2);
        let (t1, t2) = (tensor!([i, a] = c * t1[i, a]), tensor!([i, j, a, b] = c * t2[i, j, a, b]));
        Amplitudes { t1: t1.into_dyn(), t2: t2.into_dyn() }
    }

    fn plus(mut sum: Amplitudes, c: f64, x: &Amplitudes) -> Amplitudes {
        let Amplitudes { t1, t2 } = &mut sum;
        tensor! {
            t1[i, a] += c * x.t1[i, a];
            t2[i, j, a, b] += c * x.t2[i, j, a, b];
        }
        sum
    }
}
