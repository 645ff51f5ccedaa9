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
pub(crate) struct Calculation<'m> {
    mo: &'m Orbitals,
    spins: SpinOrbitals,
    pub(crate) tensors: Tensors,
    pub(crate) iteration: Program,
    energy: Program,
}

impl<'m> Calculation<'m> {
    /// Starts from the amplitudes of perturbation theory.
    pub(crate) fn new(context: &Context, mo: &'m Orbitals) -> Result<Calculation<'m>, Failure> {
        let spins = SpinOrbitals::new(mo.nocc, mo.nvir)?;
        let mut tensors = spins.integrals(mo)?;
        let [singles, doubles] = spins.amplitudes()?;
        let oovv = &tensors["oovv"];
        let guess = Blocks::from_fn(&doubles, |index| {
            oovv.get(index).unwrap_or_default() / spins.denominator(mo, &index[..2], &index[2..])
        })?;
        tensors.insert("T1", Blocks::zeros(&singles)?);
        tensors.insert("T2", guess);
        let iteration = Program::new(context, &ITERATION, &mut tensors)?;
        let energy = Program::new(context, &ENERGY, &mut tensors)?;
        for (residual, amplitudes) in [("R1", "T1"), ("R2", "T2")] {
            let [found, wanted] = [residual, amplitudes].map(|name| tensors[name].structure());
            if found != wanted {
                return Err(Failure::Calculation(format!("{residual} has {found:?}, but {amplitudes} has {wanted:?}")));
            }
        }
        Ok(Calculation { mo, spins, tensors, iteration, energy })
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
            let next = self.stored(["R1", "R2"], |rank, index, r| {
                let (occupied, empty) = index.split_at(rank / 2);
                r / self.spins.denominator(self.mo, occupied, empty)
            })?;
            let change = Elements::plus(self.stored(["T1", "T2"], |_, _, t| -t)?, 1.0, &next);
            let length = Elements::overlap(&change, &change).sqrt();
            let t = diis.extrapolate(next, change);
            self.set_amplitudes(&t)?;

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

    /// A function of all elements that singles and doubles store, side by side.
    fn stored(&self, names: [&str; 2], function: impl Fn(usize, &[usize], f64) -> f64) -> Result<Elements, Error> {
        let mut elements = Vec::new();
        for name in names {
            let tensor = &self.tensors[name];
            let rank = tensor.structure().rank();
            tensor.map_indexed(|index, x| {
                elements.push(function(rank, index, x));
                x
            })?;
        }
        Ok(Elements(elements))
    }

    /// The amplitudes that store these elements.
    fn set_amplitudes(&mut self, elements: &Elements) -> Result<(), Error> {
        let mut elements = elements.0.iter().copied();
        for name in ["T1", "T2"] {
            let amplitudes = self.tensors[name].map_indexed(|_, _| elements.next().unwrap_or_default())?;
            self.tensors.insert(name, amplitudes);
        }
        Ok(())
    }
}

/// Stored elements of singles and doubles. Those that follow from others need no extrapolation of their own.
struct Elements(Vec<f64>);

impl DiisVector for Elements {
    fn overlap(x: &Elements, y: &Elements) -> f64 {
        x.0.iter().zip(&y.0).map(|(x, y)| x * y).sum()
    }

    fn times(c: f64, x: &Elements) -> Elements {
        Elements(x.0.iter().map(|x| c * x).collect())
    }

    fn plus(mut sum: Elements, c: f64, x: &Elements) -> Elements {
        sum.0.iter_mut().zip(&x.0).for_each(|(sum, x)| *sum += c * x);
        sum
    }
}
