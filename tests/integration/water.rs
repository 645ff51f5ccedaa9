//! The energies of water in a minimal basis, by the modules of the `ccsd` example, against published ones.
//!
//! The larger basis is the example's own default, and the gate runs it.

use std::path::Path;

// The example is a program; what it prints and how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/ccsd/main.rs"]
mod ccsd;

/// All energies of a folder, or the sentence that says why there are none.
fn energies(folder: &Path) -> Result<[f64; 4], String> {
    let sentence = |failure| match failure {
        ccsd::Failure::Input(sentence) | ccsd::Failure::Calculation(sentence) => sentence,
    };
    ccsd::molecule::Molecule::read(folder).and_then(|molecule| ccsd::energies(&molecule)).map_err(sentence)
}

#[test]
fn energies_of_water_in_sto3g() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-sto3g"));
    let found = energies(folder).unwrap_or_else(|sentence| panic!("{sentence}"));
    let published = [-74.9420799281921, -0.0491496361199, -0.0706800883764, -0.0000998772718];
    for (energy, published) in found.into_iter().zip(published) {
        assert!((energy - published).abs() < 1e-9, "{energy} against {published}");
    }
}

#[test]
fn missing_folder_is_reported_in_one_sentence() {
    let sentence = energies(Path::new("no/such/folder")).unwrap_err();
    assert_eq!(sentence, "no/such/folder: there is no such folder");
}
