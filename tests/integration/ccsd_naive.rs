//! The CCSD equations term by term: the library finds what the other example writes by hand.

use std::path::Path;

use tensorwrapper::prelude::*;

// The example is a program; what it prints and how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/ccsd_naive/main.rs"]
mod example;

use example::ccsd::Failure;
use example::ccsd::cc::{Amplitudes, Equations, Orbitals, equations as by_hand, mp2, solve};
use example::ccsd::molecule::Molecule;
use example::ccsd::scf::lowest_state;
use example::equations::term_by_term;

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Input(sentence) | Failure::Calculation(sentence) => sentence,
    }
}

fn energy(equations: Equations) -> Result<f64, Failure> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-sto3g"));
    let molecule = Molecule::read(folder)?;
    let mo = Orbitals::new(&molecule, &lowest_state(&molecule)?)?;
    let (_, guess) = mp2(&mo)?;
    Ok(solve(&mo, &guess, equations)?.0)
}

#[test]
fn energies_equal_those_of_factored_equations() {
    let naive = energy(term_by_term).map_err(sentence).unwrap();
    assert!((naive - -0.0706800883764).abs() < 1e-9, "{naive}");
}

/// Operations of an iteration with so many orbitals.
fn operations(equations: Equations, o: usize, v: usize) -> Result<f64, Failure> {
    let zeros = |[p, q, r, s]: [usize; 4]| Tensor::zeros((p, q, r, s));
    let mo = Orbitals {
        nocc: o,
        nvir: v,
        eo: Tensor::filled((o,), -1.0)?,
        ev: Tensor::filled((v,), 1.0)?,
        oooo: zeros([o, o, o, o])?,
        ooov: zeros([o, o, o, v])?,
        oovv: zeros([o, o, v, v])?,
        ovov: zeros([o, v, o, v])?,
        ovvv: zeros([o, v, v, v])?,
        vvvv: zeros([v, v, v, v])?,
    };
    let t = Amplitudes { t1: Tensor::zeros((o, v))?, t2: zeros([o, o, v, v])? };
    let mut operations = 0.0;
    equations(&mo, &t, &mut |(next1, next2)| {
        operations = Context::default().prepare_all((next1, next2), &[&t.t1, &t.t2])?.operations();
        Ok(())
    })?;
    Ok(operations)
}

/// Water in a minimal basis, in cc-pVDZ, and more empty orbitals.
#[test]
fn operations_are_within_a_tenth_of_factored_equations() {
    for (o, v) in [(5, 2), (5, 19), (4, 24)] {
        let [hand, naive] = [by_hand as Equations, term_by_term].map(|e| operations(e, o, v).map_err(sentence).unwrap());
        assert!(naive <= 1.1 * hand, "{o} and {v} orbitals: {naive} operations, {hand} by hand");
    }
}
