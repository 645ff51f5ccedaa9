//! The CCSD equations term by term: the library finds what the other example writes by hand.

use std::path::Path;

use tensorwrapper::prelude::*;
use tensorwrapper::{AnyOperand, Blocks, Structure, Tiling};

// The example is a program; what it prints and how it ends is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/ccsd_naive/main.rs"]
mod example;
#[path = "../../examples/ccsd_naive/ladder.rs"]
mod ladder;

use example::ccsd;
use example::ccsd::cc::{Amplitudes, Equations, Orbitals, equations as by_hand, mp2, planned, solve};
use example::ccsd::molecule::Molecule;
use example::ccsd::scf::lowest_state;
use example::ccsd::{Failure, Tensor4};
use example::equations::term_by_term;
use ladder::whole_ladder;

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

/// Integrals between empty orbitals that are made tile by tile, and the ladder over them, do not depend on the tiles.
#[test]
fn tiles_change_no_integral() {
    for (folder, tiles) in [("water-sto3g", &[1][..]), ("water-ccpvdz", &[5, 8])] {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data")).join(folder);
        let whole = Molecule::read(&folder).map_err(sentence).unwrap();
        let hf = lowest_state(&whole).map_err(sentence).unwrap();
        let (cv, eri) = (&hf.C, whole.eri.to_dense().unwrap());
        let nocc = whole.nocc;
        let expected = tensor!([a, b, c, d] = eri[p, q, r, s] * cv[p, a in nocc..] * cv[q, c in nocc..]
            * cv[r, b in nocc..] * cv[s, d in nocc..]);
        for &tile in tiles {
            let molecule = Molecule::read_in_tiles(&folder, tile).map_err(sentence).unwrap();
            let mo = Orbitals::new(&molecule, &hf).map_err(sentence).unwrap();
            assert!(mo.vvvv.structure().tilings()[0].len() > 1);
            assert!(mo.vvvv.to_dense().unwrap().allclose(&expected, 0.0, 1e-12).is_ok(), "{folder:?} in tiles of {tile}");
            let ladders = [&whole, &molecule].map(|molecule| {
                let mo = Orbitals::new(molecule, &hf).map_err(sentence).unwrap();
                let (_, t) = mp2(&mo).map_err(sentence).unwrap();
                let mut ladder = None;
                planned(&Context::default(), &mo, &t, by_hand, &mut |step| {
                    ladder = Some(step.ladder(&t)?);
                    Ok(())
                })
                .map_err(sentence)
                .unwrap();
                ladder.unwrap()
            });
            assert!(ladders[0].allclose(&ladders[1], 0.0, 1e-12).is_ok(), "{folder:?} in tiles of {tile}");
        }
    }
}

/// Integrals (pq|rs) with p >= q, r >= s and (p,q) >= (r,s), in a list.
#[test]
fn packed_integrals_are_those_of_the_whole_file() {
    let whole = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-sto3g"));
    let folder = std::env::temp_dir().join(format!("tensorwrapper-packed-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    for file in ["molecule.json", "S.npy", "H.npy"] {
        std::fs::copy(whole.join(file), folder.join(file)).unwrap();
    }
    let eri: Tensor4 = AnyTensor::read_npy(whole.join("eri.npy")).unwrap().into_tensor().unwrap().into_typed().unwrap();
    let pairs: Vec<[usize; 2]> = (0..eri.extents()[0]).flat_map(|p| (0..=p).map(move |q| [p, q])).collect();
    let list: Vec<f64> = pairs
        .iter()
        .enumerate()
        .flat_map(|(n, &[p, q])| pairs[..=n].iter().map(move |&[r, s]| [p, q, r, s]))
        .map(|index| eri[index])
        .collect();
    let read = |list: Vec<f64>| {
        Tensor::from_vec([list.len()], list).unwrap().write_npy(folder.join("eri.npy")).unwrap();
        Molecule::read(&folder).map_err(sentence)
    };
    let short = read(list[1..].to_vec()).err();
    let molecules = [read(list).unwrap(), Molecule::read(whole).map_err(sentence).unwrap()];
    std::fs::remove_dir_all(&folder).unwrap();
    let [packed, expected] = molecules.map(|molecule| molecule.eri.to_dense().unwrap());
    // Which of the integrals that should be equal is kept differs, and rounding with it.
    assert!(packed.allclose(&expected, 0.0, 1e-12).is_ok());
    let short = short.unwrap();
    assert!(short.ends_with("its shape is [405] where `nao` asks for [7, 7, 7, 7] or [406]"), "{short}");
}

/// Orbitals, the integrals between empty ones, and amplitudes, without any elements that matter.
fn sized(o: usize, v: usize) -> Result<(Orbitals, Tensor4, Amplitudes), Failure> {
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
        vvvv: Blocks::zeros(&Structure::new([&Tiling::whole(v); 4]))?,
    };
    Ok((mo, zeros([v, v, v, v])?, Amplitudes { t1: Tensor::zeros((o, v))?, t2: zeros([o, o, v, v])? }))
}

