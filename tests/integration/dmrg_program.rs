//! The `dmrg` example as a person meets it: chains that are good and wrong.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tensorwrapper::Tensor;

// The example is a program; how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/dmrg/main.rs"]
mod dmrg;

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/heisenberg-chain/mpo_N12_D1_h0.npy");

/// What the program prints and whether all is well, or the sentence with which it refuses.
fn run(arguments: &[&str]) -> Result<(String, bool), String> {
    let mut out = Vec::new();
    let good = dmrg::run(arguments.iter().map(OsString::from).collect(), &mut out).map_err(|refused| refused.0)?;
    Ok((String::from_utf8(out).expect("the program prints text"), good))
}

/// The number of a line of the result.
fn found(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} is not in {text}"));
    line.split('=').nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn the_chain_of_the_repository_is_as_expected() {
    let (text, good) = run(&[]).unwrap();
    assert!(good && text.matches("as found").count() == 2, "{text}");
}

/// Two spins are a singlet, of energy -3/4 and entropy ln 2. The tensor of all sites has no number of sites in it.
#[test]
fn two_spins_are_a_singlet() {
    let (text, good) = run(&[DEFAULT, "2"]).unwrap();
    assert!(good && (found(&text, "E0") + 0.75).abs() < 1e-12, "{text}");
    assert!((found(&text, "entropy") - 2f64.ln()).abs() < 1e-9, "{text}");
}

/// The energy of a state is never below the lowest, and three values a bond are not enough for it.
#[test]
fn a_narrow_bond_has_more_energy() {
    let (text, good) = run(&[DEFAULT, "12", "--bond", "3", "--sweeps", "6"]).unwrap();
    assert!(!good && text.contains("DIFFERS"), "{text}");
    let energy = found(&text, "E0");
    assert!((-5.142090632..-5.0).contains(&energy), "{text}");
}

/// Tensors that conserve the spin have the same ground state, of 20 sites with at most 50 values a bond, and of 12 with all.
#[test]
fn with_charges_the_ground_state_is_the_same() {
    let (text, good) = run(&["--charges"]).unwrap();
    assert!(good && text.matches("as found").count() == 2, "{text}");
    let (text, good) = run(&[DEFAULT, "20", "--charges", "--bond", "50"]).unwrap();
    assert!(good && (found(&text, "E0") + 8.682473334399).abs() < 1e-9, "{text}");
}

/// A field across the spins turns them.
#[test]
fn an_operator_that_conserves_no_charge_is_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dmrg_charges");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("field.npy");
    let element = |i: &[usize]| f64::from(u8::from(if i[0] == i[1] { i[2] == i[3] } else { i[0] == 1 && i[2] != i[3] }));
    Tensor::<f64>::from_fn([2, 2, 2, 2], element).unwrap().write_npy(&file).unwrap();
    let path = file.to_str().unwrap();
    let (text, good) = run(&[path, "4"]).unwrap();
    assert!(good && (found(&text, "E0") + 4.0).abs() < 1e-9, "{text}");
    assert_eq!(run(&[path, "4", "--charges"]).unwrap_err(), format!("`{path}` conserves no spin"));
}

#[test]
fn wrong_operators_are_refused_in_one_sentence() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dmrg_program");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mpo.npy");
    let path = file.to_str().unwrap();
    let refused = |more: &[&str]| {
        let sentence = run(&[&[path], more].concat()).unwrap_err().replace(path, "FILE");
        assert!(!sentence.contains('\n'), "{sentence}");
        sentence
    };
    let _ = fs::remove_file(&file);
    assert!(refused(&["4"]).starts_with("FILE: "));
    fs::write(&file, "no array").unwrap();
    assert!(refused(&["4"]).starts_with("FILE: "));
    Tensor::<f64>::zeros([2, 3, 2, 2]).unwrap().write_npy(&file).unwrap();
    assert_eq!(
        refused(&["4"]),
        "`FILE` has extents [2, 3, 2, 2], and a tensor of an operator has two equal bonds and two equal spins"
    );
    Tensor::<f32>::zeros([2, 2, 2, 2]).unwrap().write_npy(&file).unwrap();
    assert_eq!(refused(&["4"]), "`FILE` holds `f32`, and `f64` is needed");
    Tensor::<f64>::filled([2, 2, 2, 2], f64::NAN).unwrap().write_npy(&file).unwrap();
    assert_eq!(refused(&["4"]), "`FILE` has elements that are no finite numbers");
    let ramp = Tensor::<f64>::from_fn([2, 2, 2, 2], |i| (i[0] + 3 * i[1] + 5 * i[2] + 11 * i[3]) as f64).unwrap();
    ramp.write_npy(&file).unwrap();
    assert_eq!(refused(&["4"]), "`FILE` is an operator that is not symmetric");
    for wrong in [&[][..], &["1"], &["x"], &["4", "5"], &["4", "--bond", "0"], &["4", "--tolerance", "2"], &["4", "--what", "1"]]
    {
        assert!(refused(wrong).contains("usage: dmrg"));
    }
}
