//! The CCSD equations in spin orbitals over block tensors: the energy, and what antisymmetry and spin save.

use std::path::Path;

use tensorwrapper::prelude::*;

// The example is a program; what it prints and how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/ccsd_spin/main.rs"]
mod example;

use example::ccsd::Failure;
use example::ccsd::cc::Orbitals;
use example::ccsd::molecule::Molecule;
use example::ccsd::scf::lowest_state;
use example::solve::Calculation;

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Input(sentence) | Failure::Calculation(sentence) => sentence,
    }
}

fn orbitals(folder: &str) -> Result<Orbitals, Failure> {
    let molecule = Molecule::read(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data")).join(folder))?;
    Orbitals::new(&molecule, &lowest_state(&molecule)?)
}

#[test]
fn energies_of_water() {
    for (folder, expected) in [("water-sto3g", -0.0706800883764), ("water-ccpvdz", -0.213368217609)] {
        let mo = orbitals(folder).map_err(sentence).unwrap();
        let mut calculation = Calculation::new(&Context::default(), &mo).map_err(sentence).unwrap();
        let energy = calculation.solve().map_err(sentence).unwrap();
        assert!((energy - expected).abs() < 1e-9, "{folder}: {energy}");
    }
}

/// Water in cc-pVDZ: of 10 occupied spin orbitals in tiles of 2 and 3, and 38 empty ones in tiles of 5, 5, 5 and 4.
#[test]
fn pairs_of_one_spin_are_computed_once() {
    let mo = orbitals("water-ccpvdz").map_err(sentence).unwrap();
    let calculation = Calculation::new(&Context::default(), &mo).map_err(sentence).unwrap();
    // Pairs of tiles: of one spin those in order, of both spins all.
    let occupied = [2 * 2 + 2 * 3 + 3 * 3, 5 * 5];
    let empty = [6 * 5 * 5 + 3 * 5 * 4 + 4 * 4, 19 * 19];
    let elements = 2 * occupied[0] * empty[0] + occupied[1] * empty[1];
    assert_eq!(calculation.tensors["T2"].bytes(), elements * size_of::<f64>());
    // Within a tile one order of each pair is multiplied.
    let unique = [5 * 4 / 2, 19 * 18 / 2];
    let ladder = calculation.iteration.steps.iter().find(|(line, _)| line.name == "particle_ladder").unwrap();
    let multiplications = 2 * unique[0] * unique[1] * unique[1] + occupied[1] * empty[1] * empty[1];
    assert_eq!(ladder.1.multiplications(), multiplications as u128);
}