/// Operations of an iteration with so many orbitals.
fn operations(equations: Equations, o: usize, v: usize) -> Result<f64, Failure> {
    let (mo, vvvv, t) = sized(o, v)?;
    let mut operations = 0.0;
    equations(&mo, &t, &whole_ladder(&vvvv, &t), &mut |(next1, next2)| {
        operations = Context::default().prepare_all((next1, next2), &[&t.t1, &t.t2])?.operations();
        Ok(())
    })?;
    Ok(operations)
}

/// Operations of the residuals, each times its multiplier, and of these with their derivatives by the amplitudes.
fn operations_with_derivatives(o: usize, v: usize) -> Result<(f64, f64), Failure> {
    let ((mo, vvvv, t), (_, _, m)) = (sized(o, v)?, sized(o, v)?);
    let mut found = (0.0, 0.0);
    term_by_term(&mo, &t, &whole_ladder(&vvvv, &t), &mut |(next1, next2)| {
        let graph = Graph::new();
        let value = tensor! {
            in &graph;
            let value = m.t1[i, a] * (*next1)[i, a] + m.t2[i, j, a, b] * (*next2)[i, j, a, b];
            value
        };
        let (by_t1, by_t2) = value.grad((&t.t1, &t.t2))?;
        let inputs: [&dyn AnyOperand; 4] = [&t.t1, &t.t2, &m.t1, &m.t2];
        let context = Context::default();
        found.0 = context.prepare_all((&value, &value), &inputs)?.operations();
        found.1 = context.prepare_all((&value, &by_t1, &by_t2), &inputs)?.operations();
        Ok(())
    })?;
    Ok(found)
}

/// 2.42 is what the best order of each term takes.
#[test]
fn derivatives_of_the_lagrangian_share_what_it_is_made_of() {
    let (value, all) = operations_with_derivatives(5, 19).map_err(sentence).unwrap();
    assert!(all <= 2.42 * value, "{all} operations, {value} of the value");
    assert!(all <= 29.3e6, "{all} operations");
}

/// Water in a minimal basis, in cc-pVDZ, and more empty orbitals.
#[test]
fn operations_are_within_a_tenth_of_factored_equations() {
    for (o, v) in [(5, 2), (5, 19), (4, 24)] {
        let [hand, naive] = [by_hand as Equations, term_by_term].map(|e| operations(e, o, v).map_err(sentence).unwrap());
        assert!(naive <= 1.1 * hand, "{o} and {v} orbitals: {naive} operations, {hand} by hand");
    }
}

/// A helium atom in one basis function: there is nothing to correlate.
#[test]
fn without_empty_orbitals_there_is_no_correlation() {
    let folder = std::env::temp_dir().join(format!("tensorwrapper-helium-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("molecule.json"), r#"{"nao": 1, "nocc": 1, "nelectron": 2, "E_nuc": 0.0}"#).unwrap();
    for (name, number) in [("S.npy", 1.0), ("H.npy", -1.93)] {
        Tensor::from_vec([1, 1], vec![number]).unwrap().write_npy(folder.join(name)).unwrap();
    }
    Tensor::from_vec([1], vec![1.05]).unwrap().write_npy(folder.join("eri.npy")).unwrap();
    let molecule = Molecule::read(&folder).map_err(sentence);
    std::fs::remove_dir_all(&folder).unwrap();
    let molecule = molecule.unwrap();
    let hf = lowest_state(&molecule).map_err(sentence).unwrap();
    assert!((hf.energy - (2.0 * -1.93 + 1.05)).abs() < 1e-12);
    let mo = Orbitals::new(&molecule, &hf).map_err(sentence).unwrap();
    let (_, guess) = mp2(&mo).map_err(sentence).unwrap();
    for equations in [by_hand as Equations, term_by_term] {
        assert_eq!(solve(&mo, &guess, equations).map_err(sentence).unwrap().0, 0.0);
    }
}
